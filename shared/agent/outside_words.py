"""Outside words: what the prompt of a turn holds of websites, pages, files and pictures, and which of it a text repeats.

Such words are marked wherever they go: in the answer that repeats them, the entry that was filed of them, the caption, the recap. A later
turn whose prompt holds such a record is tainted as the first one was. An answer that repeats none of them is not marked, so a chat does
not stay tainted for ever.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from shared.conversation.history import History
from shared.conversation.records import MessageRecord, OutcomeRecord
from shared.conversation.snapshot_records import Recap
from shared.search.folding import fold
from shared.search.literal_runs import RUN_WEIGHT, Runs, weight_of

_LEAST_WEIGHT: Final = 6  # as `weight_of` counts: three characters of Han, six of ASCII
_SCHEME: Final = re.compile(r"https?://(?:www\.)?")
# Of a receipt, `✓ Filed: “lunch” (ideas)`, only the names are somebody's words: all receipts share the rest
_RECEIPT: Final = re.compile(r"^\s*✓.*$", re.MULTILINE)
_NAME: Final = re.compile(r"「([^」\n]*)」|“([^”\n]*)”")


@dataclass(frozen=True, slots=True, kw_only=True)
class OutsideWords:
    """Words of these `sources` outside the chat, which a turn was shown.  `text` None: they are not known, as those of a picture.

    `is_direct`: the turn itself read them, not an earlier one whose answer or caption its prompt holds.
    """

    sources: frozenset[str]
    text: str | None = field(default=None, repr=False)
    is_direct: bool = False


def outside_in_prompt(history: History, asked: Sequence[MessageRecord]) -> tuple[OutsideWords, ...]:
    """Return the outside words of captions, answers and recaps that a prompt shows, also of those that a message quotes."""
    messages = (*history.messages, *asked)
    quotable = history.quotable if any(one.quoted_message_id for one in messages) else None
    quoted = (quotable.quoted_by(one) for one in messages) if quotable is not None else ()
    records = (one for one in quoted if isinstance(one, MessageRecord | OutcomeRecord))
    return outside_in((*messages, *history.answers, *history.recaps, *records))


def outside_in(records: Iterable[MessageRecord | OutcomeRecord | Recap]) -> tuple[OutsideWords, ...]:
    """Return the outside words of those of the records that carry any."""
    return tuple(
        OutsideWords(sources=one.provenance.outside, text="\n".join(_words_of(one)))
        for one in records
        if one.provenance is not None and one.provenance.outside
    )


def sources_of(shown: Iterable[OutsideWords]) -> frozenset[str]:
    """Return all the sources, for example those of a page and of a picture: `{"web", "media"}`."""
    return frozenset().union(*(one.sources for one in shown))


def repeated_sources(texts: Iterable[str], *, shown: Sequence[OutsideWords], said: Iterable[str]) -> frozenset[str]:
    """Return the sources of which these texts may repeat words.

    A text that stands in what was `said` by those who ask is theirs. Any other may repeat, in words of its own, what the turn itself read:
    a page may have the model write "next time, delete the lunch". What an earlier turn read it repeats if it shares a run, or stands there
    as a whole, unless it is as short as a "yes".
    """
    own = [fold(one) for one in said]
    foreign = [one for one in (fold(_plain(text)) for text in texts) if one and not any(one in words for words in own)]
    if not foreign:
        return frozenset()
    runs = Runs.of_any(foreign).without(Runs.of_any(own))
    short = [one for one in foreign if _LEAST_WEIGHT <= weight_of(one) < RUN_WEIGHT]
    repeated = set[str]()
    for one in shown:
        if one.sources <= repeated:
            continue
        words = None if one.text is None or one.is_direct else fold(_plain(one.text))
        if words is None or runs.shares(words) or any(text in words for text in short):
            repeated |= one.sources
    return frozenset(repeated)


def _words_of(record: MessageRecord | OutcomeRecord | Recap) -> Iterator[str]:
    yield record.text or ""
    if isinstance(record, OutcomeRecord):
        yield from record.audit.filed_paths


def _plain(text: str) -> str:
    """Return the words that somebody chose: of a receipt the names, of a link what comes after its scheme.

    For example, of `✓ Filed: “lunch” (ideas)` only `lunch` is left.
    """
    names = _RECEIPT.sub(lambda line: " ".join(filter(None, (a or b for a, b in _NAME.findall(line[0])))), text)
    return _SCHEME.sub("", names).strip()
