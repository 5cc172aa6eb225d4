from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace

import pytest

from shared.adapters.memory import MemoryObjectStore
from shared.conversation.amendment_records import Amendment
from shared.conversation.amendments import Amendments
from shared.conversation.history import History, IndexView
from shared.conversation.history_reader import MESSAGES_SHOWN, OUTCOMES_READ, THINGS_READ, HistoryReader
from shared.conversation.provenance import LATEST_MS
from shared.conversation.records import ANSWERABLE_MS, Audit, Offer, OutcomeKind, provenance_of, waiting_texts
from shared.conversation.snapshot_records import Recap, SnapshotRecord
from shared.conversation.store import Conversation, Conversations
from shared.conversation.turn import TurnRecord
from shared.errors import UnknownRecordVersionError
from shared.knowledge.prompt_index import KnowledgeIndex
from shared.line.messaging import ReplyToken
from shared.storage.codec import encode
from shared.storage.object_store import ListedObject, StoredObject
from shared.storage.versioned import Versioned
from tests.support.chats import (
    answer,
    conversations_on,
    fold_amendments,
    made_of,
    made_with,
    message,
    reader,
    received_at,
)
from tests.support.inline import InlineExecutor

CHAT = "U" + "1" * 32
OTHER_CHAT = "U" + "2" * 32


def read(chat: Conversation) -> History:
    history = reader().read(chat, reader().list(chat))
    assert history is not None
    return history


def fold(chat: Conversation, record: SnapshotRecord) -> None:
    assert chat.snapshot.swap(Versioned(record=SnapshotRecord(), generation=0), record)


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


@pytest.mark.parametrize("text", ["newer words", None])
def test_what_the_snapshot_shows_is_read_with_its_amendments_however_old(chat: Conversation, text: str | None) -> None:
    fold(chat, SnapshotRecord(messages=(message(1, "older words"), message(2, "two"))))
    chat.amendments.amend(Amendment(line_message_id="m1", timestamp_ms=5, text=text))
    fold_amendments(chat.amendments)

    history = read(chat)

    assert [one.text for one in history.messages] == ([text, "two"] if text else ["two"])
    assert "m1" in history.amendments.withdrawn | history.amendments.edits.keys()


@pytest.mark.parametrize("is_folded", [False, True])
def test_what_answers_and_recaps_name_is_read_with_its_amendments_however_old(
    chat: Conversation, *, is_folded: bool
) -> None:
    recap = Recap(
        text="the pin is 4711",
        timestamp_ms=2,
        id="recap-1",
        summed_up_ids=("m2",),
        provenance=made_of("m2", since_ms=2, until_ms=2),
    )
    fold(chat, SnapshotRecord(outcomes=(answer(1, "noted: 4711"),) if is_folded else (), recaps=(recap,)))
    if not is_folded:
        chat.journal.record_outcome(answer(1, "noted: 4711"))
    chat.amendments.amend(Amendment(line_message_id="m1", timestamp_ms=5))
    chat.amendments.amend(Amendment(line_message_id="m2", timestamp_ms=5))
    fold_amendments(chat.amendments)

    history = read(chat)

    assert [one.text for one in history.outcomes] == [None]
    assert history.recaps == ()


class EntryOfOneMessage:
    """An index with an entry that came from message m1."""

    message_ids = frozenset({"m1"})

    def read(self, _: Conversation) -> "EntryOfOneMessage":
        return self

    def view(
        self, amendments: Amendments, refused: AbstractSet[str] = frozenset(), asked: Sequence[str] = ()
    ) -> IndexView:
        assert not refused
        assert not any(asked)
        return IndexView(provenance=made_of(*self.message_ids - amendments.withdrawn))


@pytest.fixture
def named(chat: Conversation) -> None:
    """Message m1 was withdrawn long ago, before hundreds that an answer names."""
    names = range(1_000, 1_000 + 400)
    for number in (1, *names):
        chat.amendments.amend(Amendment(line_message_id=f"m{number}", timestamp_ms=5))
    fold_amendments(chat.amendments)
    chat.journal.record_outcome(answer(2, saw=tuple(names)))


@pytest.mark.usefixtures("named")
def test_a_late_message_is_hidden_however_many_withdrawn_ones_answers_name(chat: Conversation) -> None:
    chat.journal.keep(message(1))

    assert read(chat).messages == ()


@pytest.mark.usefixtures("named")
def test_an_entry_of_a_withdrawn_message_is_hidden_however_many_withdrawn_ones_answers_name(chat: Conversation) -> None:
    history = HistoryReader(index=EntryOfOneMessage()).read_newest(chat)

    assert history.index.provenance.message_ids == frozenset()


