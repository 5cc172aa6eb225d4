"""The environment of each function, read once and checked whole: what is missing or malformed is named in one message.

The names are a contract: Terraform sets them, and so do the local stack and the tests.
"""

import zoneinfo
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final, TypeVar
from urllib.parse import urlsplit

from shared.line.phrases import LOCALES

_Value = TypeVar("_Value")
_THINKING_LEVELS: Final = ("minimal", "low", "medium", "high")


class SettingsError(SystemExit):
    """The environment does not hold what the function needs; the text names every fault.

    A SystemExit, so that it ends the process with this one line on stderr instead of a stack trace.
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class WebhookSettings:
    """What functions/webhook needs.  `channel_secrets` are two while the secret is being changed."""

    project_id: str
    events_topic: str
    channel_secrets: tuple[str, ...] = field(repr=False)
    pubsub_emulator_host: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class GeminiSettings:
    """How Gemini is reached: by `api_key`, or on Vertex AI by project and `location` where that is None."""

    api_key: str | None = field(repr=False)
    project_id: str
    location: str | None
    base_url: str | None
    model: str
    thinking_level: str


@dataclass(frozen=True, slots=True, kw_only=True)
class BotSettings:
    """Who the bot is.  `name` and `persona` are None where the account's display name and the built-in character serve."""

    name: str | None
    locale: str
    time_zone: zoneinfo.ZoneInfo
    persona: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentWorkerSettings:
    """What functions/agent_worker needs."""

    project_id: str
    history_bucket: str
    channel_access_token: str = field(repr=False)
    line_api_base_url: str | None
    gemini: GeminiSettings
    bot: BotSettings


@dataclass(frozen=True, slots=True, kw_only=True)
class UnsendSettings:
    """What functions/unsend needs."""

    project_id: str
    history_bucket: str


def webhook_settings(env: Mapping[str, str]) -> WebhookSettings:
    """Read the environment of functions/webhook.  Raises: SettingsError."""
    return _read(
        env,
        lambda settings: WebhookSettings(
            project_id=settings.required("GOOGLE_CLOUD_PROJECT"),
            events_topic=settings.required("EVENTS_TOPIC"),
            channel_secrets=settings.secrets("LINE_CHANNEL_SECRET", at_most=2),
            pubsub_emulator_host=settings.optional("PUBSUB_EMULATOR_HOST"),
        ),
    )


def agent_worker_settings(env: Mapping[str, str]) -> AgentWorkerSettings:
    """Read the environment of functions/agent_worker.  Raises: SettingsError."""
    return _read(
        env,
        lambda settings: AgentWorkerSettings(
            project_id=settings.required("GOOGLE_CLOUD_PROJECT"),
            history_bucket=settings.required("HISTORY_BUCKET"),
            channel_access_token=settings.required("LINE_CHANNEL_ACCESS_TOKEN"),
            line_api_base_url=settings.url("LINE_API_BASE_URL"),
            gemini=_gemini(settings),
            bot=BotSettings(
                name=settings.optional("BOT_NAME"),
                locale=settings.one_of("BOT_LOCALE", LOCALES, default="ja"),
                time_zone=settings.time_zone("BOT_TIME_ZONE", default="Asia/Tokyo"),
                persona=settings.optional("BOT_PERSONA"),
            ),
        ),
    )


def unsend_settings(env: Mapping[str, str]) -> UnsendSettings:
    """Read the environment of functions/unsend.  Raises: SettingsError."""
    return _read(
        env,
        lambda settings: UnsendSettings(
            project_id=settings.required("GOOGLE_CLOUD_PROJECT"), history_bucket=settings.required("HISTORY_BUCKET")
        ),
    )


def _gemini(settings: "_Settings") -> GeminiSettings:
    on_vertex = settings.one_of("GOOGLE_GENAI_USE_VERTEXAI", ("true", "false", "1", "0"), default="false") in {
        "true",
        "1",
    }
    return GeminiSettings(
        api_key=None if on_vertex else settings.required("GEMINI_API_KEY", instead="GOOGLE_GENAI_USE_VERTEXAI=true"),
        project_id=settings.optional("GOOGLE_CLOUD_PROJECT") or "",
        location=settings.required("GOOGLE_CLOUD_LOCATION") if on_vertex else None,
        base_url=settings.url("GEMINI_BASE_URL"),
        model=settings.optional("GEMINI_MODEL") or "gemini-3.5-flash-lite",
        thinking_level=settings.one_of("GEMINI_THINKING_LEVEL", _THINKING_LEVELS, default="low"),
    )


class _Settings:
    """Reads variables and remembers every fault, so that all of them are told at once.  A variable that is set to "" is not set."""

    def __init__(self, env: Mapping[str, str]) -> None:
        self.faults: list[str] = []
        self._env = env

    def optional(self, name: str) -> str | None:
        return self._env.get(name, "").strip() or None

    def required(self, name: str, *, instead: str | None = None) -> str:
        value = self.optional(name)
        if value is None:
            self.faults.append(f"{name} is not set" + (f" (or set {instead})" if instead else ""))
        return value or ""

    def secrets(self, name: str, *, at_most: int) -> tuple[str, ...]:
        secrets = tuple(secret.strip() for secret in self.required(name).split(",") if secret.strip())
        if len(secrets) > at_most:
            self.faults.append(
                f"{name} holds {len(secrets)} secrets; at most {at_most} are taken, separated by a comma"
            )
        elif self.optional(name) and not secrets:
            self.faults.append(f"{name} holds no secret")
        return secrets

    def one_of(self, name: str, allowed: tuple[str, ...], *, default: str) -> str:
        value = self.optional(name) or default
        match = next((one for one in allowed if one.lower() == value.lower()), None)
        if match is None:
            self.faults.append(f"{name} is {value!r}; it must be one of {', '.join(allowed)}")
        return match or default

    def url(self, name: str) -> str | None:
        value = self.optional(name)
        if value is None:
            return None
        try:
            parts = urlsplit(value)
            usable = parts.scheme in {"http", "https"} and bool(parts.hostname) and (parts.port or 1) > 0
        except ValueError:
            usable = False
        if not usable:
            self.faults.append(f"{name} is no http(s) address")
        return value.rstrip("/")

    def time_zone(self, name: str, *, default: str) -> zoneinfo.ZoneInfo:
        value = self.optional(name) or default
        try:
            return zoneinfo.ZoneInfo(value)
        except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError):
            self.faults.append(f"{name} is {value!r}; it must be a time zone such as {default}")
            return zoneinfo.ZoneInfo("UTC")


def _read(env: Mapping[str, str], read: Callable[[_Settings], _Value]) -> _Value:
    settings = _Settings(env)
    value = read(settings)
    if settings.faults:
        raise SettingsError("the environment is incomplete: " + "; ".join(settings.faults))
    return value
