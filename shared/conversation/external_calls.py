"""External calls: writes to other services, each in two objects written once: the intent before the effect, the result after it.

    calls/{conversation_id}/{key}.json
    calls/{conversation_id}/{key}.result.json

The key is made of the tool, the arguments and the oldest message answered by the turn. The same call of a later turn that answers any of
these messages finds the intent and the result. Only the intent holds words of people; a result holds ids and counts.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from shared.clock import SKEW_MS
from shared.conversation.amendments import Amendments
from shared.conversation.provenance import Provenance
from shared.conversation.store import Conversation
from shared.conversation.word_holder import Removal, WordHolder
from shared.errors import StorageUnavailableError
from shared.frozen import frozen
from shared.storage.codec import VERSION, decode_if_readable, decode_readable, encode
from shared.storage.compare_and_swap import SWAP_ATTEMPTS, update_by_swap
from shared.storage.object_names import CALL_RESULT_SUFFIX
from shared.storage.object_store import ListedObject, ObjectStore
from shared.unknown_fields import Extensible


@frozen
class CallRecord(Extensible):
    """The intent of a call.

    `arguments`: None once a message was withdrawn whose words they may repeat. `provenance`: the sources of everything read by the model.
    `asked`: the messages that the turn was to answer. `started_ms` is by this service's clock.
    """

    version: int = VERSION
    tool: str
    arguments: dict[str, object] | None = field(repr=False)
    provenance: Provenance
    started_ms: int
    asked: tuple[str, ...] = ()


@frozen
class CallResult(Extensible):
    """The tool's answer, without any word of a person."""

    version: int = VERSION
    result: dict[str, object]


@frozen
class KnownCall:
    """An intent, with the result, if any."""

    record: CallRecord
    result: Mapping[str, object] | None = None


