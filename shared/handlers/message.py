"""Message events: record the message, reply if the bot is addressed, and keep the chat small afterwards."""

from concurrent.futures import Future, wait
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Final

from shared.access.usage import DeploymentUsage
from shared.agent.people import People
from shared.bus.result import EventResult
from shared.clock import Deadline
from shared.conversation.media import Fetches, Media
from shared.conversation.records import MessageRecord
from shared.conversation.silences import SilenceKind, SilencesRecord
from shared.conversation.store import Conversation, Conversations
from shared.conversation.withdrawal import Withdrawal
from shared.errors import StorageUnavailableError
from shared.frozen import frozen
from shared.handlers.flood import FloodHandler
from shared.handlers.intake import Intake, record_unless_withdrawn
from shared.handlers.upkeep import Upkeep
from shared.line.addressing import GroupPolicy
from shared.line.events import LineEvent, MessageContent
from shared.line.postback_data import AnswerPress
from shared.line.presence import Presence
from shared.reminders.chat_summary import NextMessageSummary
from shared.translation.setting import TranslationSetting
from shared.translation.store import TranslationStore
from shared.translation.turn import TranslationTurns
from shared.turns.interjection import Interjection
from shared.turns.reply import Reply

if TYPE_CHECKING:
    from shared.calendars.new_address import NextMessageAddress
    from shared.hooks.showing import NextMessageNotices

_LAST_FETCH_S: Final = 30.0
_WITHOUT_ANSWER: Final = frozenset({EventResult.KEPT_AS_CONTEXT, EventResult.SKIPPED})


@frozen
class MessageHandler:
    """Handles message events, and presses of the button under "still thinking".

    The rest of a request's time after the answer goes to the chat's upkeep.
    """

    conversations: Conversations
    intake: Intake
    media: Media
    reply: Reply
    interjection: Interjection
    upkeep: Upkeep
    withdrawal: Withdrawal
    presence: Presence
    people: People
    usage: DeploymentUsage
    flood: FloodHandler
    next_message: "NextMessageNotices | None" = None
    calendar: "NextMessageAddress | None" = None
    translation: TranslationTurns | None = None
    summary: NextMessageSummary | None = None

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
        if self.flood.was_folded(conversation, message):
            return EventResult.FOLDED
        # Record the message after the flood: a turn that covered it earlier would leave the messages folded later unanswered.
        is_flood = self.flood.floods.note(conversation.id, message)
        if is_flood and (result := self._in_silence(conversation, message, silences.result(), deadline)) is not None:
            return result
        folded = self.flood.floods.wait_for_end(conversation.id, message.line_message_id) if is_flood else ()
        if folded is None:
            return self.flood.fold(conversation, message, deadline)
        is_known = bool(folded) and self.flood.is_known(conversation, message)
        with self.presence.during(mark_as_read_token=content.mark_as_read_token):
            result = self._answer(conversation, message, deadline, silences)
            if result is EventResult.WITHDRAWN or (is_known and result is EventResult.ALREADY_ANSWERED):
                answer = partial(self._answer, conversation, deadline=deadline, silences=silences)
                self.flood.answer_next(conversation, message, folded, answer=answer)
            elif result is EventResult.HANDED_OVER:
                self.flood.reopen_next(conversation, message, folded)
            return result

    def press(self, event: LineEvent, press: AnswerPress) -> EventResult:
        """Send the answer behind the button, or carry out or decline its proposal, on the token of the press.

        Repeated: nothing is sent or carried out twice. Pressed again, also by another member: the press is told why it has no effect.
        Raises: as for a message.
        """
        conversation = self.conversations.of(event.conversation_id)
        silences = conversation.objects.reads.submit(conversation.silences.read)
        return self._answer(conversation, self.intake.press(event, press), event.deadline, silences)

    def ask_suggested(self, event: LineEvent, answer_id: str, number: int) -> EventResult | None:
        """Answer a pressed suggestion as a question of the presser, who quotes the answer if the model wrote it.

        None: the event's chat has no such suggestion, or its answer was withdrawn or forgotten.
        Repeated: the model is not asked again about a press with a recorded outcome. Raises: as for a message.
        """
        conversation = self.conversations.of(event.conversation_id)
        history = self.intake.reader.read_newest(conversation, required_ids={answer_id})
        answer = next((outcome for outcome in history.outcomes if outcome.webhook_event_id == answer_id), None)
        if answer is None or number >= len(answer.offer.suggests):
            return None
        is_of_the_model = answer.audit.model_name is not None
        pressed = self.intake.suggestion(
            event,
            answer.offer.suggests[number],
            quotes=next(iter(answer.sent_message_ids), None) if is_of_the_model else None,
        )
        silences = conversation.objects.reads.submit(conversation.silences.read)
        return self._answer(conversation, pressed, event.deadline, silences)

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
        self.upkeep.after_turn(conversation, run, deadline)
        return run.result

    def _overhear(self, conversation: Conversation, message: MessageRecord, deadline: Deadline) -> EventResult:
        """Record the message as context; it may be translated, or, if the group policy allows it, the model may interject."""
        setting = self._begin_reading_setting(conversation, message)
        if not record_unless_withdrawn(conversation, message, self.withdrawal):
            return EventResult.WITHDRAWN
        if self.translation is not None and setting is not None:
            translated = setting.result()
            if self.translation.translates(translated, message):  # nothing else may use its token
                result = self.translation(conversation, message, translated, deadline)
                self.upkeep.after_context(conversation, message, deadline)
                return result
        result = EventResult.KEPT_AS_CONTEXT
        if self.intake.policy is GroupPolicy.MODEL and message.reply_token is not None:
            self.usage.begin_exchange()
            result = self.interjection(conversation, message, deadline)
            self.upkeep.after_interjection(conversation, deadline)
        if result in _WITHOUT_ANSWER:
            self._use_token(conversation, message, deadline)
        self.upkeep.after_context(conversation, message, deadline)
        return result

    def _begin_reading_setting(
        self, conversation: Conversation, message: MessageRecord
    ) -> Future[TranslationSetting] | None:
        """Begin to read what the group has translated, beside the recording; None: the message is never translated."""
        if (
            self.translation is None
            or conversation.is_one_on_one
            or message.reply_token is None
            or message.type != "text"
        ):
            return None
        return conversation.objects.reads.submit(TranslationStore(conversation).read)

    def _use_token(self, conversation: Conversation, message: MessageRecord, deadline: Deadline) -> None:
        """Tell what waits for the chat's next message on its token: a summary, else another address of the calendar, else notices."""
        if self.summary is not None and self.summary(conversation, message, deadline):
            return
        if self.calendar is not None and self.calendar(conversation, message, deadline):
            return
        if self.next_message is not None:
            self.next_message(conversation, message, deadline)


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
