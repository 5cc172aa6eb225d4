import io
import json
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared import logs
from shared.adapters.memory import FixedClock
from shared.bus.messages import Tick
from shared.bus.result import EventResult
from shared.conversation.due import DueMarkers
from shared.conversation.store import Conversation, Conversations
from shared.errors import StorageUnavailableError, TurnBusyError
from shared.handlers.heartbeat import Heartbeat
from shared.handlers.tick import AT_ONCE, BEGINS_S, MARKERS_A_TICK, DueTask, TickHandler
from shared.line.webhook_check import WebhookCheck
from tests.support.chats import conversations_on
from tests.support.inline import InlineExecutor
from tests.support.pushed import UnreliableStore

CHATS = tuple(f"U{number:032x}" for number in range(10**6, 10**6 + AT_ONCE + 8))
MINUTE_S = 60.0


class Agenda:
    """Markers of the kind `note`, whose work writes down chat and id."""

    def __init__(self, threads: Executor, **tasks: DueTask) -> None:
        self.store = UnreliableStore()
        self.clock = FixedClock()
        self.markers = DueMarkers(store=self.store)
        self.conversations: Conversations = conversations_on(self.store, InlineExecutor(), self.clock)
        self.noted: list[tuple[str, str]] = []
        self.tick = TickHandler(
            markers=self.markers,
            conversations=self.conversations,
            tasks={"note": self.note, **tasks},
            threads=threads,
            clock=self.clock,
        )

    def note(self, conversation: Conversation, marker_id: str, /) -> None:
        self.noted.append((conversation.id, marker_id))

    def mark(self, *ids: str, chat: str = CHATS[0], kind: str = "note", in_s: float = 0.0) -> None:
        conversation = self.conversations.of(chat)
        for marker_id in ids:
            self.markers.mark(kind, conversation, marker_id, at_ms=self.clock.now_ms() + round(in_s * 1_000))
        self.clock.move(MINUTE_S - self.clock.now_ms() / 1_000 % MINUTE_S)

    @property
    def left(self) -> list[str]:
        return [marker.id for marker in self.markers.until(self.clock.now_ms() + 86_400_000)]


@pytest.fixture
def agenda() -> Agenda:
    """An agenda whose markers are carried out in the caller's thread."""
    return Agenda(InlineExecutor())


@pytest.fixture
def threads() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(AT_ONCE) as pool:
        yield pool


def read(lines: io.StringIO, message: str) -> list[dict[str, Any]]:
    logged = map(json.loads, lines.getvalue().splitlines())
    return [line for line in logged if line["message"] == message]


class Line:
    """LINE, which counts how often it is asked to test the webhook."""

    def __init__(self) -> None:
        self.checks = 0

    def check_webhook(self) -> WebhookCheck:
        self.checks += 1
        return WebhookCheck(is_active=True, is_answered=True, status=200, reason="OK")


def test_each_tick_asks_whether_line_still_reaches_the_webhook(agenda: Agenda) -> None:
    line = Line()
    tick = replace(agenda.tick, heartbeat=Heartbeat(checker=line, every_minutes=1, clock=agenda.clock))

    tick()
    tick()
    agenda.tick()

    assert line.checks == 2


def test_nothing_is_begun_later_because_line_is_slow_to_test_the_webhook(agenda: Agenda) -> None:
    class SlowLine:
        def check_webhook(self) -> WebhookCheck:
            agenda.clock.move(BEGINS_S)
            return WebhookCheck(is_active=True, is_answered=True, status=200, reason="OK")

    agenda.mark("m1")

    replace(agenda.tick, heartbeat=Heartbeat(checker=SlowLine(), every_minutes=1, clock=agenda.clock))()
    assert agenda.left == ["m1"]

    agenda.tick()
    assert agenda.left == []


def test_what_is_due_is_carried_out_once(agenda: Agenda) -> None:
    agenda.mark("m1")

    assert [agenda.tick(), agenda.tick()] == [EventResult.TICKED, EventResult.TICKED]

    assert agenda.noted == [(CHATS[0], "m1")]
    assert agenda.store.list("due/") == ()