def test_sources_of_recaps_are_kept_but_not_shown(chat: Conversation) -> None:
    recap = Recap(
        id="r0",
        text="they met",
        timestamp_ms=1,
        summed_up_ids=("m1",),
        provenance=made_of("m1", since_ms=1, until_ms=1),
    )
    passed = replace(recap, id="recap-9", summed_up_ids=("m0",), provenance=made_of("m0", since_ms=1, until_ms=1))
    fold(chat, SnapshotRecord(messages=(message(1), message(2)), recaps=(recap,), passed_recaps=(passed,)))

    history = read(chat)

    assert [one.line_message_id for one in history.messages] == ["m2"]
    assert [one.line_message_id for one in history.older] == ["m1"]
    assert (history.recaps, history.unshown_recaps) == ((recap,), (passed,))
    refusing = history.without_refused(frozenset({"r0"}))
    assert (refusing.recaps, refusing.unshown_recaps) == ((), (passed, recap))


def test_amendments_overlay_journal_and_snapshot(chat: Conversation) -> None:
    fold(chat, SnapshotRecord(messages=(message(1, "old words"), message(2, "secret"))))
    chat.journal.record(message(3, "old words"))
    chat.journal.record_outcome(answer(3, "I heard the secret", saw=(2,)))
    for message_id in ("m1", "m3"):
        chat.amendments.amend(Amendment(line_message_id=message_id, timestamp_ms=9, text="new words"))
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
    for record in messages:
        chat.journal.keep(record)
    chat.journal.record_outcome(answer(101))
    chat.amendments.amend(Amendment(line_message_id="m102", timestamp_ms=200))

    pending = read(chat).pending(messages[-1], now_ms=now_ms + 1)

    assert [one.line_message_id for one in pending] == ["m104"]
    assert [one.line_message_id for one in read(chat).pending(messages[-1], now_ms=now_ms - 1)] == ["m100", "m104"]


def test_a_redelivery_refreshes_the_token_and_an_edit_the_words(chat: Conversation) -> None:
    chat.journal.keep(message(1, "old words"))
    chat.amendments.amend(Amendment(line_message_id="m1", timestamp_ms=9, text="new words"))

    [pending] = read(chat).pending(received_at(message(1, "old words"), 500), now_ms=600)

    assert (pending.reply_token, pending.text) == (ReplyToken(value="t1", received_ms=500), "new words")


def test_the_provenance_of_a_prompt_names_what_it_holds_and_nothing_that_this_had_seen(chat: Conversation) -> None:
    fold(
        chat,
        SnapshotRecord(
            messages=(message(7),),
            outcomes=(answer(7, saw=(5,)),),
            recaps=(
                Recap(
                    id="recap-1",
                    text="r",
                    timestamp_ms=4,
                    summed_up_ids=("m4",),
                    provenance=made_of("m4", since_ms=3, until_ms=4),
                ),
            ),
        ),
    )
    chat.journal.record(message(8))
    chat.journal.record_outcome(answer(8, saw=(6,)))

    provenance = read(chat).provenance

    assert provenance.ids == {"recap-1", "m7", "e7", "m8", "e8"}
    assert provenance.since_ms == 3
    assert History().provenance.since_ms == LATEST_MS


@pytest.mark.parametrize(("spares_entries", "since_ms"), [(False, 6), (True, 0)])
def test_a_prompt_may_show_entries_from_after_the_last_erasure_of_entries(
    chat: Conversation, *, spares_entries: bool, since_ms: int
) -> None:
    chat.amendments.erase(5, spares_entries=spares_entries)

    assert read(chat).provenance.entries_since_ms == since_ms


def test_a_question_that_killed_its_workers_is_not_shown_again(chat: Conversation) -> None:
    deadly = replace(answer(2, "sorry"), kind=OutcomeKind.APOLOGISED, audit=Audit(isolates=True))
    fold(chat, SnapshotRecord(messages=(message(1), message(2), message(3)), outcomes=(deadly, answer(3))))

    history = read(chat)

    assert [one.line_message_id for one in history.messages] == ["m1", "m3"]
    assert [one.line_message_id for one in history.hidden] == ["m2"]
    assert history.shown_since_ms == 0


@pytest.mark.parametrize("since_ms", [1, 4])
def test_context_that_killed_workers_is_not_shown_again(chat: Conversation, since_ms: int) -> None:
    isolating = tuple(
        made_with(
            replace(answer(7), webhook_event_id=f"e{number}", audit=Audit(model_name="model", isolates=True)),
            since_ms=number,
        )
        for number in {1, since_ms}
    )
    fold(chat, SnapshotRecord(messages=tuple(map(message, range(8))), outcomes=(answer(0), *isolating)))

    history = read(chat)

    assert [one.timestamp_ms for one in history.messages] == [*range(since_ms, 8)]
    assert [one.timestamp_ms for one in history.hidden] == [*range(since_ms)]
    assert history.shown_since_ms == since_ms
    assert {one.timestamp_ms for one in history.answers} == {7}


