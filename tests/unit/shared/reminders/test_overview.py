"""What is due in a chat, as a text that names the messages behind it."""

from concurrent.futures import Executor
from dataclasses import replace

import pytest

from shared.adapters.memory import FixedClock, MemoryObjectStore
from shared.conversation.amendment_records import Amendment
from shared.conversation.overview import Overview
from shared.conversation.provenance import Provenance, Source
from shared.line.phrases import Phrase
from shared.reminders.overview import OpenReminders
from shared.reminders.store import ReminderStore
from tests.support.chats import conversations_on, fold_amendments
from tests.support.phrases import NamedPhrases
from tests.support.reminders import ReminderChat

CHAT = "U" + "1" * 32


@pytest.fixture
def chat(store: MemoryObjectStore, reads: Executor, clock: FixedClock) -> ReminderChat:
    return ReminderChat(conversations_on(store, reads, clock).of(CHAT))


def due(chat: ReminderChat) -> Overview:
    return OpenReminders.read(chat.conversation).listed(phrases=NamedPhrases(), locale="ja")


def withdraw(chat: ReminderChat, *message_ids: str) -> None:
    for message_id in message_ids:
        chat.conversation.amendments.amend(Amendment(line_message_id=message_id, timestamp_ms=9_000))


def remind(chat: ReminderChat, name: str, *, hour: int = 9, asked_ms: int = 1_000) -> None:
    source = Source(line_message_id=f"m-{name}", timestamp_ms=asked_ms)
    chat.remind(name, at=f"2026-11-23T{hour:02}:00", source=source)


def test_a_reminder_that_reads_like_a_receipt_is_listed_without_its_mark(chat: ReminderChat) -> None:
    remind(chat, "✓ 削除：「牛乳」")

    assert due(chat).text.endswith(" 削除：「牛乳」")
    assert "✓" not in due(chat).text


def test_the_next_one_stands_first_and_what_waits_for_an_answer_before_all(chat: ReminderChat) -> None:
    for name, hour in (("late", 12), ("early", 9), ("kept", 15)):
        remind(chat, name, hour=hour, asked_ms=hour)
    (early,) = (one for one in chat.stored if one.text == "early")
    added = Source(line_message_id="m-added", timestamp_ms=20)
    chat.turn(lambda overlay: overlay.change(early.id, text="early", provenance=Provenance.of_sources((added,))))
    store = ReminderStore(chat.conversation)
    (kept,) = (one for one in chat.stored if one.text == "kept")
    store.update(kept.id, lambda _: replace(kept, kept_ms=chat.conversation.turn.clock.now_ms()))

    found = due(chat)

    assert [line.split()[-1] for line in found.text.splitlines()[1:]] == ["kept", "early", "late"]
    assert (found.provenance.message_ids, found.provenance.since_ms) == (
        frozenset({"m-kept", "m-early", "m-added", "m-late"}),
        9,
    )


def test_thirty_are_shown_and_the_others_are_counted(chat: ReminderChat) -> None:
    for number in range(31):
        remind(chat, f"word{number}", hour=0 if number < 30 else 1)

    found = due(chat)

    assert len(found.text.splitlines()) == 32
    assert found.text.endswith("\n… +1")
    assert "m-word30" not in found.provenance.message_ids
    withdraw(chat, "m-word30")
    assert "… +" not in due(chat).text


def test_reminders_of_withdrawn_messages_are_not_shown_however_long_ago_that_was(chat: ReminderChat) -> None:
    remind(chat, "gone")
    remind(chat, "here")
    withdraw(chat, "m-gone")
    fold_amendments(chat.conversation.amendments)

    assert [line.split()[-1] for line in due(chat).text.splitlines()[1:]] == ["here"]
    withdraw(chat, "m-here")
    assert due(chat) == Overview(text=Phrase.REMINDERS_NONE.value)


def test_where_nothing_is_due_nothing_is_named(chat: ReminderChat) -> None:
    remind(chat, "done")
    chat.turn(lambda overlay: overlay.cancel(chat.stored[0].id))

    assert due(chat) == Overview(text=Phrase.REMINDERS_NONE.value)
