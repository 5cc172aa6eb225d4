"""The platform with its page as one server, for any bot: what the command `line-simulator` runs."""

import time
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Final

from .control.recording import Replay, read_recording
from .page.app import page_routes
from .page.setup import Setup
from .people import Bot
from .platform import LinePlatform
from .running import Running
from .servers import LOOPBACK, HttpServer, listening_socket

DEFAULT_SECRET: Final = "local-channel-secret"  # noqa: S105 - valid only on this machine
DEFAULT_TOKEN: Final = "local-channel-access-token"  # noqa: S105 - likewise
DEFAULT_WEBHOOK: Final = "http://127.0.0.1:8000/callback"
_BOT_USER_ID: Final = "U" + "b07" * 10 + "b0"


@dataclass(frozen=True, slots=True, kw_only=True)
class StandaloneSettings:
    """The settings of the command.

    `host` is the address to listen on, `allowed_hosts` are further names under which bots reach it. `folder` keeps people and chats
    across restarts. `bot_name` is the account's display name, `language` that of the first person.
    """

    webhook_url: str = DEFAULT_WEBHOOK
    channel_secret: str = field(default=DEFAULT_SECRET, repr=False)
    channel_access_token: str = field(default=DEFAULT_TOKEN, repr=False)
    host: str = LOOPBACK
    port: int = 8080
    allowed_hosts: tuple[str, ...] = ()
    folder: Path | None = None
    seed_chat: Path | None = None
    bot_name: str = "My bot"
    first_person: str = "Hanako"


class Standalone(Running):
    """A running server: `async with Standalone(settings) as server`.  Raises on entering: PortInUseError, RecordingError."""

    def __init__(self, settings: StandaloneSettings) -> None:
        self._settings = settings
        super().__init__()
        self.platform = LinePlatform(
            webhook_url=settings.webhook_url,
            channel_secret=settings.channel_secret,
            channel_access_token=settings.channel_access_token,
            now_ms=_now_ms,
            monotonic_s=time.monotonic,
            rng=Random(),
            bot=Bot(user_id=_BOT_USER_ID, display_name=settings.bot_name, basic_id="@local"),
            first_person=settings.first_person,
            state_path=settings.folder / "line.json" if settings.folder else None,
            allowed_hosts=settings.allowed_hosts,
        )
        self.url = ""

    async def _start(self) -> None:
        settings = self._settings
        sock = listening_socket(settings.port, settings.host)
        self._running.callback(sock.close)
        if settings.seed_chat is not None:
            Replay(self.platform).seed(read_recording(settings.seed_chat))
        setup = Setup(channel_secret=settings.channel_secret, channel_access_token=settings.channel_access_token)
        server = HttpServer(app=self.platform.app_with(page_routes(self.platform, {}, setup=setup)), sock=sock)
        await server.start()
        self._running.push_async_callback(server.stop)
        self._running.push_async_callback(self.platform.close)
        self.url = f"http://{LOOPBACK}:{server.port}"


def _now_ms() -> int:
    return time.time_ns() // 1_000_000
