"""A clock that moves only by command."""


class FixedClock:
    """Stands still except for `sleep` and `move`."""

    def __init__(self, *, now_ms: int = 1_763_700_000_000) -> None:
        self._now_ms = now_ms
        self._monotonic_s = 0.0

    def now_ms(self) -> int:
        return self._now_ms

    def monotonic_s(self) -> float:
        return self._monotonic_s

    def sleep(self, seconds: float) -> None:
        self.move(seconds)

    def move(self, seconds: float) -> None:
        """Advance both clocks: after `clock.move(1.5)`, `now_ms` is 1,500 larger."""
        self._monotonic_s += seconds
        self._now_ms += round(seconds * 1_000)
