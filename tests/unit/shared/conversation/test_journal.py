from dataclasses import replace

import pytest

from shared.adapters.memory import FixedClock, MemoryObjectStore
from shared.conversation.amendment_records import Amendment
from shared.conversation.provenance import Provenance
from shared.conversation.records import MessageRecord, OutcomeKind, OutcomeRecord
from shared.conversation.store import Conversation, Conversations
from shared.errors import UnusableIdError
from shared.storage.codec import decode
from shared.storage.object_store import StoredObject
from tests.support.chats import answer, conversations_on, everything_in, fold_amendments, message
from tests.support.inline import InlineExecutor
from tests.support.knowledge import WatchedStore

CHAT = "U" + "1" * 32


def kept(chat: Conversation, number: int) -> MessageRecord:
    stored = chat.objects.store.read(chat.names.message(f"m{number}"))
    assert stored is not None
    return decode(MessageRecord, stored.data)


def test_recording_a_message_twice_changes_nothing(chat: Conversation, store: MemoryObjectStore) -> None:
    chat.journal.record(message(1, "first"))
    before = store.list("")

    assert chat.journal.record(message(1, "second"))
    assert store.list("") == before


def test_a_message_that_was_withdrawn_before_it_came_does_not_stand(
    chat: Conversation, store: MemoryObjectStore
) -> None:
    chat.amendments.amend(Amendment(line_message_id="m1", timestamp_ms=9))

    assert not chat.journal.record(message(1, "my pin is 4711"))
    assert "4711" not in everything_in(store)


def test_a_message_that_was_erased_before_it_came_does_not_stand(chat: Conversation, store: MemoryObjectStore) -> None:
    chat.amendments.erase(1)

    assert not chat.journal.record(message(1, "my pin is 4711"))
    assert chat.journal.record(message(2))
    assert "4711" not in everything_in(store)


def test_a_message_that_was_edited_before_it_came_has_its_newest_words(chat: Conversation) -> None:
    chat.amendments.amend(Amendment(line_message_id="m1", timestamp_ms=9, text="my pin is a secret"))

    assert chat.journal.record(message(1, "my pin is 4711"))
    assert kept(chat, 1).text == "my pin is a secret"


def test_an_older_edit_never_overwrites_a_newer_one(chat: Conversation) -> None:
    chat.journal.record(message(1, "first"))
    for timestamp_ms, text in ((9, "newest"), (5, "older")):
        chat.amendments.amend(Amendment(line_message_id="m1", timestamp_ms=timestamp_ms, text=text))
        chat.journal.apply_edit("m1")

    assert kept(chat, 1).text == "newest"


def test_an_edit_is_applied_also_long_after_it_was_made(chat: Conversation) -> None:
    chat.journal.record(message(1, "first"))
    chat.amendments.amend(Amendment(line_message_id="m1", timestamp_ms=9, text="edited"))
    fold_amendments(chat.amendments)

    chat.journal.apply_edit("m1")

    assert kept(chat, 1).text == "edited"


def test_an_edit_that_stands_already_is_not_written_again(chat: Conversation, store: MemoryObjectStore) -> None:
    chat.amendments.amend(Amendment(line_message_id="m1", timestamp_ms=9, text="newest"))
    chat.journal.record(message(1, "first"))
    before = store.list("")

    chat.journal.apply_edit("m1")

    assert store.list("") == before


def test_an_answer_that_is_recorded_after_the_unsend_loses_its_text(
    chat: Conversation, store: MemoryObjectStore
) -> None:
    chat.amendments.amend(Amendment(line_message_id="m1", timestamp_ms=9))

    assert chat.journal.record_outcome(answer(2, "I noted 4711", saw=(1,)))

    assert "4711" not in everything_in(store)
    outcome = chat.journal.outcome_of("e2")
    assert outcome is not None
    assert outcome.answered_ids == ("m2",)


def test_an_answer_that_saw_no_withdrawn_message_keeps_its_text(chat: Conversation) -> None:
    chat.amendments.amend(Amendment(line_message_id="m1", timestamp_ms=9))

    assert not chat.journal.record_outcome(answer(2))
    assert chat.journal.outcome_of("e2") == answer(2)


def test_a_fixed_text_that_nobody_has_recorded_costs_no_read(clock: FixedClock) -> None:
    store = WatchedStore()
    chat = conversations_on(store, InlineExecutor(), clock).of(CHAT)

    chat.journal.record_outcome(
        OutcomeRecord(webhook_event_id="e1", timestamp_ms=1, kind=OutcomeKind.REPLIED, provenance=Provenance())
    )

    assert store.reads == 0


