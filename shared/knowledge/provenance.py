"""Which messages a text came from, so that it is removed when one of them is withdrawn.

The model passes on what people said, literally or rephrased, and does not tell which message said it. No source may be missed: unless one
message is provably the only source, all messages that the turn answers count as sources, with what they quote.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from shared.agent.retellings import Retelling, RetoldMessage
from shared.conversation.literal_runs import Runs, shares_run
from shared.conversation.provenance import Source
from shared.conversation.receipt_lines import compared_path
from shared.conversation.records import MessageRecord
from shared.knowledge.catalog import Row
from shared.knowledge.numbers import Numbers
from shared.knowledge.schema import Value
from shared.search.folding import fold

_LONG_NAME_BYTES: Final = (
    9  # three characters of most scripts, or nine letters; shorter names stand in other words by chance
)


@dataclass(frozen=True, slots=True, kw_only=True)
class PossibleSources:
    """What a prompt holds: the messages `to_answer`, `earlier` ones that it shows or quotes, and `retellings` of messages."""

    to_answer: tuple[MessageRecord, ...] = ()
    earlier: tuple[MessageRecord, ...] = ()
    retellings: tuple[Retelling, ...] = ()

    def of_entries(self, value: Value, rows: Iterable[Row], *, read_ids: frozenset[str]) -> tuple[Source, ...]:
        """Return the sources of the entries that a value may repeat, in words that no message to answer says.

        A value repeats an entry whose name it is or holds, or of which it holds a long run: of what tables show, or, where the model read
        something of the messages behind the entry (`read_ids`) or a retelling of it that the value may repeat, of all its texts.
        """
        said = [fold(one.text) for one in self.to_answer]
        pieces = [fold(one) for one in (value if isinstance(value, tuple) else (value or "",))]
        unsaid = [one for one in pieces if one and not any(one in words for words in said)]
        runs = Runs.of_any(unsaid).without(Runs.of_any(said)) if unsaid else Runs()
        read_ids = read_ids.union(*(one.named for one in self.retellings if runs.shares(one.text)))
        return tuple(
            source
            for row in rows
            if _is_named(row, unsaid, said)
            or any(map(runs.shares, _texts(row, is_read=bool(row.source_ids & read_ids))))
            for source in row.sources
        )

    def of(self, text: str) -> tuple[Source, ...]:
        """Return the messages that the text may repeat, each once.

        Of the messages to answer: the one that holds the whole text, else all of them, and what they quote. Of the earlier ones: those
        that share a long run of characters with it, or a number that no message to answer says, because people say 「今の覚えておいて」
        after the words themselves. Of a retelling that does so: the messages behind it that do so too or cannot be compared, else all
        that it covers.
        """
        wanted = _Text.of(text, to_answer=self.to_answer)
        holders = [one for one in self.to_answer if wanted.folded and wanted.folded in fold(one.text)]
        quoted = frozenset() if holders else frozenset(one.quoted_message_id for one in self.to_answer)
        found = {one.line_message_id: one.source for one in holders[:1] or self.to_answer}
        for one in self.earlier:
            if one.line_message_id in quoted or wanted.may_repeat(one.text):
                found.setdefault(one.line_message_id, one.source)
        for retelling in self.retellings:
            if not quoted.isdisjoint(retelling.sent_message_ids) or wanted.may_repeat(retelling.text):
                for retold in _behind(retelling, wanted):
                    source = Source(line_message_id=retold.line_message_id, timestamp_ms=retold.words_ms, by=retold.by)
                    found.setdefault(retold.line_message_id, source)
        return tuple(found.values())


@dataclass(frozen=True, slots=True)
class _Text:
    folded: str
    runs: Runs
    numbers: Numbers
    explained: frozenset[str]

    @classmethod
    def of(cls, text: str, *, to_answer: Iterable[MessageRecord]) -> "_Text":
        folded = fold(text)
        explained = (number for one in to_answer for number in Numbers.of(fold(one.text)).said)
        return cls(folded, Runs.of(text), Numbers.of(folded), frozenset(explained))

    def may_repeat(self, text: str) -> bool:
        """Whether the text shares a run with the other one, or a number that proves it."""
        if self.runs.shares(text):
            return True
        return self.numbers.are_provable and Numbers.of(fold(text)).prove(self.numbers, explained=self.explained)


def _behind(retelling: Retelling, wanted: _Text) -> list[RetoldMessage]:
    """Return the messages behind a retelling that the text may repeat; where that is none, all that the retelling covers."""
    covered = [one for one in retelling.messages if one.is_covered]
    behind = [
        one for one in retelling.messages if (one.is_covered if one.text is None else wanted.may_repeat(one.text))
    ]
    return behind or covered


def _is_named(row: Row, unsaid: Iterable[str], said: Iterable[str]) -> bool:
    """Whether a piece is the name or the slug of the entry, or holds the name."""
    name, slug = row.folded.get("name", ""), fold(compared_path(row.path))
    is_long = len(name.encode()) >= _LONG_NAME_BYTES
    is_held = any(piece in {name, slug} or (is_long and name in piece) for piece in unsaid)
    return is_held and not any(name in words for words in said)


def _texts(row: Row, *, is_read: bool) -> tuple[str, ...]:
    return (*row.shown.values(), *(row.folded.values() if is_read else ()))


def repeats(old: str, new: str) -> bool:
    """Whether the new text holds the old one, a long run of it, or a number of it."""
    one, other = fold(old), fold(new)
    return bool(one) and (one in other or Numbers.of(one).share(Numbers.of(other)) or shares_run(old, new))
