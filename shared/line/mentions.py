"""Whether a message is meant for the bot, and what it says once the bot's name is taken out.

Source: LINE, "Text message (webhook)": `mention.mentionees[].isSelf` is true where the bot itself was mentioned, and `@all` has no such
field; `index` and `length` count UTF-16 units. Some clients send no `mention` for a bot, so its name at the start of a text counts too.
"""

import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import StrEnum
from typing import Final, TypeGuard

from shared.line.events import LineEvent, MessageContent

_AT_SIGNS: Final = ("@", "＠")
_VOCATIVES: Final = ("さん", "ちゃん", "くん", "君", "さま", "様", "님", "씨", "야", "아")
_PAUSES: Final = ",，、.。:：;；!！?？~〜…"
_LONGEST_PREFIX: Final = 200  # code points in which a name may be spelled; LINE's names have 20 characters


class GroupPolicy(StrEnum):
    """What makes the bot speak in groups and rooms: being addressed, the model's own judgement too, or commands only."""

    MENTION = "mention"
    MODEL = "model"
    OFF = "off"


def is_addressed(
    event: LineEvent,
    *,
    policy: GroupPolicy = GroupPolicy.MENTION,
    bot_names: Sequence[str] = (),
    is_own_message: Callable[[str], bool] = lambda _: False,
) -> bool:
    """In a 1:1 chat everything is; in a group or room what mentions the bot, begins with its name or quotes one of its messages.

    `bot_names`: the account's display name and BOT_NAME. `is_own_message` tells whether an id is that of a message that the bot sent.
    """
    if event.message is None:
        return False
    if event.is_one_on_one:
        return True
    if policy is GroupPolicy.OFF:
        return False
    fields, quoted_id = event.message.fields, event.message.quoted_message_id
    return (
        any(_own_mentions(fields))
        or _name_end(_text(fields), bot_names) is not None
        or (quoted_id is not None and is_own_message(quoted_id))
    )


def without_address(content: MessageContent, *, bot_names: Sequence[str]) -> str:
    """Return a text message's words without the bot's mentions, or else its name; a text that is nothing else stays whole."""
    text = _text(content.fields)
    spans = {span for one in _own_mentions(content.fields) if (span := _span(text, one)) is not None}
    if spans:
        rest = _without(text, sorted(spans))
    else:
        end = _name_end(text, bot_names)
        rest = text if end is None else _after_address(text[end:])
    return rest.strip() or text


def _own_mentions(fields: Mapping[str, object]) -> Iterator[Mapping[str, object]]:
    mention = fields.get("mention")
    mentionees = mention.get("mentionees") if isinstance(mention, dict) else None
    for one in mentionees if isinstance(mentionees, list) else ():
        if isinstance(one, dict) and one.get("isSelf") is True and one.get("type") != "all":
            yield one


def _span(text: str, mentionee: Mapping[str, object]) -> tuple[int, int] | None:
    """Return where a mention begins and ends, or None where nothing that begins with an at sign stands there."""
    index, length = mentionee.get("index"), mentionee.get("length")
    if not _is_count(index) or not _is_count(length):
        return None
    units = text.encode("utf-16-le", "surrogatepass")
    before, name = _decoded(units[: 2 * index]), _decoded(units[2 * index : 2 * (index + length)])
    stands_there = name.startswith(_AT_SIGNS) and text.startswith(before + name) and 2 * (index + length) <= len(units)
    return (len(before), len(before) + len(name)) if stands_there else None


def _is_count(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _decoded(units: bytes) -> str:
    return units.decode("utf-16-le", "surrogatepass")


def _without(text: str, spans: Sequence[tuple[int, int]]) -> str:
    """Cut the mentions out, the last first, and close the gaps."""
    for start, end in reversed(spans):
        before, after = text[:start].rstrip(" \u3000"), text[end:].lstrip(" \u3000")
        if not before:
            text = _after_address(text[end:])
            continue
        is_closed = before[-1].isspace() or not after or after[0].isspace() or after[0] in _PAUSES
        text = before + ("" if is_closed else " ") + after
    return text


def _after_address(rest: str) -> str:
    return rest.lstrip(_PAUSES).lstrip()


def _name_end(text: str, names: Sequence[str]) -> int | None:
    """Return where the bot's name ends that the text begins with, None where it does not begin with it."""
    start = len(text) - len(text.lstrip())
    has_at_sign = text.startswith(_AT_SIGNS, start)
    start += has_at_sign
    ends = (_spelled_end(text, start, _folded(name)) for name in names if name.strip())
    return next((called for end in ends if end and (called := _called_end(text, end, has_at_sign=has_at_sign))), None)


def _spelled_end(text: str, start: int, folded_name: str) -> int | None:
    """Return where a prefix ends that spells the name, whatever the width and case of its letters; the longest such."""
    longest = min(len(text), start + _LONGEST_PREFIX)
    ends = (end for end in range(longest, start, -1) if _folded(text[start:end]) == folded_name)
    return next((end for end in ends if not text[end - 1].isspace()), None)


def _called_end(text: str, end: int, *, has_at_sign: bool) -> int | None:
    """Return where the address ends, after `さん` and the like; None where the name only begins a longer word."""
    called = next((end + len(one) for one in _VOCATIVES if text.startswith(one, end)), end)
    for boundary in (called, end):
        if _is_boundary(text, boundary):
            return boundary
    is_new_script = text[end].isalpha() and _script(text[end - 1]) != _script(text[end])
    return end if is_new_script and (has_at_sign or text[end - 1].isascii()) else None


def _is_boundary(text: str, at: int) -> bool:
    return at == len(text) or (unicodedata.category(text[at])[0] not in "LMN" and text[at] not in "_\u200d")


def _script(character: str) -> str:
    """Return the first word of its name: LATIN, HIRAGANA, KATAKANA, CJK, HANGUL, THAI."""
    return unicodedata.name(character, "").partition(" ")[0].partition("-")[0]


def _folded(text: str) -> str:
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold()).strip()


def _text(fields: Mapping[str, object]) -> str:
    text = fields.get("text")
    return text if isinstance(text, str) else ""
