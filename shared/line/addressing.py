"""Whether a message addresses the bot, and the text without the address.

Source: LINE, "Text message (webhook)": `mention.mentionees[].isSelf` is true if the bot itself was mentioned, and `@all` lacks the
field; `index` and `length` count UTF-16 units. Some clients send no `mention` for a bot, so its name at the start of a text counts too.
"""

import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from typing import Final, TypeGuard

from shared.line.emojis import with_emoji_names, with_marked_emojis
from shared.line.events import LineEvent, MessageContent

NO_BREAK_SPACE: Final = "\u00a0"
_AT_SIGNS: Final = ("@", "＠")
_TITLES: Final = ("คุณ", "น้อง", "พี่")  # before a name in Thai
_VOCATIVES: Final = (
    *("さん", "ちゃん", "くん", "君", "さま", "様", "先生", "님", "씨", "야", "아"),
    *("ครับ", "คับ", "ค่ะ", "คะ", "จ๋า", "จ้า"),
)
_POSSESSIVES: Final = ("'s", "’s")  # who writes "Momo's" speaks of Momo
_PAUSES: Final = ",，、.。:：;；!！?？~〜…"
_VARIATION_SELECTORS: Final = "\ufe0e\ufe0f"
_LONGEST_PREFIX: Final = 200  # code points that may spell a name; LINE's names have 20 characters


class GroupPolicy(StrEnum):
    """When the bot speaks in groups and rooms: if addressed, also if the model decides to, or for commands only."""

    MENTION = "mention"
    MODEL = "model"
    OFF = "off"


def is_addressed(
    event: LineEvent,
    *,
    policy: GroupPolicy = GroupPolicy.MENTION,
    bot_names: Sequence[str] = (),
) -> bool:
    """Whether the words of a message address the bot.

    In a 1:1 chat every message does; in a group or room, a message with a mention of the bot or with the bot's name at the beginning, for
    example "Momo, what's up?". `bot_names`: the account's display name and BOT_NAME. A quote may address the bot as well: see
    `may_address_by_quote`.
    """
    if event.message is None:
        return False
    if event.is_one_on_one:
        return True
    if policy is GroupPolicy.OFF:
        return False
    fields = event.message.fields
    return any(_own_mentions(fields)) or _name_end(_text(fields), bot_names) is not None


def may_address_by_quote(event: LineEvent, *, policy: GroupPolicy) -> bool:
    """Whether a message of a group or room would address the bot if the quoted message is a message of the bot."""
    is_quote = event.message is not None and event.message.quoted_message_id is not None
    return is_quote and not event.is_one_on_one and policy is not GroupPolicy.OFF


def without_address(content: MessageContent, *, bot_names: Sequence[str]) -> str:
    """Return the text without the mentions of the bot, or without the leading name; a text that is only an address stays whole.

    For example, "@Momo what's up?" -> "what's up?", "Momoさん、明日は?" -> "明日は?", and "Momo" stays "Momo".
    """
    text, emojis = with_marked_emojis(content.fields)
    spans = {span for mentionee in _own_mentions(content.fields) if (span := _span(text, mentionee)) is not None}
    if spans:
        remaining_text = _cut_out(text, sorted(spans))
    else:
        end = _name_end(text, bot_names)
        remaining_text = text if end is None else _after_address(text[end:])
    return with_emoji_names(remaining_text.strip() or text, emojis)


def with_whole_mentions(text: str, fields: Mapping[str, object]) -> str:
    """Return the text of a message's fields so that a reader finds the mentions: apart from words, with no-break spaces within.

    For example, 「ねえ@Ann Lee来て」, which mentions Ann Lee, becomes 「ねえ @Ann Lee 来て」 with such a space before "Lee".
    """
    spans = {span for mentionee in _mentions(fields) if (span := _span(text, mentionee)) is not None}
    for start, end in sorted(spans, reverse=True):
        before, after = (" " if one.isalnum() else "" for one in (text[start - 1 : start], text[end : end + 1]))
        text = text[:start] + before + text[start:end].replace(" ", NO_BREAK_SPACE) + after + text[end:]
    return text


def _mentions(fields: Mapping[str, object]) -> Iterator[Mapping[str, object]]:
    mention = fields.get("mention")
    mentionees = mention.get("mentionees") if isinstance(mention, dict) else None
    yield from (one for one in (mentionees if isinstance(mentionees, list) else ()) if isinstance(one, dict))


