"""The first model, with the second as a fallback: for single requests such as recaps, captions and classifications."""

from collections.abc import Callable
from dataclasses import field, replace
from typing import Final, TypeVar

from shared import logs
from shared.agent.model import JsonAnswer, JsonModel, JsonRequest, Model, ModelRequest, ModelResponse
from shared.clock import Clock
from shared.errors import ModelRefusedError, ModelUnavailableError
from shared.frozen import frozen

_LEAST_S: Final = 3.0
_Answer = TypeVar("_Answer")


@frozen
class SecondChance:
    """A Model that asks the second model if the first gives no answer, within the time of the request."""

    model: Model
    second: Model
    clock: Clock = field(repr=False)

    @property
    def name(self) -> str:
        return self.model.name

    def generate(self, request: ModelRequest) -> ModelResponse:
        def second(left_s: float) -> ModelResponse:
            return self.second.generate(replace(request, timeout_s=left_s))

        return _ask_either(lambda: self.model.generate(request), second, self.clock, request.timeout_s)


@frozen
class SecondJsonChance:
    """A JsonModel with the same fallback."""

    model: JsonModel
    second: JsonModel
    clock: Clock = field(repr=False)

    @property
    def name(self) -> str:
        return self.model.name

    def answer_json(self, request: JsonRequest) -> JsonAnswer:
        def second(left_s: float) -> JsonAnswer:
            return self.second.answer_json(replace(request, timeout_s=left_s))

        return _ask_either(lambda: self.model.answer_json(request), second, self.clock, request.timeout_s)


def _ask_either(
    first: Callable[[], _Answer], second: Callable[[float], _Answer], clock: Clock, timeout_s: float
) -> _Answer:
    """Return the first model's answer, else the second's, within the remaining time.  Raises: the last model's error.

    For example, after 12 of 15 s the second model gets 3 s; with less than 3 s left it is not asked.
    """
    began_s = clock.monotonic_s()
    try:
        return first()
    except (ModelUnavailableError, ModelRefusedError) as cause:
        left_s = timeout_s - (clock.monotonic_s() - began_s)
        is_about_request = isinstance(cause, ModelRefusedError) and cause.is_about_request
        if is_about_request or left_s < _LEAST_S:
            raise
        logs.warning("model_fell_back")
        return second(left_s)
