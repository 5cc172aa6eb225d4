"""The journal of a chat: messages as received and the outcomes of turns, many small objects that are written once.

    journal/{conversation_id}/{line_message_id}.json
    journal/{conversation_id}/{webhook_event_id}.outcome.json

No shared object is rewritten here, so a busy group meets no write limit, and a redelivery changes nothing. A writer of people's words looks
at the amendments after the write, because an unsend may have passed just before.
"""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from typing import Final, TypeVar

from shared.conversation.amendment_log import AmendmentLog
from shared.conversation.records import MessageRecord, OutcomeKind, OutcomeRecord
from shared.frozen import frozen
from shared.storage.codec import decode, decode_if_readable, encode
from shared.storage.compare_and_swap import update_by_swap
from shared.storage.object_cache import ObjectCache
from shared.storage.object_names import OUTCOME_SUFFIX, ObjectNames
from shared.storage.object_store import ListedObject

_Record = TypeVar("_Record")
_MAY_HAVE_ARRIVED: Final = frozenset({OutcomeKind.REPLIED, OutcomeKind.UNKNOWN})


@frozen
class JournalListing:
    """The objects of a journal: names and generations of one moment."""

    messages: tuple[ListedObject, ...] = ()
    outcomes: tuple[ListedObject, ...] = ()


