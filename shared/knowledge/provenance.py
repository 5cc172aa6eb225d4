"""Which messages a text came from, so that it is removed when one of them is withdrawn.

The model passes on what people said, literally or rephrased, and does not tell which message said it. No source may be missed: unless one
message is provably the only source, all messages that the turn answers count as sources, with what they quote. A message whose own words
hold the text is its source, and the others count only for what it does not hold: what other people said themselves stays.
"""

from collections.abc import Iterable, Iterator
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from typing import Final, TypeAlias, TypeVar

from shared.agent.retellings import Retelling, RetoldMessage
from shared.conversation.provenance import Source
from shared.conversation.receipt_lines import compared_path
from shared.conversation.records import MessageRecord
from shared.knowledge.catalog import Row
from shared.knowledge.numbers import Numbers
from shared.knowledge.schema import Value
from shared.knowledge.unheld_words import UnheldWords
from shared.search.folding import fold
from shared.search.literal_runs import Runs

_LONG_NAME_BYTES: Final = (
    9  # three characters of most scripts, or nine letters; shorter names stand in other words by chance
)
_EDGES: Final = " .,!?\"'\u3002\u3001\u300c\u300d\u2026"
"""Signs around a text, which a message may say without them."""

_Said: TypeAlias = MessageRecord | RetoldMessage
_SaidT = TypeVar("_SaidT", MessageRecord, RetoldMessage)


@dataclass(frozen=True, slots=True, kw_only=True)
class PossibleSources:
    """What a prompt holds: the messages `to_answer`, `earlier` ones that it shows or quotes, and `retellings` of messages."""

    to_answer: tuple[MessageRecord, ...] = ()
    earlier: tuple[MessageRecord, ...] = ()
    retellings: tuple[Retelling, ...] = ()

    def of_entries(self, value: Value, rows: Iterable[Row], *, read_ids: frozenset[str]) -> tuple[Source, ...]:
        """Return the sources of the entries that a value may repeat, in words that none of its messages says.

        A value repeats an entry whose name it is or holds, or of which it holds a long run: of what tables show, or, where the model read
        something of the messages behind the entry (`read_ids`) or a retelling of it that the value may repeat, of all its texts.
        """
        pieces = [one for one in (value if isinstance(value, tuple) else (value or "",)) if fold(one)]
        behind = [message for piece in pieces for message in self._trace(piece)]
        said = [fold(one.text or "") for one in behind]
        left = [_Text.of(piece).without(behind).unheld for piece in pieces]
        left = [one for one in left if not any(one.folded in words for words in said)]
        runs, unsaid = Runs.of_any(one.folded for one in left), [one.folded for one in left]

        def is_repeated(text: str) -> bool:
            return runs.shares(text) and any(one.shared_with(text) for one in left)

        read_ids = read_ids.union(*(one.provenance.ids for one in self.retellings if is_repeated(one.text)))
        return tuple(
            source
            for row in rows
            if _is_named(row, unsaid, said)
            or any(map(is_repeated, _texts(row, is_read=bool(row.provenance.message_ids & read_ids))))
            for source in row.provenance.sources
        )

    def of(self, text: str) -> tuple[Source, ...]:
        """Return the messages that the text may repeat, each once.

        Of the messages to answer: the one that holds the whole text, and then no other message; else all of them, and what they quote. Of
        the earlier ones: those that share a long run of characters with it, or a number, because people say 「今の覚えておいて」 after the
        words themselves. A run counts only for what none of the sources before it says, the fullest first. Of a retelling that has such a
        run: the messages behind it that have one too or cannot be compared, else all that it covers.
        """
        found: dict[str, Source] = {}
        for message in self._trace(text):
            found.setdefault(message.line_message_id, message.source)
        return tuple(found.values())

    def is_said(self, text: str) -> bool:
        """Whether one of the messages to answer says the whole text."""
        return self._holder_of(text) is not None

    def repeats_unsaid(self, old: str, new: str) -> bool:
        """Whether the new text holds the old one, a long run of it, or a number of it, in words that none of its messages says."""
        if self.is_said(new):
            return False
        behind = self._trace(new)
        said = [fold(one.text or "") for one in behind]
        folded, folded_new = fold(old), fold(new)
        if not folded or any(folded in one for one in said):
            return False
        numbers = Numbers.of(folded).common(Numbers.of(folded_new))
        return (
            folded in folded_new
            or not all(any(number in Numbers.of(one).said for one in said) for number in numbers)
            or _Text.of(new).without(behind).unheld.shared_with(old) > 0
        )

    def _holder_of(self, text: str) -> MessageRecord | None:
        """Return the message to answer that says the whole text, if there is one."""
        folded = fold(text).strip(_EDGES)
        return next((one for one in self.to_answer if folded and folded in fold(one.text)), None)

    def _trace(self, text: str) -> list[_Said]:
        """Return the messages that the text may repeat; one of them may come twice."""
        holder = self._holder_of(text)
        if holder is not None:
            return [holder]
        quoted = frozenset(one.quoted_message_id for one in self.to_answer)
        asked: list[_Said] = [*self.to_answer, *(one for one in self.earlier if one.line_message_id in quoted)]
        left = _Text.of(text).without(asked)
        earlier = left.pick(self.earlier)
        left = left.without(earlier)
        return [*asked, *earlier, *self._behind_retellings(left, quoted)]

    def _behind_retellings(self, left: "_Text", quoted: AbstractSet[str | None]) -> Iterator[RetoldMessage]:
        """Yield the messages behind the retellings that are quoted, or that have a run or number which no message says."""
        repeated = [
            one for one in self.retellings if not quoted.isdisjoint(one.sent_message_ids) or left.shared_with(one.text)
        ]
        picked = left.pick(message for one in repeated for message in one.messages if message.text is not None)
        yield from picked
        picked_ids, rest = {one.line_message_id for one in picked}, left.without(picked)
        for retelling in repeated:
            if quoted.isdisjoint(retelling.sent_message_ids) and not rest.shared_with(retelling.text):
                continue
            covered = [one for one in retelling.messages if one.is_covered]
            unknown = [one for one in covered if one.text is None]
            is_traced = any(one.line_message_id in picked_ids for one in retelling.messages)
            yield from unknown if unknown or is_traced else covered


