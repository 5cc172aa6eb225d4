"""Splits an answer into short bubbles for a phone's screen, at places where a reader would pause.

A length is a count of grapheme clusters, because the limits stand for lines on a phone. A cluster counts once for every four UTF-16 units
or fewer, so that LINE's limit of 5,000 units holds too: for example, "か" counts 1, and the emoji of a family of four, with 11 units, 3.
A URL is never cut, so the bubble with a URL may exceed the limit.
Source: Unicode TR 29; LINE, "Text message".
"""

from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping
from enum import IntEnum
from itertools import accumulate
from typing import Final

import regex

from shared.frozen import frozen
from shared.late_patterns import late
from shared.line.cards.card import Card
from shared.line.cards.drawing import ALT_TEXT_LIMIT, is_drawable
from shared.line.graphemes import GRAPHEME, split_at_graphemes
from shared.line.ids import mask_ids
from shared.line.messaging import MESSAGES_A_CALL, OutgoingMessage
from shared.line.utf16 import TEXT_LIMIT_UTF16, utf16_length, without_lone_surrogates

# A symbol breaks words as a flag does. At each half of a flag, `\b` would count all the halves before it.
_SYMBOL_FOR_FLAG_HALVES: Final = dict.fromkeys(range(0x1F1E6, 0x1F200), "⚐")
_ELLIPSIS: Final = "…"
_UNITS_A_CHARACTER: Final = 4
_ROOM: Final = 8  # the part of a bubble in which later cuts look for a pause, however short the first bubbles are
_LARGEST: Final = TEXT_LIMIT_UTF16 // _UNITS_A_CHARACTER  # bubble that LINE takes
_LONGEST_CLUSTER_UTF16: Final = 64  # no writing system needs a longer cluster, so a longer one may be cut
_CLOSING: Final = r"[\p{Pe}\p{Pf}\"'”’]"
_ABBREVIATED: Final = r"(?<!\b(?:Mr|Mrs|Ms|Dr|St|No|vs|e\.g|i\.e|cf)\.)"
_ATOM: Final = late(regex.compile, rf"(?P<url>https?://[!-~]{{1,990}}(?<![.,!?:;'\")\]}}*]))|{GRAPHEME}")


class _Pause(IntEnum):
    """How good a place is for a break; a larger value is better."""

    BEFORE_A_MARK = -1
    INSIDE_A_WORD = 0
    WORD = 1
    SPACE = 2
    CLAUSE = 3
    SENTENCE = 4
    LINE = 5
    PARAGRAPH = 6


# What precedes each kind of pause; a later row outranks the rows before it. No bubble begins with a closing mark or a small kana.
# No pattern tries a run twice: a run is possessive, or its match cannot fail.
_PAUSES: Final[Mapping[_Pause, regex.Pattern[str]]] = {
    _Pause.WORD: late(
        regex.compile,
        r"(?w)(?<![\p{Ps}\p{Pi}])\b(?![\p{Pe}\p{Pf}\p{Po}\p{M}\u200dーぁぃぅぇぉっゃゅょァィゥェォッャュョ々ๆ])",
    ),
    _Pause.SPACE: late(regex.compile, r"\s+"),
    _Pause.CLAUSE: late(
        regex.compile,
        rf"[、，；：…‥]+{_CLOSING}*\s*|[,;:]{_CLOSING}*+\s+|\p{{Extended_Pictographic}}[\ufe0f\p{{M}}]*+\s+",
    ),
    _Pause.SENTENCE: late(
        regex.compile,
        rf"[。！？｡．]+[!?！？。…]*{_CLOSING}*\s*"
        rf"|(?:\G|(?<![.!?]))[.!?]++{_ABBREVIATED}{_CLOSING}*+(?:\s+|(?=[^\x00-\x7f\p{{P}}]))|(?<=\p{{Thai}})\s++(?=\p{{Thai}})",
    ),
    _Pause.LINE: late(regex.compile, r"\n\s*"),
    _Pause.PARAGRAPH: late(regex.compile, r"\n[^\S\n]*\n\s*"),
}
# A check mark within a line, with the invisible characters before it: a bubble that begins with one would look like a receipt of the code.
_INNER_MARK: Final = late(
    regex.compile,
    r"(?<=[^\s\p{DI}\u2800])(?:[\p{DI}\u2800]|[^\S\n])*+[\u2610-\u2612\u2705\u2713\u2714\U0001f5f8\U0001f5f9]",
)


