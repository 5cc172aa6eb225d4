"""messageEdited events: replace the words of a message.  Source: LINE, "Message edited event": text messages of groups; the id stays."""

from itertools import chain

from shared.bus.result import EventResult
from shared.conversation.redaction.sweep import Sweep
from shared.conversation.silences import SilenceKind
from shared.conversation.store import Conversation, Conversations
from shared.conversation.withdrawal import Withdrawal
from shared.frozen import frozen
from shared.handlers.admission import AdmissionHandler
from shared.handlers.edit_notice import EditNotice, made_of
from shared.handlers.intake import Intake
from shared.line.events import LineEvent, MessageContent
from shared.translation.turn import TranslationTurns


@frozen
class EditHandler:
    """Handles messageEdited events."""

    conversations: Conversations
    withdrawal: Withdrawal
    intake: Intake
    admission: AdmissionHandler
    notice: EditNotice
    translation: TranslationTurns | None = None

    def __call__(self, event: LineEvent, content: MessageContent) -> EventResult:
        """Every object with the message holds its new words; what was made from the older words is gone, and the group is told.

        A translated message is translated anew, on the edit's own token, unless the notice has used it.
        Repeated, or older than another edit: changes nothing; what a worker that died did not tell is told. Message unknown (yet): the
        amendment waits for the message; in a chat without admission, and in a pause, the message counts as withdrawn instead, so that no
        new words are stored there.
        Raises: StorageUnavailableError; safe to deliver again.
        Example: "see you at 7" was edited to "see you at 8"; journal, snapshot and archive then hold "see you at 8".
        """
        if content.type != "text" or not isinstance(content.fields.get("text"), str):
            return EventResult.IGNORED
        conversation, own_id = self.conversations.of(event.conversation_id), content.line_message_id
        if not self.admission.admits(event) and not _holds(conversation, own_id):
            self.withdrawal.withdraw(conversation, own_id, timestamp_ms=event.timestamp_ms)
            return EventResult.WITHDRAWN
        if conversation.silences.read().at(event.timestamp_ms) is SilenceKind.PAUSE:  # the new words are not recorded
            self.withdrawal.withdraw(conversation, own_id, timestamp_ms=event.timestamp_ms)
            return EventResult.PAUSED
        made, text = made_of(conversation, own_id), self.intake.edited_words(event, content)
        counts = self.withdrawal.edit(
            conversation, own_id, text=text, timestamp_ms=event.timestamp_ms, user_id=event.user_id, made=made
        )
        if not counts:
            return EventResult.ERASED
        edits = conversation.amendments.edits
        untold = made | edits.untold(own_id, timestamp_ms=event.timestamp_ms)
        if untold:
            self.notice(conversation, event, own_id, text, untold)
            edits.mark_told(own_id, timestamp_ms=event.timestamp_ms)
        elif self.translation is not None and not event.is_one_on_one:  # the notice has used the token
            return self.translation.translate_edit(conversation, event, own_id)
        return EventResult.EDITED


def _holds(conversation: Conversation, line_message_id: str) -> bool:
    """Whether the message is stored; a message that a compaction moves meanwhile is found in the archive."""
    if conversation.journal.message_of(line_message_id) is not None:
        return True
    snapshot = conversation.snapshot.read().record
    segments = Sweep(archive=conversation.archive).find({line_message_id})
    archived = chain.from_iterable(segment.messages for segment in segments)
    stored = chain(snapshot.messages, snapshot.leaving.messages, archived)
    return any(one.line_message_id == line_message_id for one in stored)
