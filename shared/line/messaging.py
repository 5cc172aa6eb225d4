"""Sending: messages and buttons, the reply token, pushes with a retry key, and leaving a group.

A button is part of a buttons template or of a card, because a person may press it after twenty more messages. Quick replies are for choices
that matter at once: only phones show quick replies, and the next message removes them.
Source: LINE, "Use quick replies", "Buttons template", "Postback action", "URI action", "Send quote messages" (a template cannot quote).
"""

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import field, replace
from typing import Final, Literal, Protocol

from shared.clock import Clock, Deadline
from shared.frozen import frozen
from shared.line.cards.card import Card, CardButton
from shared.line.cards.drawing import ALT_TEXT_LIMIT, is_drawable
from shared.line.postback_data import DATA_LIMIT
from shared.line.utf16 import TEXT_LIMIT_UTF16, utf16_length
from shared.unknown_fields import Extensible

MESSAGES_A_CALL: Final = 5
TEMPLATE_TEXT_LIMIT: Final = 160  # without image and title
TEMPLATE_ACTIONS_LIMIT: Final = 4
LABEL_LIMIT: Final = 20
URI_LIMIT: Final = 1_000  # Source: LINE, "URI action"; releases of the API from 2026-10-27 on take 10,000
QUICK_REPLIES_LIMIT: Final = 13
DISPLAY_TEXT_LIMIT: Final = 300
# Source: LINE, "Send reply message": a token works within one minute after receiving the webhook. Skew and transport delay narrow that.
TOKEN_SURELY_ALIVE_MS: Final = 53_000
TOKEN_SURELY_DEAD_MS: Final = 65_000
SENDING_S: Final = 10.0
"""Seconds for which a call is repeated in any case; longer on a token that is surely alive for longer."""
KEY_VALID_MS: Final = 23 * 60 * 60_000
"""No push is repeated later than this after the first try: an hour less than LINE remembers the key."""
_PAUSE_S: Final = 0.5
_LONGEST_PAUSE_S: Final = 2.0
_RETRIED_PUSHES: Final = frozenset({"unknown", "not_sent"})


@frozen
class ReplyToken(Extensible):
    """A reply token and the beginning of the token's minute: one value from the webhook event to the call that spends the token.

    Made by `parse_event`, stored with the message and with the turn's route, spent by `ReplyApi.reply`.
    """

    value: str = field(repr=False)
    received_ms: int

    @property
    def surely_alive_until_ms(self) -> int:
        """Until when LINE takes the token, within the assumed clock skew."""
        return self.received_ms + TOKEN_SURELY_ALIVE_MS

    def alive_s(self, now_ms: int) -> float:
        """Return for how many seconds more LINE surely takes the token."""
        return max(0, self.surely_alive_until_ms - now_ms) / 1_000

    def is_surely_dead(self, now_ms: int) -> bool:
        """Whether LINE refuses the token, within the assumed clock skew."""
        return now_ms - self.received_ms >= TOKEN_SURELY_DEAD_MS


@frozen
class PostbackButton:
    """A button.  A press arrives as a postback event with `data`, and the chat shows `display_text` as a message of the person."""

    label: str
    data: str = field(repr=False)
    display_text: str | None = None


@frozen
class LinkButton:
    """A button that opens an https address; a press sends no event."""

    label: str
    uri: str = field(repr=False)


@frozen
class SayButton:
    """A quick reply that sends its `text` as a message of the person."""

    text: str

    @property
    def label(self) -> str:
        """The text itself."""
        return self.text


@frozen
class OutgoingMessage:
    """A bubble.  `quote_token` names the quoted message of the same chat; a message with a button, a link or a card quotes none.

    `decline`: the button along with `button` that says no to the question of the text. LINE shows the `quick_replies` of the last message
    of a call only; a call whose messages are all `is_silent` makes no sound on phones. With a `card`, the text is read out and shown in
    notifications, and the buttons and links stand below the card's own buttons.
    """

    text: str = field(repr=False)
    quote_token: str | None = field(default=None, repr=False)
    button: PostbackButton | None = None
    decline: PostbackButton | None = None
    links: tuple[LinkButton, ...] = ()
    card: Card | None = None
    quick_replies: tuple[PostbackButton | SayButton, ...] = ()
    is_silent: bool = False

    @property
    def is_template(self) -> bool:
        """Whether the message is a buttons template."""
        return self.card is None and (self.button is not None or bool(self.links))

    @property
    def whole_card(self) -> Card | None:
        """The card with the buttons and links of the message below its own buttons."""
        if self.card is None:
            return None
        accept = [_card_button(button, is_quiet=False) for button in (self.button,) if button is not None]
        decline = [_card_button(button, is_quiet=True) for button in (self.decline,) if button is not None]
        links = [CardButton(label=link.label, value=link.uri, action="open") for link in self.links]
        return replace(self.card, buttons=(*self.card.buttons, *accept, *decline, *links))