@dataclass(frozen=True, slots=True, kw_only=True)
class _Text:
    """A text, as far as no message is known to say it: its words, and its numbers but for those that are `explained`."""

    unheld: UnheldWords
    numbers: Numbers
    explained: frozenset[str] = frozenset()

    @classmethod
    def of(cls, text: str) -> "_Text":
        return cls(unheld=UnheldWords.of(text), numbers=Numbers.of(fold(text)))

    def without(self, messages: Iterable[_Said]) -> "_Text":
        """Return what is left of the text, where these messages are among its sources."""
        left = self
        for text in filter(None, (one.text for one in messages)):
            explained = left.explained | Numbers.of(fold(text)).said
            left = replace(left, unheld=left.unheld.without(text), explained=explained)
        return left

    def shared_with(self, text: str) -> int:
        """Return how much of what is left the other text says, in runs, or in numbers that prove it; 0: it is no source."""
        proves = self.numbers.are_provable and Numbers.of(fold(text)).prove(self.numbers, explained=self.explained)
        return self.unheld.shared_with(text) + proves

    def held_with(self, text: str) -> int:
        """Return how many characters of it some message holds, where one says this text, too."""
        return len(self.unheld.without(text).held)

    def pick(self, candidates: Iterable[_SaidT]) -> list[_SaidT]:
        """Return the messages that say something of it: the one that says most, the oldest of equals, and others for the rest."""
        left, picked = self, list[_SaidT]()
        while sharing := [(shared, one) for one in candidates if (shared := left.shared_with(one.text or ""))]:
            _, best = max(sharing, key=lambda pair: (pair[0], left.held_with(pair[1].text or ""), -pair[1].words_ms))
            picked.append(best)
            left = left.without([best])
            candidates = [one for _, one in sharing if one is not best]
        return picked


def _is_named(row: Row, unsaid: Iterable[str], said: Iterable[str]) -> bool:
    """Whether a piece is the name or the slug of the entry, or holds the name."""
    name, slug = row.folded.get("name", ""), fold(compared_path(row.path))
    is_long = len(name.encode()) >= _LONG_NAME_BYTES
    is_held = any(piece in {name, slug} or (is_long and name in piece) for piece in unsaid)
    return is_held and not any(name in words for words in said)


def _texts(row: Row, *, is_read: bool) -> tuple[str, ...]:
    return (*row.shown.values(), *(row.folded.values() if is_read else ()))
