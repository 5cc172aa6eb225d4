"""A chat with hooks, and the systems that send notices to them."""

import itertools
from typing import Final

from shared.bus.notices import HookNotice
from shared.composition.ports import HookPort
from shared.hooks.hook import Hook
from shared.hooks.store import HookStore
from shared.hooks.token import HookAddress, address_in
from shared.settings.secret import FixedSecret
from tests.support import push
from tests.support.people import Person
from tests.support.pushed import PushedWorker

KEY: Final = "k" * 32
WEBHOOK_URL: Final = "https://webhook.example"


class FixedAddress:
    """LINE's answer where the webhook is; None: LINE does not answer."""

    def __init__(self, url: str | None = WEBHOOK_URL) -> None:
        self.url = url

    def webhook_address(self) -> str | None:
        return self.url


def hook_port(url: str | None = WEBHOOK_URL) -> HookPort:
    """Return hooks that are on."""
    return HookPort(key=FixedSecret(KEY), address=FixedAddress(url))


def hooks_of(person: Person) -> tuple[Hook, ...]:
    """Return the hooks of the person's chat."""
    return HookStore(person.worker.conversations.of(person.events.chat_id)).read_all()


def shown_token(worker: PushedWorker) -> str:
    """Return the token that the bot showed last: the last bubble of a reply."""
    return list(worker.line.replies.values())[-1][-1]


def address_of(token: str) -> HookAddress:
    """Return the address in a token that this deployment made."""
    address = address_in(token, KEY)
    assert address is not None
    return address


class System:
    """Another system with a token, whose notices reach the worker as the webhook publishes them."""

    def __init__(self, worker: PushedWorker, token: str) -> None:
        self.worker, self.token = worker, token
        self._numbers = itertools.count(1)

    def sends(self, text: str, *, notice_id: str | None = None, has_picture: bool = False) -> str:
        """Deliver a notice, at present, and return its id; the same id again is a redelivery."""
        address, own_id = address_of(self.token), notice_id or f"{next(self._numbers):032x}"
        notice = HookNotice(
            id=own_id,
            hook_id=address.hook_id,
            conversation_id=address.conversation_id,
            mark=address.mark,
            text=text,
            has_picture=has_picture,
        )
        message = notice.message()
        assert self.worker.push(push.wrapped(message.data, attributes=message.attributes)) == 204
        return own_id


def makes_hook(person: Person, name: str = "backup", mode: str = "") -> System:
    """Have a member make a hook, and return the system that has its token."""
    person.confirms(f"/hook new {name} {mode}".strip())
    return System(person.worker, shown_token(person.worker))