def test_ticks_of_two_shards_carry_out_everything_once(agenda: Agenda) -> None:
    for chat in CHATS:
        agenda.mark("m1", chat=chat)

    agenda.tick(Tick(shard=0, shards=2))
    of_the_first = {*agenda.noted}
    agenda.tick(Tick(shard=1, shards=2))

    assert 0 < len(of_the_first) < len(CHATS)
    assert Counter(agenda.noted) == Counter((chat, "m1") for chat in CHATS)


def test_a_tick_reports_what_the_ticks_of_another_shard_leave(agenda: Agenda, lines: io.StringIO) -> None:
    shards = {chat: next(shard for shard in (0, 1) if Tick(shard, 2).is_for(chat)) for chat in CHATS}
    chat = next(chat for chat, shard in shards.items() if shard == 1)
    agenda.mark("m1", chat=chat)
    agenda.clock.move(600)

    agenda.tick(Tick(0, 2))

    assert [(line["left"], line["oldest_left_s"] >= 600) for line in read(lines, "tick_handled")] == [(0, True)]


def test_of_the_ticks_of_a_minute_one_has_line_test_the_webhook(agenda: Agenda) -> None:
    line = Line()
    tick = replace(agenda.tick, heartbeat=Heartbeat(checker=line, every_minutes=1, clock=agenda.clock))

    for shard in range(4):
        tick(Tick(shard=shard, shards=4))

    assert line.checks == 1


def test_what_is_due_later_waits(agenda: Agenda) -> None:
    agenda.mark("m1", in_s=600)

    agenda.tick()
    assert agenda.noted == []

    agenda.clock.move(600)
    agenda.tick()
    assert agenda.noted == [(CHATS[0], "m1")]


def test_a_tick_after_lost_ticks_carries_out_all_that_is_left(agenda: Agenda) -> None:
    for minutes in range(5):
        agenda.mark(f"m{minutes}", in_s=minutes * 60)
    agenda.clock.move(86_400)

    agenda.tick()

    assert [marker_id for _, marker_id in agenda.noted] == ["m0", "m1", "m2", "m3", "m4"]


def test_a_chat_with_many_markers_holds_up_no_other_chat(agenda: Agenda) -> None:
    agenda.mark("a1", "a2", "a3", chat=CHATS[0])
    agenda.mark("b1", "b2", chat=CHATS[1])
    agenda.mark("c1", chat=CHATS[2])

    agenda.tick()

    rounds = [{marker_id for _, marker_id in agenda.noted[start:end]} for start, end in ((0, 3), (3, 5), (5, 6))]
    assert rounds == [{"a1", "b1", "c1"}, {"a2", "b2"}, {"a3"}]


def test_chats_are_served_side_by_side(threads: ThreadPoolExecutor) -> None:
    together = threading.Barrier(AT_ONCE, timeout=30)

    def meet(_: Conversation, __: str, /) -> None:
        together.wait()

    agenda = Agenda(threads, meet=meet)
    for chat in CHATS[:AT_ONCE]:
        agenda.mark("m1", chat=chat, kind="meet")

    agenda.tick()

    assert agenda.left == []


def test_a_chats_markers_are_carried_out_one_after_another(threads: ThreadPoolExecutor) -> None:
    running: Counter[str] = Counter()
    overlaps: list[str] = []
    others_run = threading.Semaphore(0)

    def work(conversation: Conversation, _: str, /) -> None:
        running[conversation.id] += 1
        if running[conversation.id] > 1:
            overlaps.append(conversation.id)
        others_run.release()
        others_run.acquire(timeout=0.001)
        running[conversation.id] -= 1

    agenda = Agenda(threads, work=work)
    for chat in CHATS[:3]:
        agenda.mark(*(f"m{number}" for number in range(10)), chat=chat, kind="work")

    agenda.tick()

    assert overlaps == []
    assert agenda.left == []


def test_a_chats_markers_are_carried_out_by_their_kinds_and_then_by_their_minutes() -> None:
    agenda = Agenda(InlineExecutor())
    agenda.tick = replace(agenda.tick, tasks={**agenda.tick.tasks, "slow": agenda.note})
    agenda.mark("s1", "s2", kind="slow")
    agenda.mark("n1")
    agenda.mark("s3", kind="slow", chat=CHATS[1])
    agenda.mark("n2")

    agenda.tick()

    assert [one for chat, one in agenda.noted if chat == CHATS[0]] == ["n1", "n2", "s1", "s2"]


