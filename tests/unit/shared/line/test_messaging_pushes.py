import pytest

from shared.adapters.memory import FixedClock, MemoryLineApi
from shared.clock import Deadline
from shared.line.messaging import OutgoingMessage, push_until_known

HI = [OutgoingMessage(text="hi")]


def push(line: MemoryLineApi, *, seconds: float = 10.0) -> str:
    clock = FixedClock()
    deadline = Deadline.after(clock, seconds)
    return push_until_known(line, "U" + "1" * 32, HI, retry_key="key", clock=clock, deadline=deadline).kind


@pytest.mark.parametrize(
    ("fates", "kind", "pushes"),
    [
        ([], "accepted", 1),
        (["refused"], "refused", 0),
        (["unknown"], "already_accepted", 1),
        (["unknown, not sent"], "accepted", 1),
        (["not_sent", "not_sent"], "accepted", 1),
        (["not_sent", "not_sent", "not_sent"], "not_sent", 0),
        (["unknown", "not_sent", "not_sent"], "unknown", 1),
        (["not_sent", "unknown", "not_sent"], "unknown", 1),
        (["unknown, not sent", "unknown, not sent", "unknown, not sent"], "unknown", 0),
    ],
)
def test_a_push_is_tried_with_its_key_until_its_fate_is_known(fates: list[str], kind: str, pushes: int) -> None:
    line = MemoryLineApi(fates=fates)

    assert push(line) == kind
    assert len(line.pushes) == pushes


def test_a_spent_quota_is_not_asked_again() -> None:
    line = MemoryLineApi(push_quota=0)

    assert push(line) == "quota_spent"
    assert line.calls == 1


def test_nothing_is_tried_again_after_the_deadline() -> None:
    line = MemoryLineApi(fates=["not_sent"])

    assert push(line, seconds=0.0) == "not_sent"
    assert line.calls == 1
