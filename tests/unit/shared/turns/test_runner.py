"""The runner: how a delivery waits for its turn, and what is left of a turn when a delivery fails on the way."""

from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import replace

import pytest

from shared.adapters.memory import FixedClock, MemoryObjectStore
from shared.bus.endpoint import REQUEST_S
from shared.conversation.records import OutcomeKind, outcome_of
from shared.conversation.turn import Route
from shared.errors import StorageUnavailableError
from shared.line.messaging import OutgoingMessage, ReplyToken
from shared.storage.object_store import ListedObject, StoredObject
from shared.turns.lease import Lease, take_over
from shared.turns.outbox import ENDING_S
from tests.support.chats import conversations_on, message
from tests.support.races import SharedStore, StoreThatReadsLast
from tests.support.turns import ActingClock, RepliedChat


class StoreWithoutSnapshots(MemoryObjectStore):
    """A bucket that does not answer when a snapshot is read, as often as `failures` says."""

    failures = 0

    def read(self, name: str) -> StoredObject | None:
        if self.failures and name.startswith("snapshots/"):
            self.failures -= 1
            raise StorageUnavailableError("down")
        return super().read(name)


class CompactedStore(MemoryObjectStore):
    """A bucket from which a compaction takes a message, once it was listed and before it is read."""

    taken: str | None = None

    def read(self, name: str) -> StoredObject | None:
        if name == self.taken:
            self.taken = None
            self.delete(name)
        return super().read(name)


def test_turn_that_was_opened_beside_a_failed_read_is_free_again(pool: ThreadPoolExecutor) -> None:
    store = StoreWithoutSnapshots()
    chat = RepliedChat(pool, clock=FixedClock(), store=store)
    asked = chat.message(1)
    store.failures = 4

    for _ in range(4):
        with pytest.raises(StorageUnavailableError):
            chat.deliver(asked)

    assert chat.conversation.turn.read().record.state == "idle"
    assert chat.deliver(asked) == "replied"
    assert chat.questions == [("m1",)]


def test_turn_that_was_opened_for_a_redelivery_is_free_again(pool: ThreadPoolExecutor) -> None:
    chat = RepliedChat(pool, clock=FixedClock())
    first, second = chat.message(1), chat.message(2)
    assert [chat.deliver(first), chat.deliver(second)] == ["replied", "replied"]

    assert chat.deliver(first) == "already_answered"

    assert chat.conversation.turn.read().record.state != "thinking"
    assert chat.questions == [("m1",), ("m2",)]


def test_message_is_answered_at_once_where_a_compaction_passes_while_the_chat_is_read(pool: ThreadPoolExecutor) -> None:
    clock, store = FixedClock(), CompactedStore()
    chat = RepliedChat(pool, clock=clock, store=store)
    context = message(7, addressed=False, timestamp_ms=clock.now_ms())
    conversations_on(store, pool, clock).of(chat.conversation.id).journal.keep(context)
    store.taken = chat.conversation.names.message("m7")

    assert chat.deliver(chat.message(8)) == "replied"

    assert store.read(chat.conversation.names.message("m7")) is None
    assert clock.monotonic_s() < 1


class CountingStore(MemoryObjectStore):
    """A bucket that counts its lists."""

    lists = 0

    def list(self, prefix: str, *, since: str | None = None, before: str | None = None) -> tuple[ListedObject, ...]:
        self.lists += 1
        return super().list(prefix, since=since, before=before)


def committed_by_another(chat: RepliedChat) -> Lease:
    """Commit an answer to message m1, as another worker does that has not sent it."""
    asked = chat.message(1)
    chat.conversation.journal.record(asked)
    lease = chat.open_turn()
    outcome = replace(outcome_of([asked], OutcomeKind.REPLIED), text="decided before")
    assert lease.commit(outcome, Route.on(asked.reply_token)) is not None
    return lease


def test_a_turn_is_opened_beside_the_read_of_the_chat(pool: ThreadPoolExecutor) -> None:
    store = StoreThatReadsLast()
    chat = RepliedChat(pool, clock=FixedClock(), store=store)

    assert chat.deliver(chat.message(1)) == "replied"

    assert store.were_open[0]


