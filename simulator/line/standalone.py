"""The platform and the page as one server, for any bot: the core of `line-simulator`."""

import hashlib
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Final

from starlette.types import ASGIApp

from .channel_settings import DEFAULT_CHANNEL_ID, ChannelSettings
from .control.recording import Replay, read_recording
from .page.app import page_routes
from .page.setup import Setup
from .people import Bot
from .platform import LinePlatform
from .running import Running
from .servers import LOOPBACK, HttpServer, listening_socket
from .switchboard import Line, Switchboard

DEFAULT_SECRET: Final = "local-channel-secret"  # noqa: S105 - valid only on this machine
DEFAULT_TOKEN: Final = "local-channel-access-token"  # noqa: S105 - likewise
DEFAULT_WEBHOOK: Final = "http://127.0.0.1:8000/callback"
_BOT_USER_ID: Final = "U" + "b07" * 10 + "b0"


@dataclass(frozen=True, slots=True, kw_only=True)
class StandaloneSettings:
    """The settings of the command.

    The server listens on the address `host`; `allowed_hosts` are further names for bots. `folder` keeps people and chats of the first
    channel across restarts. `people` is the number of persons at the start, `first_person` the first one's name. `more_channels` share the
    address; each has a page on one of the next ports. For example, with `port=8080` the second channel's page is on 8081.
    """

    webhook_url: str = DEFAULT_WEBHOOK
    channel_secret: str = field(default=DEFAULT_SECRET, repr=False)
    channel_access_token: str = field(default=DEFAULT_TOKEN, repr=False)
    channel_id: str = DEFAULT_CHANNEL_ID
    host: str = LOOPBACK
    port: int = 8080
    allowed_hosts: tuple[str, ...] = ()
    folder: Path | None = None
    seed_chat: Path | None = None
    bot_name: str = "My bot"
    first_person: str = "Hanako"
    people: int = 1
    is_strict: bool = False
    is_verified: bool = False
    keeps_webhook: bool = False
    more_channels: tuple[ChannelSettings, ...] = ()

    @property
    def first_channel(self) -> ChannelSettings:
        """The channel of the command's own options."""
        return ChannelSettings(
            webhook_url=self.webhook_url,
            channel_secret=self.channel_secret,
            channel_access_token=self.channel_access_token,
            channel_id=self.channel_id,
            bot_name=self.bot_name,
        )


class Standalone(Running):
    """A running server: `async with Standalone(settings) as server`.  Raises on entering: PortInUseError, RecordingError.

    `platform` and `url` are the first channel's, `platforms` and `urls` those of all channels.
    """

    def __init__(self, settings: StandaloneSettings) -> None:
        self._settings = settings
        super().__init__()
        channels = (settings.first_channel, *settings.more_channels)
        self._lines = [
            self._line(channel, settings.folder if index == 0 else None) for index, channel in enumerate(channels)
        ]
        self.urls: list[str] = []

    @property
    def platforms(self) -> Sequence[LinePlatform]:
        """The platforms of the channels."""
        return [line.platform for line in self._lines]

    @property
    def platform(self) -> LinePlatform:
        """The platform of the first channel."""
        return self._lines[0].platform

    @property
    def url(self) -> str:
        """The address of the API and of the first channel's page; "" before the start."""
        return self.urls[0] if self.urls else ""

    @property
    def api(self) -> ASGIApp:
        """LINE's API without the page, for all channels."""
        return Switchboard([Line(platform=platform, app=platform.app) for platform in self.platforms])

    def _line(self, channel: ChannelSettings, folder: Path | None) -> Line:
        settings = self._settings
        platform = LinePlatform(
            webhook_url=channel.webhook_url,
            channel_secret=channel.channel_secret,
            channel_access_token=channel.channel_access_token,
            channel_id=channel.channel_id,
            now_ms=_now_ms,
            monotonic_s=time.monotonic,
            rng=Random(),
            bot=Bot(user_id=_bot_user_id(channel), display_name=channel.bot_name, basic_id="@local"),
            first_person=settings.first_person,
            state_path=folder / "line.json" if folder else None,
            allowed_hosts=settings.allowed_hosts,
            is_strict=settings.is_strict,
            is_verified=settings.is_verified,
            keeps_webhook=settings.keeps_webhook,
        )
        for number in range(len(platform.people) + 1, settings.people + 1):
            platform.add_person(f"Person {number}")
        setup = Setup(channel_secret=channel.channel_secret, channel_access_token=channel.channel_access_token)
        return Line(platform=platform, app=platform.app_with(page_routes(platform, {}, setup=setup)))

    async def _start(self) -> None:
        settings = self._settings
        if settings.seed_chat is not None:
            Replay(self.platform).seed(read_recording(settings.seed_chat))
        for index, line in enumerate(self._lines):
            sock = listening_socket(settings.port + index if settings.port else 0, settings.host)
            self._running.callback(sock.close)
            other_lines = [other for other in self._lines if other is not line]
            server = HttpServer(app=Switchboard([line, *other_lines]) if other_lines else line.app, sock=sock)
            await server.start()
            self._running.push_async_callback(server.stop)
            self._running.push_async_callback(line.platform.close)
            self.urls.append(f"http://{LOOPBACK}:{server.port}")


def _bot_user_id(channel: ChannelSettings) -> str:
    """Return the same id at every start; each channel has another."""
    if channel.channel_id == DEFAULT_CHANNEL_ID:
        return _BOT_USER_ID
    return f"U{hashlib.sha256(channel.channel_id.encode()).hexdigest()[:32]}"


def _now_ms() -> int:
    return time.time_ns() // 1_000_000
