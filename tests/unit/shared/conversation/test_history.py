from dataclasses import replace

import pytest

from shared.adapters.memory import MemoryObjectStore
from shared.conversation.history import ANSWERABLE_MS, LATEST_MS, MESSAGES_SHOWN, History
from shared.conversation.records import Amendment, Recap, SnapshotRecord
from shared.conversation.snapshot import SeenSnapshot
from shared.conversation.store import Memory
from shared.errors import UnknownRecordVersionError
from shared.storage.codec import encode
from shared.storage.object_names import message_name
from tests.support.chats import answer, message

CHAT = "U" + "1" * 32
OTHER_CHAT = "U" + "2" * 32


def read(memory: Memory, chat: str = CHAT) -> History:
    history = memory.reader.read(chat, memory.reader.list(chat))
    assert history is not None
    return history


def fold(memory: Memory, record: SnapshotRecord) -> None:
    assert memory.snapshots.swap(CHAT, SeenSnapshot(record=SnapshotRecord(), generation=0), record)


def test_what_was_recorded_is_read_in_the_order_in_which_it_was_said(memory: Memory) -> None:
    for number in (3, 1, 2):
        memory.journal.record(CHAT, message(number))
    memory.journal.record_outcome(CHAT, answer(1))

    history = read(memory)

    assert [one.line_message_id for one in history.messages] == ["m1", "m2", "m3"]
    assert history.outcomes == (answer(1),)
    assert history.covered == {"m1"}
    assert history.recorded == {"e1"}
    assert history.journalled == 3


def test_the_journal_lies_over_the_snapshot(memory: Memory) -> None:
    fold(memory, SnapshotRecord(messages=(message(1, "folded"), message(2, "both")), outcomes=(answer(1),)))
    memory.journal.record(CHAT, message(2, "both, delivered again"))
    memory.journal.record(CHAT, message(3, "fresh"))

    assert [one.text for one in read(memory).messages] == ["folded", "both, delivered again", "fresh"]


def test_sources_of_recaps_are_kept_but_not_shown(memory: Memory) -> None:
    recap = Recap(text="they met", covers=("m1",), timestamp_ms=1, since_ms=1, until_ms=1)
    fold(memory, SnapshotRecord(messages=(message(1), message(2)), recaps=(recap,)))

    history = read(memory)

    assert [one.line_message_id for one in history.messages] == ["m2"]
    assert [one.line_message_id for one in history.older] == ["m1"]
    assert history.recaps == (recap,)


def test_amendments_lie_over_both(memory: Memory) -> None:
    fold(memory, SnapshotRecord(messages=(message(1, "old words"), message(2, "secret")), timeline={"m1": 1, "m2": 2}))
    memory.journal.record(CHAT, message(3, "old words"))
    memory.journal.record_outcome(CHAT, answer(3, "I heard the secret", saw=(2,)))
    for one in ("m1", "m3"):
        memory.amendments.amend(CHAT, Amendment(line_message_id=one, timestamp_ms=9, text="new words"))
    memory.amendments.amend(CHAT, Amendment(line_message_id="m2", timestamp_ms=9))

    history = read(memory)

    assert [one.text for one in history.messages] == ["new words", "new words"]
    assert [one.text for one in history.outcomes] == [None]


def test_a_folded_answer_loses_its_words_with_anything_that_it_may_have_seen(memory: Memory) -> None:
    folded = tuple(replace(answer(number, f"answer {number}"), since_ms=1, until_ms=number) for number in (2, 4))
    fold(memory, SnapshotRecord(outcomes=folded, timeline={"m1": 1, "m2": 2, "m3": 3, "m4": 4}))

    memory.amendments.amend(CHAT, Amendment(line_message_id="m3", timestamp_ms=9))

    assert [one.text for one in read(memory).outcomes] == ["answer 2", None]


def test_what_is_shown_does_not_grow_with_the_chat(memory: Memory) -> None:
    for number in range(1, 3 * MESSAGES_SHOWN):
        memory.journal.keep(CHAT, message(number))

    shown = [one.timestamp_ms for one in read(memory).messages]

    assert shown == list(range(3 * MESSAGES_SHOWN - MESSAGES_SHOWN, 3 * MESSAGES_SHOWN))


def test_a_chat_sees_only_itself(memory: Memory) -> None:
    memory.journal.record(CHAT, message(1))

    assert read(memory, OTHER_CHAT).messages == ()


def test_a_listed_object_that_is_gone_means_that_a_compaction_passed(memory: Memory, store: MemoryObjectStore) -> None:
    store.create(message_name(CHAT, "m1"), encode(message(1)))
    listing = memory.reader.list(CHAT)
    store.delete(message_name(CHAT, "m1"))

    assert memory.reader.read(CHAT, listing) is None


def test_one_unreadable_record_does_not_silence_the_chat(memory: Memory, store: MemoryObjectStore) -> None:
    store.create(f"journal/{CHAT}/broken.json", b"{")
    memory.journal.record(CHAT, message(1))

    assert len(read(memory).messages) == 1


def test_a_record_of_a_newer_release_is_an_error(memory: Memory, store: MemoryObjectStore) -> None:
    store.create(f"journal/{CHAT}/newer.json", b'{"version": 99}')

    with pytest.raises(UnknownRecordVersionError, match="version 99"):
        read(memory)


def test_pending_is_what_is_addressed_standing_uncovered_and_young(memory: Memory) -> None:
    now_ms = ANSWERABLE_MS + 100
    chat = [message(1), message(100), message(101), message(102), message(103, addressed=False), message(104)]
    for one in chat:
        memory.journal.keep(CHAT, one)
    memory.journal.record_outcome(CHAT, answer(101))
    memory.amendments.amend(CHAT, Amendment(line_message_id="m102", timestamp_ms=200))

    pending = read(memory).pending(chat[-1], now_ms=now_ms + 1)

    assert [one.line_message_id for one in pending] == ["m104"]
    assert [one.line_message_id for one in read(memory).pending(chat[-1], now_ms=now_ms - 1)] == ["m100", "m104"]


def test_a_redelivery_brings_a_fresher_token_and_an_edit_other_words(memory: Memory) -> None:
    memory.journal.keep(CHAT, message(1, "old words"))
    memory.amendments.amend(CHAT, Amendment(line_message_id="m1", timestamp_ms=9, text="new words"))

    [pending] = read(memory).pending(replace(message(1, "old words"), received_ms=500), now_ms=600)

    assert (pending.received_ms, pending.text) == (500, "new words")


def test_a_prompt_knows_all_whose_words_it_can_hold(memory: Memory) -> None:
    fold(
        memory,
        SnapshotRecord(
            messages=(message(7),),
            outcomes=(replace(answer(7), since_ms=5, until_ms=6),),
            recaps=(Recap(text="r", covers=("m4",), timestamp_ms=4, since_ms=3, until_ms=4),),
            timeline={f"m{number}": number for number in range(2, 8)},
        ),
    )
    memory.journal.record(CHAT, message(8))
    memory.journal.record_outcome(CHAT, answer(8, saw=(7,)))

    history = read(memory)

    assert history.seen_ids == {"m3", "m4", "m5", "m6", "m7", "m8"}
    assert history.since_ms == 3
    assert History().since_ms == LATEST_MS
