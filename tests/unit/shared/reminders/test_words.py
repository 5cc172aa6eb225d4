"""Reminders of messages that were withdrawn, erased or edited."""

import io
from concurrent.futures import Executor

import pytest

from shared.adapters.memory import FixedClock, MemoryObjectStore
from shared.conversation.amendments import Amendments
from shared.conversation.provenance import Provenance, Source
from shared.reminders.words import ReminderWords
from tests.support.chats import conversations_on
from tests.support.reminders import ReminderChat

CHAT = "U" + "1" * 32


@pytest.fixture
def chat(store: MemoryObjectStore, reads: Executor, clock: FixedClock) -> ReminderChat:
    chat = ReminderChat(conversations_on(store, reads, clock).of(CHAT))
    for number in (1, 2):
        source = Source(line_message_id=f"m{number}", timestamp_ms=number * 1_000)
        chat.remind(f"word{number}", at="2029-01-01T09:00", source=source)
    return chat


@pytest.mark.parametrize(
    "amendments",
    [
        Amendments(withdrawn=frozenset({"m1"})),
        Amendments(erased_entries_ms=1_000),
        Amendments(edits={"m1": "other words"}, edited_ms={"m1": 1_500}),
    ],
)
def test_a_reminder_goes_with_its_message_and_takes_its_marker(
    chat: ReminderChat, lines: io.StringIO, amendments: Amendments
) -> None:
    for _ in range(2):
        ReminderWords().remove_withdrawn(chat.conversation, amendments)

        assert [one.text for one in chat.stored] == ["word2"]
        assert [one.split()[1] for one in chat.markers] == [chat.stored[0].id]
    assert lines.getvalue().count("reminders_withdrawn") == 1


def test_a_reminder_of_several_messages_goes_with_any_of_them(chat: ReminderChat) -> None:
    (first,) = (one.id for one in chat.stored if one.text == "word1")
    added = Source(line_message_id="m3", timestamp_ms=3_000)
    chat.turn(lambda overlay: overlay.change(first, text="more", provenance=Provenance.of_sources((added,))))

    ReminderWords().remove_withdrawn(chat.conversation, Amendments(withdrawn=frozenset({"m3"})))

    assert [one.text for one in chat.stored] == ["word2"]


@pytest.mark.parametrize(
    "amendments",
    [
        Amendments(withdrawn=frozenset({"m3"}), erased_ms=9_000),
        Amendments(edits={"m1": "word1"}, edited_ms={"m1": 1_000}),
    ],
)
def test_other_reminders_stay(chat: ReminderChat, lines: io.StringIO, amendments: Amendments) -> None:
    ReminderWords().remove_withdrawn(chat.conversation, amendments)

    assert len(chat.stored) == 2
    assert "reminders_withdrawn" not in lines.getvalue()


@pytest.mark.parametrize(
    ("amendments", "left"),
    [
        (Amendments(withdrawn=frozenset({"m1"})), 1),
        (Amendments(edits={"m2": "other words"}), 1),
        (Amendments(withdrawn=frozenset({"m3"})), 2),
        (Amendments(erased_entries_ms=0), 0),
        (Amendments(), 2),
    ],
)
@pytest.mark.parametrize("broken", [(b'"kind":"text"', b'"kind":4'), (b'"version":1', b'"version":99')])
def test_a_reminder_that_cannot_be_read_goes_if_it_names_a_withdrawn_message_or_anything_was_erased(
    chat: ReminderChat, store: MemoryObjectStore, broken: tuple[bytes, bytes], amendments: Amendments, left: int
) -> None:
    for listed_object in store.list("reminders/"):
        stored = store.read(listed_object.name)
        assert stored is not None
        assert broken[0] in stored.data
        store.replace(listed_object.name, stored.data.replace(*broken), generation=listed_object.generation)

    ReminderWords().remove_withdrawn(chat.conversation, amendments)

    assert len(store.list("reminders/")) == left
