"""LINE's ids: validation before use, and masking.

Source: LINE, webhook.yml: user, group and room ids are U, C or R followed by 32 hexadecimal digits; webhookEventId is a ULID and
message ids are decimal. The pattern for the latter two is wider, because LINE may change them.
"""

import re
from typing import Final, TypeVar, cast

import regex

from shared.errors import UnusableIdError

_CONVERSATION_ID: Final = re.compile(r"[UCR][0-9a-f]{32}", re.ASCII)
_EVENT_OR_MESSAGE_ID: Final = re.compile(r"[0-9A-Za-z_-]{1,64}", re.ASCII)


def is_conversation_id(value: object) -> bool:
    """Whether the value is the id of a user, a group or a room."""
    return isinstance(value, str) and _CONVERSATION_ID.fullmatch(value) is not None


def is_event_or_message_id(value: object) -> bool:
    """Whether the value can be the id of a webhook event or of a message."""
    return isinstance(value, str) and _EVENT_OR_MESSAGE_ID.fullmatch(value) is not None


def checked_conversation_id(value: object) -> str:
    """Return the id.  Raises: UnusableIdError."""
    if isinstance(value, str) and is_conversation_id(value):
        return value
    raise UnusableIdError("no LINE id of a user, group or room")


def checked_id(value: object) -> str:
    """Return the id of an event or message.  Raises: UnusableIdError."""
    if isinstance(value, str) and is_event_or_message_id(value):
        return value
    raise UnusableIdError("no LINE id of an event or message")


def conversation_id_of(source: object) -> str | None:
    """Return the id of the chat that an event's `source` names: the group or room rather than the user; None if it names no chat.

    Source: LINE, webhook event objects: `source` is optional, and `userId` may be absent in groups.
    """
    if not isinstance(source, dict):
        return None
    key = {"user": "userId", "group": "groupId", "room": "roomId"}.get(str(source.get("type")))
    value = source.get(key) if key else None
    return value if is_conversation_id(value) else None


# An id as LINE writes it, anywhere; or as people may write it: digits of either case, full-width characters, characters between that show
# nothing. The latter is no part of a longer run of digits, because a digest in upper case often holds `C` and 32 digits.
_HIDDEN: Final = r"[\p{Default_Ignorable_Code_Point}\p{Cf}]*+"
_DIGIT: Final = r"[0-9a-fA-F\uff10-\uff19\uff21-\uff26\uff41-\uff46]"
_DIGITS: Final = rf"(?:{_HIDDEN}{_DIGIT}){{32}}"
_ID: Final = regex.compile(
    rf"[UCR][0-9a-f]{{32}}|(?:[UR\uff35\uff32]|(?<!{_DIGIT}{_HIDDEN})[C\uff23]){_DIGITS}(?!{_HIDDEN}{_DIGIT})"
)
_MASK: Final = "[ID]"
_Json = TypeVar("_Json")


def mask_ids(text: str) -> str:
    """Return the text with every id of a person, group or room replaced by `[ID]`, also inside a longer word.

    An id may be written in full-width characters, in upper case, or with characters between that show nothing. A digest in upper case holds
    no id.
    """
    return _ID.sub(_MASK, text)


def mask_ids_in(value: _Json) -> _Json:
    """Return JSON data with the ids masked in every string, names of fields included."""
    return cast("_Json", _mask_value(value))


def _mask_value(value: object) -> object:
    match value:
        case str():
            return mask_ids(value)
        case dict():
            return {_mask_value(name): _mask_value(member) for name, member in value.items()}
        case list() | tuple():
            return type(value)(map(_mask_value, value))
        case _:
            return value
