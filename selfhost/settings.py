"""The environment of `make serve`: the functions' variables without Google Cloud's, and PUBLIC_URL, PORT, ADMIN_PORT, DATA, BACKUP_DAYS."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, TypeVar
from urllib.parse import urlsplit

from operations.restoration import MOST_DAYS
from shared.settings.agent_worker import AgentWorkerSettings, agent_worker_settings
from shared.settings.reader import EnvironmentReader, SettingsError, read_settings
from shared.settings.secret import Secret
from shared.settings.unsend import UnsendSettings, unsend_settings

_NO_CLOUD: Final = {
    "GOOGLE_CLOUD_PROJECT": "self-hosted",
    "HISTORY_BUCKET": "self-hosted",
    "GOOGLE_GENAI_USE_VERTEXAI": "false",  # Vertex AI reads media from a bucket, and there is none
    "STORAGE_EMULATOR_HOST": "",
    "TRACING": "off",
}
_WHERE: Final = {
    "LINE_CHANNEL_SECRET": "LINE Developers console, the channel's Basic settings",
    "LINE_CHANNEL_ACCESS_TOKEN": "LINE Developers console, the channel's Messaging API tab",
    "GEMINI_API_KEY": "https://aistudio.google.com/apikey",
}

_Value = TypeVar("_Value")


@dataclass(frozen=True, slots=True, kw_only=True)
class ServeSettings:
    """The settings of the process.  `public_url` is the address from which LINE reaches `port`; None before there is an address."""

    channel_secret: Secret = field(repr=False)
    public_url: str | None
    folder: Path
    backups: Path
    backup_days: int
    port: int
    admin_port: int
    worker: AgentWorkerSettings
    unsend: UnsendSettings


def serve_settings(env: Mapping[str, str]) -> ServeSettings:
    """Read the environment.  Raises: SettingsError, with the place where each missing secret is found."""
    env = {**env, **_NO_CLOUD}
    env["ACCESS"] = env.get("ACCESS", "").strip() or "invited"  # the unsend function has a different default
    faults: list[str] = []
    worker = _read_or_collect_fault(faults, lambda: agent_worker_settings(env))
    unsend = _read_or_collect_fault([], lambda: unsend_settings(env))  # its faults are among the worker's
    own = _read_or_collect_fault(faults, lambda: read_settings(env, _own))
    if worker is None or unsend is None or own is None:
        places = [f"{name}: {place}" for name, place in _WHERE.items() if any(name in fault for fault in faults)]
        raise SettingsError("the environment is incomplete: " + "; ".join([*faults, *places]))
    secret, public_url, folder, backup_days, (port, admin_port) = own
    return ServeSettings(
        channel_secret=secret,
        public_url=public_url,
        folder=folder,
        backups=folder.parent / f"{folder.name}-backups",
        backup_days=backup_days,
        port=port,
        admin_port=admin_port,
        worker=worker,
        unsend=unsend,
    )


def _own(settings: EnvironmentReader) -> tuple[Secret, str | None, Path, int, tuple[int, int]]:
    public_url = settings.url("PUBLIC_URL")
    if public_url is not None and urlsplit(public_url).path:
        settings.faults.append("PUBLIC_URL has a path; give a host alone, such as https://bot.example.com")
    if public_url is not None and public_url.startswith("http:") and settings.optional("LINE_API_BASE_URL") is None:
        settings.faults.append("PUBLIC_URL begins with http://; LINE takes https:// only")
    port, admin_port = [
        settings.whole_number(name, default=default, least=1, most=65_535)
        for name, default in (("PORT", 8080), ("ADMIN_PORT", 8081))
    ]
    if port == admin_port:
        settings.faults.append("PORT and ADMIN_PORT are the same; the tunnel must not reach the second")
    return (
        settings.secrets("LINE_CHANNEL_SECRET", at_most=2),
        public_url,
        _folder(settings.optional("DATA") or "data"),
        settings.whole_number("BACKUP_DAYS", default=14, least=1, most=MOST_DAYS),
        (port, admin_port),
    )


def _folder(text: str) -> Path:
    """Return the folder as a path with a name at its end: `_folder("data") -> Path("data")`, but "." becomes "/home/momo/bot"."""
    folder = Path(text)
    return folder if folder.name not in {"", ".."} else folder.resolve()


def _read_or_collect_fault(faults: list[str], read: Callable[[], _Value]) -> _Value | None:
    """Return the settings; None after a fault, which is added to `faults`."""
    try:
        return read()
    except SettingsError as cause:
        faults.append(str(cause).removeprefix("the environment is incomplete: "))
        return None
