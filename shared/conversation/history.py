"""What a turn reads of a chat: the newest part, without withdrawn words."""

import math
from collections.abc import Sequence
from dataclasses import field, replace

from shared.conversation.amendments import Amendments
from shared.conversation.provenance import LATEST_MS, Provenance
from shared.conversation.quotes import Quotable
from shared.conversation.records import ANSWERABLE_MS, MessageRecord, OutcomeKind, OutcomeRecord, by_time, provenance_of
from shared.conversation.snapshot_records import Recap
from shared.conversation.turn import TurnRecord
from shared.frozen import frozen


@frozen
class IndexView:
    """The part of the index of entries, or of another feature's things, shown in a prompt, and the messages behind the rows.

    Nothing: `text` is empty. `notices`: what other systems sent to the chat's hooks, as a block of its own.
    """

    text: str = field(default="", repr=False)
    notices: str = field(default="", repr=False)
    provenance: Provenance = field(default_factory=Provenance)
    rows: tuple["IndexRow", ...] = ()


@frozen
class IndexRow:
    """A row of the index in a prompt: the id of the row's mark (`row_mark`), the words, and the messages behind them.

    `handle`: the name by which a call may change the thing, at the state that the mark stands for. `words`: of a block's row, the people's
    words alone, by which what repeats them is traced to their messages.
    """

    mark: str
    handle: str = ""
    words: str = field(default="", repr=False)
    text: str = field(repr=False)
    provenance: Provenance = field(default_factory=Provenance)


