"""Records of the last release and of the next one, read and written by this one.

tests/records/last_release/ holds a sample of each kind as the last release writes it. Until there is one, freeze it again whenever a format
changes: `python -m tests.support.record_samples`.
"""

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Literal, TypeVar

import msgspec
import pytest

from shared.adapters.memory import MemoryObjectStore
from shared.conversation.amendment_events import withdrawal_of
from shared.conversation.amendment_fold import AmendmentFold, FoldedEvent
from shared.conversation.amendment_records import Amendment, EditedWords
from shared.conversation.amendments import Amendments
from shared.conversation.external_calls import CallRecord, CallWords, ExternalCalls
from shared.conversation.records import Audit, MessageRecord, OutcomeRecord
from shared.conversation.segments import cleaned_segment, decode_segment, encode_segment
from shared.conversation.snapshot import cleaned, with_numbers, with_sources
from shared.conversation.snapshot_records import Segment, SnapshotRecord
from shared.conversation.store import Conversation
from shared.conversation.turn import TurnRecord
from shared.knowledge.entry_file import format_entry, read_entry
from shared.knowledge.entry_words import EntryWords
from shared.reminders.reminder import Reminder, ReminderState
from shared.storage.codec import decode, encode
from shared.storage.object_names import AmendedName
from shared.unknown_fields import Extensible
from tests.support.chats import everything_in, fold_amendments, made_of, message
from tests.support.knowledge import FilingChat
from tests.support.knowledge import message as sent
from tests.support.record_samples import FOLDER, KINDS, sample_of, with_tomorrows_fields

SECRET = "pin4711"
TOMORROWS = {"tomorrow": ["sunny"], "tomorrow_count": 3}
_Record = TypeVar("_Record")
ALL = pytest.mark.parametrize("name", KINDS)
GONE = Amendments(withdrawn=frozenset({"m1"}))


def holds(stored: object, wanted: object) -> bool:
    """Whether the JSON value has everything of another one; an object may have more."""
    if isinstance(wanted, dict):
        return isinstance(stored, dict) and all(name in stored and holds(stored[name], wanted[name]) for name in wanted)
    if isinstance(wanted, list):
        return (
            isinstance(stored, list)
            and len(stored) == len(wanted)
            and all(holds(*pair) for pair in zip(stored, wanted, strict=True))
        )
    return bool(stored == wanted)


def shape(value: object) -> object:
    """Return the JSON value with the names of types in place of texts and numbers."""
    if isinstance(value, dict):
        return {name: shape(one) for name, one in value.items()}
    return [shape(one) for one in value] if isinstance(value, list) else type(value).__name__


def frozen(name: str) -> bytes:
    return (FOLDER / f"{name}.json").read_bytes()


@ALL
def test_a_record_of_the_last_release_keeps_all_that_it_says(name: str) -> None:
    record = decode(KINDS[name], frozen(name))

    assert holds(json.loads(encode(record)), json.loads(frozen(name)))


@ALL
def test_the_last_release_finds_what_it_reads_in_a_record_of_this_one(name: str) -> None:
    written = json.loads(encode(sample_of(KINDS[name])))

    assert holds(shape(written), shape(json.loads(frozen(name))))


@ALL
def test_a_record_of_the_next_release_keeps_what_this_one_does_not_know(name: str) -> None:
    record = sample_of(KINDS[name])
    tomorrows = with_tomorrows_fields(record)

    read = decode(KINDS[name], tomorrows)

    assert json.loads(encode(read)) == json.loads(tomorrows)
    assert decode(KINDS[name], encode(read)) == read
    assert replace(read, unknown_fields=msgspec.UNSET) != read


@ALL
def test_a_record_without_unknown_fields_is_written_without_a_trace_of_them(name: str) -> None:
    assert b"unknown_fields" not in encode(decode(KINDS[name], frozen(name)))


def of_tomorrow(kind: type[_Record], record: _Record) -> _Record:
    """Return the record as this release reads it from a newer one, which has put words in fields that are not known here."""
    return decode(kind, with_tomorrows_fields(record, word=SECRET))


def is_clean(record: object) -> bool:
    """Whether the record has lost the unknown words, and kept the numbers."""
    data = encode(record).decode()
    return SECRET not in data and '"tomorrow_count":3' in data


def outcome() -> OutcomeRecord:
    sample: OutcomeRecord = sample_of(OutcomeRecord)
    return replace(sample, webhook_event_id="e1", provenance=made_of("m1"))


def test_an_outcome_that_loses_its_words_loses_the_unknown_ones() -> None:
    read = of_tomorrow(OutcomeRecord, outcome())

    assert is_clean(read.without_words())
    assert not read.without_words().holds_words