@frozen
class Journal:
    """One chat's journal.  Every method raises StorageUnavailableError when the bucket does not answer in time."""

    names: ObjectNames
    objects: ObjectCache
    amendments: AmendmentLog

    def list_objects(self) -> JournalListing:
        """Return the journalled objects, in the order of writing."""
        journal_objects = sorted(
            self.objects.store.list(self.names.journal_prefix), key=lambda listed_object: listed_object.generation
        )
        return JournalListing(
            messages=tuple(one for one in journal_objects if not one.name.endswith(OUTCOME_SUFFIX)),
            outcomes=tuple(one for one in journal_objects if one.name.endswith(OUTCOME_SUFFIX)),
        )

    def read_messages(self, *, drops_unreadable: bool = False) -> tuple[MessageRecord, ...]:
        """Return every readable message; unreadable ones stay, or are deleted with `drops_unreadable`."""
        return self._read(MessageRecord, self.list_objects().messages, drops_unreadable=drops_unreadable)

    def read_outcomes(
        self, listing: JournalListing | None = None, *, drops_unreadable: bool = False
    ) -> tuple[OutcomeRecord, ...]:
        """Return every readable outcome, of this listing or of a new one; unreadable ones stay, or are deleted with `drops_unreadable`."""
        outcome_objects = (listing or self.list_objects()).outcomes
        return self._read(OutcomeRecord, outcome_objects, drops_unreadable=drops_unreadable)

    def read_listed(self, listing: JournalListing, line_message_ids: AbstractSet[str]) -> tuple[MessageRecord, ...]:
        """Return the messages with the ids, where listed and readable."""
        message_objects = [one for one in listing.messages if self.names.message_id_in(one.name) in line_message_ids]
        return self._read(MessageRecord, message_objects, drops_unreadable=False)

    def _read(
        self, kind: type[_Record], listed_objects: Sequence[ListedObject], *, drops_unreadable: bool
    ) -> tuple[_Record, ...]:
        records: list[_Record] = []
        for listed_object, data in zip(listed_objects, self.objects.read_all(listed_objects), strict=True):
            record = decode_if_readable(kind, data)
            if record is not None:
                records.append(record)
            elif drops_unreadable and data is not None:
                self.objects.store.delete(listed_object.name, generation=listed_object.generation)
        return tuple(records)

    def keep(self, message: MessageRecord) -> None:
        """The message is in the journal, even if withdrawn before; the caller looks at the amendments next.

        Repeated: changes nothing.
        """
        self._create(self.names.message(message.line_message_id), encode(message))

    def record(self, message: MessageRecord) -> bool:
        """Record the message; return whether it stands.

        True: the journal holds the message with the newest words. False: the message was withdrawn, and is not in the journal; or the
        author took back everything, and the caller has to withdraw the message (`Withdrawal.take_back_late`). Repeated: changes nothing.

        For example, False for a message delivered after its unsend.
        """
        self.keep(message)
        amendments = self.amendments.look()
        if amendments.is_withdrawn(message):
            self.drop(message.line_message_id)
            return False
        if amendments.is_forgotten(message):
            return False
        if message.line_message_id in amendments.edited_ms:
            self.apply_edit(message.line_message_id)
        return True

    def message_of(self, line_message_id: str) -> MessageRecord | None:
        """Return the message; None if not in the journal, or unreadable."""
        stored = self.objects.store.read(self.names.message(line_message_id))
        return decode_if_readable(MessageRecord, stored.data if stored else None)

    def drop(self, line_message_id: str) -> None:
        """The message, withdrawn or erased, is not in the journal, even if written since.  Repeated: does nothing."""
        self.objects.store.delete(self.names.message(line_message_id), generation=None)

    def drop_listed(self, listed_object: ListedObject) -> None:
        """The message or outcome is not in the journal, unless written since the listing.  Repeated: does nothing.

        For example, an outcome folded as undelivered stays if another worker has recorded the outcome as sent since.
        """
        self.objects.store.delete(listed_object.name, generation=listed_object.generation)

    def apply_edit(self, line_message_id: str) -> None:
        """A journalled message has the newest words.

        The record is read, then the amendments, then the record is swapped: no older edit wins.
        """

        def edited(data: bytes | None) -> bytes | None:
            if data is None:
                return None
            message = decode(MessageRecord, data)
            newest = self.amendments.with_words_of(self.amendments.look(), [message]).overlay(message)
            return None if newest == message else encode(newest)

        update_by_swap(self.objects.store, self.names.message(line_message_id), edited, what="a message")

    def mark_as_addressed(self, line_message_id: str) -> None:
        """The message, if still in the journal, was meant for the bot.  Repeated: changes nothing."""

        def addressed(data: bytes | None) -> bytes | None:
            message = decode(MessageRecord, data) if data is not None else None
            return None if message is None or message.addressed else encode(replace(message, addressed=True))

        update_by_swap(self.objects.store, self.names.message(line_message_id), addressed, what="a message")

    def mark_as_context(self, line_message_id: str) -> None:
        """The message, if still in the journal, waits for no separate answer.  Repeated: changes nothing."""

        def unaddressed(data: bytes | None) -> bytes | None:
            message = decode(MessageRecord, data) if data is not None else None
            return None if message is None or not message.addressed else encode(replace(message, addressed=False))

        update_by_swap(self.objects.store, self.names.message(line_message_id), unaddressed, what="a message")

    def outcome_of(self, webhook_event_id: str) -> OutcomeRecord | None:
        """Return the outcome of an event; None if not in the journal."""
        stored = self.objects.store.read(self.names.outcome(webhook_event_id))
        return decode(OutcomeRecord, stored.data) if stored else None

    def record_outcome(self, outcome: OutcomeRecord) -> bool:
        """The outcome is in the journal; return whether the words were removed, because a repeated message was withdrawn.

        If a delivery of the event gave up on the fixed text, and another delivery sent the text, the outcome is recorded as sent. Repeated:
        changes nothing.
        """
        is_new = self._create(self.names.outcome(outcome.webhook_event_id), encode(outcome))
        if not is_new and not outcome.answered_ids and outcome.kind in _MAY_HAVE_ARRIVED:
            self._replace_undelivered(outcome)
        if not outcome.holds_words or self.amendments.look().redact(outcome) is outcome:
            return False
        self.remove_words(outcome.webhook_event_id)
        return True

    def _replace_undelivered(self, outcome: OutcomeRecord) -> None:
        """Replace a given-up outcome.  If a compaction has folded the old outcome, the next compaction folds the new one."""

        def replaced(data: bytes | None) -> bytes | None:
            stored_outcome = decode(OutcomeRecord, data) if data is not None else None
            return encode(outcome) if stored_outcome is None or stored_outcome.kind is OutcomeKind.UNDELIVERED else None

        update_by_swap(self.objects.store, self.names.outcome(outcome.webhook_event_id), replaced, what="an outcome")

    def remove_words(self, webhook_event_id: str) -> None:
        """The outcome has the same kind, and no words.  Not there: a compaction folded the outcome, and the caller cleans the snapshot."""

        def without_words(data: bytes | None) -> bytes | None:
            outcome = decode(OutcomeRecord, data) if data is not None else None
            return encode(outcome.without_words()) if outcome is not None and outcome.holds_words else None

        update_by_swap(self.objects.store, self.names.outcome(webhook_event_id), without_words, what="an outcome")

    def _create(self, name: str, data: bytes) -> bool:
        """Return whether no object of the name was stored; an existing object stays."""
        generation = self.objects.store.create(name, data)
        if generation is None:
            return False
        self.objects.keep(ListedObject(name=name, generation=generation), data)
        return True