def _own_mentions(fields: Mapping[str, object]) -> Iterator[Mapping[str, object]]:
    for mentionee in _mentions(fields):
        if mentionee.get("isSelf") is True and mentionee.get("type") != "all":
            yield mentionee


def _span(text: str, mentionee: Mapping[str, object]) -> tuple[int, int] | None:
    """Return where a mention begins and ends, or None if the text there does not begin with an at sign."""
    index, length = mentionee.get("index"), mentionee.get("length")
    if not _is_count(index) or not _is_count(length):
        return None
    units = text.encode("utf-16-le", "surrogatepass")
    before, name = _decode(units[: 2 * index]), _decode(units[2 * index : 2 * (index + length)])
    stands_there = name.startswith(_AT_SIGNS) and text.startswith(before + name) and 2 * (index + length) <= len(units)
    return (len(before), len(before) + len(name)) if stands_there else None


def _is_count(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _decode(units: bytes) -> str:
    return units.decode("utf-16-le", "surrogatepass")


def _cut_out(text: str, spans: Sequence[tuple[int, int]]) -> str:
    """Cut the mentions out, last first, and close the gaps."""
    for start, end in reversed(spans):
        before, after = text[:start].rstrip(" \u3000"), text[end:].lstrip(" \u3000")
        if not before:
            text = _after_address(text[end:])
            continue
        is_closed = before[-1].isspace() or not after or after[0].isspace() or after[0] in _PAUSES
        text = before + ("" if is_closed else " ") + after
    return text


def _after_address(text: str) -> str:
    return text.lstrip(_PAUSES).lstrip()


def _name_end(text: str, names: Sequence[str]) -> int | None:
    """Return the end of the bot's name at the start of the text; None if the text does not begin with a name."""
    start = len(text) - len(text.lstrip())
    has_at_sign = text.startswith(_AT_SIGNS, start)
    start += has_at_sign
    starts = (start, *(start + len(title) for title in _TITLES if text.startswith(title, start)))
    ends = (_spelling_end(text, start, _fold(name)) for name in names if name.strip() for start in starts)
    return next(
        (address_end for end in ends if end and (address_end := _address_end(text, end, has_at_sign=has_at_sign))), None
    )


def _spelling_end(text: str, start: int, folded_name: str) -> int | None:
    """Return the end of the longest prefix that spells the name, in any width and case of letters."""
    longest = min(len(text), start + _LONGEST_PREFIX)
    ends = (end for end in range(longest, start, -1) if _fold(text[start:end]) == folded_name)
    return next((end for end in ends if not text[end - 1].isspace()), None)


def _address_end(text: str, end: int, *, has_at_sign: bool) -> int | None:
    """Return the end of the address, after a suffix such as `さん`; None if the name only begins a longer word."""
    after_vocative = next((end + len(vocative) for vocative in _VOCATIVES if text.startswith(vocative, end)), end)
    for boundary in (after_vocative, end):
        if _is_boundary(text, boundary):
            return boundary
    if text[end].isalnum() and not _ends_with_word(text[:end]):  # a name such as `Momo🍑`, which no letter continues
        return end
    is_new_script = text[end].isalpha() and _script(text[end - 1]) != _script(text[end])
    return end if is_new_script and (has_at_sign or text[end - 1].isascii()) else None


def _is_boundary(text: str, at: int) -> bool:
    if at == len(text):
        return True
    is_word = unicodedata.category(text[at])[0] in "LMN" or text[at] in "_\u200d"
    return not is_word and not text.startswith(_POSSESSIVES, at)


def _ends_with_word(name: str) -> bool:
    last = name.rstrip(_VARIATION_SELECTORS)[-1:]
    return not last or unicodedata.category(last)[0] in "LMN" or last in "_\u200d"


def _script(character: str) -> str:
    """Return the first word of the character's Unicode name: LATIN, HIRAGANA, KATAKANA, CJK, HANGUL, THAI."""
    return unicodedata.name(character, "").partition(" ")[0].partition("-")[0]


def _fold(text: str) -> str:
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold()).strip()


def _text(fields: Mapping[str, object]) -> str:
    text = fields.get("text")
    return text if isinstance(text, str) else ""