def test_an_outcome_that_holds_only_unknown_words_is_cleaned_too() -> None:
    silent = replace(outcome().without_words(), reminders=(), audit=Audit())

    read = of_tomorrow(OutcomeRecord, silent)

    assert read.holds_words
    assert is_clean(GONE.redact(read))


def test_an_edited_message_loses_the_unknown_words() -> None:
    read = of_tomorrow(MessageRecord, message(1, SECRET))
    edited = Amendments(edits={"m1": "hello"}, edited_ms={"m1": 9})

    assert is_clean(edited.overlay(read))


def erase(chat: Conversation) -> None:
    chat.amendments.erase(9)


def withdraw(chat: Conversation) -> None:
    chat.amendments.withdraw({"m1"}, timestamp_ms=9)


def edit_again(chat: Conversation) -> None:
    chat.amendments.amend(Amendment(line_message_id="m1", timestamp_ms=9, text="hello"))


@pytest.mark.parametrize("change", [erase, withdraw, edit_again])
def test_words_of_an_edit_that_are_replaced_go_with_the_unknown_ones(
    chat: Conversation, change: Callable[[Conversation], None]
) -> None:
    words = EditedWords(timestamp_ms=5, text=SECRET)
    chat.objects.store.create(chat.names.edited("m1"), with_tomorrows_fields(words, word=SECRET))

    change(chat)

    stored = chat.objects.store.read(chat.names.edited("m1"))
    assert stored is not None
    assert is_clean(decode(EditedWords, stored.data))
    assert SECRET not in everything_in(chat.objects.store)


def test_a_fold_that_grows_keeps_what_a_newer_release_wrote_at_every_level(chat: Conversation) -> None:
    store, names = chat.objects.store, chat.names
    known = AmendedName(written_ms=1, kind="withdrawal", id="m1", digest="0a1b2c3d")
    event = withdrawal_of(["m1"], timestamp_ms=1)
    fold = AmendmentFold(events=(FoldedEvent(name=names.amended(known), event=event),))
    store.create(names.amended_fold, with_tomorrows_fields(fold))
    new = names.amended(replace(known, written_ms=2, id="m2"))
    store.create(new, with_tomorrows_fields(withdrawal_of(["m2"], timestamp_ms=2)))

    fold_amendments(chat.amendments)

    stored = store.read(names.amended_fold)
    assert stored is not None
    grown = decode(AmendmentFold, stored.data)
    extensible = (grown, *grown.events[:1], *(one.event for one in grown.events))
    assert [one.event.id for one in grown.events] == ["m1", "m2"]
    assert [json.loads(str(one.unknown_fields)) for one in extensible] == [TOMORROWS] * 4
    assert [one.name for one in store.list(names.amended_prefix)] == [names.amended_fold]


def test_an_event_of_a_kind_that_only_a_newer_release_knows_is_folded_by_that_one(chat: Conversation) -> None:
    store, names = chat.objects.store, chat.names
    newer = names.amended(AmendedName(written_ms=1, kind="fresh", id="m1", digest="0a1b2c3d"))
    store.create(newer, b'{"version":1,"kind":"fresh","id":"m1"}')
    chat.amendments.withdraw({"m2"}, timestamp_ms=2)

    fold_amendments(chat.amendments)

    assert [one.name for one in store.list(names.amended_prefix)] == [newer, names.amended_fold]
    assert chat.amendments.look().withdrawn == {"m2"}


def test_a_snapshot_loses_the_unknown_words_of_what_was_withdrawn_and_its_own() -> None:
    other = replace(outcome(), webhook_event_id="e2", provenance=made_of("m2"), text="hello")
    record = SnapshotRecord(messages=(message(1, SECRET), message(2, "hello")), outcomes=(outcome(), other))
    read = with_sources(of_tomorrow(SnapshotRecord, with_numbers(record)))

    clean = cleaned(read, GONE)

    assert is_clean(replace(clean, messages=(), outcomes=clean.outcomes[:1]))
    assert [one.line_message_id for one in clean.messages] == ["m2"]
    assert not is_clean(clean.messages[0])  # what others said stays as it is
    assert not is_clean(clean.outcomes[1])
    assert decode(SnapshotRecord, encode(with_numbers(clean))).unknown_fields == '{"tomorrow_count":3}'


def test_a_segment_loses_the_unknown_words_of_what_was_withdrawn_and_its_own() -> None:
    sample: Segment = sample_of(Segment)
    answers = tuple(replace(one, provenance=made_of("m1"), timestamp_ms=9) for one in sample.answers)
    recaps = tuple(replace(one, provenance=made_of("m1"), timestamp_ms=9) for one in sample.recaps)
    record = Segment(messages=(message(1, SECRET),), answers=answers, recaps=recaps)
    read = decode_segment(with_tomorrows_fields(record, word=SECRET))

    assert is_clean(decode_segment(encode_segment(cleaned_segment(read, GONE))))


