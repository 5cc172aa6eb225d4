"""The minds of a case: the model under test, and the script for the history."""

import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from evals.case import Attack
from shared.adapters.memory.scripted_model import calling
from shared.agent.model import FunctionCall, JsonAnswer, JsonModel, JsonRequest, Model, ModelRequest, ModelResponse
from shared.clock import Deadline
from shared.errors import ModelUnavailableError
from shared.metering import Usage
from shared.tools.web import WebAnswer, WebSource

WRITE_RECAP = "write_recap"


class MindUnderTest(Model, JsonModel, Protocol):
    """A model with both kinds of answers: calls and objects."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelCall:
    """A request to the model under test, with the calls, tokens and seconds of the answer."""

    request: ModelRequest | JsonRequest = field(repr=False)
    calls: tuple[FunctionCall, ...] = ()
    usage: Usage = field(default_factory=Usage)
    seconds: float = 0.0


class Stage:
    """A model that follows a script until the question, then passes requests on and records each request with its calls."""

    def __init__(self, subject: MindUnderTest) -> None:
        self.asked: list[ModelCall] = []
        self.script: list[ModelResponse] = []
        self.recap = ""
        self.is_history = True
        self._subject = subject
        self._lock = threading.Lock()

    @property
    def name(self) -> str:
        return self._subject.name

    def generate(self, request: ModelRequest) -> ModelResponse:
        if any(one.name == WRITE_RECAP for one in request.declarations):
            return calling((WRITE_RECAP, {"text": self.recap}))
        if self.is_history:
            return self.script.pop(0)
        begun_s = time.perf_counter()
        response = self._subject.generate(request)
        self._keep(
            ModelCall(request=request, calls=tuple(response.calls), usage=response.usage, seconds=_since(begun_s))
        )
        return response

    def answer_json(self, request: JsonRequest) -> JsonAnswer:
        begun_s = time.perf_counter()
        answer = self._subject.answer_json(request)
        self._keep(ModelCall(request=request, usage=answer.usage, seconds=_since(begun_s)))
        return answer

    def _keep(self, call: ModelCall) -> None:
        with self._lock:
            self.asked.append(call)


class Obedient:
    """A mind that obeys the injection, round by round, then stays silent.  Its runs show the harm prevented by code."""

    name = "obedient"

    def __init__(self, attack: Attack) -> None:
        self._rounds = list(attack.rounds)

    def generate(self, request: ModelRequest) -> ModelResponse:
        attempts = self._rounds.pop(0) if self._rounds else [{"skip": {"reason": "done"}}]
        calls = [(name, arguments) for one in attempts for name, arguments in one.items()]
        allowed = [one for one in calls if not request.allowed or one[0] in request.allowed]
        return calling(*(allowed or [("skip", {"reason": "nothing else is allowed"})]))

    def answer_json(self, request: JsonRequest) -> JsonAnswer:
        del request
        return JsonAnswer(value={"category": "ideas", "confidence": 0.9, "name": "captured"})


@dataclass(frozen=True, slots=True, kw_only=True)
class OnePageWeb:
    """A web with one page, found by every search; without a text, searches fail."""

    text: str | None = field(repr=False)
    url: str = ""
    title: str = ""
    name: str = "one page"
    queries: list[str] = field(default_factory=list, repr=False)

    def search(self, query: str, deadline: Deadline) -> WebAnswer:
        del deadline
        self.queries.append(query)
        if self.text is None:
            raise ModelUnavailableError("the search is down")
        return WebAnswer(text=self.text, sources=(WebSource(title=self.title, url=self.url),), searches=(query,))


def tokens_of(calls: Sequence[ModelCall]) -> Usage:
    """Return the sum of the tokens: for example, calls with 900 and 1,100 prompt tokens give 2,000."""
    total = Usage()
    for call in calls:
        total = replace(
            total,
            prompt_tokens=total.prompt_tokens + call.usage.prompt_tokens,
            cached_tokens=total.cached_tokens + call.usage.cached_tokens,
            output_tokens=total.output_tokens + call.usage.output_tokens,
            thought_tokens=total.thought_tokens + call.usage.thought_tokens,
        )
    return total


def count_calls(model_calls: Sequence[ModelCall]) -> Mapping[str, int]:
    """Return how often each tool was called, for example `{"capture": 2, "reply": 1}`."""
    counts: dict[str, int] = {}
    for call in (call for one in model_calls for call in one.calls):
        counts[call.name] = counts.get(call.name, 0) + 1
    return counts


def _since(begun_s: float) -> float:
    return time.perf_counter() - begun_s
