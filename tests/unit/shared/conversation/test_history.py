from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.adapters.memory import MemoryObjectStore
from shared.conversation.amendments import Amendments
from shared.conversation.history import MESSAGES_SHOWN, History
from shared.conversation.provenance import LATEST_MS
from shared.conversation.quotes import Quotable
from shared.conversation.records import ANSWERABLE_MS, Amendment, Recap, SnapshotRecord
from shared.conversation.snapshot import SeenSnapshot
from shared.conversation.store import Conversation, Conversations
from shared.errors import UnknownRecordVersionError
from shared.storage.codec import encode
from tests.support.chats import answer, message, reader

CHAT = "U" + "1" * 32
OTHER_CHAT = "U" + "2" * 32


def read(chat: Conversation) -> History:
    history = reader().read(chat, reader().list(chat))
    assert history is not None
    return history


def fold(chat: Conversation, record: SnapshotRecord) -> None:
    assert chat.snapshot.swap(SeenSnapshot(record=SnapshotRecord(), generation=0), record)


def quoting(withdrawn: int, quoted: str) -> History:
    """Return a chat in which message 9 quotes something and message `withdrawn` is gone; messages 1 and 2 are behind a recap."""
    return History(
        messages=(replace(message(9), quoted_message_id=quoted),),
        older=(message(1, "ten at the station"), message(2)),
        outcomes=(replace(answer(2, "noted: ten", saw=(1,)), sent_message_ids=("b1", "b2")),),
        amendments=Amendments(withdrawn=frozenset({f"m{withdrawn}"})),
        shown_since_ms=9,
    )


def test_messages_are_read_in_the_order_of_their_timestamps(chat: Conversation) -> None:
    for number in (3, 1, 2):
        chat.journal.record(message(number))
    chat.journal.record_outcome(answer(1))

    history = read(chat)

    assert [one.line_message_id for one in history.messages] == ["m1", "m2", "m3"]
    assert history.outcomes == (answer(1),)
    assert history.covered == {"m1"}
    assert history.recorded == {"e1"}
    assert history.journalled == 3


def test_the_journal_overlays_the_snapshot(chat: Conversation) -> None:
    fold(chat, SnapshotRecord(messages=(message(1, "folded"), message(2, "both")), outcomes=(answer(1),)))
    chat.journal.record(message(2, "both, delivered again"))
    chat.journal.record(message(3, "fresh"))

    assert [one.text for one in read(chat).messages] == ["folded", "both, delivered again", "fresh"]


def test_sources_of_recaps_are_kept_but_not_shown(chat: Conversation) -> None:
    recap = Recap(text="they met", covers=("m1",), timestamp_ms=1, since_ms=1, until_ms=1)
    fold(chat, SnapshotRecord(messages=(message(1), message(2)), recaps=(recap,)))

    history = read(chat)

    assert [one.line_message_id for one in history.messages] == ["m2"]
    assert [one.line_message_id for one in history.older] == ["m1"]
    assert history.recaps == (recap,)


def test_amendments_overlay_journal_and_snapshot(chat: Conversation) -> None:
    fold(chat, SnapshotRecord(messages=(message(1, "old words"), message(2, "secret")), timeline={"m1": 1, "m2": 2}))
    chat.journal.record(message(3, "old words"))
    chat.journal.record_outcome(answer(3, "I heard the secret", saw=(2,)))
    for one in ("m1", "m3"):
        chat.amendments.amend(Amendment(line_message_id=one, timestamp_ms=9, text="new words"))
    chat.amendments.amend(Amendment(line_message_id="m2", timestamp_ms=9))

    history = read(chat)

    assert [one.text for one in history.messages] == ["new words", "new words"]
    assert [one.text for one in history.outcomes] == [None]


def test_a_folded_answer_loses_its_words_with_any_message_that_it_saw(chat: Conversation) -> None:
    folded = (answer(2, "answer 2", saw=(1,)), answer(4, "answer 4", saw=(1, 2, 3)))
    fold(chat, SnapshotRecord(outcomes=folded))

    chat.amendments.amend(Amendment(line_message_id="m3", timestamp_ms=9))

    assert [one.text for one in read(chat).outcomes] == ["answer 2", None]


def test_a_long_chat_shows_its_newest_messages_only(chat: Conversation) -> None:
    for number in range(1, 3 * MESSAGES_SHOWN):
        chat.journal.keep(message(number))

    shown = [one.timestamp_ms for one in read(chat).messages]

    assert shown == list(range(3 * MESSAGES_SHOWN - MESSAGES_SHOWN, 3 * MESSAGES_SHOWN))


def test_a_chat_sees_only_itself(conversations: Conversations) -> None:
    conversations.of(CHAT).journal.record(message(1))

    assert read(conversations.of(OTHER_CHAT)).messages == ()


def test_a_listed_object_that_is_gone_means_a_compaction_passed(chat: Conversation, store: MemoryObjectStore) -> None:
    store.create(chat.names.message("m1"), encode(message(1)))
    listing = reader().list(chat)
    store.delete(chat.names.message("m1"))

    assert reader().read(chat, listing) is None


