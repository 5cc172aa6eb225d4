"""Writes to the outside world, each in two objects that are written once: the intent before the effect, the result after it.

    calls/{conversation_id}/{key}.json
    calls/{conversation_id}/{key}.result.json

The key is made of the tool, its arguments and the oldest message that the turn answers, so that the same call of the same turn, thought
again, finds what was done already. Only the intent holds words of people; a result holds ids and counts.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TypeVar

from shared.clock import SKEW_MS
from shared.conversation.amendments import Amendments
from shared.storage.codec import VERSION, encode
from shared.storage.compare_and_swap import changed_by_swap
from shared.storage.object_cache import readable
from shared.storage.object_names import CALL_RESULT_SUFFIX, call_name, call_result_name, calls_prefix
from shared.storage.object_store import ListedObject, ObjectStore

_Record = TypeVar("_Record")


@dataclass(frozen=True, slots=True, kw_only=True)
class CallRecord:
    """What a tool set out to do.

    `arguments` are None once a message that they may repeat was withdrawn; `line_message_ids` are all that the prompt held. `started_ms`
    is this service's clock.
    """

    version: int = VERSION
    tool: str
    arguments: dict[str, object] | None = field(repr=False)
    line_message_ids: tuple[str, ...]
    started_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CallResult:
    """What came of it: what the tool answered, without any word of a person."""

    version: int = VERSION
    result: dict[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownCall:
    """An intent, with its result where there is one."""

    record: CallRecord
    result: Mapping[str, object] | None = None


def call_key(tool: str, arguments: Mapping[str, object], *, first_line_message_id: str) -> str:
    """Return the key of a call; the calls of one turn begin alike."""
    canonical = json.dumps([tool, arguments], ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return f"{_turn_key(first_line_message_id)}-{hashlib.sha256(canonical.encode()).hexdigest()[:32]}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Calls:
    """Reads and writes the calls of all chats.  Every method raises StorageUnavailableError when the bucket does not answer in time."""

    store: ObjectStore

    def begin(self, conversation_id: str, key: str, record: CallRecord) -> KnownCall | None:
        """The intent is written; return what was known of the call before, or None where this is the first time.

        A write whose answer was lost may come back as known although it is ours: whoever finds an intent without a result looks first.
        """
        if self.store.create(call_name(conversation_id, key), encode(record)) is not None:
            return None
        known = self._known(conversation_id, key)
        return KnownCall(record=record) if known is None else known

    def finish(self, conversation_id: str, key: str, result: Mapping[str, object]) -> None:
        """The result is written.  Repeated: the first one stays."""
        self.store.create(call_result_name(conversation_id, key), encode(CallResult(result=dict(result))))

    def drop(self, conversation_id: str, key: str) -> None:
        """The intent is gone, because it had no effect.  Repeated: does nothing."""
        self.store.delete(call_name(conversation_id, key))

    def of_turn(self, conversation_id: str, *, first_line_message_id: str) -> tuple[KnownCall, ...]:
        """Return what earlier attempts at a turn set out to do, oldest first."""
        prefix = f"{calls_prefix(conversation_id)}{_turn_key(first_line_message_id)}-"
        keys = [
            listed.name.removeprefix(calls_prefix(conversation_id)).removesuffix(".json")
            for listed in sorted(self.store.list(prefix), key=lambda listed: listed.generation)
            if not listed.name.endswith(CALL_RESULT_SUFFIX)
        ]
        known = (self._known(conversation_id, key) for key in keys)
        return tuple(one for one in known if one is not None)

    def results(self, conversation_id: str) -> tuple[Mapping[str, object], ...]:
        """Return the results of every call of the chat that is still kept."""
        listed = (
            one for one in self.store.list(calls_prefix(conversation_id)) if one.name.endswith(CALL_RESULT_SUFFIX)
        )
        return tuple(one.result for one in readable((self._data(one.name) for one in listed), CallResult))

    def _known(self, conversation_id: str, key: str) -> KnownCall | None:
        result = _readable(CallResult, self._data(call_result_name(conversation_id, key)))
        record = _readable(CallRecord, self._data(call_name(conversation_id, key)))
        return None if record is None else KnownCall(record=record, result=result.result if result else None)

    def _data(self, name: str) -> bytes | None:
        stored = self.store.read(name)
        return stored.data if stored else None


@dataclass(frozen=True, slots=True, kw_only=True)
class CallCopies:
    """The words in calls, for whoever takes words back."""

    store: ObjectStore

    def take_out(self, conversation_id: str, amendments: Amendments) -> None:
        """No call of the chat holds words that anything taken back may have brought.

        What was done and its result stay known, without words. Repeated: does nothing new. A record that cannot be read is deleted.
        Raises: StorageUnavailableError; safe to repeat.
        """
        for listed in self.store.list(calls_prefix(conversation_id)):
            if not listed.name.endswith(CALL_RESULT_SUFFIX):
                self._take_words_out(listed, amendments)

    def _take_words_out(self, listed: ListedObject, amendments: Amendments) -> None:
        def emptied(data: bytes | None) -> bytes | None:
            if data is None:
                return None
            record = _readable(CallRecord, data)
            if record is None:
                self.store.delete(listed.name)
                return None
            is_to_be_emptied = record.arguments is not None and _is_touched(record, amendments)
            return encode(replace(record, arguments=None)) if is_to_be_emptied else None

        changed_by_swap(self.store, listed.name, emptied, what="a call")


def _is_touched(record: CallRecord, amendments: Amendments) -> bool:
    is_erased = amendments.erased_ms >= 0 and record.started_ms <= amendments.erased_ms + SKEW_MS
    return is_erased or not amendments.withdrawn.isdisjoint(record.line_message_ids)


def _readable(kind: type[_Record], data: bytes | None) -> _Record | None:
    """The record, or None where there is none that can be read: one broken object must not silence a chat."""
    return next(iter(readable([data], kind)), None)


def _turn_key(first_line_message_id: str) -> str:
    return hashlib.sha256(first_line_message_id.encode()).hexdigest()[:16]
