"""The journal of a chat: messages as received and what became of them, as many small objects that are written once.

    journal/{conversation_id}/{line_message_id}.json
    journal/{conversation_id}/{webhook_event_id}.outcome.json

Nothing here rewrites a shared object, so a busy group meets no write limit, and a delivery that comes twice changes nothing. Whoever writes
words of people looks at the amendments after the write, because an unsend may have passed just before it.
"""

from dataclasses import dataclass

from shared.conversation.amendments import AmendmentLog
from shared.conversation.records import MessageRecord, OutcomeRecord
from shared.storage.codec import decode, encode
from shared.storage.compare_and_swap import changed_by_swap
from shared.storage.object_cache import Bodies
from shared.storage.object_names import message_name, outcome_name
from shared.storage.object_store import ListedObject


@dataclass(frozen=True, slots=True, kw_only=True)
class Journal:
    """Writes journals.  Every method raises StorageUnavailableError when the bucket does not answer in time."""

    bodies: Bodies
    amendments: AmendmentLog

    def keep(self, conversation_id: str, message: MessageRecord) -> None:
        """The message is in the journal, whatever became of it; whoever calls this looks at the amendments next.

        Repeated: changes nothing.
        """
        self._create(message_name(conversation_id, message.line_message_id), encode(message))

    def record(self, conversation_id: str, message: MessageRecord) -> bool:
        """Return whether the message stands: it is in the journal with its newest words, or else it was taken back.

        Repeated: changes nothing.
        """
        self.keep(conversation_id, message)
        return self.settle(conversation_id, message)

    def settle(self, conversation_id: str, message: MessageRecord) -> bool:
        """Return whether the message, kept just now, stands; if it was taken back it is not in the journal any more."""
        amendments = self.amendments.look(conversation_id)
        if amendments.take_back(message):
            self.drop(conversation_id, message.line_message_id)
            return False
        if message.line_message_id in amendments.edits:
            self.bring_up_to_date(conversation_id, message.line_message_id)
        return True

    def drop(self, conversation_id: str, line_message_id: str) -> None:
        """The message is not in the journal.  Repeated: does nothing."""
        self.bodies.store.delete(message_name(conversation_id, line_message_id))

    def bring_up_to_date(self, conversation_id: str, line_message_id: str) -> None:
        """The journal holds the newest words, if it holds the message at all.

        The record is read, then the amendments, then it is swapped: no older edit wins.
        """

        def edited(data: bytes | None) -> bytes | None:
            if data is None:
                return None
            message = decode(MessageRecord, data)
            newest = self.amendments.look(conversation_id).overlaid(message)
            return None if newest == message else encode(newest)

        changed_by_swap(self.bodies.store, message_name(conversation_id, line_message_id), edited, what="a message")

    def outcome_of(self, conversation_id: str, webhook_event_id: str) -> OutcomeRecord | None:
        """Return what the handling of an event led to, as far as the journal still has it."""
        stored = self.bodies.store.read(outcome_name(conversation_id, webhook_event_id))
        return decode(OutcomeRecord, stored.data) if stored else None

    def record_outcome(self, conversation_id: str, outcome: OutcomeRecord) -> bool:
        """The outcome is in the journal; return whether it lost its words, because something that it repeats was taken back.

        Repeated: changes nothing.
        """
        name = outcome_name(conversation_id, outcome.webhook_event_id)
        self._create(name, encode(outcome))
        if not outcome.holds_words or not self.amendments.look(conversation_id).touch(outcome):
            return False
        self.take_words_out(name)
        return True

    def take_words_out(self, name: str) -> None:
        """The outcome keeps its kind and loses its words.  Gone: a compaction folded it, and the snapshot is cleaned anyway."""

        def emptied(data: bytes | None) -> bytes | None:
            outcome = decode(OutcomeRecord, data) if data is not None else None
            return encode(outcome.without_words()) if outcome is not None and outcome.holds_words else None

        changed_by_swap(self.bodies.store, name, emptied, what="an outcome")

    def _create(self, name: str, data: bytes) -> None:
        generation = self.bodies.store.create(name, data)
        if generation is not None:
            self.bodies.keep(ListedObject(name=name, generation=generation), data)