@pytest.mark.parametrize("before", ["one answer", "two answers", "released", "expired"])
def test_a_free_turn_is_opened_beside_the_read(pool: ThreadPoolExecutor, before: str) -> None:
    store = StoreThatReadsLast()
    store.is_open.set()
    chat = RepliedChat(pool, clock=FixedClock(), store=store)
    match before:
        case "released":
            chat.open_turn().release()
        case "expired":
            chat.open_turn()
            chat.clock.sleep(25)
        case _:
            for number in range(1 if before == "one answer" else 2):
                assert chat.deliver(chat.message(number)) == "replied"
    store.is_open.clear()
    store.were_open.clear()

    assert chat.deliver(chat.message(3)) == "replied"

    assert store.were_open[0]


def test_a_delivery_waits_for_as_long_as_it_could_open_the_turn_itself(pool: ThreadPoolExecutor) -> None:
    chat = RepliedChat(pool, clock=FixedClock(), lease_s=1_000)
    chat.open_turn()

    assert chat.deliver(chat.message(1)) == "handed_over"

    assert chat.clock.monotonic_s() == pytest.approx(REQUEST_S - 50 - ENDING_S)


def test_a_delivery_that_comes_too_late_in_its_request_hands_over_although_the_turn_is_free(
    pool: ThreadPoolExecutor,
) -> None:
    chat = RepliedChat(pool, clock=FixedClock())

    assert chat.deliver(chat.message(1), left_s=50 + ENDING_S) == "handed_over"
    assert chat.deliver(chat.message(2), left_s=51 + ENDING_S) == "replied"

    assert chat.questions == [("m1", "m2")]


def test_a_question_is_thought_about_until_its_request_ends(pool: ThreadPoolExecutor) -> None:
    chat = RepliedChat(pool, clock=FixedClock())

    assert chat.deliver(chat.message(1), left_s=51 + ENDING_S) == "replied"

    assert chat.seconds == [40]


def test_a_waiting_delivery_opens_the_turn_as_soon_as_it_is_free(pool: ThreadPoolExecutor) -> None:
    clock = ActingClock()
    chat = RepliedChat(pool, clock=clock)
    clock.meanwhile = chat.open_turn().release

    assert chat.deliver(chat.message(1)) == "replied"

    assert 0.2 < clock.monotonic_s() < 0.6


def test_a_question_leaves_a_free_turn_to_an_older_command_of_its_instance(pool: ThreadPoolExecutor) -> None:
    clock = ActingClock()
    chat = RepliedChat(pool, clock=clock)
    asked, waiting = chat.message(1), ExitStack()
    waiting.enter_context(chat.runner.room.place(chat.conversation.id, sent_ms=asked.timestamp_ms - 1, gives_way=False))
    clock.meanwhile = waiting.close

    assert chat.deliver(asked) == "replied"

    assert 0.2 < clock.monotonic_s() < 0.6


def test_a_waiting_delivery_ends_as_soon_as_another_worker_has_answered(pool: ThreadPoolExecutor) -> None:
    clock = ActingClock()
    chat = RepliedChat(pool, clock=clock)
    lease = committed_by_another(chat)

    def record() -> None:
        assert lease.record.outcome is not None
        chat.conversation.journal.record_outcome(lease.record.outcome)

    clock.meanwhile = record

    assert chat.deliver(chat.message(1)) == "already_answered"

    assert (clock.monotonic_s() < 0.6, chat.line.calls, chat.questions) == (True, 0, [])


def test_a_lease_that_ends_in_this_millisecond_is_waited_for_no_longer(pool: ThreadPoolExecutor) -> None:
    chat = RepliedChat(pool, clock=FixedClock())
    chat.conversation.journal.record(chat.message(1))
    chat.open_turn()
    asked = chat.message(1)
    chat.clock.sleep(25)

    assert chat.deliver(asked) == "replied"
    assert (chat.clock.monotonic_s(), chat.conversation.turn.read().record.sequence) == (25, 1)


