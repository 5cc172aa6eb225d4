import asyncio
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.adapters.memory import FixedClock
from shared.adapters.moved_clock import MovedClock, clock_of
from shared.clock import SystemClock
from simulator.clock import StackClock
from simulator.time_lapse import TimeLapse

NOON_MS = 1_795_348_800_000  # 2026-11-22T12:00:00Z
HOUR_S = 3_600


def stack_clock(tmp_path: Path) -> StackClock:
    return StackClock(tmp_path / "data" / "clock", real_now_ms=lambda: NOON_MS)


def test_every_process_reads_how_far_the_clock_was_moved(tmp_path: Path) -> None:
    clock, heard = stack_clock(tmp_path), list[int]()
    clock.listen(lambda: heard.append(clock.offset_ms))
    process = MovedClock(clock.path, FixedClock(now_ms=NOON_MS))

    assert process.now_ms() == NOON_MS
    clock.move(ms=600_000)
    assert process.now_ms() == clock.now_ms() == NOON_MS + 600_000
    clock.move(ms=1)

    assert process.now_ms() == NOON_MS + 600_001
    assert heard == [600_000, 600_001]
    assert clock.now().isoformat() == "2026-11-22T12:10:00.001000+00:00"


def test_a_restart_keeps_the_time(tmp_path: Path) -> None:
    stack_clock(tmp_path).move(ms=86_400_000)

    assert stack_clock(tmp_path).now_ms() == NOON_MS + 86_400_000


def test_the_clock_is_never_moved_back(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="never moved back"):
        stack_clock(tmp_path).move(ms=-1)


@pytest.mark.parametrize("held", [b"", b"soon", b"-5", b"9" * 16, "١٢".encode(), b"\xff"])
def test_a_file_without_a_number_moves_nothing(tmp_path: Path, held: bytes) -> None:
    (tmp_path / "clock").write_bytes(held)

    assert MovedClock(tmp_path / "clock", FixedClock(now_ms=NOON_MS)).now_ms() == NOON_MS


def test_durations_pass_as_they_do_on_the_machine(tmp_path: Path) -> None:
    (tmp_path / "clock").write_text("600000")
    real = FixedClock(now_ms=NOON_MS)
    clock, began_s = MovedClock(tmp_path / "clock", real), real.monotonic_s()

    clock.sleep(2.0)

    assert clock.monotonic_s() == began_s + 2.0
    assert isinstance(clock_of(None), SystemClock)
    assert isinstance(clock_of(tmp_path / "clock"), MovedClock)


class Lapse:
    """A stack in which work is due; every tick does what is due by then, and notes the time."""

    def __init__(self, tmp_path: Path, *minutes: str, again: dict[str, str] | None = None) -> None:
        self.clock = stack_clock(tmp_path)
        self.due = {*minutes}
        self.again = again or {}
        self.ticks: list[str] = []
        self.lapse = TimeLapse(self.clock, due_minutes=self._due_minutes, tick=self._tick, settle=self._settle)

    async def _due_minutes(self) -> list[str]:
        return sorted(self.due)

    def _tick(self) -> None:
        self.ticks.append(f"{self.clock.now():%H%M}")
        done = {one for one in self.due if one <= f"{self.clock.now():%Y%m%dT%H%M}"}
        self.due = (self.due - done) | {self.again[one] for one in done if one in self.again}

    async def _settle(self) -> None:
        return None


def test_each_due_minute_on_the_way_has_a_tick(tmp_path: Path) -> None:
    stack = Lapse(tmp_path, "20261122T1205", "20261122T1240", "20261122T1330", "odd")

    asyncio.run(stack.lapse.move(seconds=HOUR_S))

    assert stack.ticks == ["1205", "1240", "1300"]
    assert stack.clock.now_ms() == NOON_MS + HOUR_S * 1_000


def test_what_becomes_due_on_the_way_has_its_tick_too(tmp_path: Path) -> None:
    stack = Lapse(tmp_path, "20261122T1205", again={"20261122T1205": "20261122T1210"})

    asyncio.run(stack.lapse.move(seconds=HOUR_S))

    assert stack.ticks == ["1205", "1210", "1300"]


@given(st.integers(0, 100_000))
def test_a_lapse_ends_at_its_time(seconds: int) -> None:
    moved: list[int] = []

    class Clock(StackClock):
        def move(self, *, ms: int) -> None:
            moved.append(ms)

    async def run() -> None:
        clock = Clock(Path("/nowhere"), real_now_ms=lambda: NOON_MS + sum(moved))

        async def no_minutes() -> list[str]:
            return []

        async def settle() -> None:
            return None

        await TimeLapse(clock, due_minutes=no_minutes, tick=lambda: None, settle=settle).move(seconds=seconds)

    asyncio.run(run())

    assert sum(moved) == seconds * 1_000
