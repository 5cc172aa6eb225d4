"""Which messages a text came from, so that it goes when one of them is taken back.

The model hands on what people said, word by word or in other words, and does not tell whose they were. Nothing may be missed: where no
message can be proven to be the only origin, all that the turn answers count.
"""

from collections.abc import Sequence
from typing import Final

import regex

from shared.conversation.records import MessageRecord
from shared.knowledge.entry import Source
from shared.knowledge.text_matching import fold

_SHARED_WEIGHT: Final = (
    12  # of a run that an earlier message and the text share: twelve ASCII characters, or six of another script
)
_DIGITS: Final = regex.compile(r"\d{4,}")


def sources_of(
    text: str, *, to_answer: Sequence[MessageRecord], earlier: Sequence[MessageRecord]
) -> tuple[Source, ...]:
    """Return the messages that the text may repeat.

    Of the messages to answer: the one that holds the whole text, else all of them. Of the earlier ones: those that share a long run of
    characters or a number with it, because people say 「今の覚えておいて」 after the words themselves.
    """
    wanted = fold(text)
    holding = [one for one in to_answer if wanted and wanted in fold(one.text)]
    answered = {one.line_message_id for one in to_answer}
    shared = [one for one in earlier if one.line_message_id not in answered and _share(wanted, fold(one.text))]
    return tuple(
        Source(line_message_id=one.line_message_id, timestamp_ms=one.words_ms)
        for one in (*(holding[:1] or to_answer), *shared)
    )


def repeats(old: str, new: str) -> bool:
    """Whether the new text holds the old one, or a long run of it."""
    one, other = fold(old), fold(new)
    return bool(one) and (one in other or _share(one, other))


def _share(one: str, other: str) -> bool:
    if set(_DIGITS.findall(one)) & set(_DIGITS.findall(other)):
        return True
    return not _runs(one).isdisjoint(_runs(other))


def _runs(text: str) -> set[str]:
    """Return every shortest run that weighs enough: two texts share such a run iff they share any longer one."""
    runs: set[str] = set()
    end, weight = 0, 0
    for start, first in enumerate(text):
        while end < len(text) and weight < _SHARED_WEIGHT:
            weight += _weight(text[end])
            end += 1
        if weight < _SHARED_WEIGHT:
            break
        runs.add(text[start:end])
        weight -= _weight(first)
    return runs


def _weight(character: str) -> int:
    return 1 if character.isascii() else 2
