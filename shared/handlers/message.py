"""Message events: record the message, reply if the bot is addressed, and keep the chat small afterwards."""

from collections.abc import Iterator, Sequence
from concurrent.futures import Future, wait
from dataclasses import dataclass, replace
from typing import Final

from shared import logs
from shared.access.usage import DeploymentUsage
from shared.agent.culprits import Culprits
from shared.agent.people import People
from shared.bus.result import EventResult
from shared.clock import Deadline
from shared.conversation.captions import CaptionWriter, uncaptioned
from shared.conversation.compaction import FOLD_S, Compaction
from shared.conversation.history import History
from shared.conversation.media import Fetches, Media
from shared.conversation.records import ANSWERABLE_MS, MessageRecord
from shared.conversation.silences import SilenceKind, SilencesRecord
from shared.conversation.store import Conversation, Conversations
from shared.conversation.withdrawal import Withdrawal
from shared.errors import AizuchiError, StorageUnavailableError
from shared.handlers.intake import Intake
from shared.line.events import LineEvent, MessageContent
from shared.line.mentions import GroupPolicy
from shared.line.postback_data import AnswerPress
from shared.line.presence import Presence
from shared.metering import Meter, metered
from shared.turns.flood import Floods
from shared.turns.interjection import Interjection
from shared.turns.reply import Reply

