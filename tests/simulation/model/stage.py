"""The stage: LINE's events, Pub/Sub's deliveries, instances that are killed, and a clock.  Who moves next is somebody else's choice."""

import heapq
from collections.abc import Callable
from dataclasses import dataclass, field

from tests.simulation.model.compaction import compact
from tests.simulation.model.edits import edit
from tests.simulation.model.erasure import erase
from tests.simulation.model.records import Message, Token, Turn
from tests.simulation.model.unsend import unsend
from tests.simulation.model.worker import answer
from tests.simulation.model.world import TURN, KilledError, NackError, Run, Steps, World
from tests.simulation.product.times import BACKOFF_S, DELIVERY_ATTEMPTS, REQUEST_S


@dataclass(slots=True, eq=False)
class Delivery:
    """A message of Pub/Sub's, delivered until it is acknowledged.  Nobody delivers a compaction again."""

    name: str
    handle: Callable[[Run], Steps[None]]
    redelivered: bool = True
    attempts: int = 0


@dataclass(slots=True, eq=False)
class Job:
    """A request under way on an instance; `about` is the call that it makes when it moves next."""

    delivery: Delivery
    run: Run
    instance: int
    steps: Steps[None]
    wakes_s: float
    about: str = ""
    ended: bool = False


@dataclass(slots=True, eq=False)
class Stage:
    """One world, the requests in it, and what is still to happen."""

    world: World
    skews_s: tuple[float, ...] = (0.0, 0.0, 0.0)
    jobs: list[Job] = field(default_factory=list)
    dead_letters: list[str] = field(default_factory=list)
    _events: list[tuple[float, int, Callable[[], object]]] = field(default_factory=list)

    # -- what people do

    def message(self, name: str, *, at_s: float, addressed: bool = True, presses: str | None = None) -> Message:
        """Somebody writes, or presses a button, at this time by LINE's clock."""
        word = f"<{name}>"
        self.world.words[name] = [(word, at_s)]
        self.world.timestamps_s[name] = at_s
        token = Token(reply_token=f"token-{name}", received_s=at_s)
        return Message(id=name, timestamp_s=at_s, text=word, addressed=addressed, token=token, presses=presses)

    def webhook(self, message: Message, *, publish_s: float = 0.0) -> Delivery:
        """LINE delivers the message, for the first time or again: its token lives from here on, and Pub/Sub has it a little later."""
        world = self.world
        world.line.deliver(message.token.reply_token, timestamp_s=message.timestamp_s, now_s=world.now_s)
        token = Token(reply_token=message.token.reply_token, received_s=world.now_s + publish_s)
        received = Message(
            id=message.id,
            timestamp_s=message.timestamp_s,
            text=message.text,
            addressed=message.addressed,
            token=token,
            presses=message.presses,
        )
        return Delivery(f"answer {message.id}", lambda run: answer(run, received))

    def unsend(self, name: str, *, at_s: float) -> Delivery:
        """Somebody takes a message back."""
        return Delivery(f"unsend {name}", lambda run: unsend(run, name, at_s))

    def edit(self, name: str, *, at_s: float) -> Delivery:
        """Somebody edits a message."""
        word = f"<{name} edited {len(self.world.words[name])}>"
        self.world.words[name].append((word, at_s))
        return Delivery(f"edit {name}", lambda run: edit(run, name, at_s, word))

    def erase(self, *, at_s: float) -> Delivery:
        """Somebody resets the chat, or the bot leaves it."""
        return Delivery("erase", lambda run: erase(run, at_s))

    def compaction(self) -> Delivery:
        """A worker finds that the journal has grown."""
        return Delivery("compact", compact, redelivered=False)

    # -- what happens to requests

    def at(self, at_s: float, event: Callable[[], object]) -> None:
        """Something happens at this time."""
        heapq.heappush(self._events, (at_s, self.world.number(), event))

    def deliver(self, delivery: Delivery, instance: int = 0) -> Job | None:
        """Pub/Sub pushes the message to an instance, unless it gave up on it."""
        delivery.attempts += 1
        if delivery.attempts > DELIVERY_ATTEMPTS:
            self.dead_letters.append(delivery.name)
            return None
        now_s = self.world.now_s
        run = Run(self.world, skew_s=self.skews_s[instance], started_s=now_s)
        job = Job(delivery, run, instance, delivery.handle(run), wakes_s=now_s)
        self.jobs.append(job)
        return job

    def happen(self) -> bool:
        """Let the next event happen that is due.  False: none is."""
        if not self._events or self._events[0][0] > self.world.now_s:
            return False
        heapq.heappop(self._events)[2]()
        return True

    def next_s(self) -> float | None:
        """Return when anything can happen next.  None: never."""
        times = [job.wakes_s for job in self.jobs]
        if self._events:
            times.append(self._events[0][0])
        return min(times, default=None)

    def step(self, job: Job) -> None:
        """One request moves to its next call, and the platform ends those that take too long."""
        if self.world.now_s - job.run.started_s > REQUEST_S:
            self._cut_off(job)
            return
        try:
            said = next(job.steps)
        except StopIteration:
            self._end(job)
        except NackError:
            self.kill(job)
        except KilledError:
            self.kill_instance(job.instance)
        else:
            job.about = said if isinstance(said, str) else "sleep"
            job.wakes_s = self.world.now_s + (said if isinstance(said, float) else 0.0)

    def kill(self, job: Job) -> None:
        """The request ends in the middle; Pub/Sub delivers its message again, after a pause."""
        job.run.dead = True
        self._end(job)
        if job.delivery.redelivered:
            pause_s = self.world.rng.uniform(*BACKOFF_S)
            instance = self.world.rng.randrange(len(self.skews_s))
            self.at(self.world.now_s + pause_s, lambda: self.deliver(job.delivery, instance))

    def kill_instance(self, instance: int) -> None:
        """SIGKILL: every request of the instance ends in the middle."""
        for job in [one for one in self.jobs if one.instance == instance]:
            self.kill(job)

    def _cut_off(self, job: Job) -> None:
        turn = self.world.bucket.read(TURN, Turn)
        held = self.world.holders.get(turn.value.holder or 0) if turn else None
        if turn and held and held.run is job.run and turn.value.state == "thinking":
            self.world.truth.cut_off += 1
        self.kill(job)

    def _end(self, job: Job) -> None:
        job.ended = True
        job.steps.close()
        self.jobs.remove(job)
