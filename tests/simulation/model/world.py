"""One chat and everything around it, what a request may do there, and what really happened.

A request is a generator that gives way before every call: a text says which call comes next, a number how long it sleeps.
"""

import random
from collections.abc import Generator
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias, TypeVar

from tests.simulation.model.bucket import Bucket, RecordT, Stored, ThrottledError
from tests.simulation.model.guards import Guards
from tests.simulation.model.line import Line
from tests.simulation.model.records import Outcome, Record, Snapshot, Turn
from tests.simulation.product.times import FENCE_S, JITTER_S, TOKEN_DEAD_S, TOKEN_SURE_S

_ResultT = TypeVar("_ResultT")
Steps: TypeAlias = Generator[str | float, None, _ResultT]
LateReply: TypeAlias = Literal["button", "push", "drop"]

TURN: Final = "turn"
SNAPSHOT: Final = "snapshot"
ERASED: Final = "erased"


class KilledError(Exception):
    """The instance is gone, with every request on it."""


class LapsedError(Exception):
    """The holder's time is over: whatever it wanted to write is somebody else's business."""


class NackError(Exception):
    """The request answers 5xx."""


@dataclass(slots=True, kw_only=True)
class Mind:
    """What the model will do: how long it takes, how often it is down or has nothing to say, which messages kill its caller."""

    seconds: tuple[float, float] = (1.0, 4.0)
    rounds: int = 1
    downs: float = 0.0
    skips: float = 0.0
    files: float = 0.0
    poison: frozenset[str] = frozenset()


@dataclass(slots=True)
class Truth:
    """What really happened; no request reads it."""

    violations: list[str] = field(default_factory=list)
    model_calls: int = 0
    lost_turns: int = 0
    cut_off: int = 0
    forgotten: list[str] = field(default_factory=list)
    superseded: dict[str, float] = field(default_factory=dict)
    edited_s: dict[str, float] = field(default_factory=dict)
    committed: dict[int, Outcome] = field(default_factory=dict)
    committed_s: dict[int, float] = field(default_factory=dict)
    withdrawn_s: dict[str, float] = field(default_factory=dict)
    filed: list[tuple[tuple[int, int], str]] = field(default_factory=list)

    def forget(self, word: str) -> None:
        """A withdrawal of this word was handled."""
        if word not in self.forgotten:
            self.forgotten.append(word)


@dataclass(slots=True, eq=False)
class Held:
    """A turn in its holder's hands.  `fence_s` is where the holder stops writing, by the monotonic clock."""

    holder: int
    turn: Turn
    generation: int
    fence_s: float
    run: "Run"


@dataclass(slots=True, eq=False)
class World:
    """One chat's bucket, LINE and model, true time, and the wishes of the people in it."""

    rng: random.Random
    guards: Guards = field(default_factory=Guards)
    late_reply: LateReply = "button"
    mind: Mind = field(default_factory=Mind)
    lost_answers: float = 0.0
    clocks_hold: bool = True
    """Whether no clock is off by more than SKEW_S.  If one is, a live holder may lose its turn, and nothing worse."""
    now_s: float = 0.0
    bucket: Bucket = field(default_factory=Bucket)
    truth: Truth = field(default_factory=Truth)
    line: Line = field(init=False)
    words: dict[str, list[tuple[str, float]]] = field(default_factory=dict)
    """Every text that a message ever had, with its timestamp."""
    timestamps_s: dict[str, float] = field(default_factory=dict)
    holders: dict[int, Held] = field(default_factory=dict)
    _numbers: int = 0

    def __post_init__(self) -> None:
        self.line = Line(self.rng)

    def number(self) -> int:
        """Return a number that nobody else has."""
        self._numbers += 1
        return self._numbers

    def withdrawn(self, line_message_id: str) -> None:
        """From here on, whoever looks sees that the message is withdrawn."""
        self.truth.withdrawn_s.setdefault(line_message_id, self.now_s)

    def broken(self, sentence: str) -> None:
        """Take down that something happened that must not."""
        self.truth.violations.append(sentence)


