"""The state of the deployment as facts in green or red, for the operator's page."""

import shutil
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from selfhost.registration import RegistrationState
from shared.adapters.sqlite import SqliteEventQueue
from shared.clock import MINUTE_MS, Clock
from shared.errors import AizuchiError, ModelRefusedError
from shared.handlers.heartbeat import ModelChecker
from shared.storage.due_marker import DUE_PREFIX, due_after
from shared.storage.object_store import ObjectStore

_LEAST_FREE_BYTES: Final = 200_000_000
_FRESH_S: Final = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """A line of the page, for example "budget ok 1,200 tokens today, of 100,000"; no words of people, no ids, no secrets."""

    name: str
    is_good: bool
    text: str


class ModelStatus:
    """Asks Gemini, at most once a minute, whether the key and the model are valid; safe to share between threads."""

    def __init__(self, model: ModelChecker, *, name: str, clock: Clock) -> None:
        """`name` is the model's name."""
        self._model = model
        self._name = name
        self._clock = clock
        self._asking = threading.Lock()
        self._answer: tuple[bool, str] = (False, "not asked yet")
        self._fresh_until_s = float("-inf")

    def __call__(self) -> tuple[bool, str]:
        """Return whether both are valid, and the text for the page: `(False, "refuses the key; check GEMINI_API_KEY")`."""
        with self._asking:
            if self._clock.monotonic_s() >= self._fresh_until_s:
                self._answer = self._ask()
                self._fresh_until_s = self._clock.monotonic_s() + _FRESH_S
            return self._answer

    def _ask(self) -> tuple[bool, str]:
        try:
            self._model.check_model()
        except ModelRefusedError as cause:
            if cause.is_about_name:
                return False, f"does not know {self._name}; check GEMINI_MODEL"
            return False, "refuses the request" if cause.is_about_request else "refuses the key; check GEMINI_API_KEY"
        except AizuchiError:
            return False, "does not answer"
        return True, f"has {self._name}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Status:
    """Determines the facts at each request of the page."""

    registration: Callable[[], RegistrationState]
    gemini: Callable[[], tuple[bool, str]]
    queue: SqliteEventQueue
    store: ObjectStore
    folder: Path
    last_message_ms: Callable[[], int | None]
    spent_today: Callable[[], int]
    tokens_per_day: int
    clock: Clock

    def __call__(self) -> tuple[Fact, ...]:
        """Return the facts, in the order of the page.  Never raises an AizuchiError."""
        return (
            *self._line(),
            self._fact("Gemini", self.gemini),
            self._fact("storage", self._storage),
            self._fact("last message", self._last_message),
            self._fact("due", self._due),
            self._fact("budget", self._budget),
        )

    def _line(self) -> tuple[Fact, ...]:
        state = self.registration()
        if state.works is None:
            text = "LINE was not asked yet; set PUBLIC_URL to the address of the tunnel"
            return (Fact(name="LINE", is_good=False, text=text), Fact(name="webhook", is_good=False, text=text))
        failed = next((line for line in state.lines if line.startswith("FAILED")), "")
        warned = "; ".join(line for line in state.lines if line.startswith(("FAILED", "WARNING")))
        is_reached = bool(state.works) or len(state.lines) > 1
        return (
            Fact(name="LINE", is_good=is_reached, text="answers" if is_reached else failed),
            Fact(name="webhook", is_good=bool(state.works), text=warned or "LINE tried it, and it answers"),
        )

    def _storage(self) -> tuple[bool, str]:
        free = shutil.disk_usage(self.folder).free
        used = sum(path.stat().st_size for path in self.folder.rglob("*") if path.is_file())
        return free >= _LEAST_FREE_BYTES, f"{used / 1e6:.1f} MB used, {free / 1e9:.1f} GB free"

    def _last_message(self) -> tuple[bool, str]:
        last_ms = self.last_message_ms()
        if last_ms is None:
            return True, "none since the start"
        return True, f"{(self.clock.now_ms() - last_ms) // MINUTE_MS} minutes ago"

    def _due(self) -> tuple[bool, str]:
        waiting, dead = self.queue.counts()
        late = len(self.store.list(DUE_PREFIX, before=due_after(self.clock.now_ms() - 2 * MINUTE_MS)))
        planned = len(self.store.list(DUE_PREFIX)) - late
        return not dead and not late, f"{waiting} events, {planned} planned, {late} late, {dead} dead letters"

    def _budget(self) -> tuple[bool, str]:
        spent = self.spent_today()
        limit = f"of {self.tokens_per_day:,}" if self.tokens_per_day else "without a limit"
        return not self.tokens_per_day or spent < self.tokens_per_day, f"{spent:,} tokens today, {limit}"

    @staticmethod
    def _fact(name: str, find_out: Callable[[], tuple[bool, str]]) -> Fact:
        try:
            is_good, text = find_out()
        except (AizuchiError, OSError) as cause:
            return Fact(name=name, is_good=False, text=f"cannot be read ({type(cause).__name__})")
        return Fact(name=name, is_good=is_good, text=text)
