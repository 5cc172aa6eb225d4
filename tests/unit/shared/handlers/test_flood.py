"""A flood of messages is recorded, folded, and answered together."""

import hashlib
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial

import pytest

from shared.adapters.memory.scripted_model import calling
from shared.bus.endpoint import REQUEST_S
from shared.conversation.records import ANSWERABLE_MS, MessageRecord
from shared.conversation.snapshot import MemoryLimits
from shared.conversation.snapshot_records import SnapshotRecord
from shared.errors import StorageUnavailableError
from shared.storage.codec import decode, encode
from shared.turns.flood import A_MINUTE
from shared.turns.lease import open_turn
from tests.support import push
from tests.support.chats import answer, everything_in, made_with, message
from tests.support.people import START_MS, ChatEvents, Person
from tests.support.pushed import PushedWorker, nothing

HELLO = calling(("reply", {"message": "やあ"}))
OF_A_LARGE_SET = {"type": "image", "imageSet": {"id": "set", "total": 50}}
ONE_MORE_THAN_IS_SHOWN = MemoryLimits(journalled=0, verbatim=A_MINUTE + 1, summed_up=1, recaps_at_once=1)


@pytest.fixture
def arrivals(monkeypatch: pytest.MonkeyPatch) -> list[Callable[[], object]]:
    """What happens, one after another, while messages of a flood wait; they wait for nothing else."""
    coming: list[Callable[[], object]] = []

    def wait_for(_: threading.Condition, is_overtaken: Callable[[], bool], timeout: float | None = None) -> bool:
        assert timeout is not None
        if coming:
            coming.pop(0)()
        return is_overtaken()

    monkeypatch.setattr(threading.Condition, "wait_for", wait_for)
    return coming


def flooding(worker: PushedWorker, *, is_in_group: bool) -> Person:
    """Return a person whose next message is one too many."""
    person = Person(worker, is_in_group=is_in_group)
    for _ in range(A_MINUTE):
        person.says("@Aizuchi hi", HELLO)
    return person


def due_in(person: Person) -> list[str]:
    """Return the messages that a tick resumes, should a worker die."""
    return [one.name.rpartition(".")[2] for one in person.worker.store.list("due/") if "/reply." in one.name]


def test_a_flood_is_recorded_and_its_newest_message_is_answered(
    pool: ThreadPoolExecutor, arrivals: list[Callable[[], object]]
) -> None:
    friend = flooding(PushedWorker(pool), is_in_group=False)
    first, *others = [friend.events.text(f"word {number}") for number in range(20)]
    asked = len(friend.worker.model.requests)

    arrivals += [partial(friend.sends, one, HELLO) for one in others]
    friend.sends(first)

    assert arrivals == []
    assert len(friend.worker.model.requests) == asked + 1
    assert "word 19" in friend.worker.prompt()
    kept = everything_in(friend.worker.store)
    assert all(f"word {number}" in kept for number in range(20))


def test_a_folded_message_that_quotes_the_bot_waits_for_no_answer_of_its_own(
    pool: ThreadPoolExecutor, arrivals: list[Callable[[], object]]
) -> None:
    member = flooding(PushedWorker(pool), is_in_group=True)
    quoting = member.events.text("and this?", quotedMessageId=f"{A_MINUTE}-1")
    newest = member.events.text("@Aizuchi well?")

    arrivals.append(partial(member.sends, newest, HELLO))
    member.sends(quoting)

    record = member.worker.conversations.of(member.events.chat_id).journal.message_of(quoting["message"]["id"])
    assert record is not None
    assert not record.addressed


