"""A scene: a schedule that is told step by step instead of drawn.  Nothing fails in it but what it says, every call takes as long."""

import random
from collections.abc import MutableSequence, Sequence
from typing import Any, Final

from tests.simulation.model.checks import Story, violations
from tests.simulation.model.guards import Guards
from tests.simulation.model.records import Message
from tests.simulation.model.stage import Delivery, Job, Stage
from tests.simulation.model.world import LateReply, Mind, World

_CALL_S: Final = 0.05
_STEPS: Final = 5_000


class Scene:
    """One chat, one hand that moves everything.  `first_read` is what comes first of what a reader reads side by side."""

    def __init__(
        self,
        guards: Guards,
        *,
        late_reply: LateReply = "drop",
        seconds: float = 2.0,
        skews_s: tuple[float, ...] = (0.0, 0.0, 0.0),
        first_read: str = "journal/",
    ) -> None:
        self.rng = _Chosen(first_read)
        self.world = World(self.rng, guards=guards, late_reply=late_reply, mind=Mind(seconds=(seconds, seconds)))
        self.stage = Stage(self.world, skews_s=skews_s)
        self.messages: list[Message] = []
        self.unsent: set[str] = set()
        self.erased_s = -1.0

    # -- people

    def says(self, name: str, *, presses: str | None = None) -> Message:
        """Somebody addresses the bot, or presses a button."""
        message = self.stage.message(name, at_s=self.world.now_s, presses=presses)
        self.messages.append(message)
        return message

    def received(self, message: Message) -> Delivery:
        """LINE delivers the message, for the first time or again."""
        return self.stage.webhook(message)

    def takes_back(self, name: str) -> Job:
        """Somebody takes a message back."""
        self.unsent.add(name)
        return self.pushed(self.stage.unsend(name, at_s=self.world.now_s))

    def edits(self, name: str) -> Job:
        """Somebody edits a message."""
        return self.pushed(self.stage.edit(name, at_s=self.world.now_s))

    def resets(self, *, at_s: float) -> Job:
        """Somebody erased everything up to here."""
        self.erased_s = max(self.erased_s, at_s)
        return self.pushed(self.stage.erase(at_s=at_s))

    def compacts(self) -> Job:
        """A worker finds that the journal has grown."""
        return self.pushed(self.stage.compaction())

    # -- requests

    def asks(self, name: str, *, instance: int = 0) -> Job:
        """Somebody addresses the bot, and the message is pushed at once."""
        return self.pushed(self.received(self.says(name)), instance=instance)

    def pushed(self, delivery: Delivery, *, instance: int = 0) -> Job:
        """Pub/Sub pushes the message to an instance."""
        job = self.stage.deliver(delivery, instance)
        if job is None:
            raise AssertionError(f"{delivery.name} is a dead letter")
        return job

    def until(self, job: Job, about: str, *, times: int = 1) -> None:
        """The request moves, and nobody else, until it is about to make this call (for the nth time)."""
        for _ in range(times):
            if not self.comes_to(job, about):
                raise AssertionError(f"{job.delivery.name} ended before it came to {about!r}")

    def comes_to(self, job: Job, about: str) -> bool:
        """Like `until`, for a request that may end before: whether it came to the call."""
        for _ in range(_STEPS):
            self._move(job)
            if job.ended or job.about.startswith(about):
                return not job.ended
        raise AssertionError(f"{job.delivery.name} never comes to {about!r}; it is at {job.about!r}")

    def through(self, job: Job) -> None:
        """The request moves, and nobody else, until it ends."""
        for _ in range(_STEPS):
            if job.ended:
                return
            self._move(job)
        raise AssertionError(f"{job.delivery.name} never ends; it is at {job.about!r}")

    def sleeps(self, seconds: float) -> None:
        """Time passes."""
        self.world.now_s += seconds

    def dies(self, job: Job) -> None:
        """The request ends in the middle, and its message is delivered again, some time."""
        self.stage.kill(job)

    def rests(self, *, calm: bool = False) -> list[str]:
        """Everything else comes to its end, in its time; return what is broken then.  `calm`: nothing failed, so nobody is silent."""
        for _ in range(_STEPS):
            next_s = self.stage.next_s()
            if next_s is None:
                break
            self.world.now_s = max(self.world.now_s, next_s)
            if not self.stage.happen():
                self._move(min(self.stage.jobs, key=lambda one: one.wakes_s))
        else:
            return ["I1: nothing ever came to rest"]
        story = Story(
            messages=tuple(self.messages),
            unsent=frozenset(self.unsent),
            erased_s=self.erased_s,
            calm=calm,
            outage=True,
        )
        return violations(self.stage, story)

    def keeps(self, name: str) -> list[str]:
        """Return a sentence where a word of the message is in the bucket at this moment."""
        bucket = self.world.bucket
        return [
            f"I4: {word} is still in {kept}"
            for word, _ in self.world.words[name]
            for kept in bucket.names("")
            if word in repr(bucket.peek(kept))
        ]

    def _move(self, job: Job) -> None:
        self.world.now_s = max(self.world.now_s, job.wakes_s) + _CALL_S
        self.stage.step(job)


class _Chosen(random.Random):
    """No chance: what could be shuffled comes in the order that the scene wants."""

    def __init__(self, first: str) -> None:
        super().__init__(0)
        self._first = first

    def shuffle(self, x: MutableSequence[Any]) -> None:
        chosen = _sorted(x, self._first)
        x[:] = chosen


def _sorted(calls: Sequence[Any], first: str) -> list[Any]:
    return sorted(calls, key=lambda call: (call != first, str(call)))