def test_an_unreadable_record_does_not_silence_the_chat(chat: Conversation, store: MemoryObjectStore) -> None:
    store.create(f"journal/{CHAT}/broken.json", b"{")
    chat.journal.record(message(1))

    assert len(read(chat).messages) == 1


def test_a_record_of_a_newer_release_is_an_error(chat: Conversation, store: MemoryObjectStore) -> None:
    store.create(f"journal/{CHAT}/newer.json", b'{"version": 99}')

    with pytest.raises(UnknownRecordVersionError, match="version 99"):
        read(chat)


def test_a_burst_that_is_too_long_to_be_shown_is_pending_as_a_whole(chat: Conversation) -> None:
    for number in range(1, MESSAGES_SHOWN + 11):
        chat.journal.keep(message(number))

    history = read(chat)

    assert len(history.messages) == MESSAGES_SHOWN
    assert len(history.pending(message(1), now_ms=100)) == MESSAGES_SHOWN + 10


def test_pending_messages_are_addressed_standing_uncovered_and_young(chat: Conversation) -> None:
    now_ms = ANSWERABLE_MS + 100
    messages = [message(1), message(100), message(101), message(102), message(103, addressed=False), message(104)]
    for one in messages:
        chat.journal.keep(one)
    chat.journal.record_outcome(answer(101))
    chat.amendments.amend(Amendment(line_message_id="m102", timestamp_ms=200))

    pending = read(chat).pending(messages[-1], now_ms=now_ms + 1)

    assert [one.line_message_id for one in pending] == ["m104"]
    assert [one.line_message_id for one in read(chat).pending(messages[-1], now_ms=now_ms - 1)] == ["m100", "m104"]


def test_a_redelivery_refreshes_the_token_and_an_edit_the_words(chat: Conversation) -> None:
    chat.journal.keep(message(1, "old words"))
    chat.amendments.amend(Amendment(line_message_id="m1", timestamp_ms=9, text="new words"))

    [pending] = read(chat).pending(replace(message(1, "old words"), received_ms=500), now_ms=600)

    assert (pending.received_ms, pending.text) == (500, "new words")


def test_the_provenance_of_a_prompt_names_what_it_holds_and_nothing_that_this_had_seen(chat: Conversation) -> None:
    fold(
        chat,
        SnapshotRecord(
            messages=(message(7),),
            outcomes=(answer(7, saw=(5,)),),
            recaps=(Recap(id="recap-1", text="r", covers=("m4",), timestamp_ms=4, since_ms=3, until_ms=4),),
        ),
    )
    chat.journal.record(message(8))
    chat.journal.record_outcome(answer(8, saw=(6,)))

    provenance = read(chat).provenance

    assert provenance.ids == {"recap-1", "m7", "e7", "m8", "e8"}
    assert provenance.since_ms == 3
    assert History().provenance.since_ms == LATEST_MS


def test_a_quoted_message_behind_a_recap_is_part_of_the_provenance() -> None:
    history = quoting(5, "m1")

    assert history.quotable.quoted_by(history.messages[0]) == message(1, "ten at the station")
    assert history.provenance.ids == {"m1", "m9"}
    assert history.provenance.since_ms == 1


def test_a_quoted_bubble_stands_for_its_whole_answer() -> None:
    for bubble in ("b1", "b2"):
        history = quoting(5, bubble)

        assert history.quotable.quoted_by(history.messages[0]) == history.outcomes[0]
        assert history.provenance.ids == {"e2", "m9"}
        assert history.provenance.since_ms == 2


def test_a_quote_of_a_withdrawn_or_unknown_message_has_no_words() -> None:
    withdrawn, unknown = quoting(5, "m5"), quoting(5, "m77")

    assert withdrawn.quotable.quoted_by(withdrawn.messages[0]) == "withdrawn"
    assert unknown.quotable.quoted_by(unknown.messages[0]) == "unknown"
    assert withdrawn.provenance.ids == unknown.provenance.ids == {"m9"}


def test_a_quoted_answer_that_lost_its_words_counts_as_withdrawn() -> None:
    emptied = replace(answer(2, None), sent_message_ids=("b1",))
    quotable = Quotable.of((), (emptied,), frozenset())

    assert quotable.quoted_by(replace(message(9), quoted_message_id="b1")) == "withdrawn"


@given(st.sets(st.integers(1, 8)), st.integers(1, 10))
def test_a_prompt_names_the_message_that_was_quoted(known: set[int], quoted: int) -> None:
    history = History(
        messages=(replace(message(9), quoted_message_id=f"m{quoted}"),),
        older=tuple(message(number) for number in sorted(known)),
    )
    is_known = quoted in known or quoted == 9

    assert (f"m{quoted}" in history.provenance.ids) is is_known
    assert (history.provenance_of_quotes(history.messages).since_ms < LATEST_MS) is is_known