def test_a_message_that_another_instance_answers_for_its_flood_is_not_made_context_here(
    pool: ThreadPoolExecutor, arrivals: list[Callable[[], object]]
) -> None:
    friend = flooding(PushedWorker(pool), is_in_group=False)
    older, newest = friend.events.text("well?"), friend.events.text("hello?")
    journal = friend.worker.conversations.of(friend.events.chat_id).journal

    def arrive() -> None:
        journal.keep(replace(message(1, "well?"), line_message_id=older["message"]["id"]))
        friend.sends(newest, HELLO)

    arrivals.append(arrive)
    friend.sends(older)

    record = journal.message_of(older["message"]["id"])
    assert record is not None
    assert record.addressed
    assert due_in(friend) == [older["message"]["id"]]


def test_a_folded_message_is_never_recorded_as_one_that_waits_for_an_answer(
    pool: ThreadPoolExecutor, arrivals: list[Callable[[], object]]
) -> None:
    friend = flooding(PushedWorker(pool), is_in_group=False)
    older, newest = friend.events.text("well?"), friend.events.text("hello?")
    created = dict[str, bytes]()

    def note(call: str, name: str) -> None:
        found = friend.worker.store.read(name) if call == "create" else None
        if found is not None:
            created.setdefault(name, found.data)

    friend.worker.store.after = note
    arrivals.append(partial(friend.sends, newest, HELLO))
    friend.sends(older)

    names = friend.worker.conversations.of(friend.events.chat_id).names
    assert not decode(MessageRecord, created[names.message(older["message"]["id"])]).addressed


def test_where_the_newest_of_a_flood_is_withdrawn_the_newest_that_stands_answers_for_all(
    pool: ThreadPoolExecutor, arrivals: list[Callable[[], object]]
) -> None:
    friend = flooding(PushedWorker(pool), is_in_group=False)
    *older, last, newest = [friend.events.text(f"word {number}") for number in range(5)]

    def come() -> None:
        for event in (*older, last):
            friend.sends(event, HELLO)
        for event in (last, newest):
            friend.worker.withdraw(friend.events.chat_id, event["message"]["id"])

    arrivals.append(come)
    friend.sends(newest)

    assert "word 2" in friend.worker.prompt()
    assert "word 3" not in friend.worker.prompt()
    assert older[-1]["replyToken"] in friend.worker.line.replied
    assert due_in(friend) == [older[-1]["message"]["id"]]


def test_where_the_newest_of_a_flood_was_answered_before_the_next_one_answers_for_all(
    pool: ThreadPoolExecutor, arrivals: list[Callable[[], object]]
) -> None:
    friend = Person(PushedWorker(pool), is_in_group=False)
    newest = {**friend.events.text("word 9"), "timestamp": START_MS + 3_600_000}
    friend.sends(newest, HELLO)
    friend.worker.clock.move(61)
    for _ in range(A_MINUTE):
        friend.says("hi", HELLO)
    first = friend.events.text("word 1")

    arrivals.append(partial(friend.sends, newest, HELLO))
    friend.sends(first)

    assert arrivals == []
    assert first["replyToken"] in friend.worker.line.replied


@pytest.mark.parametrize("is_folded", [False, True])
def test_where_another_instance_answers_the_newest_of_a_flood_the_next_one_answers_for_all(
    pool: ThreadPoolExecutor, worker: PushedWorker, arrivals: list[Callable[[], object]], *, is_folded: bool
) -> None:
    friend, other = flooding(worker, is_in_group=False), PushedWorker(pool, store=worker.store)
    older, newest = friend.events.text("word 1"), friend.events.text("word 2")

    def be_answered_there() -> None:
        other.deliver(newest, thinks=[HELLO])
        if is_folded:
            worker.conversations.of(friend.events.chat_id).journal.drop(newest["message"]["id"])

    arrivals += [partial(friend.sends, newest, HELLO), be_answered_there]
    friend.sends(older)

    assert newest["replyToken"] in other.line.replied
    assert older["replyToken"] in worker.line.replied