@pytest.mark.parametrize(("answers", "since_ms"), [((), 5), (("d1",), 2)])
def test_what_an_isolated_question_quotes_brings_nothing_back_that_killed_workers(
    chat: Conversation, answers: tuple[str, ...], since_ms: int
) -> None:
    asked = replace(message(5), edited_ms=9)  # quotes message 2
    isolating = replace(
        answer(5),
        answers=answers,
        provenance=provenance_of((asked,)) | replace(provenance_of((message(2),)), until_ms=-1),
        audit=Audit(model_name="model", isolates=True),
    )
    fold(chat, SnapshotRecord(messages=(*map(message, range(5)), asked, message(6)), outcomes=(isolating,)))

    assert [one.timestamp_ms for one in read(chat).messages] == [*range(since_ms, 7)]


def test_answers_are_shown_whatever_their_age_where_every_message_is(chat: Conversation) -> None:
    fold(chat, SnapshotRecord(messages=tuple(map(message, range(2, MESSAGES_SHOWN + 2))), outcomes=(answer(1),)))
    assert read(chat).shown_since_ms == 0

    chat.journal.keep(message(MESSAGES_SHOWN + 2))
    history = read(chat)
    assert (history.shown_since_ms, history.answers) == (3, ())


def test_answers_before_the_verbatim_part_are_behind_the_recap(chat: Conversation) -> None:
    recap = Recap(
        id="r1",
        text="they met",
        timestamp_ms=1,
        summed_up_ids=("m1",),
        provenance=made_of("m1", since_ms=1, until_ms=1),
    )
    fold(chat, SnapshotRecord(messages=(message(1), message(3)), recaps=(recap,), outcomes=(answer(1), answer(3))))

    assert read(chat).shown_since_ms == 3
    assert read(chat).answers == (answer(3),)


def test_a_chat_that_is_summed_up_as_a_whole_shows_no_message(chat: Conversation) -> None:
    recap = Recap(
        id="r2",
        text="they met",
        timestamp_ms=1,
        summed_up_ids=("m1",),
        provenance=made_of("m1", since_ms=1, until_ms=1),
    )
    fold(chat, SnapshotRecord(messages=(message(1),), recaps=(recap,)))

    history = read(chat)

    assert (history.messages, history.shown_since_ms) == ((), 0)


def test_what_is_too_much_to_be_shown_is_unshown_and_can_be_quoted(chat: Conversation) -> None:
    fold(chat, SnapshotRecord(messages=(message(1), message(2))))
    for number in range(3, MESSAGES_SHOWN + 5):
        chat.journal.keep(message(number))

    history = read(chat)

    assert [one.line_message_id for one in history.unshown] == ["m1", "m2", "m3", "m4"]
    for number in (1, 3):
        quoting = replace(message(100), quoted_message_id=f"m{number}")
        assert history.quotable.quoted_by(quoting) == message(number)


def test_what_journal_and_snapshot_know_of_outcomes_is_joined(chat: Conversation) -> None:
    fold(chat, SnapshotRecord(outcomes=(answer(1), answer(2))))
    chat.journal.record_outcome(answer(2))
    chat.journal.record_outcome(answer(3))

    history = read(chat)

    assert [one.webhook_event_id for one in history.outcomes] == ["e1", "e2", "e3"]
    assert history.covered == {"m1", "m2", "m3"}
    assert history.recorded == {"e1", "e2", "e3"}


def test_outcomes_that_are_listed_are_recorded_also_where_they_are_too_many_to_be_read(chat: Conversation) -> None:
    for number in range(OUTCOMES_READ + 2):
        chat.journal.record_outcome(answer(number))

    history = read(chat)

    assert "e1" not in {one.webhook_event_id for one in history.outcomes}
    assert "e1" in history.recorded
    assert "m1" in history.with_covered_by(TurnRecord(state="committed", outcome=answer(1))).covered


def test_the_outcome_that_a_compaction_left_is_read_however_many_follow_it(chat: Conversation) -> None:
    for number in range(OUTCOMES_READ + 2):
        chat.journal.record_outcome(answer(number))

    assert "e0" in {one.webhook_event_id for one in read(chat).outcomes}


def test_every_outcome_is_read_while_a_press_waits(chat: Conversation) -> None:
    for number in range(OUTCOMES_READ + 3):
        chat.journal.record_outcome(answer(number))
    chat.journal.keep(replace(message(999), presses="e1"))

    assert {"e1", "e2"} <= {one.webhook_event_id for one in read(chat).outcomes}