@frozen
class Layout:
    """The limits of the whole text and of each of `at_most` bubbles; `text_limit` is at most `at_most` times `bubble_limit`."""

    text_limit: int
    bubble_limit: int
    at_most: int = MESSAGES_A_CALL

    @classmethod
    def of(cls, bubble_limit: int, *, at_most: int, longest: int) -> "Layout":
        """Return the layout for a text of at most `longest`, with room for each bubble but the last to end at a pause.

        For example, `Layout.of(160, at_most=5, longest=4_000)` has a text limit of 720.
        """
        roomy = at_most * bubble_limit - (at_most - 1) * (bubble_limit // _ROOM)
        return cls(text_limit=min(roomy, longest), bubble_limit=bubble_limit, at_most=at_most)


ANSWER: Final = Layout(text_limit=500, bubble_limit=160)
DIGEST: Final = Layout(text_limit=4_000, bubble_limit=1_000)


def bubbles(text: str, layout: Layout = ANSWER) -> tuple[str, ...]:
    """Return the text in bubbles.  Of a text within the limit only white space between the bubbles is lost.

    A longer text is cut before the limit: at the end of a sentence, else with an ellipsis. A blank text has no bubbles.
    """
    cuttable = _CuttableText.of(shortened(text, limit=layout.text_limit))
    return tuple(bubble for piece in _pieces(cuttable, layout) if (bubble := piece.strip()))


def shortened(text: str, *, limit: int) -> str:
    """Return the text, or a beginning within the limit that ends with a sentence or an ellipsis.

    For example, `shortened("abcdefghijklmnop", limit=8)` -> "abcdefg…".
    """
    text = text.strip()
    if utf16_length(text) <= limit:  # no part weighs more than its code units
        return text
    cuttable = _CuttableText.of(text)
    if cuttable.weights[-1] <= limit:
        return cuttable.text
    end = cuttable.best_end(0, least=limit // 2, most=limit - 1)
    beginning = cuttable.text[: cuttable.ends[end]].rstrip()
    is_clean = cuttable.pauses[end] >= _Pause.SENTENCE or beginning == cuttable.text
    return beginning if is_clean else beginning.rstrip("、，,;；:：") + _ELLIPSIS


def _pieces(cuttable: "_CuttableText", layout: Layout) -> Iterator[str]:
    start, remaining_bubbles, room = 0, layout.at_most, layout.bubble_limit // _ROOM
    while start < len(cuttable.ends) - 1:
        remaining_length = cuttable.weights[-1] - cuttable.weights[start]
        most = max(layout.bubble_limit, -(-remaining_length // remaining_bubbles))
        fits = remaining_length <= most or remaining_bubbles == 1
        least = remaining_length - layout.bubble_limit * (remaining_bubbles - 1)
        roomy = min(remaining_length - (layout.bubble_limit - room) * (remaining_bubbles - 1), most - room)
        preferred = min(roomy, remaining_length - 2 * room)
        end = (
            len(cuttable.ends) - 1
            if fits
            else cuttable.best_end(start, least=least, most=most, preferred=preferred, least_rest=room)
        )
        yield cuttable.text[cuttable.ends[start] : cuttable.ends[end]]
        start, remaining_bubbles = end, remaining_bubbles - 1


@frozen
class _CuttableText:
    """A text and the places for cuts: `ends` are the offsets, `weights` the lengths up to each place, `pauses` the ranks."""

    text: str
    ends: tuple[int, ...]
    weights: tuple[int, ...]
    pauses: tuple[_Pause, ...]

    @classmethod
    def of(cls, text: str) -> "_CuttableText":
        atoms = tuple(_atoms(text))
        ends = tuple(accumulate(map(len, atoms), initial=0))
        graded = dict.fromkeys(ends, _Pause.INSIDE_A_WORD)
        graded_text = text.translate(_SYMBOL_FOR_FLAG_HALVES)
        for pause, pattern in _PAUSES.items():
            graded.update((match.end(), pause) for match in pattern.finditer(graded_text) if match.end() in graded)
        for match in _INNER_MARK.finditer(text):
            graded.update((end, _Pause.BEFORE_A_MARK) for end in range(*match.span()) if end in graded)
        return cls(
            text=text,
            ends=ends,
            weights=tuple(accumulate(map(_weight, atoms), initial=0)),
            pauses=tuple(graded[end] for end in ends),
        )

    def best_end(self, start: int, *, least: int, most: int, preferred: int = 0, least_rest: int = 0) -> int:
        """Return the best place to cut after `start`, from `least` to `most` long; beyond `most` only where a URL leaves no other place.

        A part of at least `preferred` outranks shorter parts. The end of a line or paragraph outranks the end of a sentence only
        if at least half of `most` is used. A rest shorter than `least_rest`, such as the last word of a sentence, is not left alone unless
        it is a paragraph.
        """
        begin = self.weights[start]
        first = bisect_left(self.weights, begin + max(1, least))
        places = [end for end in range(first, len(self.ends)) if self.weights[end] - begin <= most]
        if not places:
            return first

        def worth(end: int) -> tuple[bool, bool, int, int]:
            length, rest = self.weights[end] - begin, self.weights[-1] - self.weights[end]
            best = _Pause.PARAGRAPH if 2 * length >= most else _Pause.SENTENCE
            has_rest = rest >= least_rest or self.pauses[end] is _Pause.PARAGRAPH
            return has_rest, length >= preferred, min(self.pauses[end], best), end

        return max(places, key=worth)


def _atoms(text: str) -> Iterator[str]:
    for match in _ATOM.finditer(text):
        atom = match[0]
        if match["url"] is None and utf16_length(atom) > _LONGEST_CLUSTER_UTF16:
            yield from atom
        else:
            yield atom


def _weight(atom: str) -> int:
    if atom.startswith("http"):
        return len(atom)
    return max(1, -(-utf16_length(atom) // _UNITS_A_CHARACTER))


def shown_text(
    markdown: str, *, limit: int = ANSWER.text_limit, cleaned: Callable[[str], str] = str, goes_on: str = ""
) -> str:
    """Return the model's text for people: without artifacts, Markdown and ids, shortened to the limit, perhaps blank.

    `cleaned` removes words not meant for people, such as unsafe links, from the whole plain text, because Markdown may stand between the
    letters of a word. A text over the limit ends with a line `goes_on`, for example "(There is more.)", within the limit.
    """
    from shared.line.artifacts import without_artifacts  # noqa: PLC0415 - see below
    from shared.line.markdown import plain_text  # noqa: PLC0415 - adds 20 ms to a cold start, and no event needs it at once

    text = plain_text(without_artifacts(without_lone_surrogates(markdown)))
    whole = mask_ids(cleaned(text))
    beginning = shortened(whole, limit=limit)
    if not goes_on or beginning == whole.strip():
        return beginning
    last_line = f"\n{goes_on}"
    return shortened(whole, limit=max(1, limit - length_of(last_line))) + last_line


def answer_messages(
    text: str, *, quote_token: str | None = None, at_most: int = MESSAGES_A_CALL
) -> tuple[OutgoingMessage, ...]:
    """Return the text as messages for a single call; the first message quotes the question.  A blank text has no messages.

    Bubbles are short. A text too long for `at_most` short bubbles, such as a digest or links to sources, gets larger bubbles.
    """
    small = Layout.of(ANSWER.bubble_limit, at_most=at_most, longest=DIGEST.text_limit)
    fits = shortened(text, limit=small.text_limit) == text.strip()
    return _messages_of(bubbles(text, small if fits else _largest(at_most)), quote_token)


def longest_answer(*, at_most: int = MESSAGES_A_CALL) -> int:
    """Return the length of the longest text that `answer_messages` sends whole."""
    return _largest(at_most).text_limit


def length_of(text: str) -> int:
    """Return the length of a text, counted as in the limits."""
    return sum(map(_weight, _atoms(text)))


def _largest(at_most: int) -> Layout:
    """Return the layout of a text too long for short bubbles."""
    needed_limit = DIGEST.text_limit * _ROOM // ((_ROOM - 1) * at_most)
    bubble_limit = min(max(DIGEST.bubble_limit, needed_limit), _LARGEST)
    return Layout.of(bubble_limit, at_most=at_most, longest=DIGEST.text_limit)


def fixed_messages(text: str, *, quote_token: str | None = None) -> tuple[OutgoingMessage, ...]:
    """Return a fixed text as messages, word for word, in a single bubble if short enough for LINE."""
    return _messages_of(split_at_graphemes(text)[:MESSAGES_A_CALL], quote_token)


def card_messages(text: str, card: Card | None) -> tuple[OutgoingMessage, ...]:
    """Return the card with the text for screen readers; the text alone where LINE would refuse the card or cut the text."""
    if card is None or utf16_length(text) > ALT_TEXT_LIMIT or not is_drawable(card):
        return fixed_messages(text)
    return (OutgoingMessage(text=text, card=card),)


def _messages_of(texts: tuple[str, ...], quote_token: str | None) -> tuple[OutgoingMessage, ...]:
    return tuple(
        OutgoingMessage(text=text, quote_token=None if index else quote_token) for index, text in enumerate(texts)
    )