def test_the_next_of_a_flood_is_left_to_a_tick_where_the_request_is_nearly_over(
    worker: PushedWorker, arrivals: list[Callable[[], object]]
) -> None:
    friend = flooding(worker, is_in_group=False)
    older, newest = friend.events.text("word 1"), friend.events.text("word 2")
    conversation, asked = worker.conversations.of(friend.events.chat_id), len(worker.model.requests)

    def run_until_nearly_over(call: str, name: str) -> None:
        if (call, name) == ("create", conversation.names.message(newest["message"]["id"])):
            worker.store.after = nothing
            worker.withdraw(friend.events.chat_id, newest["message"]["id"])
            worker.clock.move(REQUEST_S - 10)

    worker.store.after = run_until_nearly_over
    arrivals.append(partial(friend.sends, older, HELLO))
    friend.sends(newest, HELLO)

    assert len(worker.model.requests) == asked
    assert due_in(friend) == [older["message"]["id"]]


@pytest.mark.parametrize(("age_ms", "is_answered"), [(ANSWERABLE_MS, False), (ANSWERABLE_MS - 1, True)])
def test_the_next_of_a_flood_is_tried_only_while_it_can_be_answered(
    pool: ThreadPoolExecutor, arrivals: list[Callable[[], object]], age_ms: int, *, is_answered: bool
) -> None:
    worker = PushedWorker(pool)
    friend = flooding(worker, is_in_group=False)
    sent_ms = worker.clock.now_ms() - age_ms
    older, newest = [{**friend.events.text(f"word {number}"), "timestamp": sent_ms + number} for number in range(2)]

    def come() -> None:
        friend.sends(older, HELLO)
        worker.withdraw(friend.events.chat_id, newest["message"]["id"])

    arrivals.append(come)
    friend.sends(newest, HELLO)

    assert (due_in(friend) == [older["message"]["id"]]) is is_answered


def test_a_flood_that_is_delivered_again_to_another_instance_is_answered_once(
    pool: ThreadPoolExecutor, worker: PushedWorker, arrivals: list[Callable[[], object]]
) -> None:
    other = PushedWorker(pool, store=worker.store)
    events = ChatEvents(is_group=False)
    usual = [events.text("hi") for _ in range(A_MINUTE)]
    *older, newest = [events.text(f"word {number}") for number in range(6)]

    def deliver(instance: PushedWorker, *said: dict[str, object]) -> None:
        for event in said:
            instance.deliver(event, thinks=[HELLO])

    for instance in (worker, other):
        deliver(instance, *usual)
        arrivals.append(partial(deliver, instance, *older))
        deliver(instance, newest)

    assert len(worker.said) == A_MINUTE + 1
    assert other.said == []


@pytest.mark.parametrize("is_withdrawn", [False, True])
def test_where_the_newest_of_a_flood_is_left_to_another_turn_so_is_the_next_one(
    worker: PushedWorker, arrivals: list[Callable[[], object]], *, is_withdrawn: bool
) -> None:
    friend = flooding(worker, is_in_group=False)
    oldest, older, newest = [friend.events.text(f"word {number}") for number in range(3)]
    conversation = worker.conversations.of(friend.events.chat_id)
    held, said = open_turn(conversation, conversation.turn.read()), len(worker.said)
    assert held is not None

    def renew_first(call: str, name: str) -> None:
        if (call, name) == ("read", conversation.names.turn):
            worker.store.before = nothing
            held.renew()
            worker.store.before = renew_first

    worker.store.before = renew_first
    arrivals += [partial(friend.sends, one) for one in (oldest, older)]
    friend.sends(newest)
    assert sorted(due_in(friend)) == sorted(one["message"]["id"] for one in (older, newest))

    worker.store.before = nothing
    held.release()
    if is_withdrawn:
        worker.withdraw(friend.events.chat_id, newest["message"]["id"])
    worker.model.steps = [HELLO]
    worker.clock.move(120)
    worker.push(push.tick())

    assert len(worker.said) == said + 1
    answered = next(one for one in conversation.journal.read_outcomes() if older["message"]["id"] in one.answered_ids)
    assert (newest["message"]["id"] in answered.answered_ids) is not is_withdrawn