def test_an_answer_whose_holder_died_is_sent_when_its_lease_ends(pool: ThreadPoolExecutor) -> None:
    chat = RepliedChat(pool, clock=FixedClock())
    asked = chat.message(1)
    committed_by_another(chat)
    chat.clock.sleep(24.9)

    assert chat.deliver(asked) == "replied"

    assert chat.line.replies == {"t1": ("decided before",)}
    assert (25 <= chat.clock.monotonic_s() < 25.6, chat.questions) == (True, [])


def test_another_question_follows_the_answer_that_it_took_over(pool: ThreadPoolExecutor) -> None:
    chat = RepliedChat(pool, clock=FixedClock())
    committed_by_another(chat)
    chat.clock.sleep(25)

    assert chat.deliver(chat.message(2)) == "replied"

    assert chat.line.replies == {"t1": ("decided before",), "t2": ("re m2",)}
    assert chat.clock.monotonic_s() == 25


def test_a_committed_answer_is_not_lost_beside_earlier_ones(pool: ThreadPoolExecutor) -> None:
    chat = RepliedChat(pool, clock=FixedClock())
    assert chat.deliver(chat.message(5)) == "replied"
    committed_by_another(chat)

    assert chat.deliver(chat.message(7)) == "replied"

    assert chat.line.replies["t1"] == ("decided before",)
    assert chat.line.replies["t7"] == ("re m7",)


def test_an_answer_that_a_dead_holder_had_sent_counts_as_sent(pool: ThreadPoolExecutor) -> None:
    chat = RepliedChat(pool, clock=FixedClock())
    committed_by_another(chat)
    chat.line.reply(
        ReplyToken(value="t1", received_ms=0), [OutgoingMessage(text="decided before")]
    )  # it died before it could record that
    chat.clock.sleep(25)

    assert chat.deliver(chat.message(1)) == "replied"
    assert chat.outcome("e1").kind is OutcomeKind.REPLIED


def test_a_waiting_delivery_reads_the_turn_alone_until_it_moves(pool: ThreadPoolExecutor) -> None:
    store = CountingStore()
    chat = RepliedChat(pool, clock=FixedClock(), store=store)
    chat.open_turn()

    assert chat.deliver(chat.message(1)) == "replied"

    assert chat.clock.monotonic_s() > 25
    assert store.lists < 20


def test_an_edited_question_whose_turn_another_worker_opens_first_waits(pool: ThreadPoolExecutor) -> None:
    clock, store = ActingClock(), SharedStore()
    chat = RepliedChat(pool, clock=clock, store=store)
    chat.edit("m1", "newer words")

    def open_first() -> None:
        clock.meanwhile = chat.open_turn().release

    store.others = [lambda: None, open_first]  # the first write is that of the newer words

    assert chat.deliver(chat.message(1)) == "replied"
    assert chat.questions == [("m1",)]
    assert store.others == []


def test_a_takeover_that_another_worker_overtook_reads_the_chat_again(pool: ThreadPoolExecutor) -> None:
    store = SharedStore()
    chat = RepliedChat(pool, clock=FixedClock(), store=store)
    committed_by_another(chat)
    chat.clock.sleep(25)

    def finish() -> None:
        lease = take_over(chat.conversation, chat.conversation.turn.read())
        assert lease is not None
        assert lease.record.outcome is not None
        chat.conversation.journal.record_outcome(lease.record.outcome)

    store.others = [finish]

    assert chat.deliver(chat.message(1)) == "already_answered"
    assert chat.line.calls == 0


def test_a_turn_that_another_worker_opened_first_is_waited_for(pool: ThreadPoolExecutor) -> None:
    clock, store = ActingClock(), SharedStore()
    chat = RepliedChat(pool, clock=clock, store=store)

    def open_first() -> None:
        clock.meanwhile = chat.open_turn().release

    store.others = [open_first]

    assert chat.deliver(chat.message(1)) == "replied"
    assert chat.questions == [("m1",)]
    assert clock.monotonic_s() > 0