@frozen
class ReplyFate:
    """The fate of a reply call.

    `accepted`: LINE sent the messages; `sent_message_ids` are the ids of the bubbles. `refused`: LINE sent nothing (400). `unknown`: no
    answer, or 5xx. `not_sent`: LINE was not reached, or limited the rate (429).
    """

    kind: Literal["accepted", "refused", "unknown", "not_sent"]
    sent_message_ids: tuple[str, ...] = ()


class ReplyApi(Protocol):
    """The call of LINE's Messaging API that spends a reply token."""

    def reply(self, token: ReplyToken, messages: Sequence[OutgoingMessage]) -> ReplyFate:
        """Send 1 to 5 messages.  Raises: LineRefusedError, if LINE refuses the bot's access (401, 403)."""
        ...


@frozen
class PushFate:
    """The fate of a push.

    `accepted`: LINE sent the messages. `already_accepted`: an earlier call with the same key sent them (409). Both carry the ids of the
    bubbles if LINE gives them. `quota_spent`: the month's quota is used up (429). `refused`: no later try can succeed (4xx).
    `unknown`: no answer, or 5xx. `not_sent`: LINE was not reached, or limited the rate (429).
    """

    kind: Literal["accepted", "already_accepted", "quota_spent", "refused", "unknown", "not_sent"]
    sent_message_ids: tuple[str, ...] = ()


class PushApi(Protocol):
    """The call of LINE's Messaging API that needs no reply token."""

    def push(self, to: str, messages: Sequence[OutgoingMessage], *, retry_key: str) -> PushFate:
        """Send 1 to 5 messages to a chat.  Repeated with the same key: `already_accepted`, and nothing is sent again.

        Raises: LineRefusedError, if LINE refuses the bot's access (401, 403).
        """
        ...


class Messenger(ReplyApi, PushApi, Protocol):
    """The two calls of LINE's Messaging API that send messages."""


class Membership(Protocol):
    """The bot's membership of groups and rooms.  Source: LINE, "Leave group chat", "Leave multi-person chat"."""

    def leave(self, conversation_id: str) -> None:
        """The bot is no member of the group or room.  Not a member: does nothing.

        Raises: LineUnavailableError, LineRefusedError.
        """
        ...


@frozen
class SendResult:
    """Whether the messages reached the chat; `is_delivered` is None if that is unknown."""

    is_delivered: bool | None
    sent_message_ids: tuple[str, ...] = field(default=())


def is_sendable(messages: Sequence[OutgoingMessage]) -> bool:
    """Whether LINE takes the messages in a single call, judged by LINE's documented limits.

    Texts of templates are counted in UTF-16 units too, although LINE counts graphemes: there are never more graphemes than units. For
    example, six messages are not sendable, nor is a blank text.
    """
    return 1 <= len(messages) <= MESSAGES_A_CALL and all(map(_fits, messages))


