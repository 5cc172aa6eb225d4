import random
from concurrent.futures import ThreadPoolExecutor

import pytest

from shared.adapters.memory import FixedClock, MemoryLineApi, MemoryObjectStore
from shared.conversation.turn import Route
from shared.handlers.assembly import Talk
from shared.turns.background import ThreadBackground
from shared.turns.late_reply import LateReply
from tests.support.chats import memory_on

CHAT = "C" + "1" * 32


class Host:
    """Somebody who says hello in one chat."""

    def __init__(self, reads: ThreadPoolExecutor) -> None:
        self.line, self.clock = MemoryLineApi(), FixedClock()
        self.memory = memory_on(MemoryObjectStore(), reads, self.clock)
        self._announce = Talk.on(
            self.memory,
            line=self.line,
            clock=self.clock,
            chance=random.Random(1),
            background=ThreadBackground(threads=reads),
            phrase=lambda which: which.value[:20],
            late_reply=LateReply.BUTTON,
        ).announcing

    def says_hello(self) -> str:
        token = Route(kind="token", reply_token="t1", received_ms=self.clock.now_ms())
        return self._announce(CHAT, "e1", timestamp_ms=5, route=token, text="hello")


@pytest.fixture
def host(reads: ThreadPoolExecutor) -> Host:
    return Host(reads)


def test_the_words_are_said_once_however_often_the_event_comes(host: Host) -> None:
    assert [host.says_hello(), host.says_hello()] == ["replied", "already_answered"]
    assert host.line.replies == {"t1": ("hello",)}


def test_a_dead_holders_greeting_is_finished_by_the_next_delivery(host: Host) -> None:
    host.says_hello()
    host.memory.bodies.store.delete(f"journal/{CHAT}/e1.outcome.json")  # as if the holder had died before the record
    host.clock.move(26)

    assert host.says_hello() == "replied"
    assert len(host.line.replied) == 1


def test_an_event_from_before_an_erasure_gets_nothing(host: Host) -> None:
    host.memory.withdrawal.erase(CHAT, until_ms=5)

    assert host.says_hello() == "erased"
    assert host.line.calls == 0


def test_words_wait_for_whoever_has_the_turn(host: Host) -> None:
    held = host.memory.turns.open(CHAT, host.memory.turns.read(CHAT))
    assert held is not None

    assert host.says_hello() == "replied"  # the lease ran out while it waited
    assert held.is_over
