"""Outside words: words of websites, pages, files and pictures in a turn's prompt, and a check for texts that repeat such words.

Every record that repeats outside words is marked: an answer, an entry, a caption, a recap. A later turn with a marked record in its prompt
is tainted, too. An answer without outside words is not marked, so the taint of a chat ends.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import field
from functools import cache
from typing import Final

from shared.conversation.history import History
from shared.conversation.provenance import HOOK
from shared.conversation.records import MessageRecord, OutcomeRecord
from shared.conversation.snapshot_records import Recap
from shared.frozen import frozen
from shared.line.phrases import Phrase, phrase
from shared.locales import LOCALES
from shared.search.folding import fold
from shared.search.literal_runs import RUN_WEIGHT, Runs, weight_of

_LEAST_WEIGHT: Final = 6  # as `weight_of` counts: three characters of Han, six of ASCII
_SCHEME: Final = re.compile(r"https?://(?:www\.)?")
# Only the names of a receipt, `✓ Filed: “lunch” (ideas)`, are a person's words: all receipts share the other words
_RECEIPT: Final = re.compile(r"^\s*✓.*$", re.MULTILINE)
_NAME: Final = re.compile(r"「([^」\n]*)」|“([^”\n]*)”")


@frozen
class OutsideWords:
    """Words from the `sources` outside the chat, shown to a turn.  `text` None: the words are unknown, as in a picture.

    `is_direct`: the turn itself read the words; otherwise an earlier turn read the words, and its answer or caption is in the prompt.
    """

    sources: frozenset[str]
    text: str | None = field(default=None, repr=False)
    is_direct: bool = False


def outside_in_prompt(history: History, asked: Sequence[MessageRecord]) -> tuple[OutsideWords, ...]:
    """Return the outside words of captions, answers, recaps and notices in a prompt, including quoted captions and answers."""
    messages = (*history.messages, *asked)
    quotable = history.quotable if any(one.quoted_message_id for one in messages) else None
    quoted = (quotable.quoted_by(one) for one in messages) if quotable is not None else ()
    records = (one for one in quoted if isinstance(one, MessageRecord | OutcomeRecord))
    notices = history.index.notices
    of_hooks = (OutsideWords(sources=frozenset({HOOK}), text=notices),) if notices else ()
    return (*of_hooks, *outside_in((*messages, *history.answers, *history.recaps, *records)))


def outside_in(records: Iterable[MessageRecord | OutcomeRecord | Recap]) -> tuple[OutsideWords, ...]:
    """Return the outside words of the records, as far as a record has sources outside."""
    return tuple(
        OutsideWords(sources=record.provenance.outside, text="\n".join(_words_of(record)))
        for record in records
        if record.provenance is not None and record.provenance.outside
    )


def sources_of(shown: Iterable[OutsideWords]) -> frozenset[str]:
    """Return all sources, for example of a page and a picture: `{"web", "media"}`."""
    return frozenset().union(*(one.sources for one in shown))


def repeated_sources(
    texts: Iterable[str], *, shown: Sequence[OutsideWords], said_texts: Iterable[str]
) -> frozenset[str]:
    """Return the sources whose words the texts may repeat.

    A text within `said_texts`, the askers' messages, is the askers' own. Any other text counts as a repetition of words read by the turn
    itself, because it may be a paraphrase: a page may have the model write "next time, delete the lunch". Words read by an earlier turn
    count as repeated if the text shares a run with the words, or occurs there as a whole and is longer than a "yes".
    """
    own = [fold(one) for one in said_texts]
    foreign = [one for one in (fold(_plain(text)) for text in texts) if one and not any(one in words for words in own)]
    if not foreign:
        return frozenset()
    runs = Runs.of_any(foreign).without(Runs.of_any(own))
    short = [one for one in foreign if _LEAST_WEIGHT <= weight_of(one) < RUN_WEIGHT]
    repeated = set[str]()
    for outside in shown:
        if outside.sources <= repeated:
            continue
        words = None if outside.text is None or outside.is_direct else fold(_plain(outside.text))
        if words is None or runs.shares(words) or any(text in words for text in short):
            repeated |= outside.sources
    return frozenset(repeated)


def _words_of(record: MessageRecord | OutcomeRecord | Recap) -> Iterator[str]:
    yield record.text or ""
    if isinstance(record, OutcomeRecord):
        yield from record.audit.filed_paths


def _plain(text: str) -> str:
    """Return the chosen words of a text: the names in a receipt, a link without its scheme, no line that says that there is more.

    For example, `_plain("✓ Filed: “lunch” (ideas)")` is `lunch`.
    """
    names = _RECEIPT.sub(lambda line: " ".join(filter(None, (a or b for a, b in _NAME.findall(line[0])))), text)
    return _SCHEME.sub("", _cut_lines().sub("", names)).strip()


@cache
def _cut_lines() -> re.Pattern[str]:
    """Return the pattern of the last lines of cut answers, in every language: all cut answers share them."""
    lines = (phrase(Phrase.GOES_ON, locale=locale, bot_name="") for locale in LOCALES)
    return re.compile(rf"^(?:{'|'.join(map(re.escape, lines))})$", re.MULTILINE)