def spend_reply_token(  # noqa: PLR0913 - the arguments of the call, a clock and a deadline
    api: ReplyApi,
    token: ReplyToken,
    messages: Sequence[OutgoingMessage],
    *,
    clock: Clock,
    deadline: Deadline,
    may_have_arrived: bool = False,
    may_repeat: Callable[[], bool] = lambda: True,
) -> SendResult:
    """Send the messages on the token, at most once; retry an unknown fate, or a call that was not sent, with the same token and messages.

    `may_repeat` is asked before each call but the first. `may_have_arrived`: another worker may have made the call before. A refusal of
    the first call means that nothing was sent. After a call without an answer, a refusal of a token that is surely alive means that
    the earlier call was accepted; on an older token, or if LINE is not reached again, the fate is unknown.
    Source: LINE, "Send reply message": a token works once; used and expired tokens get the same 400; retry keys are refused.
    """
    for attempt in _attempts(deadline):
        if attempt and not may_repeat():
            break
        fate = api.reply(token, messages)
        if fate.kind == "accepted":
            return SendResult(is_delivered=True, sent_message_ids=fate.sent_message_ids)
        if fate.kind == "refused":
            was_spent = True if clock.now_ms() < token.surely_alive_until_ms else None
            return SendResult(is_delivered=was_spent if may_have_arrived else False)
        may_have_arrived = may_have_arrived or fate.kind == "unknown"
    return SendResult(is_delivered=None if may_have_arrived else False)


def reply_deadline(token: ReplyToken, clock: Clock, *, latest: Deadline) -> Deadline:
    """Return the deadline for repeating a call with the token while LINE is down."""
    return latest.within(max(SENDING_S, token.alive_s(clock.now_ms())))


def push_until_known(
    api: PushApi,
    to: str,
    messages: Sequence[OutgoingMessage],
    *,
    retry_key: str,
    deadline: Deadline,
) -> PushFate:
    """Return the push's fate; retry with the same key while the fate is unknown or LINE was not reached.

    Source: LINE, "Retry a failed API request": a key is a UUID, valid for 24 hours, and a repeated call that was accepted gets 409; "Send
    push message": every recipient counts, so a push to a group costs as many messages as the group has members.
    """
    fate = PushFate(kind="not_sent")
    for _ in _attempts(deadline):
        fate = _combine(fate, api.push(to, messages, retry_key=retry_key))
        if fate.kind not in _RETRIED_PUSHES:
            break
    return fate


def _attempts(deadline: Deadline) -> Iterator[int]:
    """Yield once for each attempt: the first at once, later attempts after a pause, while there is time before the deadline."""
    for attempt in itertools.count():
        yield attempt
        if not deadline.pause(min(_PAUSE_S * (attempt + 1), _LONGEST_PAUSE_S)):
            return


def _combine(before: PushFate, after: PushFate) -> PushFate:
    """Return the fate of both calls: a call that was not sent leaves the fate of the earlier call unknown.

    For example, `unknown` and then `not_sent` -> `unknown`, but `unknown` and then `accepted` -> `accepted`.
    """
    return before if before.kind == "unknown" and after.kind == "not_sent" else after


def _fits(message: OutgoingMessage) -> bool:
    buttons = (*message.quick_replies, *(one for one in (message.button, message.decline) if one is not None))
    if len(message.quick_replies) > QUICK_REPLIES_LIMIT or not all(map(_is_pressable, buttons)):
        return False
    if (card := message.whole_card) is not None:
        return message.quote_token is None and _is_within(message.text, ALT_TEXT_LIMIT) and is_drawable(card)
    actions = (message.button, message.decline, *message.links)
    if not all(map(_is_openable, message.links)) or sum(map(bool, actions)) > TEMPLATE_ACTIONS_LIMIT:
        return False
    if message.is_template and message.quote_token is not None:
        return False
    return _is_within(message.text, TEMPLATE_TEXT_LIMIT if message.is_template else TEXT_LIMIT_UTF16)


def _card_button(button: PostbackButton, *, is_quiet: bool) -> CardButton:
    return CardButton(label=button.label, value=button.data, shown=button.display_text or "", is_quiet=is_quiet)


def _is_pressable(button: PostbackButton | SayButton) -> bool:
    if isinstance(button, SayButton):
        return _is_within(button.text, LABEL_LIMIT)
    return (
        _is_within(button.label, LABEL_LIMIT)
        and _is_within(button.data, DATA_LIMIT)
        and (button.display_text is None or _is_within(button.display_text, DISPLAY_TEXT_LIMIT))
    )


def _is_openable(link: LinkButton) -> bool:
    return _is_within(link.label, LABEL_LIMIT) and link.uri.startswith("https://") and len(link.uri) <= URI_LIMIT


def _is_within(text: str, limit_utf16: int) -> bool:
    return bool(text.strip()) and utf16_length(text) <= limit_utf16
