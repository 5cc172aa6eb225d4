"""A chat with the worker's real code in virtual time, and a plain bot beside it.

Time is that of the simulation: every call of storage takes `call_s`, every request to the model MODEL_S, and nothing else takes time.
So the figures are exact, and the same on every machine.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Final, TypeAlias

from shared.adapters.memory.scripted_model import calling
from shared.agent.model import (
    FunctionResponses,
    Json,
    JsonAnswer,
    JsonRequest,
    ModelRequest,
    ModelResponse,
    TextContent,
)
from shared.agent.request_budget import tokens_of_request
from shared.conversation.snapshot import MemoryLimits
from shared.reminders.delivery import Reminding
from tests.simulation.mind import Mind
from tests.simulation.scene import Scene
from tests.simulation.scheduler import STEPS, Process, Task

Calls: TypeAlias = Sequence[tuple[str, Json]]
Step: TypeAlias = Calls | Callable[[ModelRequest], Calls]
"""One answer of the model: its calls, or what returns them for the request, for example with an id from the last result."""
MODEL_S: Final = 1.0
ANSWER_TOKENS: Final = 40
REPLY: Final = ("reply", {"message": "All right, that is done."})
_PAUSE_S: Final = 5.0  # between two turns, so that no object is written twice a second
_CALL: Final = "reply"
"""How the simulation names a call of LINE's reply endpoint."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wait:
    """What a person waited for: sequential requests to the model, and seconds from the push to the reply call.

    `held_s`: seconds from the reply call to the record of the outcome, from which on the chat's next turn may begin.
    """

    requests: int
    seconds: float
    held_s: float

    @property
    def over_model_s(self) -> float:
        """Seconds for which no request to the model was under way, in the person's view."""
        return self.seconds - self.requests * MODEL_S


@dataclass(frozen=True, slots=True, kw_only=True)
class Burst:
    """What became of several messages: answers, requests with their tokens, and seconds from the last message to the last answer."""

    answers: int
    requests: int
    tokens: int
    last_answer_s: float


class ScriptedMind(Mind):
    """A model that takes MODEL_S a request, and answers with the calls of the script; without a script, with a reply."""

    script: list[Step]
    ended_s: list[float]
    tokens: int

    def begin(self, script: Iterable[Step] = ()) -> None:
        """Answer with this script from now on, and count anew."""
        self.script, self.ended_s, self.tokens = list(script), [], 0

    def generate(self, request: ModelRequest) -> ModelResponse:
        self.tokens += ANSWER_TOKENS + tokens_of_request(
            request.system_instruction, request.declarations, request.contents
        )
        self._world.scheduler.give_way("model", MODEL_S)
        self.ended_s.append(self._world.now_s)
        step = self.script.pop(0) if self.script else [REPLY]
        return calling(*(step(request) if callable(step) else step))

    def answer_json(self, request: JsonRequest) -> JsonAnswer:
        raise AssertionError(f"the classifier was asked: {request.prompt[-40:]}")


class VirtualChat:
    """A 1:1 chat in virtual time; every call of storage, LINE and Notion takes `call_s`."""

    def __init__(self, *, call_s: float, has_notion: bool = False) -> None:
        self._scene = Scene(
            even_call_s=call_s,
            has_knowledge=True,
            has_notion=has_notion,
            reminding=Reminding.PUSH,
            limits=MemoryLimits(),
            make_mind=ScriptedMind,
        )
        mind = self._scene.stage.ports.mind
        assert isinstance(mind, ScriptedMind)  # noqa: S101 - as it was made
        self._mind = mind

    @contextmanager
    def playing(self) -> Iterator["VirtualChat"]:
        """Play the chat inside the block."""
        with self._scene.playing():
            yield self

    def stored(self, prefix: str) -> list[tuple[str, bytes]]:
        """Return the names and bytes of the objects below the prefix."""
        objects = self._scene.world.objects
        stored = ((one.name, objects.read(one.name)) for one in objects.list(prefix))
        return [(name, found.data) for name, found in stored if found is not None]

    def ask(self, script: Iterable[Step] = (), *, is_cold: bool = False) -> Wait:
        """A person writes, and the turn ends; `is_cold`: on an instance that knows nothing of the chat."""
        scene, mind = self._scene, self._mind
        scene.sleeps(_PAUSE_S)
        mind.begin(script)
        begun_s = scene.world.now_s
        worker = scene.asks(instance=int(is_cold))
        scene.runs_until(worker, _CALL)
        replied_s = scene.world.now_s
        scene.runs_past(worker, "write journal/")
        held_s = scene.world.now_s - replied_s
        scene.runs_to_end(worker)
        return Wait(requests=len(mind.ended_s), seconds=replied_s - begun_s, held_s=held_s)

    def burst(self, messages: int, *, apart_s: float) -> Burst:
        """A person writes several messages, `apart_s` apart, all to one instance."""
        scene, mind = self._scene, self._mind
        scene.sleeps(_PAUSE_S)
        mind.begin()
        answered = len(scene.world.truth.said)
        for number in range(messages):
            last_s = scene.world.now_s
            scene.asks(instance=0)
            if number < messages - 1:
                scene.runs(seconds=apart_s)
        scene.rests()
        said = scene.world.truth.said[answered:]
        return Burst(
            answers=len(said), requests=len(mind.ended_s), tokens=mind.tokens, last_answer_s=said[-1].at_s - last_s
        )


class PlainBot:
    """The floor: a webhook asks the model about the one message, then replies; it remembers nothing and does nothing."""

    def __init__(self, *, call_s: float) -> None:
        self._scene = Scene(even_call_s=call_s, make_mind=ScriptedMind)
        mind = self._scene.stage.ports.mind
        assert isinstance(mind, ScriptedMind)  # noqa: S101 - as it was made
        self._mind = mind
        self._process = Process("plain bot")

    def burst(self, messages: int, *, apart_s: float) -> Burst:
        """A person writes several messages, `apart_s` apart."""
        scene, answered_s = self._scene, list[float]()
        self._mind.begin()
        with scene.playing():
            for number in range(messages):
                last_s = scene.world.now_s
                self._begin(f"message {number}", answered_s)
                if number < messages - 1:
                    scene.runs(seconds=apart_s)
            scene.world.scheduler.run(steps=STEPS)
        return Burst(
            answers=len(answered_s),
            requests=len(self._mind.ended_s),
            tokens=self._mind.tokens,
            last_answer_s=answered_s[-1] - last_s,
        )

    def _begin(self, text: str, answered_s: list[float]) -> Task:
        scheduler = self._scene.world.scheduler
        return scheduler.begin(scheduler.thread(self._process, text, partial(self._webhook, text, answered_s), chat=""))

    def _webhook(self, text: str, answered_s: list[float]) -> None:
        self._mind.generate(
            ModelRequest(
                system_instruction="You are a helpful bot in a LINE chat.",
                declarations=(),
                contents=(TextContent(role="user", texts=(text,)),),
                max_output_tokens=1_024,
                timeout_s=30.0,
            )
        )
        answered_s.append(self._scene.world.now_s)
        self._scene.world.call(_CALL, lambda: None)


def result_of(request: ModelRequest) -> Json:
    """Return the output of the last tool that the request shows."""
    last = request.contents[-1]
    assert isinstance(last, FunctionResponses)  # noqa: S101 - as the script says
    output: Json = last.responses[-1].response["output"]  # type: ignore[assignment]
    return output
