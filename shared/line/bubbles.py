"""An answer in bubbles that a phone shows well: short ones, broken where a reader would pause.

Lengths are counted as people see them, by grapheme clusters, because the limits are lines on a phone; a cluster of more than four UTF-16
units counts by its units, so that LINE's own limit of 5,000 of them holds too. URLs are never cut, so one may make its bubble longer.
Source: Unicode TR 29; LINE, "Text message".
"""

from bisect import bisect_left
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import IntEnum
from itertools import accumulate
from typing import Final

import regex

from shared.line.graphemes import split_at_graphemes
from shared.line.ids import mask_ids
from shared.line.markdown import plain_text
from shared.line.messaging import MESSAGES_A_CALL, OutgoingMessage
from shared.line.utf16 import utf16_length, without_lone_surrogates

_ELLIPSIS: Final = "…"
_UNITS_A_CHARACTER: Final = 4
_LONGEST_CLUSTER_UTF16: Final = 64  # longer ones are nobody's writing, and may be cut
_CLOSING: Final = r"[\p{Pe}\p{Pf}\"'”’]"
_ABBREVIATED: Final = r"(?<!\b(?:Mr|Mrs|Ms|Dr|St|No|vs|e\.g|i\.e|cf)\.)"
_ATOM: Final = regex.compile(r"(?P<url>https?://[!-~]{1,990}(?<![.,!?:;'\")\]}*]))|\X")


class _Pause(IntEnum):
    """How well a reader can stop at a place."""

    INSIDE_A_WORD = 0
    WORD = 1
    SPACE = 2
    CLAUSE = 3
    SENTENCE = 4
    LINE = 5
    PARAGRAPH = 6


