"""What comes through a translation unchanged: numbers, times, amounts, mentions, links, emoji, names and the chat's own terms.

Code replaces each by a slot before the model is asked, and puts it back afterwards, so that no model can change it:

    "@ケン 15:30に https://…"  ->  "⟦1:@ケン⟧ ⟦2:15:30⟧に ⟦3:link⟧"
"""

# ruff: noqa: RUF001 - full-width signs are how people write

import unicodedata
from collections.abc import Iterable
from dataclasses import field
from typing import Final

import regex

from shared.frozen import frozen
from shared.late_patterns import late

_LINK: Final = r"(?:https?://|www\.)[^\s<>「」『』（）【】、。，]+"
_ADDRESS: Final = r"[\w.+-]+@[\w-]+\.[\w.-]*\w"
_ID: Final = r"\b[UCR][0-9a-f]{32}\b"
_EMOJI_NAME: Final = r"\[emoji(?:: [^\]\n]*)?\]"
_EMOJI: Final = (
    r"(?:\p{Regional_Indicator}{2}|(?:\p{Emoji_Presentation}|\p{Extended_Pictographic}\ufe0f?)"
    r"[\p{M}\u200d\p{Emoji_Modifier}\p{Extended_Pictographic}\ufe0f]*)"
)
_MENTION: Final = (
    r"(?<![\w.])[@＠](?:[^\s@＠、。，,!！?？:：]|\u00a0){1,40}"  # a no-break space stands within a mention
)
_NUMBER: Final = (
    r"(?:[¥￥$€£฿₫₩]|NT\$|US\$|Rp\.? ?)?"
    r"(?<!\p{Nd})\p{Latin}*\p{Nd}[\p{Nd}\p{Latin}]*(?:[.,:：/\-−–~〜][\p{Nd}\p{Latin}]*\p{Nd}[\p{Nd}\p{Latin}]*)*"
    r"(?: ?(?:[¥￥$€£฿₫₩%％℃]|°[CF]?|[ap]\.?m\b\.?))?"
)
_MARK: Final = r"[⟦⟧]"
_TITLE: Final = r"(?<=คุณ|พี่|น้อง|ครู|ป้า|ลุง)"
_SUFFIX: Final = r"(?=さん|ちゃん|くん|君|様|さま|先生|先輩|哥|姐|님|씨)"
_LEAST_LETTERS: Final = (
    (late(regex.compile, r"\p{Hiragana}+"), 4),
    (late(regex.compile, r"\p{Thai}+"), 8),
    (late(regex.compile, r"[\p{Katakana}ー]+|\p{Han}+"), 2),
    (late(regex.compile, r"\p{Hangul}+"), 3),
    (late(regex.compile, r"[\p{Latin}\p{M}]+"), 3),
)
"""Letters from which on a name of one script and one word is hardly an everyday word: ฝน is rain, and ゆ begins many words."""
_SLOT: Final = late(regex.compile, r"⟦\s*(\p{Nd}{1,3})\s*(?:[:：][^⟦⟧]*)?⟧")
_HIDDEN: Final = late(regex.compile, rf"^(?:{_LINK}|{_ADDRESS}|{_ID}|{_MARK})$")
_SHOWN_EMOJI: Final = late(regex.compile, r"^\[emoji: (.*)\]$")
_LINK_IN: Final = late(regex.compile, r"https?://|www\.", regex.IGNORECASE)
MOST_SLOTS: Final = 200


