"""Which messages are one person's, where nothing is stored of them but what came of them."""

from dataclasses import replace

import pytest

from shared.adapters.memory import MemoryObjectStore
from shared.conversation.provenance import Provenance, Source
from shared.conversation.records import StagedWrite
from shared.conversation.snapshot_records import SnapshotRecord
from shared.conversation.store import Conversation
from shared.conversation.undo import UNDO_FILE, undo_write
from shared.handlers.persons import messages_of
from shared.knowledge.catalog import Catalog, row_of
from shared.knowledge.entry import Entry
from shared.knowledge.entry_file import format_entry
from shared.knowledge.entry_store import CATALOG_FILE
from shared.knowledge.tombstone import encoded_tombstone
from shared.reminders.reminder import Reminder
from shared.storage.codec import encode
from tests.support.archives import put_segment
from tests.support.chats import answer, conversations_on, message
from tests.support.inline import InlineExecutor
from tests.support.knowledge import SATO

YUKI, KENJI = "U" + "1" * 32, "U" + "2" * 32


def sent(number: int, by: str | None) -> Source:
    return replace(message(number, timestamp_ms=number), user_id=by).source


SOURCES = (sent(1, YUKI), sent(2, KENJI), sent(3, None), sent(4, YUKI))


@pytest.fixture
def group() -> Conversation:
    return conversations_on(MemoryObjectStore(), InlineExecutor()).of("C" + "1" * 32)


def file(group: Conversation, entry: Entry) -> int:
    generation = group.objects.store.create(group.names.entry(entry.path), format_entry(entry).encode())
    assert generation is not None
    return generation


def named(group: Conversation, *, until_ms: int = 3) -> frozenset[str]:
    return messages_of(group, YUKI, until_ms=until_ms).source_only


@pytest.mark.parametrize("place", ["journal", "snapshot", "archive"])
def test_what_an_answer_was_made_of_is_known_by_its_author(group: Conversation, place: str) -> None:
    made = replace(answer(9), provenance=Provenance.of_sources(SOURCES))
    if place == "journal":
        group.journal.record_outcome(made)
    elif place == "snapshot":
        group.snapshot.swap(group.snapshot.read(), SnapshotRecord(outcomes=(made,)))
    else:
        put_segment(group, [], [made])

    assert named(group) == {"m1"}
    assert named(group, until_ms=4) == {"m1", "m4"}


def test_what_entries_came_from_is_known_by_its_author(group: Conversation) -> None:
    file(group, replace(SATO, provenance=Provenance.of_sources(SOURCES)))

    assert named(group) == {"m1"}


def test_sources_are_taken_from_the_catalog_and_from_entries_that_are_newer(group: Conversation) -> None:
    known, newer = (
        replace(SATO, provenance=Provenance.of_sources(SOURCES[:1])),
        replace(SATO, slug="ito", id="ito", provenance=Provenance.of_sources((sent(2, YUKI),))),
    )
    generation, _ = file(group, known), file(group, newer)
    rows = (
        replace(
            row_of(known, generation=generation), provenance=Provenance.of_sources((sent(1, KENJI), sent(3, YUKI)))
        ),
        row_of(replace(newer, provenance=Provenance.of_sources((sent(1, YUKI),))), generation=0),
    )
    group.objects.store.create(group.names.entry(CATALOG_FILE), encode(Catalog(rows=rows)))

    assert named(group) == {"m2", "m3"}


def test_an_entry_that_cannot_be_read_hides_no_other(group: Conversation) -> None:
    group.objects.store.create(group.names.entry("people/broken.md"), b"---\nid: [")
    file(group, replace(SATO, provenance=Provenance.of_sources(SOURCES)))

    assert named(group) == {"m1"}


def test_what_reminders_came_from_is_known_by_its_author(group: Conversation) -> None:
    reminder = Reminder(
        id="r0000000001",
        text="tea",
        provenance=Provenance.of_sources(SOURCES),
        start="2027-01-01T09:00",
        zone="Asia/Tokyo",
    )
    group.objects.store.create(group.names.reminder(reminder.id), encode(reminder))

    assert named(group) == {"m1"}


def test_a_message_that_is_stored_is_the_persons_own(group: Conversation) -> None:
    file(group, replace(SATO, provenance=Provenance.of_sources(SOURCES)))
    group.journal.keep(replace(message(1, timestamp_ms=1), user_id=YUKI))

    found = messages_of(group, YUKI, until_ms=4)

    assert found.own == {"m1"}
    assert found.source_only == {"m4"}
    assert found.ids == {"m1", "m4"}


def test_what_a_deleted_entry_came_from_is_known_until_its_path_and_its_undo_are_gone(group: Conversation) -> None:
    path, store = SATO.path, group.objects.store
    deleted = format_entry(replace(SATO, provenance=Provenance.of_sources(SOURCES[:1])))
    tombstone = encoded_tombstone(path, deleted.encode(), key=(2, 0), deleted_ms=5)
    store.create(group.names.entry(path), tombstone)
    assert named(group) == {"m1"}

    undo = undo_write([StagedWrite(path=path, text=deleted)], Provenance.of_sources(SOURCES[3:]), key=(2, 1))
    store.create(group.names.entry(UNDO_FILE), (undo.text or "").encode())
    assert named(group, until_ms=4) == {"m1", "m4"}
