"""Tell LINE where the webhook is, have LINE try it, and look at the console's switches as far as LINE's API shows them.

Source: LINE, Messaging API reference, "Webhook settings" and "Get bot info".
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Protocol

# What no API tells, and what the bot rests on
_BY_HAND: Final = (
    "not visible from here, look in LINE's console:",
    "  Webhook redelivery must be ON. It is off by default, and without it an event that failed once is lost.",
    "  Auto-reply messages and greeting messages must be OFF, or they answer beside the bot.",
    "  Allow bot to join group chats must be ON, if it is to work in groups.",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class WebhookSetting:
    """What LINE knows of the webhook; nothing is sent there unless it `is_active`."""

    url: str
    is_active: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class WebhookTest:
    """What LINE's own try came to; `status_code` is 0 or less where nothing answered."""

    success: bool
    status_code: int
    reason: str
    detail: str


class LineChannel(Protocol):
    """The settings of a channel.  Every method raises LineRefusedError, or LineUnavailableError."""

    def set_webhook(self, url: str) -> None:
        """LINE sends events there.  Repeated: changes nothing."""
        ...

    def webhook(self) -> WebhookSetting:
        """Return what is set."""
        ...

    def test_webhook(self) -> WebhookTest:
        """Return what came of an empty delivery to the webhook that is set."""
        ...

    def chat_is_on(self) -> bool:
        """Whether people of the account can chat beside the bot, which marking messages as read depends on."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Registration:
    """What there is to say, line by line, and whether the webhook works."""

    lines: tuple[str, ...]
    works: bool


def register(channel: LineChannel, url: str) -> Registration:
    """LINE sends its events to `url`, if its switches let it.  Repeated: says how things are."""
    channel.set_webhook(url)
    setting = channel.webhook()
    tested = channel.test_webhook()
    lines = [f"ok: LINE has the address {setting.url}", _tested(tested)]
    lines += _warnings(setting, chat_is_on=channel.chat_is_on())
    return Registration(lines=(*lines, *_BY_HAND), works=tested.success and setting.is_active)


def _tested(tested: WebhookTest) -> str:
    if tested.success:
        return f"ok: LINE tried it and got {tested.status_code}"
    answered = f"got {tested.status_code}" if tested.status_code > 0 else "got no answer"
    hint = "; is LINE_CHANNEL_SECRET this channel's?" if tested.status_code == 401 else ""  # noqa: PLR2004 - the webhook's own answer
    return f"FAILED: LINE tried it and {answered} ({tested.reason}: {tested.detail}){hint}"


def _warnings(setting: WebhookSetting, *, chat_is_on: bool) -> Iterator[str]:
    if not setting.is_active:
        yield "WARNING: Use webhook is OFF: LINE sends nothing. Switch it on in LINE's console, Messaging API tab."
    if not chat_is_on:
        yield "WARNING: Chat is OFF: messages show as read before the bot has read them. Switch it on in the response settings."