@frozen
class ProtectedText:
    """A text with slots in the places of `parts`: slot 1 stands for `parts[0]`."""

    text: str = field(repr=False)
    parts: tuple[str, ...] = field(default=(), repr=False)

    def restored(self, translated: str) -> str | None:
        """Return a translation with the protected parts in the places of their slots; None where it cannot be shown.

        A part whose slot the model has dropped follows at the end, so that no number or name is lost. A translation with a slot that was
        never given, or with a link of its own, is not shown. For example, with the parts ("15:30",), "at ⟦1⟧" gives "at 15:30", and "soon"
        gives "soon (15:30)".
        """
        outside_seals = _SLOT.sub("", translated)
        if _LINK_IN.search(outside_seals):
            return None
        used = set[int]()
        is_strange = False

        def part_of(match: regex.Match[str]) -> str:
            nonlocal is_strange
            number = int(unicodedata.normalize("NFKC", match[1]))
            if not 1 <= number <= len(self.parts):
                is_strange = True
                return ""
            used.add(number)
            return shown_part(self.parts[number - 1])

        restored = _SLOT.sub(part_of, translated).strip()
        if is_strange or not restored:
            return None
        dropped = [shown_part(part) for number, part in enumerate(self.parts, start=1) if number not in used]
        return f"{restored} ({' '.join(dropped)})" if dropped else restored


def without_slots(translated: str) -> str:
    """Return a translation without its slots: "at ⟦1:15:30⟧" -> "at "."""
    return _SLOT.sub("", translated)


def protect(text: str, terms: Iterable[str] = (), *, names: Iterable[str] = ()) -> ProtectedText:
    """Return the text with its unchangeable parts protected; `terms` are words of the chat that stay as they are, `names` of its members.

    A name that may be an everyday word is protected beside a sign of a name only: in 「@ゆ」, 「ゆさん」, "คุณฝน", but not in 「ゆっくり」.

    The model is shown the words of a number, a name or an emoji, but no link, mail address or id. Beyond 200 parts nothing is protected.
    """
    parts: list[str] = []

    def protected(match: regex.Match[str]) -> str:
        if len(parts) >= MOST_SLOTS:
            return match[0]
        parts.append(match[0])
        shown = "link" if _HIDDEN.match(match[0]) else match[0]
        return f"⟦{len(parts)}:{shown}⟧"

    return ProtectedText(text=_protectable(terms, names).sub(protected, text), parts=tuple(parts))


def without_protected(text: str, terms: Iterable[str] = ()) -> str:
    """Return what is left of the text without everything that would be protected."""
    return _protectable(terms, ()).sub(" ", text)


def shown_part(part: str) -> str:
    """Return how a protected part is shown: `[emoji: love]`, which stands for an emoji of LINE's own, as "(love)"."""
    emoji = _SHOWN_EMOJI.match(part)
    return f"({emoji[1]})" if emoji else part


def is_everyday(name: str) -> bool:
    """Whether a name may be a word of its language: `is_everyday("ฝน")`, which means rain, but not `is_everyday("Somchai")`."""
    if name.islower():
        return True
    return any(len(name) < least for letters, least in _LEAST_LETTERS if letters.fullmatch(name))


def _protectable(terms: Iterable[str], names: Iterable[str]) -> "regex.Pattern[str]":
    """Return the pattern of what is protected: links before the numbers in them, long terms before those that begin them."""
    patterns = {name: _name(name) for name in names if name.strip()}
    patterns |= {term: f"[@＠]?{_bounded(term)}" for term in terms if term.strip()}
    longest_first = (patterns[word] for word in sorted(patterns, key=lambda word: (-len(word), word)))
    return regex.compile(
        "|".join((_LINK, _ADDRESS, _ID, _EMOJI_NAME, *longest_first, _MENTION, _NUMBER, _EMOJI, _MARK)),
        regex.IGNORECASE,
    )


def _name(name: str) -> str:
    """Return the pattern of a member's name, in the case in which it is written."""
    bounded = f"(?-i:{_bounded(name)})"
    if is_everyday(name):
        return f"[@＠]{bounded}|{_TITLE}{bounded}|{bounded}{_SUFFIX}"
    return f"[@＠]?{bounded}"


def _bounded(term: str) -> str:
    """Return the pattern of a term as a whole word, where its script has words: "Ken" is not in "Kenya", 「ケン」 is in 「ケンは」."""
    before = r"(?<![\p{Latin}\p{Nd}])" if regex.match(r"[\p{Latin}\p{Nd}]", term) else ""
    after = r"(?![\p{Latin}\p{Nd}])" if regex.search(r"[\p{Latin}\p{Nd}]$", term) else ""
    return f"{before}{regex.escape(term)}{after}"