def call_key(tool: str, arguments: Mapping[str, object], *, first_line_message_id: str) -> str:
    """Return the key of a call; the keys of one turn share a prefix: 16 hex digits of the oldest message.

    For example, two calls for message 450 both begin with `sha256("450")[:16]` and a hyphen.
    """
    canonical = json.dumps([tool, arguments], ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return f"{_turn_key(first_line_message_id)}-{hashlib.sha256(canonical.encode()).hexdigest()[:32]}"


@dataclass(frozen=True, slots=True)
class ExternalCalls:
    """One chat's calls.  Every method raises StorageUnavailableError when the bucket does not answer in time."""

    conversation: Conversation

    def begin(self, key: str, record: CallRecord) -> KnownCall | None:
        """The intent is written; return the call of an earlier attempt, or None for the first time.

        If the response to the write was lost, this worker's own intent comes back as an earlier one. So a caller with an intent and no
        result checks first whether the effect has happened. An existing intent gets a new generation, to outlast a deletion by the attempt
        that wrote it, whose call had no effect, however late the deletion comes.
        """
        name = self.conversation.names.call(key)
        for _ in range(SWAP_ATTEMPTS):
            if self._store.create(name, encode(record)) is not None:
                return None
            stored = self._store.read(name)
            if stored is not None and self._store.replace(name, stored.data, generation=stored.generation) is not None:
                earlier_call = self._call_of(key)
                return KnownCall(record=record) if earlier_call is None else earlier_call
        raise StorageUnavailableError("others kept changing a call")

    def finish(self, key: str, result: Mapping[str, object]) -> None:
        """The result is written.  Repeated: the first result stays."""
        self._store.create(self.conversation.names.call_result(key), encode(CallResult(result=dict(result))))

    def drop(self, key: str) -> None:
        """The intent is deleted, because the call had no effect.  Repeated: does nothing; the intent of a later attempt stays."""
        name = self.conversation.names.call(key)
        stored = self._store.read(name)
        if stored is not None:
            self._store.delete(name, generation=stored.generation)

    def key_for(self, tool: str, arguments: Mapping[str, object], asked: Sequence[str]) -> str:
        """Return the key of an earlier attempt to answer one of the messages `asked`, else a new key.

        The oldest message alone is no key: it may be withdrawn, or answered by itself, before the others.
        """
        fresh = call_key(tool, arguments, first_line_message_id=asked[0] if asked else "")
        digest = fresh.rpartition("-")[2]
        alike = (key for key in self._keys() if key.endswith(f"-{digest}"))
        return next((key for key in alike if self._is_of_turn(key, asked)), fresh)

    def of_turn(self, asked: Sequence[str]) -> tuple[KnownCall, ...]:
        """Return the calls of earlier attempts to answer one of the messages, oldest first."""
        calls = (self._call_of(key) for key in self._keys() if self._is_of_turn(key, asked))
        return tuple(one for one in calls if one is not None)

    def results(self) -> tuple[Mapping[str, object], ...]:
        """Return the results of every stored call of the chat."""
        call_objects = self._store.list(self.conversation.names.calls_prefix)
        bodies = (self._data(one.name) for one in call_objects if one.name.endswith(CALL_RESULT_SUFFIX))
        return tuple(one.result for one in decode_readable(CallResult, bodies))

    def _keys(self) -> list[str]:
        names = self.conversation.names
        call_objects = sorted(self._store.list(names.calls_prefix), key=lambda call_object: call_object.generation)
        intents = (one.name for one in call_objects if not one.name.endswith(CALL_RESULT_SUFFIX))
        return [one.removeprefix(names.calls_prefix).removesuffix(".json") for one in intents]

    def _is_of_turn(self, key: str, asked: Sequence[str]) -> bool:
        if any(key.startswith(f"{_turn_key(one)}-") for one in asked):
            return True
        record = decode_if_readable(CallRecord, self._data(self.conversation.names.call(key)))
        return record is not None and not set(record.asked).isdisjoint(asked)

    @property
    def _store(self) -> ObjectStore:
        return self.conversation.objects.store

    def _call_of(self, key: str) -> KnownCall | None:
        result = decode_if_readable(CallResult, self._data(self.conversation.names.call_result(key)))
        record = decode_if_readable(CallRecord, self._data(self.conversation.names.call(key)))
        return None if record is None else KnownCall(record=record, result=result.result if result else None)

    def _data(self, name: str) -> bytes | None:
        stored = self._store.read(name)
        return stored.data if stored else None


class CallWords(WordHolder):
    """The words in calls."""

    def begin_removal(self, conversation: Conversation) -> Removal:
        """No call of the chat holds words that a withdrawn message may have brought.

        Effect and result stay known, without words. Repeated: does nothing new. An unreadable record is deleted. Raises:
        StorageUnavailableError; safe to repeat.
        """
        store = conversation.objects.store
        listing = conversation.objects.reads.submit(lambda: store.list(conversation.names.calls_prefix))

        def remove(amendments: Amendments) -> None:
            for call_object in listing.result():
                if not call_object.name.endswith(CALL_RESULT_SUFFIX):
                    _remove_words(store, call_object, amendments)

        return remove


def _remove_words(store: ObjectStore, call_object: ListedObject, amendments: Amendments) -> None:
    def without_arguments(data: bytes | None) -> bytes | None:
        if data is None:
            return None
        record = decode_if_readable(CallRecord, data)
        if record is None:
            store.delete(call_object.name, generation=call_object.generation)
            return None
        has_withdrawn_words = record.arguments is not None and _is_affected(record, amendments)
        return encode(record.redacted(arguments=None)) if has_withdrawn_words else None

    update_by_swap(store, call_object.name, without_arguments, what="a call")


def _is_affected(record: CallRecord, amendments: Amendments) -> bool:
    read = record.provenance
    edits_ms = (amendments.edited_ms[one] for one in amendments.edited_ms.keys() & read.message_ids)
    is_edited = any(record.started_ms <= edited_ms + SKEW_MS for edited_ms in edits_ms)
    return is_edited or read.is_affected_by(amendments) or not read.derived_ids.isdisjoint(amendments.redacted.keys())


def _turn_key(first_line_message_id: str) -> str:
    return hashlib.sha256(first_line_message_id.encode()).hexdigest()[:16]
