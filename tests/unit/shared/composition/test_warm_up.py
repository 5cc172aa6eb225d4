import threading

from shared.adapters.memory import FixedClock
from shared.bus.envelope import decode_envelope
from shared.clock import Deadline
from shared.composition.warm_up import WarmedUp
from tests.support import push

ENVELOPE = decode_envelope(push.tick())


def test_the_first_event_begins_to_prepare_and_does_not_wait_for_it() -> None:
    prepared, may_end = [], threading.Event()

    def prepare() -> None:
        prepared.append((threading.current_thread().name, threading.current_thread().daemon))
        assert may_end.wait(30)

    handle = WarmedUp(lambda *_: "done", prepare)

    assert [handle({}, ENVELOPE, Deadline.after(FixedClock(), 1)) for _ in range(3)] == ["done"] * 3
    may_end.set()
    assert prepared == [("warm-up", True)]  # a process that ends does not wait for it


def test_nothing_is_prepared_before_the_first_event() -> None:
    prepared: list[str] = []

    WarmedUp(lambda *_: "done", lambda: prepared.append("early"))

    assert prepared == []
