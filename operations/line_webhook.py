"""Registers the webhook at LINE, has LINE test the webhook, and checks the console's switches as far as LINE's API shows them.

Source: LINE, Messaging API reference, "Webhook settings" and "Get bot info".
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Protocol

# Switches that the bot needs and that no API shows
_BY_HAND: Final = (
    "not visible from here, look in LINE's console:",
    "  Webhook redelivery must be ON. It is off by default, and without it an event that failed once is lost.",
    "  Auto-reply messages and greeting messages must be OFF, or they answer in addition to the bot.",
    "  Allow bot to join group chats must be ON, if it is to work in groups.",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class WebhookSetting:
    """LINE's webhook setting; LINE sends events only if the setting `is_active`."""

    url: str
    is_active: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class WebhookTest:
    """The result of LINE's test, for example status 200 with reason "OK"; `status_code` is 0 or less without an answer."""

    success: bool
    status_code: int
    reason: str
    detail: str


class LineChannel(Protocol):
    """The settings of a channel.  Every method raises LineRefusedError or LineUnavailableError."""

    def set_webhook(self, url: str) -> None:
        """LINE sends events to `url`.  Repeated: no further effect."""
        ...

    def webhook(self) -> WebhookSetting:
        """Return the setting."""
        ...

    def test_webhook(self) -> WebhookTest:
        """Return the result of an empty delivery to the configured webhook."""
        ...

    def chat_is_on(self) -> bool:
        """Whether the account's chat is on, as marking messages as read requires."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Registration:
    """The report, line by line, and whether the webhook works."""

    lines: tuple[str, ...]
    works: bool


def register(channel: LineChannel, url: str) -> Registration:
    """Have LINE send events to `url`; test the webhook and report.  Repeated: reports again."""
    channel.set_webhook(url)
    setting = channel.webhook()
    tested = channel.test_webhook()
    lines = [f"ok: LINE has the address {setting.url}", _test_line(tested)]
    lines += _warnings(setting, chat_is_on=channel.chat_is_on())
    return Registration(lines=(*lines, *_BY_HAND), works=tested.success and setting.is_active)


def _test_line(tested: WebhookTest) -> str:
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