def test_the_next_of_a_flood_is_resumed_by_a_tick_where_its_worker_fails_once_it_is_addressed(
    worker: PushedWorker, arrivals: list[Callable[[], object]]
) -> None:
    friend = flooding(worker, is_in_group=False)
    older, newest = [friend.events.text(f"word {number}") for number in range(2)]
    journal = worker.conversations.of(friend.events.chat_id).journal
    older_id = older["message"]["id"]

    def fail_once_addressed(call: str, name: str) -> None:
        is_written = call in {"create", "replace"} and name == journal.names.message(older_id)
        kept = journal.message_of(older_id) if is_written else None
        if kept is not None and kept.addressed:
            worker.store.after = nothing
            raise StorageUnavailableError("the answer was lost")

    def come() -> None:
        friend.sends(older)
        journal.drop(older_id)  # a compaction has folded it
        worker.withdraw(friend.events.chat_id, newest["message"]["id"])
        worker.store.after = fail_once_addressed

    arrivals.append(come)
    assert worker.deliver(newest) == 503

    assert due_in(friend) == [older_id]


def test_of_a_flood_that_is_too_old_to_be_answered_none_is_tried(
    worker: PushedWorker, arrivals: list[Callable[[], object]]
) -> None:
    friend = Person(worker, is_in_group=False)
    worker.clock.move(3_600)
    for _ in range(A_MINUTE):
        friend.says("hi")
    first, *others = [friend.events.event("message", message=OF_A_LARGE_SET) for _ in range(20)]
    began_s = worker.clock.monotonic_s()

    arrivals += [partial(friend.sends, one) for one in others]
    friend.sends(first)

    assert worker.clock.monotonic_s() - began_s < REQUEST_S
    assert due_in(friend) == []


def test_of_a_flood_all_of_whose_messages_have_outcomes_none_is_tried(
    worker: PushedWorker, arrivals: list[Callable[[], object]]
) -> None:
    friend = flooding(worker, is_in_group=False)
    first, *others = [friend.events.event("message", message=OF_A_LARGE_SET) for _ in range(20)]
    journal = worker.conversations.of(friend.events.chat_id).journal

    def be_answered_elsewhere() -> None:
        for number, one in enumerate((first, *others)):
            covers = (one["message"]["id"],)
            journal.record_outcome(made_with(replace(answer(number), timestamp_ms=START_MS, answered_ids=covers)))

    arrivals += [*(partial(friend.sends, one) for one in others), be_answered_elsewhere]
    friend.sends(first)

    assert due_in(friend) == []


@pytest.mark.parametrize("is_recorded", [False, True])
def test_a_flood_whose_newest_message_another_turn_covers_is_answered_again_only_if_that_knew_nothing_of_it(
    worker: PushedWorker, arrivals: list[Callable[[], object]], *, is_recorded: bool
) -> None:
    friend = flooding(worker, is_in_group=False)
    older, newest = friend.events.text("word 1"), friend.events.text("word 2")
    conversation = worker.conversations.of(friend.events.chat_id)
    record = conversation.names.message(newest["message"]["id"])
    said = len(worker.said)

    def cover(call: str, name: str) -> None:
        if (call, name) == ("create", record):
            covers = (newest["message"]["id"],)
            conversation.journal.record_outcome(
                made_with(replace(answer(99), timestamp_ms=START_MS, answered_ids=covers))
            )

    def come() -> None:
        friend.sends(older, HELLO)
        if is_recorded:  # by another delivery
            sent = replace(
                message(2, timestamp_ms=newest["timestamp"]),
                line_message_id=newest["message"]["id"],
                webhook_event_id=newest["webhookEventId"],
            )
            conversation.journal.record(sent)
        worker.store.after = cover

    arrivals.append(come)
    friend.sends(newest, HELLO)

    assert len(worker.said) == said + is_recorded
    assert due_in(friend) == ([older["message"]["id"]] if is_recorded else [])