# What ends at a pause; a later row outranks the ones before it. No line begins with closing marks or small letters.
_PAUSES: Final[Mapping[_Pause, regex.Pattern[str]]] = {
    _Pause.WORD: regex.compile(
        r"(?w)(?<![\p{Ps}\p{Pi}])\b(?![\p{Pe}\p{Pf}\p{Po}\p{M}\u200dーぁぃぅぇぉっゃゅょァィゥェォッャュョ々ๆ])"
    ),
    _Pause.SPACE: regex.compile(r"\s+"),
    _Pause.CLAUSE: regex.compile(
        rf"[、，；：…‥]+{_CLOSING}*\s*|[,;:]{_CLOSING}*\s+|\p{{Extended_Pictographic}}[\ufe0f\p{{M}}]*\s+"
    ),
    _Pause.SENTENCE: regex.compile(
        rf"[。！？｡．]+[!?！？。…]*{_CLOSING}*\s*"
        rf"|[.!?]+{_ABBREVIATED}{_CLOSING}*(?:\s+|(?=[^\x00-\x7f\p{{P}}]))|(?<=\p{{Thai}})\s+(?=\p{{Thai}})"
    ),
    _Pause.LINE: regex.compile(r"[^\S\n]*\n\s*"),
    _Pause.PARAGRAPH: regex.compile(r"[^\S\n]*\n[^\S\n]*\n\s*"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """How long the whole text may be, and each of `at_most` bubbles; `text_limit` is at most their product."""

    text_limit: int
    bubble_limit: int
    at_most: int = MESSAGES_A_CALL


ANSWER: Final = Layout(text_limit=500, bubble_limit=160)
DIGEST: Final = Layout(text_limit=4_000, bubble_limit=1_000)


def bubbles(text: str, layout: Layout = ANSWER) -> tuple[str, ...]:
    """Return the text in bubbles; nothing but white space between them is lost of a text within the limit.

    A longer text ends before the limit at the end of a sentence, or else with an ellipsis. A blank text has no bubbles.
    """
    marked = _Marked.of(shortened(text, limit=layout.text_limit))
    return tuple(bubble for piece in _pieces(marked, layout) if (bubble := piece.strip()))


def shortened(text: str, *, limit: int) -> str:
    """Return the text, or as much of its beginning as the limit allows, with a clean end."""
    marked = _Marked.of(text.strip())
    if marked.weights[-1] <= limit:
        return marked.text
    end = marked.best_end(0, least=limit // 2, most=limit - 1)
    kept = marked.text[: marked.ends[end]].rstrip()
    is_clean = marked.pauses[end] >= _Pause.SENTENCE or kept == marked.text
    return kept if is_clean else kept.rstrip("、，,;；:：") + _ELLIPSIS


def _pieces(marked: "_Marked", layout: Layout) -> Iterator[str]:
    start, left = 0, layout.at_most
    while start < len(marked.ends) - 1:
        rest = marked.weights[-1] - marked.weights[start]
        most = max(layout.bubble_limit, -(-rest // left))
        fits = rest <= most or left == 1
        least = max(1, rest - layout.bubble_limit * (left - 1))
        end = len(marked.ends) - 1 if fits else marked.best_end(start, least=least, most=most)
        yield marked.text[marked.ends[start] : marked.ends[end]]
        start, left = end, left - 1


@dataclass(frozen=True, slots=True, kw_only=True)
class _Marked:
    """A text and the places where it may be cut: `ends` are their offsets, `weights` the length up to each, `pauses` how good they are."""

    text: str
    ends: tuple[int, ...]
    weights: tuple[int, ...]
    pauses: tuple[_Pause, ...]

    @classmethod
    def of(cls, text: str) -> "_Marked":
        atoms = tuple(_atoms(text))
        ends = tuple(accumulate(map(len, atoms), initial=0))
        graded = dict.fromkeys(ends, _Pause.INSIDE_A_WORD)
        for pause, pattern in _PAUSES.items():
            graded.update((found.end(), pause) for found in pattern.finditer(text) if found.end() in graded)
        return cls(
            text=text,
            ends=ends,
            weights=tuple(accumulate(map(_weight, atoms), initial=0)),
            pauses=tuple(graded[end] for end in ends),
        )

    def best_end(self, start: int, *, least: int, most: int) -> int:
        """Return the place to stop after `start`, between the lengths; beyond `most` only where a URL leaves no other.

        The end of a line or paragraph counts more than that of a sentence where it leaves half of the room unused at most.
        """
        begin = self.weights[start]
        first = max(start + 1, bisect_left(self.weights, begin + least, start + 1))
        places = [end for end in range(first, len(self.ends)) if self.weights[end] - begin <= most]
        if not places:
            return min(first, len(self.ends) - 1)

        def worth(end: int) -> tuple[int, int]:
            is_late = 2 * (self.weights[end] - begin) >= most
            return min(self.pauses[end], _Pause.PARAGRAPH if is_late else _Pause.SENTENCE), end

        return max(places, key=worth)


def _atoms(text: str) -> Iterator[str]:
    for found in _ATOM.finditer(text):
        atom = found[0]
        if found["url"] is None and utf16_length(atom) > _LONGEST_CLUSTER_UTF16:
            yield from atom
        else:
            yield atom


def _weight(atom: str) -> int:
    if atom.startswith("http"):
        return len(atom)
    return max(1, -(-utf16_length(atom) // _UNITS_A_CHARACTER))


_SMALL: Final = Layout(text_limit=MESSAGES_A_CALL * ANSWER.bubble_limit, bubble_limit=ANSWER.bubble_limit)


def shown_text(markdown: str, *, limit: int = ANSWER.text_limit) -> str:
    """Return what people see of what the model wrote: no Markdown, no ids, and a clean end within the limit.  It may be blank."""
    return shortened(mask_ids(plain_text(without_lone_surrogates(markdown))), limit=limit)


def answer_messages(text: str, *, quote_token: str | None = None) -> tuple[OutgoingMessage, ...]:
    """Return a shown text as messages that LINE takes in one call; the first quotes the question.  A blank text: none.

    Bubbles are short; what does not fit into five of those, such as a digest or links to sources, gets larger ones.
    """
    fits = shortened(text, limit=_SMALL.text_limit) == text.strip()
    return _quoting(bubbles(text, _SMALL if fits else DIGEST), quote_token)


def fixed_messages(text: str, *, quote_token: str | None = None) -> tuple[OutgoingMessage, ...]:
    """Return words of our own as messages, in one bubble where LINE takes it, exactly as they are written."""
    return _quoting(split_at_graphemes(text)[:MESSAGES_A_CALL], quote_token)


def _quoting(texts: tuple[str, ...], quote_token: str | None) -> tuple[OutgoingMessage, ...]:
    return tuple(
        OutgoingMessage(text=text, quote_token=None if index else quote_token) for index, text in enumerate(texts)
    )
