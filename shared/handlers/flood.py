"""The messages of a flood: the newest is answered for all of them, the others are recorded as context of that answer."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import field, replace
from typing import Final

from shared.bus.result import EventResult
from shared.clock import Clock, Deadline
from shared.conversation.history import History
from shared.conversation.history_reader import HistoryReader
from shared.conversation.records import ANSWERABLE_MS, MessageRecord
from shared.conversation.store import Conversation
from shared.conversation.withdrawal import Withdrawal
from shared.frozen import frozen
from shared.handlers.intake import record_unless_withdrawn
from shared.handlers.upkeep import Upkeep
from shared.turns.flood import Floods
from shared.turns.reply import Reply

_LATE_MS: Final = 30_000


@frozen
class FloodHandler:
    """Folds the older messages of a flood into the answer to the newest, and lets the next one answer where the newest cannot."""

    floods: Floods
    reader: HistoryReader
    reply: Reply
    withdrawal: Withdrawal
    upkeep: Upkeep
    clock: Clock = field(repr=False)

    def was_folded(self, conversation: Conversation, message: MessageRecord) -> bool:
        """Whether an earlier delivery recorded the message as context of a flood, and a compaction has moved it since.

        Only late messages are searched for, to spare all others one more read. A message with a quote is never searched for, because every
        quote is recorded as context first, and a compaction may move the record before the message is marked as addressed. False also after
        a delivery between the two recorded the message as a request: the worker may have died.
        """
        is_late = self.clock.now_ms() - message.timestamp_ms > _LATE_MS
        if not is_late or message.quoted_message_id is not None:
            return False
        record, own_id = conversation.snapshot.read().record, message.line_message_id
        folded = (*record.messages, *record.leaving.messages)
        was_context = any(one.line_message_id == own_id and not one.addressed for one in folded)
        return was_context and not self._is_addressed(conversation, message)

    def fold(self, conversation: Conversation, message: MessageRecord, deadline: Deadline) -> EventResult:
        """Record the message as context for the answer to the flood."""
        if not record_unless_withdrawn(conversation, replace(message, addressed=False), self.withdrawal):
            return EventResult.WITHDRAWN
        if message.quoted_message_id is not None:  # this delivery recorded the message before the flood
            conversation.journal.mark_as_context(message.line_message_id)
        elif self._is_addressed(
            conversation, message
        ):  # another delivery of the message answers; if that worker dies, a tick does
            self.reply.hand_over(conversation, message.line_message_id)
        self.upkeep.compact_if_triggered(conversation, message, deadline)
        return EventResult.FOLDED

    def is_known(self, conversation: Conversation, newest: MessageRecord) -> bool:
        """Whether a flood's newest message was recorded before the end of the flood.

        Then another turn may answer it without the folded messages. An earlier record comes from another delivery of the message, or from
        this delivery, if the message quotes. A turn that covers a message recorded only after the flood has all folded messages in its
        prompt.
        """
        is_journalled = conversation.journal.message_of(newest.line_message_id) is not None
        return is_journalled or newest.line_message_id in self._history(conversation, newest).covered

    def answer_next(
        self,
        conversation: Conversation,
        newest: MessageRecord,
        folded: Sequence[MessageRecord],
        *,
        answer: Callable[[MessageRecord], EventResult],
    ) -> None:
        """Let the newest folded message without an outcome answer for the flood, because the waiting message needs no answer."""
        for message in self._reopen(conversation, self._unanswered(conversation, newest, folded)):
            if answer(message) is not EventResult.WITHDRAWN:
                return

    def reopen_next(self, conversation: Conversation, newest: MessageRecord, folded: Sequence[MessageRecord]) -> None:
        """Let the newest folded message wait along with the handed-over message, in case of a withdrawal; both get one answer."""
        next(self._reopen(conversation, self._unanswered(conversation, newest, folded)), None)

    def _is_addressed(self, conversation: Conversation, message: MessageRecord) -> bool:
        recorded = conversation.journal.message_of(message.line_message_id)
        return recorded is not None and recorded.addressed

    def _unanswered(
        self, conversation: Conversation, newest: MessageRecord, folded: Sequence[MessageRecord]
    ) -> tuple[MessageRecord, ...]:
        """Return the folded messages without an outcome, except those in the prompt of an answer to the newest message."""
        if not folded:
            return ()
        history = self._history(conversation, newest)
        answers = (one for one in history.outcomes if newest.line_message_id in one.answered_ids)
        covered_ids = history.covered.union(*(one.provenance.message_ids for one in answers))
        return tuple(one for one in folded if one.line_message_id not in covered_ids)

    def _history(self, conversation: Conversation, newest: MessageRecord) -> History:
        turn = conversation.turn.read().record
        return self.reader.read_newest(conversation, required_ids={newest.webhook_event_id}).with_covered_by(turn)

    def _reopen(self, conversation: Conversation, folded: Sequence[MessageRecord]) -> Iterator[MessageRecord]:
        """Yield the folded messages that still stand, newest first, each when it waits for an answer.

        A tick answers such a message if this worker dies or has no time left. A message that is too old to be answered ends the iteration:
        all further messages are older.
        """
        for message in folded:
            if self.clock.now_ms() - message.timestamp_ms >= ANSWERABLE_MS:
                return
            if record_unless_withdrawn(conversation, replace(message, addressed=False), self.withdrawal):
                self.reply.hand_over(conversation, message.line_message_id)
                conversation.journal.mark_as_addressed(message.line_message_id)
                yield message