def test_a_told_text_that_a_compaction_left_does_not_wait_however_many_outcomes_follow(chat: Conversation) -> None:
    chat.journal.record_outcome(replace(answer(1), kind=OutcomeKind.UNDELIVERED, offer=Offer(is_postponed=True)))
    chat.journal.record_outcome(replace(answer(2), answers=("e1",)))
    for number in range(3, OUTCOMES_READ + 5):
        chat.journal.record_outcome(answer(number))

    assert waiting_texts(read(chat).outcomes) == ()


def test_a_told_text_that_was_folded_does_not_wait_however_many_outcomes_follow(chat: Conversation) -> None:
    text = replace(answer(1), kind=OutcomeKind.UNDELIVERED, offer=Offer(is_postponed=True))
    fold(chat, SnapshotRecord(outcomes=(text,)))
    for number in range(2, OUTCOMES_READ + 6):
        chat.journal.record_outcome(replace(answer(number), answers=("e1",) if number == 3 else ()))

    assert waiting_texts(read(chat).outcomes) == ()


def test_outcomes_are_left_out_where_the_snapshot_knows_who_told_a_text(chat: Conversation) -> None:
    text = replace(answer(1), kind=OutcomeKind.UNDELIVERED, offer=Offer(is_postponed=True))
    fold(chat, SnapshotRecord(outcomes=(text, replace(answer(2), answers=("e1",)))))
    for number in range(3, OUTCOMES_READ + 6):
        chat.journal.record_outcome(answer(number))

    assert "e4" not in {one.webhook_event_id for one in read(chat).outcomes}


def test_the_reader_begins_again_where_compactions_pass(chat: Conversation, store: MemoryObjectStore) -> None:
    chat.journal.keep(message(1))
    chat.journal.keep(message(2))
    read_object, gone = store.read, [chat.names.message("m1")]

    def read_while_folded(name: str) -> StoredObject | None:
        if name in gone:
            store.delete(gone.pop())
        return read_object(name)

    conversation = conversations_on(store, InlineExecutor()).of(CHAT)  # with no body in its cache
    store.read = read_while_folded  # type: ignore[method-assign]

    assert [one.line_message_id for one in reader().read_newest(conversation).messages] == ["m2"]


class Things:
    """A feature's things: every object is a thing, and a block shows the newest words."""

    def list_objects(self, conversation: Conversation) -> Sequence[ListedObject]:
        return conversation.objects.store.list("things/")

    def view(
        self,
        bodies: Sequence[bytes | None],
        amendments: Amendments,  # noqa: ARG002 - the protocol's
        refused: AbstractSet[str] = frozenset(),  # noqa: ARG002 - likewise
        asked: Sequence[str] = (),
        *,
        is_whole: bool = True,
    ) -> IndexView:
        words = [body.decode() for body in bodies if body is not None]
        return IndexView(text=f"{len(words)} {words[-1]} {is_whole} {' '.join(asked)}") if words else IndexView()


def read_with_blocks(chat: Conversation, *, with_blocks: bool = True) -> History:
    with_things = HistoryReader(index=KnowledgeIndex(is_shown=False), blocks=(Things(),))
    return with_things.read_newest(chat, with_blocks=with_blocks)


def test_a_block_shows_things_and_is_asked_about_the_messages_that_wait(chat: Conversation) -> None:
    chat.objects.store.create("things/1", b"garden")
    chat.journal.record(message(1, "the garden?"))

    assert [one.text for one in read_with_blocks(chat).blocks] == ["1 garden True the garden?"]


def test_things_are_listed_only_for_a_prompt(chat: Conversation) -> None:
    chat.objects.store.create("things/1", b"garden")

    history = read_with_blocks(chat, with_blocks=False)

    assert (history.blocks, history.has_no_things) == ((), False)


def test_a_listing_without_things_says_that_there_are_none(chat: Conversation) -> None:
    history = read_with_blocks(chat)

    assert (history.blocks, history.has_no_things) == ((), True)


def test_a_reader_without_blocks_knows_of_no_things_whether_there_are_any(chat: Conversation) -> None:
    assert not reader().read_newest(chat, with_blocks=True).has_no_things


def test_of_many_things_those_written_last_are_read(chat: Conversation) -> None:
    for number in range(THINGS_READ + 1):
        chat.objects.store.create(f"things/{THINGS_READ - number:03}", f"thing {number}".encode())

    (block,) = read_with_blocks(chat).blocks

    assert block.text == f"{THINGS_READ} thing {THINGS_READ} False "
