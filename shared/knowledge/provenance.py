"""Trace a text to the messages behind it, so a withdrawal of any of the messages removes the text.

The model passes on people's words, literally or rephrased, without saying which message they come from. No source may be missed: all
messages answered by the turn count as sources, with the messages quoted there, unless a single message is provably the only source. If a
message's own words hold the text, other messages count only for words outside that message, so other people's own words stay.
"""

from collections.abc import Iterable, Iterator
from collections.abc import Set as AbstractSet
from dataclasses import replace
from typing import Final, TypeAlias, TypeVar

from shared.agent.retellings import Retelling, RetoldMessage
from shared.conversation.provenance import Source
from shared.conversation.receipt_lines import compared_path
from shared.conversation.records import MessageRecord
from shared.frozen import frozen
from shared.knowledge.catalog import Row
from shared.knowledge.numbers import Numbers
from shared.knowledge.schema import Value
from shared.knowledge.unheld_words import UnheldWords
from shared.search.folding import fold
from shared.search.literal_runs import Runs

_LONG_NAME_BYTES: Final = (
    9  # three characters of most scripts, or nine letters; other words hold shorter names by chance
)
_EDGES: Final = " .,!?\"'\u3002\u3001\u300c\u300d\u2026"
"""Signs around a text that a message may leave out."""

_Said: TypeAlias = MessageRecord | RetoldMessage
_SaidT = TypeVar("_SaidT", MessageRecord, RetoldMessage)


@frozen
class PossibleSources:
    """The contents of a prompt: the messages `to_answer`, `earlier` messages shown or quoted, and `retellings` of messages."""

    to_answer: tuple[MessageRecord, ...] = ()
    earlier: tuple[MessageRecord, ...] = ()
    retellings: tuple[Retelling, ...] = ()

    def of_entries(self, value: Value, rows: Iterable[Row], *, read_ids: frozenset[str]) -> tuple[Source, ...]:
        """Return the sources of the entries that a value may repeat, in words said by no message behind the value.

        A value repeats an entry by being or holding the entry's name, or by sharing a long run with the entry's texts in tables. All texts
        of the entry count where the model read a message behind the entry (`read_ids`), or a retelling that the value may repeat.
        """
        pieces = [one for one in (value if isinstance(value, tuple) else (value or "",)) if fold(one)]
        traced_messages = [message for piece in pieces for message in self._trace(piece)]
        folded_messages = [fold(one.text or "") for one in traced_messages]
        unheld_pieces = [_Text.of(piece).without(traced_messages).unheld for piece in pieces]
        unheld_pieces = [one for one in unheld_pieces if not any(one.folded in words for words in folded_messages)]
        runs, unsaid_pieces = Runs.of_any(one.folded for one in unheld_pieces), [one.folded for one in unheld_pieces]

        def is_repeated(text: str) -> bool:
            return runs.shares(text) and any(one.shared_with(text) for one in unheld_pieces)

        read_ids = read_ids.union(*(one.provenance.message_ids for one in self.retellings if is_repeated(one.text)))
        return tuple(
            source
            for row in rows
            if _is_named(row, unsaid_pieces, folded_messages)
            or any(map(is_repeated, _texts(row, is_read=bool(row.provenance.message_ids & read_ids))))
            for source in row.provenance.sources
        )

    def of(self, text: str) -> tuple[Source, ...]:
        """Return the messages that the text may repeat, each once.

        Of the messages to answer: only the message with the whole text, if there is one; else all messages to answer, and the messages
        quoted by them. Of the earlier messages: those with a long run of characters or a number in common with the text, because people say
        「今の覚えておいて」 after the words themselves. A run counts only for words that no earlier source says; the message with most
        words comes first. Of a retelling with such a run: the messages behind the retelling that have a run too, or have no text to
        compare, or else all messages that the retelling covers.
        """
        sources: dict[str, Source] = {}
        for message in self._trace(text):
            sources.setdefault(message.line_message_id, message.source)
        return tuple(sources.values())

    def is_said(self, text: str) -> bool:
        """Whether a message to answer says the whole text."""
        return self._holder_of(text) is not None

    def repeats_unsaid(self, old: str, new: str) -> bool:
        """Whether the new text repeats the old text, a long run or a number of the old text, in words of no message behind the new text."""
        if self.is_said(new):
            return False
        traced_messages = self._trace(new)
        folded_messages = [fold(one.text or "") for one in traced_messages]
        folded, folded_new = fold(old), fold(new)
        if not folded or any(folded in one for one in folded_messages):
            return False
        numbers = Numbers.of(folded).common(Numbers.of(folded_new))
        return (
            folded in folded_new
            or not all(any(number in Numbers.of(one).all_numbers for one in folded_messages) for number in numbers)
            or _Text.of(new).without(traced_messages).unheld.shared_with(old) > 0
        )

    def _holder_of(self, text: str) -> MessageRecord | None:
        """Return the message to answer that says the whole text, if there is one."""
        folded = fold(text).strip(_EDGES)
        return next((one for one in self.to_answer if folded and folded in fold(one.text)), None)

    def _trace(self, text: str) -> list[_Said]:
        """Return the messages that the text may repeat, some perhaps twice."""
        holder = self._holder_of(text)
        if holder is not None:
            return [holder]
        quoted_ids = frozenset(one.quoted_message_id for one in self.to_answer)
        answered_messages: list[_Said] = [
            *self.to_answer,
            *(one for one in self.earlier if one.line_message_id in quoted_ids),
        ]
        unexplained = _Text.of(text).without(answered_messages)
        earlier = unexplained.pick(self.earlier)
        unexplained = unexplained.without(earlier)
        return [*answered_messages, *earlier, *self._behind_retellings(unexplained, quoted_ids)]

    def _behind_retellings(self, unexplained: "_Text", quoted_ids: AbstractSet[str | None]) -> Iterator[RetoldMessage]:
        """Yield the messages behind the retellings that are quoted, or share a run or a number said by no message."""
        repeated = [
            retelling
            for retelling in self.retellings
            if not quoted_ids.isdisjoint(retelling.sent_message_ids) or unexplained.shared_with(retelling.text)
        ]
        picked = unexplained.pick(message for one in repeated for message in one.messages if message.text is not None)
        yield from picked
        picked_ids, still_unexplained = {one.line_message_id for one in picked}, unexplained.without(picked)
        for retelling in repeated:
            if quoted_ids.isdisjoint(retelling.sent_message_ids) and not still_unexplained.shared_with(retelling.text):
                continue
            covered = [one for one in retelling.messages if one.is_covered]
            textless = [one for one in covered if one.text is None]
            is_traced = any(one.line_message_id in picked_ids for one in retelling.messages)
            yield from textless if textless or is_traced else covered