def test_two_ticks_at_the_same_time_leave_nothing(threads: ThreadPoolExecutor) -> None:
    agenda = Agenda(threads)
    for chat in CHATS:
        agenda.mark("m1", "m2", chat=chat)

    with ThreadPoolExecutor(2) as ticks:
        results = [running.result() for running in [ticks.submit(agenda.tick) for _ in range(2)]]

    assert results == [EventResult.TICKED] * 2
    assert agenda.left == []
    assert {*agenda.noted} == {(chat, marker_id) for chat in CHATS for marker_id in ("m1", "m2")}


@pytest.mark.parametrize("error", [StorageUnavailableError("down"), RuntimeError("my pin is 4711")])
def test_a_marker_whose_work_fails_is_left_and_holds_up_no_other(error: Exception, lines: io.StringIO) -> None:
    def fail(_: Conversation, __: str, /) -> None:
        raise error

    agenda = Agenda(InlineExecutor(), fail=fail)
    agenda.mark("m1", kind="fail")
    agenda.mark("m2")

    assert agenda.tick() == EventResult.TICKED

    assert agenda.left == ["m1"]
    assert agenda.noted == [(CHATS[0], "m2")]
    (line,) = read(lines, "due_marker_failed")
    assert (line["severity"], line["kind"], line["error_type"]) == ("ERROR", "fail", type(error).__name__)
    assert line["conversation_id"] == logs.pseudonym(CHATS[0])
    assert "4711" not in lines.getvalue()
    assert CHATS[0] not in lines.getvalue()


def test_a_marker_whose_chat_is_busy_is_left_without_an_error(lines: io.StringIO) -> None:
    def wait(_: Conversation, __: str, /) -> None:
        raise TurnBusyError("the chat's turn was not free in time")

    agenda = Agenda(InlineExecutor(), wait=wait)
    agenda.mark("m1", kind="wait")

    agenda.tick()

    assert agenda.left == ["m1"]
    (line,) = read(lines, "due_marker_waits")
    assert (line["severity"], line["kind"]) == ("INFO", "wait")
    assert read(lines, "due_marker_failed") == []
    assert [(line["done"], line["left"]) for line in read(lines, "tick_handled")] == [(0, 1)]


def test_work_that_failed_is_done_by_the_next_tick() -> None:
    failures = [StorageUnavailableError("down")]
    done: list[str] = []

    def work(_: Conversation, marker_id: str, /) -> None:
        if failures:
            raise failures.pop()
        done.append(marker_id)

    agenda = Agenda(InlineExecutor(), work=work)
    agenda.mark("m1", kind="work")

    agenda.tick()
    agenda.tick()

    assert done == ["m1"]
    assert agenda.left == []


@given(st.dictionaries(st.tuples(st.sampled_from(CHATS), st.sampled_from("abcd")), st.integers(0, 3), max_size=12))
def test_whatever_fails_every_marker_is_carried_out_and_then_cleared(failures: dict[tuple[str, str], int]) -> None:
    left = dict(failures)
    done: list[tuple[str, str]] = []

    def work(conversation: Conversation, marker_id: str, /) -> None:
        if left[conversation.id, marker_id]:
            left[conversation.id, marker_id] -= 1
            raise StorageUnavailableError("down")
        done.append((conversation.id, marker_id))

    agenda = Agenda(InlineExecutor(), work=work)
    for chat, marker_id in failures:
        agenda.mark(marker_id, chat=chat, kind="work")

    for _ in range(1 + max(failures.values(), default=0)):
        agenda.tick()

    assert sorted(done) == sorted(failures)
    assert agenda.left == []


def test_markers_that_always_fail_do_not_hold_up_later_ones_for_ever() -> None:
    def fail(_: Conversation, __: str, /) -> None:
        raise StorageUnavailableError("down")

    agenda = Agenda(InlineExecutor(), fail=fail)
    for number in range(MARKERS_A_TICK):
        agenda.markers.mark("fail", agenda.conversations.of(f"U{number:032x}"), "m1", at_ms=agenda.clock.now_ms())
    agenda.mark("m1", in_s=60)
    agenda.clock.move(60)

    for _ in range(2):
        agenda.tick()
        agenda.clock.move(60)

    assert agenda.noted == [(CHATS[0], "m1")]