@frozen
class History:
    """The newest part of a chat, without withdrawn words; everything by LINE's timestamp.

    `messages`: shown in a prompt. `older`: the sources of the recaps, not shown. `unshown`: messages without a recap, too many for a
    prompt. `hidden`: neither shown nor recalled, because workers died over one of them, though answers may repeat them. `quoted`: media
    unknown to memory, fetched because a message quotes them. `unshown_recaps`: recaps that the prompt does not show, but whose words
    answers may repeat. `outcomes`: without words that repeat withdrawn ones. `covered`: the messages answered by an outcome. `recorded`:
    the ids of all outcomes, read or not. `journalled`: how many messages a compaction could fold. `looked_s`: when the look at the
    amendments began, by the monotonic clock. `blocks`: what other features than the entries show of their things, such as the open
    reminders. `has_no_things`: the listing showed that these features store nothing. `refused`: ids hidden from prompts, because the
    model's provider refuses to read the words (`Refusal`).
    """

    messages: tuple[MessageRecord, ...] = ()
    older: tuple[MessageRecord, ...] = ()
    unshown: tuple[MessageRecord, ...] = ()
    hidden: tuple[MessageRecord, ...] = ()
    quoted: tuple[MessageRecord, ...] = ()
    recaps: tuple[Recap, ...] = ()
    unshown_recaps: tuple[Recap, ...] = ()
    outcomes: tuple[OutcomeRecord, ...] = ()
    shown_since_ms: int = 0
    covered: frozenset[str] = frozenset()
    recorded: frozenset[str] = frozenset()
    amendments: Amendments = field(default_factory=Amendments)
    looked_s: float = -math.inf
    index: IndexView = field(default_factory=IndexView)
    blocks: tuple[IndexView, ...] = ()
    has_no_things: bool = False
    journalled: int = 0
    refused: frozenset[str] = frozenset()

    def pending(self, own: MessageRecord, *, now_ms: int) -> tuple[MessageRecord, ...]:
        """Return the messages for the next turn, oldest first: addressed, not withdrawn, covered by no outcome, and young enough.

        `own`, the message of the delivery, counts even where a burst has pushed it out of the newest part: for example, after 200 more
        messages.
        """
        messages_by_id = {one.line_message_id: one for one in (*self.unshown, *self.messages)}
        own_message = messages_by_id.get(own.line_message_id, self.amendments.overlay(own))
        messages_by_id[own.line_message_id] = own_message.refreshed_by(own)
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

    def with_covered_by(self, turn: TurnRecord) -> "History":
        """Return the history with the messages covered according to the turn, which was read first."""
        outcome = turn.outcome
        ended = outcome.covered_ids if outcome is not None and outcome.webhook_event_id in self.recorded else ()
        covered = self.covered.union(turn.covered, ended)
        return replace(self, covered=covered) if covered != self.covered else self

    def isolated(self, asked: Sequence[MessageRecord]) -> "History":
        """Return the history of a prompt that shows only the question, and the quotes in the question."""
        asked_ids = {one.line_message_id for one in asked}
        other_messages = (one for one in self.messages if one.line_message_id not in asked_ids)
        return replace(
            self,
            messages=tuple(asked),
            older=(*self.older, *other_messages),
            recaps=(),
            unshown_recaps=(*self.unshown_recaps, *self.recaps),
            shown_since_ms=LATEST_MS,
            index=IndexView(),
            blocks=(),
        )

    def without_refused(self, refused: frozenset[str]) -> "History":
        """Return the history without refused records in the prompt; a refused message stays while waiting for an answer."""
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
            unshown_recaps=(*self.unshown_recaps, *(one for one in self.recaps if one.id in refused)),
            refused=refused,
        )

    def with_quoted(self, media: Sequence[MessageRecord]) -> "History":
        """Return the history with media quoted by messages."""
        return replace(self, quoted=tuple(media))

    def has_answered(self, webhook_event_id: str) -> bool:
        """Whether an earlier delivery of the event was answered; the effect of that delivery may have been undone since.

        For example, a tap made a hook, somebody revoked the hook, and the tap is delivered again.
        """
        return webhook_event_id in self.recorded or webhook_event_id in self.covered

    @property
    def shown_rows(self) -> tuple[IndexRow, ...]:
        """The rows of the index and of all blocks."""
        return tuple(row for view in (self.index, *self.blocks) for row in view.rows)

    @property
    def shown_texts(self) -> str:
        """The texts of the index and of all blocks, which repeat people's words."""
        return "\n".join(view.text for view in (self.index, *self.blocks) if view.text)

    @property
    def is_isolated(self) -> bool:
        """Whether a prompt shows only the question."""
        return self.shown_since_ms == LATEST_MS

    @property
    def answers(self) -> tuple[OutcomeRecord, ...]:
        """The outcomes with words for a prompt: not older than the messages, and not stored for a press of a button."""
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
        """The messages recorded as meant for the bot."""
        return frozenset(one.line_message_id for one in (*self.older, *self.unshown, *self.messages) if one.addressed)

    @property
    def quotable(self) -> Quotable:
        """Everything quotable by a message."""
        messages = (*self.quoted, *self.older, *self.unshown, *self.messages)
        if not self.refused:
            return Quotable.of(messages, self.outcomes, self.amendments)
        return Quotable.of(
            [one for one in messages if one.line_message_id not in self.refused],
            [one for one in self.outcomes if one.webhook_event_id not in self.refused],
            self.amendments,
        )

    @property
    def provenance(self) -> Provenance:
        """What a prompt of the history holds: messages, answers and recaps by their own ids, quoted records, the sources of entries.

        Tools may show further entries; no entry holds words erased before the chat was read.
        """
        parts = (
            provenance_of(self.messages),
            replace(
                self.index.provenance,
                entries_since_ms=self.amendments.erased_entries_ms + 1,
                outside=frozenset(),  # a row of the index shows a few words of its entry
            ),
            *(block.provenance for block in self.blocks),
            *(one.as_source for one in self.recaps),
            *(map(_named, self.answers)),
            self.provenance_of_quotes(self.messages),
        )
        return Provenance.union(parts).without_messages(self.amendments.withdrawn)

    def provenance_of_quotes(self, messages: Sequence[MessageRecord]) -> Provenance:
        """The provenance of the records quoted by the messages."""
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