@pytest.mark.parametrize("fate", [OutcomeKind.REPLIED, OutcomeKind.UNKNOWN])
def test_a_fixed_text_that_another_delivery_gave_up_meanwhile_is_recorded_as_sent(
    chat: Conversation, fate: OutcomeKind
) -> None:
    sent = OutcomeRecord(webhook_event_id="e1", timestamp_ms=1, kind=fate, provenance=Provenance(), text="done")
    chat.journal.record_outcome(replace(sent, kind=OutcomeKind.UNDELIVERED, text=None))

    chat.journal.record_outcome(sent)

    assert chat.journal.read_outcomes() == (sent,)


def test_a_text_that_was_sent_stays_recorded_as_sent(chat: Conversation) -> None:
    sent = OutcomeRecord(
        webhook_event_id="e1", timestamp_ms=1, kind=OutcomeKind.REPLIED, provenance=Provenance(), text="done"
    )
    chat.journal.record_outcome(sent)

    chat.journal.record_outcome(replace(sent, kind=OutcomeKind.UNDELIVERED, text=None))
    chat.journal.record_outcome(replace(sent, kind=OutcomeKind.UNKNOWN))

    assert chat.journal.read_outcomes() == (sent,)


def test_an_answer_to_messages_keeps_its_first_outcome(chat: Conversation) -> None:
    first = replace(answer(1), kind=OutcomeKind.UNDELIVERED, text=None)
    chat.journal.record_outcome(first)

    chat.journal.record_outcome(answer(1))

    assert chat.journal.read_outcomes() == (first,)


def test_removing_the_words_of_an_absent_outcome_does_nothing(chat: Conversation) -> None:
    chat.journal.remove_words("e1")

    assert chat.journal.outcome_of("e1") is None


@pytest.mark.parametrize("conversation_id", ["", "..", f"{CHAT}/..", "U1"])
def test_an_id_that_is_not_lines_is_no_chat(conversations: Conversations, conversation_id: str) -> None:
    with pytest.raises(UnusableIdError, match="no LINE id"):
        conversations.of(conversation_id)


def test_a_message_is_marked_as_meant_for_the_bot_where_it_is_still_there(
    chat: Conversation, store: MemoryObjectStore
) -> None:
    said = replace(message(1), addressed=False)
    chat.journal.keep(said)

    chat.journal.mark_as_addressed("m1")
    chat.journal.mark_as_addressed("m2")

    before = store.list("")
    assert chat.journal.message_of("m1") == replace(said, addressed=True)
    assert chat.journal.message_of("m2") is None
    chat.journal.mark_as_addressed("m1")
    assert store.list("") == before


def test_a_message_is_marked_as_context_where_it_is_still_there(chat: Conversation, store: MemoryObjectStore) -> None:
    chat.journal.keep(message(1))

    chat.journal.mark_as_context("m1")
    chat.journal.mark_as_context("m2")

    before = store.list("")
    assert chat.journal.message_of("m1") == replace(message(1), addressed=False)
    assert chat.journal.message_of("m2") is None
    chat.journal.mark_as_context("m1")
    assert store.list("") == before


def test_a_message_whose_author_took_back_everything_does_not_stand(chat: Conversation) -> None:
    chat.amendments.forget_member("U" + "7" * 32, until_ms=5)
    by_them = replace(message(1), user_id="U" + "7" * 32, timestamp_ms=5)

    assert not chat.journal.record(by_them)
    assert chat.journal.record(replace(by_them, line_message_id="m2", timestamp_ms=6))
    assert chat.journal.record(replace(by_them, line_message_id="m3", user_id="U" + "8" * 32))


def test_what_was_just_recorded_is_not_read_again(chat: Conversation, store: MemoryObjectStore) -> None:
    chat.journal.record(message(1))
    names: list[str] = []
    read = store.read

    def read_and_note(name: str) -> StoredObject | None:
        names.append(name)
        return read(name)

    store.read = read_and_note  # type: ignore[method-assign]

    assert [one.line_message_id for one in chat.journal.read_messages()] == ["m1"]
    assert names == []


def test_listed_messages_are_read_and_what_cannot_be_read_is_left(chat: Conversation, store: MemoryObjectStore) -> None:
    for number in (1, 2):
        chat.journal.keep(message(number))
    store.create(chat.names.message("m3"), b"no record")

    found = chat.journal.read_listed(chat.journal.list_objects(), {"m1", "m3", "m9"})

    assert [one.line_message_id for one in found] == ["m1"]
    assert store.read(chat.names.message("m3")) is not None