def test_a_kind_that_this_release_does_not_know_is_left(agenda: Agenda, lines: io.StringIO) -> None:
    agenda.mark("m1", "m2", kind="newer")
    agenda.mark("m3")

    agenda.tick()

    assert agenda.left == ["m1", "m2"]
    assert agenda.noted == [(CHATS[0], "m3")]
    (line,) = read(lines, "due_kind_unknown")
    assert (line["severity"], line["kind"], line["count"]) == ("ERROR", "newer", 2)


def test_markers_of_unknown_kinds_take_no_place_of_others(agenda: Agenda) -> None:
    agenda.mark(*(f"n{number}" for number in range(MARKERS_A_TICK)), kind="newer")
    agenda.mark("m1")

    agenda.tick()

    assert agenda.noted == [(CHATS[0], "m1")]


def test_nothing_is_begun_that_could_not_end_within_the_tick(lines: io.StringIO) -> None:
    clocks: list[FixedClock] = []
    agenda = Agenda(InlineExecutor(), slow=lambda _, __: clocks[0].move(BEGINS_S / 2 - 1))
    clocks.append(agenda.clock)
    agenda.mark("m1", "m2", "m3", "m4", kind="slow")
    agenda.mark("m1", chat=CHATS[1], kind="slow")

    agenda.tick()
    assert agenda.left == ["m3", "m4"]  # each chat's first, then the first chat's second

    agenda.tick()
    assert agenda.left == []
    assert [(line["done"], line["left"]) for line in read(lines, "tick_handled")] == [(3, 2), (2, 0)]


def test_a_tick_begins_a_bounded_number_of_markers(agenda: Agenda) -> None:
    agenda.mark(*(f"m{number:04}" for number in range(MARKERS_A_TICK + 2)))

    agenda.tick()
    assert agenda.left == [f"m{MARKERS_A_TICK}", f"m{MARKERS_A_TICK + 1}"]

    agenda.tick()
    assert agenda.left == []


def test_the_age_of_the_oldest_marker_that_is_left_is_logged(agenda: Agenda, lines: io.StringIO) -> None:
    agenda.mark("m1", kind="newer")
    agenda.clock.move(60)
    agenda.mark("m2", kind="newer")
    due_ms = agenda.markers.until(agenda.clock.now_ms())[0].due_ms

    agenda.clock.move(7)
    agenda.tick()

    (line,) = read(lines, "tick_handled")
    assert line["oldest_left_s"] == (agenda.clock.now_ms() - due_ms) // 1_000 > 60
    assert (line["done"], line["left"]) == (0, 2)


def test_a_tick_with_nothing_due_leaves_nothing_old(agenda: Agenda, lines: io.StringIO) -> None:
    agenda.tick()

    (line,) = read(lines, "tick_handled")
    assert (line["done"], line["left"], line["oldest_left_s"]) == (0, 0, 0)


def test_a_tick_that_cannot_read_what_is_due_is_lost(agenda: Agenda, lines: io.StringIO) -> None:
    agenda.mark("m1")
    agenda.store.is_down = True

    assert agenda.tick() == EventResult.TICK_LOST
    assert [line["severity"] for line in read(lines, "tick_failed")] == ["ERROR"]
    assert read(lines, "tick_handled") == []

    agenda.store.is_down = False
    agenda.tick()
    assert agenda.noted == [(CHATS[0], "m1")]


def test_lines_of_the_work_carry_the_fields_of_the_tick(threads: ThreadPoolExecutor, lines: io.StringIO) -> None:
    note: Callable[[Conversation, str], None] = lambda _, __: logs.info("worked")  # noqa: E731 - one line of work
    agenda = Agenda(threads, work=note)
    agenda.mark("m1", kind="work")

    with logs.bound(pubsub_message_id="7"):
        agenda.tick()

    (line,) = read(lines, "worked")
    assert (line["pubsub_message_id"], line["kind"]) == ("7", "work")


def test_a_marker_whose_work_failed_counts_as_left(lines: io.StringIO) -> None:
    def fail(_: Conversation, __: str, /) -> None:
        raise StorageUnavailableError("down")

    agenda = Agenda(InlineExecutor(), fail=fail)
    agenda.mark("m1", kind="fail")
    agenda.mark("m2")

    agenda.tick()

    assert [(line["done"], line["left"]) for line in read(lines, "tick_handled")] == [(1, 1)]