@pytest.mark.parametrize("state", ["idle", "thinking", "committed"])
def test_a_turn_loses_the_unknown_words_with_any_withdrawal(
    state: Literal["idle", "thinking", "committed"],
) -> None:
    record = replace(TurnRecord(), state=state, outcome=outcome() if state == "committed" else None)
    read = of_tomorrow(TurnRecord, record)

    amended = read.amended(is_affected=lambda _: True)

    assert amended.unknown_fields == '{"tomorrow_count":3}'
    assert amended.outcome is None or is_clean(amended.outcome)
    assert amended.amended(is_affected=lambda _: True).unknown_fields == amended.unknown_fields


def test_the_next_turn_keeps_what_a_newer_release_wrote() -> None:
    read = of_tomorrow(TurnRecord, replace(TurnRecord(), state="committed", outcome=outcome()))

    assert read.followed_by("idle", now_ms=9).unknown_fields == read.unknown_fields
    assert read.abandoned().unknown_fields == read.unknown_fields


def test_a_call_loses_the_unknown_words_with_its_arguments(chat: Conversation, store: MemoryObjectStore) -> None:
    record = CallRecord(tool="t", arguments={"title": SECRET}, provenance=made_of("m1"), started_ms=5)
    name = chat.names.call("key")
    store.create(name, with_tomorrows_fields(record, word=SECRET))

    CallWords().remove_withdrawn(chat, GONE)

    stored = store.read(name)
    assert stored is not None
    assert is_clean(decode(CallRecord, stored.data))


def test_arguments_of_any_name_are_written_as_they_are(chat: Conversation) -> None:
    record = CallRecord(tool="t", arguments={"unknown_fields": "x"}, provenance=made_of("m1"), started_ms=5)

    ExternalCalls(chat).begin("key", record)

    known = ExternalCalls(chat).begin("key", record)
    assert known is not None
    assert known.record == record


def test_a_cancelled_reminder_loses_the_unknown_words() -> None:
    sample: Reminder = sample_of(Reminder)

    assert is_clean(of_tomorrow(Reminder, sample).ended(ReminderState.CANCELLED, now_ms=9))


def test_joinings_that_change_keep_what_a_newer_release_wrote(chat: Conversation, store: MemoryObjectStore) -> None:
    store.create(chat.names.members, b'{"version": 1, "joined_ms": {"U1": 3}, "tomorrow": ["sunny"]}')

    chat.members.record_joining(["U2"], at_ms=5)
    kept = store.read(chat.names.members)
    chat.members.record_leaving(["U1"], at_ms=6)
    after = store.read(chat.names.members)

    assert kept is not None
    assert b"sunny" in kept.data
    assert after is not None
    assert b"sunny" not in after.data


def test_an_entry_keeps_what_a_newer_release_wrote_in_its_front_matter_until_words_are_taken_out() -> None:
    chat = FilingChat()
    path = chat.file("lunch", sent(1, "lunch"))
    chat.once("update_entry", sent(2, "at noon"), path=path, updates={"note": "at noon"})
    name = chat.conversation.names.entry(path)
    stored = chat.store.read(name)
    assert stored is not None
    newer = stored.data.replace(b"---\n", f"---\ntomorrow: {SECRET}\ntomorrow_count: 3\n".encode(), 1)
    chat.store.replace(name, newer, generation=stored.generation)

    assert f"tomorrow: {SECRET}" in format_entry(read_entry(path, newer))
    assert read_entry(path, format_entry(read_entry(path, newer)).encode()) == read_entry(path, newer)
    EntryWords().remove_withdrawn(chat.conversation, Amendments(withdrawn=frozenset({"m2"})))

    assert SECRET not in chat.words
    assert "tomorrow_count: 3" in chat.file_text(path)


@pytest.mark.parametrize(
    ("unknown", "rest"),
    [
        (
            {"a": 1, "b": 0.5, "c": True, "d": None, "e": [1, [2]]},
            {"a": 1, "b": 0.5, "c": True, "d": None, "e": [1, [2]]},
        ),
        ({"a": "word", "b": ["word"], "c": [[1, "word"]], "d": {"word": 1}, "e": 1}, {"e": 1}),
        ({"a": "word"}, None),
        ({}, None),
    ],
)
def test_of_unknown_fields_only_what_holds_no_text_outlasts_a_redaction(
    unknown: dict[str, Any], rest: dict[str, Any] | None
) -> None:
    text = msgspec.json.encode(unknown).decode()
    part = Extensible(unknown_fields=text) if unknown else Extensible()

    wordless = part.redacted().unknown_fields

    assert (json.loads(wordless) if isinstance(wordless, str) else None) == rest
    assert part.holds_unknown_words is (rest != unknown and bool(unknown))