@dataclass(slots=True, eq=False)
class Run:
    """One request on one instance, whose wall clock is off by `skew_s`."""

    world: World
    skew_s: float = 0.0
    started_s: float = 0.0
    dead: bool = False

    @property
    def guards(self) -> Guards:
        return self.world.guards

    @property
    def wall_s(self) -> float:
        return self.world.now_s + self.skew_s

    @property
    def monotonic_s(self) -> float:
        return self.world.now_s

    def token_is_sure(self, received_s: float) -> bool:
        """Whether the token is alive, whatever the clocks say."""
        return self.wall_s - received_s < TOKEN_SURE_S

    def token_is_dead(self, received_s: float) -> bool:
        """Whether the token is dead, unless LINE delivered it again."""
        return self.wall_s - received_s >= TOKEN_DEAD_S

    def read(self, name: str, kind: type[RecordT]) -> Steps[Stored[RecordT] | None]:
        """Return the object, or None where there is none."""
        yield f"read {name}"
        return self.world.bucket.read(name, kind)

    def read_turn(self) -> Steps[Stored[Turn]]:
        """Return the turn; a chat without one is idle."""
        return (yield from self.read(TURN, Turn)) or Stored(Turn(), 0)

    def read_snapshot(self) -> Steps[Stored[Snapshot]]:
        """Return the snapshot; a young chat has none."""
        return (yield from self.read(SNAPSHOT, Snapshot)) or Stored(Snapshot(), 0)

    def names(self, prefix: str) -> Steps[tuple[str, ...]]:
        """Return the names that start with `prefix`."""
        yield f"list {prefix}"
        return self.world.bucket.names(prefix)

    def delete(self, name: str) -> Steps[None]:
        """The object is gone.  Repeated: does nothing."""
        yield f"delete {name}"
        self.world.bucket.delete(name)

    def write(self, name: str, value: Record, generation: int, *, held: Held | None = None) -> Steps[int | None]:
        """Write at this generation (0: create) and return the new one; None where somebody else was faster.

        429 is waited out. A refused write of a record with a writer token may have won, its answer lost: the token tells.
        Raises: LapsedError, before the write, where the writer's lease is over.
        """
        won = None
        while won is None:
            yield f"write {name}"
            if held is not None:
                self.check_fence(held.fence_s)
            try:
                won = self._written(name, value, generation)
            except ThrottledError as cause:
                if not self.guards.retries_throttled:
                    raise NackError from cause
                yield self.world.rng.uniform(*JITTER_S)
                continue
            if won is None:
                break
        if won is not None and self.world.rng.random() >= self.world.lost_answers:
            return won
        return (yield from self._own(name, value))

    def check_fence(self, fence_s: float) -> None:
        """Raises: LapsedError, where the monotonic clock says that the time for writing is over."""
        if self.monotonic_s >= fence_s and self.guards.stops_before_lease_ends:
            raise LapsedError

    def fence_s(self) -> float:
        """Return when a lease, or a look, that begins at this moment stops being good for writes."""
        return self.monotonic_s + FENCE_S

    def _written(self, name: str, value: Record, generation: int) -> int | None:
        before = self.world.bucket.read(TURN, Turn) if name == TURN else None
        won = self.world.bucket.write(name, value, generation, now_s=self.world.now_s)
        if won is not None and isinstance(value, Turn):
            _watch(self.world, before.value if before else Turn(), value)
        return won

    def _own(self, name: str, value: Record) -> Steps[int | None]:
        if not isinstance(value, Turn | Snapshot) or not self.guards.tells_own_write:
            return None
        stored = yield from self.read(name, type(value))
        return stored.generation if stored and stored.value.writer == value.writer else None


def _watch(world: World, before: Turn, after: Turn) -> None:
    """See to it that nobody takes a turn whose holder is alive, and that only its holder commits."""
    held = world.holders.get(before.holder or 0)
    alive = held is not None and not held.run.dead and held.fence_s > world.now_s and world.clocks_hold
    if before.state == "thinking" and after.holder != before.holder and after.holder is not None and alive:
        world.broken("I3: the turn of a live holder was taken")
    if after.state == "committed" and after.outcome is not None:
        if before.state == "thinking" and after.holder != before.holder:
            world.broken("I3: an outcome was committed by somebody who did not hold the turn")
        if before.state == "idle" or (before.outcome is not None and before.outcome.sequence != after.outcome.sequence):
            world.broken("I3: two holders committed")
        if before.state == "thinking":
            _watch_commit(world, after.outcome)


def _watch_commit(world: World, outcome: Outcome) -> None:
    world.truth.committed[outcome.sequence] = outcome
    world.truth.committed_s[outcome.sequence] = world.now_s
    text = outcome.text or ""
    edited = [
        [word for word, at_s in world.words[one] if at_s >= world.truth.edited_s[one]]
        for one in outcome.covers
        if one in world.truth.edited_s
    ]
    if outcome.kind == "replied" and not all(any(word in text for word in words) for words in edited):
        world.broken("I4: an answer was committed to the text from before an edit that had been handled")