@frozen
class _Text:
    """A text whose sources are being traced: the words that no message holds, and the numbers, apart from `explained` numbers."""

    unheld: UnheldWords
    numbers: Numbers
    explained: frozenset[str] = frozenset()

    @classmethod
    def of(cls, text: str) -> "_Text":
        return cls(unheld=UnheldWords.of(text), numbers=Numbers.of(fold(text)))

    def without(self, messages: Iterable[_Said]) -> "_Text":
        """Return the text after finding the given messages among the sources."""
        remainder = self
        for text in filter(None, (one.text for one in messages)):
            explained = remainder.explained | Numbers.of(fold(text)).all_numbers
            remainder = replace(remainder, unheld=remainder.unheld.without(text), explained=explained)
        return remainder

    def shared_with(self, text: str) -> int:
        """Return how much of the unexplained text the other text says, in runs or in proving numbers; 0: no source."""
        proves = self.numbers.are_provable and Numbers.of(fold(text)).prove(self.numbers, explained=self.explained)
        return self.unheld.shared_with(text) + proves

    def held_with(self, text: str) -> int:
        """Return the number of characters in the text that messages hold, the other text included."""
        return len(self.unheld.without(text).held_places)

    def pick(self, candidates: Iterable[_SaidT]) -> list[_SaidT]:
        """Return the sources among the messages: the message with most words, the oldest of equals, then others for the rest."""
        remainder, picked = self, list[_SaidT]()
        while sharing := [(shared, one) for one in candidates if (shared := remainder.shared_with(one.text or ""))]:
            _, best = max(
                sharing, key=lambda pair: (pair[0], remainder.held_with(pair[1].text or ""), -pair[1].words_ms)
            )
            picked.append(best)
            remainder = remainder.without([best])
            candidates = [one for _, one in sharing if one is not best]
        return picked


def _is_named(row: Row, unsaid_pieces: Iterable[str], folded_messages: Iterable[str]) -> bool:
    """Whether a piece is the name or the slug of the entry, or holds the name."""
    name, slug = row.folded.get("name", ""), fold(compared_path(row.path))
    is_long = len(name.encode()) >= _LONG_NAME_BYTES
    is_held = any(piece in {name, slug} or (is_long and name in piece) for piece in unsaid_pieces)
    return is_held and not any(name in words for words in folded_messages)


def _texts(row: Row, *, is_read: bool) -> tuple[str, ...]:
    return (*row.shown.values(), *(row.folded.values() if is_read else ()))
