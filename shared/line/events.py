"""The fields of a webhook event for the workers.

The SDK's parser turns an event of an unknown type into an event without message, source and token. So the fields are read from the JSON:
an unknown `type`, message or field is an ordinary value, never an error.  Source: LINE, "Webhook event objects".
"""

from collections.abc import Mapping
from dataclasses import field
from typing import Final

from shared.clock import SKEW_MS, Deadline
from shared.errors import UnusableIdError
from shared.frozen import frozen
from shared.line.ids import checked_id, conversation_id_of, is_conversation_id, is_event_or_message_id
from shared.line.messaging import ReplyToken
from shared.line.postback_data import DATA_LIMIT
from shared.line.utf16 import utf16_length, without_lone_surrogates

_ASKING: Final = ("message", "follow", "postback")
_YEAR_3000_MS: Final = 32_503_680_000_000


@frozen
class MessageContent:
    """The `message` of a message event; `fields` is the whole object, unchanged.

    For example: `{"id": "468789577898262530", "type": "text", "quoteToken": "q3Plxr4AgKd...", "text": "Hello"}`.
    """

    line_message_id: str
    type: str
    fields: Mapping[str, object] = field(repr=False)

    @property
    def quote_token(self) -> str | None:
        """The token with which an answer quotes the message; None for voices, files and places."""
        return _text(self.fields.get("quoteToken"))

    @property
    def quoted_message_id(self) -> str | None:
        """The id of the quoted message; None if there is none, or if the id is malformed."""
        quoted = self.fields.get("quotedMessageId")
        return quoted if isinstance(quoted, str) and is_event_or_message_id(quoted) else None

    @property
    def mark_as_read_token(self) -> str | None:
        """The token for marking the message and all earlier messages as read."""
        return _text(self.fields.get("markAsReadToken"))


@frozen
class LineEvent:
    """An event in a chat.

    `timestamp_ms` is the time of the event, at most SKEW_MS after `received_ms`, and the same in a redelivery. `received_ms` is when the
    delivery was received, `deadline` when its request ends. `user_id` is None if LINE names no user. `reply_token` is None in standby mode
    and for events that cannot be answered. `subject_id` is the message that an unsend names, `member_ids` are the people who joined or left
    a group. `postback_data` is the data of a pressed button; None if longer than the data of any button of the bot.
    """

    type: str
    webhook_event_id: str
    timestamp_ms: int
    conversation_id: str
    is_one_on_one: bool
    deadline: Deadline = field(repr=False, compare=False)
    received_ms: int = 0
    user_id: str | None = None
    reply_token: ReplyToken | None = None
    is_standby: bool = False
    message: MessageContent | None = None
    subject_id: str | None = None
    member_ids: tuple[str, ...] = ()
    postback_data: str | None = field(default=None, repr=False)


def parse_event(event: Mapping[str, object], *, deadline: Deadline, received_ms: int = 0) -> LineEvent:
    """Read an event; `received_ms` is the best known start of the reply token's lifetime.

    Raises: UnusableIdError, if an id is malformed or the event belongs to no chat; such an event cannot be handled.
    """
    source = _object(event.get("source"))
    conversation_id = conversation_id_of(source)
    if conversation_id is None:
        raise UnusableIdError("the event belongs to no chat")
    is_standby = event.get("mode") == "standby"  # another channel answers the chat; Source: LINE, "Common properties"
    unsend = _object(event.get("unsend"))
    token = None if is_standby else _text(event.get("replyToken"))
    return LineEvent(
        type=_text(event.get("type")) or "",
        webhook_event_id=checked_id(event.get("webhookEventId")),
        timestamp_ms=_timestamp_ms(event.get("timestamp"), received_ms),
        conversation_id=conversation_id,
        is_one_on_one=source.get("type") == "user",
        deadline=deadline,
        received_ms=received_ms,
        user_id=_text(source.get("userId")),
        reply_token=None if token is None else ReplyToken(value=token, received_ms=received_ms),
        is_standby=is_standby,
        message=_message(_object(event.get("message"))),
        member_ids=_member_ids(_object(event.get("joined")) or _object(event.get("left"))),
        subject_id=checked_id(unsend.get("messageId")) if unsend else None,
        postback_data=_postback_data(_object(event.get("postback"))),
    )


def unnamed_reply_token(event: Mapping[str, object], *, received_ms: int = 0) -> ReplyToken | None:
    """Return the reply token if a person without a user id writes to the bot, or adds the bot, in a 1:1 chat; else None.

    Source: LINE, "Consent on getting user profile information": `source.userId` is missing for people who never used LINE for iOS or
    Android, because only the two apps ask for the consent.
    """
    source = _object(event.get("source"))
    asks = event.get("type") in _ASKING and source.get("type") == "user" and source.get("userId") is None
    token = _text(event.get("replyToken")) if asks and event.get("mode") != "standby" else None
    return None if token is None else ReplyToken(value=token, received_ms=received_ms)


def _message(message: Mapping[str, object]) -> MessageContent | None:
    if not message:
        return None
    return MessageContent(
        line_message_id=checked_id(message.get("id")), type=_text(message.get("type")) or "", fields=message
    )


def _member_ids(moved: Mapping[str, object]) -> tuple[str, ...]:
    """Return the people who joined or left.  Source: LINE, "Member joined event", "Member left event"."""
    members = moved.get("members")
    ids = (_text(_object(member).get("userId")) for member in members) if isinstance(members, list) else ()
    return tuple(
        dict.fromkeys(
            user_id
            for user_id in ids
            if user_id is not None and is_conversation_id(user_id) and user_id.startswith("U")
        )
    )


def _postback_data(postback: Mapping[str, object]) -> str | None:
    data = _text(postback.get("data"))
    return data if data is not None and utf16_length(data) <= DATA_LIMIT else None


def _object(value: object) -> Mapping[str, object]:
    return value if isinstance(value, dict) else {}


def _text(value: object) -> str | None:
    return without_lone_surrogates(value) if isinstance(value, str) and value else None


def _timestamp_ms(value: object, received_ms: int) -> int:
    """Return the timestamp, bounded by the receipt, because all later events would look older than an event from the future."""
    if not isinstance(value, int) or isinstance(value, bool) or value not in range(_YEAR_3000_MS):
        return 0
    return min(value, received_ms + SKEW_MS) if received_ms > 0 else value