@pytest.mark.parametrize("triggers", [True, False])
def test_a_folded_message_may_have_the_chat_compacted_without_the_model(
    pool: ThreadPoolExecutor, arrivals: list[Callable[[], object]], *, triggers: bool
) -> None:
    friend = flooding(PushedWorker(pool, memory=ONE_MORE_THAN_IS_SHOWN), is_in_group=False)
    ids = (f"older{number}" for number in range(99))
    own_id = next(one for one in ids if (hashlib.sha256(one.encode()).digest()[0] % 16 == 0) is triggers)
    older, newest = friend.events.text("well?", id=own_id), friend.events.text("hello?")

    arrivals.append(partial(friend.sends, newest, HELLO))
    friend.sends(older)

    journal = friend.worker.conversations.of(friend.events.chat_id).journal
    assert (journal.message_of(own_id) is None) is triggers
    assert "well?" in everything_in(friend.worker.store)


def test_a_folded_message_that_is_delivered_again_is_not_answered_alone(
    pool: ThreadPoolExecutor, arrivals: list[Callable[[], object]]
) -> None:
    friend = flooding(PushedWorker(pool), is_in_group=False)
    older, newest = friend.events.text("well?"), friend.events.text("hello?")
    arrivals.append(partial(friend.sends, newest, HELLO))
    friend.sends(older)
    friend.worker.clock.move(61)
    for _ in range(A_MINUTE):
        friend.says("hi", HELLO)
    other = PushedWorker(pool, store=friend.worker.store)
    assert other.conversations.of(friend.events.chat_id).journal.message_of(older["message"]["id"]) is None

    other.clock.move(100)
    other.deliver(older, thinks=[HELLO])

    assert other.model.requests == []


LATE_MS = 30_001


@pytest.mark.parametrize(
    ("age_ms", "quotes", "is_its_own", "is_answered"),
    [
        (LATE_MS, False, True, False),
        (LATE_MS - 1, False, True, True),  # so soon no compaction has moved it
        (LATE_MS, True, True, True),  # it was recorded as context before it showed whom it addresses
        (LATE_MS, False, False, True),
    ],
)
def test_a_late_message_whose_record_a_compaction_has_moved_as_context_is_not_answered(
    worker: PushedWorker, age_ms: int, *, quotes: bool, is_its_own: bool, is_answered: bool
) -> None:
    friend = Person(worker, is_in_group=False)
    asking = friend.events.text("well?", **({"quotedMessageId": "m0"} if quotes else {}))
    sent_ms = worker.clock.now_ms() - age_ms
    folded = replace(
        message(1, addressed=False, timestamp_ms=sent_ms),
        line_message_id=asking["message"]["id"] if is_its_own else "m0",
    )
    names = worker.conversations.of(friend.events.chat_id).names
    worker.store.create(names.snapshot, encode(SnapshotRecord(messages=(folded,))))

    friend.sends({**asking, "timestamp": sent_ms}, HELLO)

    assert bool(worker.said) is is_answered


@pytest.mark.parametrize("is_waiting", [True, False])
def test_a_late_message_is_answered_where_a_delivery_recorded_it_as_a_request_after_it_had_become_context(
    worker: PushedWorker, *, is_waiting: bool
) -> None:
    friend = Person(worker, is_in_group=False)
    asking = friend.events.text("well?")
    sent_ms = worker.clock.now_ms() - LATE_MS
    own = replace(message(1, timestamp_ms=sent_ms), line_message_id=asking["message"]["id"])
    conversation = worker.conversations.of(friend.events.chat_id)
    snapshot = SnapshotRecord(messages=(replace(own, addressed=False),))
    worker.store.create(conversation.names.snapshot, encode(snapshot))
    conversation.journal.record(replace(own, addressed=is_waiting))

    friend.sends({**asking, "timestamp": sent_ms}, HELLO)

    assert bool(worker.said) is is_waiting
