"""What a turn knows of a chat: its newest part, without what was withdrawn."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from shared.conversation.amendments import Amendments
from shared.conversation.provenance import LATEST_MS, Provenance
from shared.conversation.quotes import Quotable
from shared.conversation.records import ANSWERABLE_MS, MessageRecord, OutcomeKind, OutcomeRecord, by_time, provenance_of
from shared.conversation.snapshot_records import Recap
from shared.conversation.turn import TurnRecord


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexView:
    """What a prompt shows of the filed entries, and the messages that they came from.  Nothing: `text` is empty."""

    text: str = field(default="", repr=False)
    provenance: Provenance = field(default_factory=Provenance)
    rows: tuple["IndexRow", ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexRow:
    """A row of the index that a prompt shows: the id by which it is marked (`row_mark`), its words, and the messages that it came from."""

    mark: str
    text: str = field(repr=False)
    provenance: Provenance = field(default_factory=Provenance)


@dataclass(frozen=True, slots=True, kw_only=True)
class History:
    """The newest part of a chat, without what was withdrawn; everything by LINE's timestamp.

    `messages`: what a prompt shows. `older`: the sources of the recaps, which a prompt does not show. `unshown`: messages without a recap
    that are too many for a prompt. `quoted`: media that memory does not know, found because a message quotes them. `outcomes`: without
    words that repeat something withdrawn. `covered`: the messages that an outcome answers. `recorded`: the ids of all outcomes, read or
    not. `journalled`: how many messages a compaction could fold. `looked_s`: when the look at the amendments began, by the monotonic clock.
    `refused`: what no prompt shows, because the model's provider refuses to read it (`Refusal`).
    """

    messages: tuple[MessageRecord, ...] = ()
    older: tuple[MessageRecord, ...] = ()
    unshown: tuple[MessageRecord, ...] = ()
    quoted: tuple[MessageRecord, ...] = ()
    recaps: tuple[Recap, ...] = ()
    outcomes: tuple[OutcomeRecord, ...] = ()
    shown_since_ms: int = 0
    covered: frozenset[str] = frozenset()
    recorded: frozenset[str] = frozenset()
    amendments: Amendments = field(default_factory=Amendments)
    looked_s: float = -math.inf
    index: IndexView = field(default_factory=IndexView)
    journalled: int = 0
    refused: frozenset[str] = frozenset()

    def pending(self, own: MessageRecord, *, now_ms: int) -> tuple[MessageRecord, ...]:
        """Return what the next turn has to answer, oldest first: addressed, not withdrawn, covered by no outcome, and young enough.

        `own` is the message of the delivery that asks; it counts even where a burst has pushed it out of the newest part.
        """
        messages_by_id = {one.line_message_id: one for one in (*self.unshown, *self.messages)}
        own_message = messages_by_id.get(own.line_message_id, self.amendments.overlay(own))
        if own.received_ms > own_message.received_ms:  # a redelivery refreshes the token
            own_message = replace(own_message, received_ms=own.received_ms)
        messages_by_id[own.line_message_id] = own_message
        waiting = (
            message
            for message in messages_by_id.values()
            if message.addressed
            and message.reply_token is not None
            and message.line_message_id not in self.covered
            and not self.amendments.hides(message)
            and now_ms - message.timestamp_ms < ANSWERABLE_MS
        )
        return tuple(sorted(waiting, key=by_time))

    def beside(self, turn: TurnRecord) -> "History":
        """Return the history with what the turn, read before it, knows to be covered."""
        outcome = turn.outcome
        ended = outcome.answered_ids if outcome is not None and outcome.webhook_event_id in self.recorded else ()
        covered = self.covered.union(turn.covered, ended)
        return replace(self, covered=covered) if covered != self.covered else self

    def isolated(self, asked: Sequence[MessageRecord]) -> "History":
        """Return the history of a prompt that shows nothing but what is asked, and what that quotes."""
        asked_ids = {one.line_message_id for one in asked}
        other_messages = (one for one in self.messages if one.line_message_id not in asked_ids)
        return replace(
            self,
            messages=tuple(asked),
            older=(*self.older, *other_messages),
            recaps=(),
            shown_since_ms=LATEST_MS,
            index=IndexView(),
        )

    def without_refused(self, refused: frozenset[str]) -> "History":
        """Return the history whose prompt shows nothing of this; what still waits for an answer stays, because it is asked."""
        if not refused:
            return self
        left_out = [
            message
            for message in self.messages
            if message.line_message_id in refused and (not message.addressed or message.line_message_id in self.covered)
        ]
        return replace(
            self,
            messages=tuple(one for one in self.messages if one not in left_out),
            unshown=(*self.unshown, *left_out),
            recaps=tuple(one for one in self.recaps if one.id not in refused),
            refused=refused,
        )

    def with_quoted(self, media: Sequence[MessageRecord]) -> "History":
        """Return the history with these media, which messages quote."""
        return replace(self, quoted=tuple(media))

    @property
    def is_isolated(self) -> bool:
        """Whether a prompt of it shows nothing but what is asked."""
        return self.shown_since_ms == LATEST_MS

    @property
    def answers(self) -> tuple[OutcomeRecord, ...]:
        """The outcomes whose words a prompt shows: not older than the messages, and not stored for a press of a button."""
        return tuple(
            outcome
            for outcome in self.outcomes
            if outcome.holds_words
            and outcome.kind is not OutcomeKind.STORED
            and outcome.timestamp_ms >= self.shown_since_ms
            and outcome.webhook_event_id not in self.refused
        )

    @property
    def addressed_ids(self) -> frozenset[str]:
        """The messages that are recorded as meant for the bot."""
        return frozenset(one.line_message_id for one in (*self.older, *self.unshown, *self.messages) if one.addressed)

    @property
    def quotable(self) -> Quotable:
        """Everything that a message may quote."""
        messages = (*self.quoted, *self.older, *self.unshown, *self.messages)
        if not self.refused:
            return Quotable.of(messages, self.outcomes, self.amendments.withdrawn)
        return Quotable.of(
            [one for one in messages if one.line_message_id not in self.refused],
            [one for one in self.outcomes if one.webhook_event_id not in self.refused],
            self.amendments.withdrawn,
        )

    @property
    def provenance(self) -> Provenance:
        """What a prompt made of this holds: messages, answers and recaps by their own ids, what is quoted, the sources of entries.

        Tools may show further entries; none holds words that were erased before the chat was read.
        """
        parts = (
            provenance_of(self.messages),
            replace(
                self.index.provenance,
                entries_since_ms=self.amendments.erased_entries_ms + 1,
                outside=frozenset(),  # a row of the index shows a few words of its entry
            ),
            *(one.as_source for one in self.recaps),
            *(map(_named, self.answers)),
            self.provenance_of_quotes(self.messages),
        )
        return Provenance.union(parts).without(self.amendments.withdrawn)

    def provenance_of_quotes(self, messages: Sequence[MessageRecord]) -> Provenance:
        """What a prompt holds because these messages quote it."""
        return Provenance.union(map(_named, self._quoted(messages)))

    def _quoted(self, messages: Sequence[MessageRecord]) -> tuple[MessageRecord | OutcomeRecord, ...]:
        quoting = [one for one in messages if one.quoted_message_id is not None]
        quotable = self.quotable if quoting else Quotable()
        quoted_records = (quotable.quoted_by(one) for one in quoting)
        return tuple(one for one in quoted_records if isinstance(one, MessageRecord | OutcomeRecord))


def _named(record: MessageRecord | OutcomeRecord) -> Provenance:
    if isinstance(record, MessageRecord):
        return replace(Provenance.of_sources((record.source,)), since_ms=record.timestamp_ms)
    return Provenance(derived_ids=frozenset({record.webhook_event_id}), since_ms=record.timestamp_ms)
