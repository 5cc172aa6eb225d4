"""The LINE platform as one object: people's actions, the API, and the saved state."""

from dataclasses import dataclass, field
from pathlib import Path

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute

from .access_tokens import AccessTokens
from .api import Api
from .background_events import BackgroundEvents
from .broadcasts import Broadcasts
from .browser_guard import BrowserGuard
from .calls import LoggedRequest
from .chat_membership import ChatMembership
from .deliveries import DeliveryAttempt
from .label_taps import LabelTaps
from .link_tokens import LinkTokens
from .people import Person
from .quota import MonthlyQuota, RetryKeys
from .reply_tokens import ReplyTokens
from .rich_menus import RichMenus
from .sent_messages import SentMessages
from .state_file import load, save
from .switches import DeliverySwitches, Faults


@dataclass(kw_only=True)
class LinePlatform(LabelTaps, ChatMembership, BackgroundEvents):
    """A LINE platform with one official account, in one asyncio loop.

    Every action of a person is a method and returns an event at once; the delivery goes on in the loop, until `wait_until_settled()`
    returns. Chats and people are read from `state_path` at the start and written to the file after every change.
    `allowed_hosts`: further names of this machine, see `browser_guard`.
    """

    first_person: str | None = "あなた"
    state_path: Path | None = None
    allowed_hosts: tuple[str, ...] = ()
    api: Api = field(init=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        self.api = Api(channel=self)
        if self.state_path is not None and self.state_path.exists():
            load(self, self.state_path)
        elif self.first_person is not None:
            self.add_person(self.first_person)
        if self.state_path is not None:
            path = self.state_path
            self.listen(lambda: save(self, path))
            self.notify_listeners()

    @property
    def app(self) -> Starlette:
        """LINE's API at the root, for both hosts."""
        return self.app_with([])

    def app_with(self, more_routes: list[BaseRoute]) -> Starlette:
        """Return LINE's API together with other routes, e.g. the page's. Requests of foreign web pages are refused."""
        return Starlette(
            routes=[*self.api.routes(), *more_routes],
            exception_handlers={404: self._not_found, 405: self._not_found},
            middleware=[Middleware(BrowserGuard, hosts=self.allowed_hosts)],
        )

    @property
    def switches(self) -> DeliverySwitches:
        """How events are delivered to the webhook."""
        return self.courier.switches

    @switches.setter
    def switches(self, switches: DeliverySwitches) -> None:
        self.courier.switches = switches

    @property
    def faults(self) -> Faults:
        """The faults of the API."""
        return self.api.faults

    @property
    def requests(self) -> list[LoggedRequest]:
        """Every request to the API, oldest first."""
        return self.api.requests

    @property
    def deliveries(self) -> list[DeliveryAttempt]:
        """Every request to the webhook, oldest first."""
        return self.courier.attempts

    @property
    def replies_with_effect(self) -> int:
        """The number of reply requests that spent a token, whether or not the answer arrived."""
        return sum(request.has_effect for request in self.requests if request.path == "/v2/bot/message/reply")

    def reset(self) -> Person:
        """Forget everything but the settings, and begin with a new person.  Returns: the new person."""
        self.courier.abandon()
        self.courier.switches = DeliverySwitches()
        for collection in (self.people, self.chats, self.events, self.media, self.liff_apps, self.rich_menu_batches):
            collection.clear()
        self.reply_tokens, self.retry_keys = ReplyTokens(), RetryKeys()
        self.access_tokens, self.rich_menus, self.broadcasts = AccessTokens(), RichMenus(), Broadcasts()
        self.link_tokens, self.sent_messages, self.named_webhook_url = LinkTokens(), SentMessages(), None
        self.quota = MonthlyQuota(limit=self.monthly_quota)
        self.api.clear()
        return self.add_person(self.first_person or "Hanako")

    async def wait_until_settled(self) -> None:
        """Return once every delivery was accepted or given up."""
        await self.courier.wait_until_settled()

    async def close(self) -> None:
        """Cancel the deliveries under way."""
        await self.courier.close()

    async def _not_found(self, request: Request, _error: Exception) -> Response:
        return self.api.unknown(request)
