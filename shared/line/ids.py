"""LINE's ids: validation before use, and masking.

Source: LINE, webhook.yml: user, group and room ids are U, C or R followed by 32 hexadecimal digits; webhookEventId is a ULID and
message ids are decimal. The pattern for the latter two is wider, because LINE may change them.
"""

import re
from typing import Final, TypeVar, cast

from shared.errors import UnusableIdError
from shared.late_patterns import late

_CONVERSATION_ID: Final = re.compile(r"[UCR][0-9a-f]{32}", re.ASCII)
_ID_KEYS: Final = {"user": "userId", "group": "groupId", "room": "roomId"}
_EVENT_OR_MESSAGE_ID: Final = re.compile(r"[0-9A-Za-z_-]{1,64}", re.ASCII)


def is_conversation_id(value: object) -> bool:
    """Whether the value is the id of a user, a group or a room."""
    return isinstance(value, str) and _CONVERSATION_ID.fullmatch(value) is not None


def is_user_id(value: object) -> bool:
    """Whether the value is the id of a user, which is also the id of the user's 1:1 chat."""
    return isinstance(value, str) and value.startswith("U") and is_conversation_id(value)


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
    key = _ID_KEYS.get(str(source.get("type")))
    value = source.get(key)
    return value if is_conversation_id(value) else None


# An id as LINE writes it, anywhere; or as people may write it: with digits of either case, full-width characters, or invisible characters
# in between. The latter must not be part of a longer run of digits, because a digest in upper case often holds `C` and 32 digits.
# Source: Unicode 15, DerivedCoreProperties.txt (Default_Ignorable_Code_Point) and UnicodeData.txt (category Cf); the webhook imports this
# module, and does without the library that knows these properties.
_HIDDEN: Final = (
    r"\u00ad\u034f\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f"
    r"\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U000110bd\U000110cd\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    r"\U000e0000-\U000e0fff"
)
_DIGIT: Final = r"0-9a-fA-F\uff10-\uff19\uff21-\uff26\uff41-\uff46"
_ID: Final = late(
    re.compile,
    rf"(?P<written>[UCR][0-9a-f]{{32}})|[UCR\uff35\uff23\uff32](?:[{_HIDDEN}]*+[{_DIGIT}]){{32}}(?![{_HIDDEN}]*+[{_DIGIT}])",
)
_BEGINS_WITH_DIGIT: Final = re.compile(r"[C\uff23]")
_HIDDEN_CHARACTER: Final = late(re.compile, rf"[{_HIDDEN}]")
_DIGIT_CHARACTER: Final = late(re.compile, rf"[{_DIGIT}]")
_MASK: Final = "[ID]"
_Json = TypeVar("_Json")


def mask_ids(text: str) -> str:
    """Return the text with every id of a person, group or room replaced by `[ID]`, also inside a longer word.

    An id may be written in full-width characters, in upper case, or with invisible characters between. A digest in upper case holds no id.
    """
    return _ID.sub(lambda match: match[0] if _is_part_of_digits(match) else _MASK, text)


def _is_part_of_digits(match: re.Match[str]) -> bool:
    """Whether a spelling that is not LINE's follows a digit, and so is the end of a longer run."""
    if match["written"] or not _BEGINS_WITH_DIGIT.match(match[0]):
        return False
    for before in range(match.start() - 1, -1, -1):
        if not _HIDDEN_CHARACTER.match(match.string, before):
            return _DIGIT_CHARACTER.match(match.string, before) is not None
    return False


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