_LAST_FETCH_S: Final = 30.0
_LATE_MS: Final = 30_000


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageHandler:
    """Handles message events, and presses of the button under "still thinking".

    The rest of a request's time after the answer goes to compaction.
    """

    conversations: Conversations
    intake: Intake
    media: Media
    reply: Reply
    interjection: Interjection
    compaction: Compaction
    culprits: Culprits
    captions: CaptionWriter
    withdrawal: Withdrawal
    presence: Presence
    people: People
    usage: DeploymentUsage
    floods: Floods

    def __call__(self, event: LineEvent, content: MessageContent, silences: Future[SilencesRecord]) -> EventResult:
        """The message is in the journal, and answered if the bot is addressed and an answer is possible.

        `silences` are being read. In a pause nothing is recorded; in a handover the message is recorded as context. Only a plain text to
        the bot, in a chat of which this instance has read no silence, is recorded before the reading has ended, which takes no round trip.

        Repeated: the model is not asked again about an event with a recorded outcome.
        Raises: TurnBusyError, StorageUnavailableError; safe to deliver again.
        Example: the 35th message of a minute is recorded as context, and the newest message of the flood gets one answer for all.
        """
        deadline, conversation = event.deadline, self.conversations.of(event.conversation_id)
        message = self.intake.message(event, content)
        if silences.done() or conversation.silences.is_known or not _is_plain_request(message):
            result = self._in_silence(conversation, message, silences.result(), deadline)
            if result is not None:
                return result
        message = self.intake.record_quote(conversation, event, message)
        if not message.addressed or message.reply_token is None:
            return self._overhear(conversation, message, deadline)
        if self._was_folded(conversation, message):
            return EventResult.FOLDED
        # Record the message after the flood: a turn that covered it earlier would leave the messages folded later unanswered.
        is_flood = self.floods.note(conversation.id, message)
        if is_flood and (result := self._in_silence(conversation, message, silences.result(), deadline)) is not None:
            return result
        folded = self.floods.wait_for_end(conversation.id, message.line_message_id) if is_flood else ()
        if folded is None:
            return self._fold(conversation, message, deadline)
        is_known = bool(folded) and self._is_known(conversation, message)
        with self.presence.during(mark_as_read_token=content.mark_as_read_token):
            result = self._answer(conversation, message, deadline, silences)
            if result is EventResult.WITHDRAWN or (is_known and result is EventResult.ALREADY_ANSWERED):
                self._answer_next(conversation, self._unanswered(conversation, message, folded), deadline, silences)
            elif result is EventResult.HANDED_OVER:
                self._reopen_next(conversation, self._unanswered(conversation, message, folded))
            return result

    def press(self, event: LineEvent, press: AnswerPress) -> EventResult:
        """Send the answer behind the button, or carry out or decline its proposal, on the token of the press.

        Repeated: nothing is sent or carried out twice. Pressed again, also by another member: the press is told why it has no effect.
        Raises: as for a message.
        """
        conversation = self.conversations.of(event.conversation_id)
        silences = conversation.objects.reads.submit(conversation.silences.read)
        return self._answer(conversation, self.intake.press(event, press), event.deadline, silences)

    def suggestions_of(self, event: LineEvent, answer_id: str) -> tuple[str, ...]:
        """Return the suggestions of an answer in the event's chat; none once the answer was withdrawn or forgotten."""
        conversation = self.conversations.of(event.conversation_id)
        history = self.intake.reader.read_newest(conversation, required_ids={answer_id})
        answers = (outcome for outcome in history.outcomes if outcome.webhook_event_id == answer_id)
        return next((answer.offer.suggests for answer in answers), ())

    def ask(self, event: LineEvent, words: str) -> EventResult:
        """Answer a pressed suggestion as a question of the presser in these words.

        Repeated: the model is not asked again about a press with a recorded outcome. Raises: as for a message.
        """
        conversation = self.conversations.of(event.conversation_id)
        silences = conversation.objects.reads.submit(conversation.silences.read)
        return self._answer(conversation, self.intake.suggestion(event, words), event.deadline, silences)

    def _in_silence(
        self, conversation: Conversation, message: MessageRecord, silences: SilencesRecord, deadline: Deadline
    ) -> EventResult | None:
        """Return the result of a message that is not answered: it was sent in a silence, or arrives in one.  None: it may be answered.

        Of a message that was sent in a pause nothing is left, also of an earlier delivery that recorded it before it knew of the pause.
        """
        sent_in, present = silences.at(message.timestamp_ms), silences.now(self.conversations.clock.now_ms())
        if sent_in is SilenceKind.PAUSE:
            if conversation.journal.message_of(message.line_message_id) is not None:
                self.withdrawal.withdraw(conversation, message.line_message_id, timestamp_ms=message.timestamp_ms)
            return EventResult.PAUSED
        if sent_in is None and present is None:
            return None
        result = self._overhear(conversation, replace(message, addressed=False, reply_token=None), deadline)
        conversation.journal.mark_as_context(message.line_message_id)  # if an earlier delivery recorded a request
        return result

    def _answer(
        self,
        conversation: Conversation,
        message: MessageRecord,
        deadline: Deadline,
        silences: Future[SilencesRecord],
    ) -> EventResult:
        self.usage.begin_exchange()
        self.people.begin(conversation, message)
        fetches = self.media.begin_fetch(conversation, message)
        try:
            run = self.reply(conversation, message, fetches, deadline, silences=silences)
        finally:
            # Wait, because no work may go on once the request is answered
            wait(fetches.values(), timeout=deadline.within(_LAST_FETCH_S).left_s)
        _check_ended(fetches)
        self.culprits.settle(conversation, deadline)
        if self.compaction.is_due(journalled=run.journalled, shown=run.shown):
            self._compact(conversation, deadline, may_ask_model=True)
        self._fold_amendments(conversation, deadline)
        self._settle(conversation)
        return run.result

    def _fold(self, conversation: Conversation, message: MessageRecord, deadline: Deadline) -> EventResult:
        """Record the message as context for the answer to the flood."""
        if not self._record(conversation, replace(message, addressed=False)):
            return EventResult.WITHDRAWN
        if message.quoted_message_id is not None:  # this delivery recorded the message before the flood
            conversation.journal.mark_as_context(message.line_message_id)
        elif self._is_addressed(
            conversation, message
        ):  # another delivery of the message answers; if that worker dies, a tick does
            self.reply.hand_over(conversation, message.line_message_id)
        if self.compaction.is_triggered_by(message.line_message_id):
            self._compact(conversation, deadline, may_ask_model=False)
        return EventResult.FOLDED

    def _is_addressed(self, conversation: Conversation, message: MessageRecord) -> bool:
        recorded = conversation.journal.message_of(message.line_message_id)
        return recorded is not None and recorded.addressed

    def _was_folded(self, conversation: Conversation, message: MessageRecord) -> bool:
        """Whether an earlier delivery recorded the message as context of a flood, and a compaction has moved it since.

        Only late messages are searched for, to spare all others one more read. A message with a quote is never searched for: it is recorded
        as context first, and a compaction may move it before it is marked as addressed.
        """
        is_late = self.conversations.clock.now_ms() - message.timestamp_ms > _LATE_MS
        if not is_late or message.quoted_message_id is not None:
            return False
        record, own_id = conversation.snapshot.read().record, message.line_message_id
        folded = (*record.messages, *record.leaving.messages)
        return any(one.line_message_id == own_id and not one.addressed for one in folded)

    def _is_known(self, conversation: Conversation, newest: MessageRecord) -> bool:
        """Whether a flood's newest message was recorded before the end of the flood.

        Then another turn may answer it without the folded messages. An earlier record comes from another delivery of the message, or from
        this delivery, if the message quotes. A turn that covers a message recorded only after the flood has all folded messages in its
        prompt.
        """
        is_journalled = conversation.journal.message_of(newest.line_message_id) is not None
        return is_journalled or newest.line_message_id in self._history(conversation, newest).covered

    def _unanswered(
        self, conversation: Conversation, newest: MessageRecord, folded: Sequence[MessageRecord]
    ) -> tuple[MessageRecord, ...]:
        """Return the folded messages without an outcome, except those in the prompt of an answer to the newest message."""
        if not folded:
            return ()
        history = self._history(conversation, newest)
        answers = (one for one in history.outcomes if newest.line_message_id in one.answered_ids)
        covered_ids = history.covered.union(*(one.provenance.ids for one in answers))
        return tuple(one for one in folded if one.line_message_id not in covered_ids)

    def _history(self, conversation: Conversation, newest: MessageRecord) -> History:
        turn = conversation.turn.read().record
        return self.intake.reader.read_newest(conversation, required_ids={newest.webhook_event_id}).with_covered_by(
            turn
        )

    def _answer_next(
        self,
        conversation: Conversation,
        folded: Sequence[MessageRecord],
        deadline: Deadline,
        silences: Future[SilencesRecord],
    ) -> None:
        """Let the newest folded message answer for the flood, because the waiting message needs no answer."""
        for message in self._reopen(conversation, folded):
            if self._answer(conversation, message, deadline, silences) is not EventResult.WITHDRAWN:
                return

    def _reopen_next(self, conversation: Conversation, folded: Sequence[MessageRecord]) -> None:
        """Let the newest folded message wait along with the handed-over message, in case of a withdrawal; both get one answer."""
        next(self._reopen(conversation, folded), None)

    def _reopen(self, conversation: Conversation, folded: Sequence[MessageRecord]) -> Iterator[MessageRecord]:
        """Yield the folded messages that still stand, newest first, each when it waits for an answer.

        A tick answers such a message if this worker dies or has no time left. A message that is too old to be answered ends the iteration:
        all further messages are older.
        """
        for message in folded:
            if self.conversations.clock.now_ms() - message.timestamp_ms >= ANSWERABLE_MS:
                return
            if self._record(conversation, replace(message, addressed=False)):
                self.reply.hand_over(conversation, message.line_message_id)
                conversation.journal.mark_as_addressed(message.line_message_id)
                yield message

    def _overhear(self, conversation: Conversation, message: MessageRecord, deadline: Deadline) -> EventResult:
        """Record the message as context; if the group policy allows it, the model may interject."""
        if not self._record(conversation, message):
            return EventResult.WITHDRAWN
        result = EventResult.KEPT_AS_CONTEXT
        if self.intake.policy is GroupPolicy.MODEL and message.reply_token is not None:
            self.usage.begin_exchange()
            result = self.interjection(conversation, message, deadline)
            self.culprits.settle(conversation, deadline)
            self._settle(conversation)
        if self.compaction.is_triggered_by(message.line_message_id):
            self._compact(conversation, deadline, may_ask_model=False)
        self._fold_amendments(conversation, deadline)
        return result

    def _record(self, conversation: Conversation, message: MessageRecord) -> bool:
        """Record the message and return True; if an amendment covers it, withdraw the message and return False."""
        stands = conversation.journal.record(message)
        if not stands:
            self.withdrawal.take_back_late(conversation, message)
        return stands

    def _settle(self, conversation: Conversation) -> None:
        """Charge the chat with the spending after its turn; if this fails, the next write of the turn does."""
        try:
            conversation.turn.settle()
        except AizuchiError as cause:
            logs.warning("spending_not_settled", error_type=type(cause).__name__)

    def _compact(self, conversation: Conversation, deadline: Deadline, *, may_ask_model: bool) -> None:
        """Compact the chat.  The answer is recorded already, so errors and lack of time leave the work to the next compaction."""
        if deadline.left_s < FOLD_S:
            return
        try:
            with metered(Meter(conversation.id)):
                folded = self.compaction.fold(conversation, deadline if may_ask_model else None)
                if folded is not None and may_ask_model and uncaptioned(folded):
                    self.captions.write(conversation, deadline)
        except AizuchiError as cause:
            logs.warning("compaction_failed", error_type=type(cause).__name__)

    def _fold_amendments(self, conversation: Conversation, deadline: Deadline) -> None:
        """Fold the older amendments, if this instance had to read them one by one; after an error, the next such instance does."""
        if deadline.left_s < FOLD_S:
            return
        try:
            conversation.amendments.fold_if_due()
        except AizuchiError as cause:
            logs.warning("amendments_not_folded", error_type=type(cause).__name__)


def _is_plain_request(message: MessageRecord) -> bool:
    """Whether the message may be recorded before its silences are read: a text to the bot, of which no medium is fetched."""
    return message.addressed and message.type == "text" and message.quoted_message_id is None


def _check_ended(fetches: Fetches) -> None:
    """Raises: StorageUnavailableError, if a fetch may have stored bytes without reading the amendments; the redelivery reads them."""
    for fetch in fetches.values():
        try:
            fetch.result(timeout=0)
        except (TimeoutError, StorageUnavailableError) as cause:
            raise StorageUnavailableError("a medium may be kept that was withdrawn meanwhile") from cause
