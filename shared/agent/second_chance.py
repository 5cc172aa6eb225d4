"""The first model, and in its place the second one: for requests that are made once, such as recaps, captions and probes."""

from dataclasses import dataclass, field, replace
from typing import Final

from shared import logs
from shared.agent.model import Model, ModelRequest, ModelResponse
from shared.clock import Clock
from shared.errors import ModelRefusedError, ModelUnavailableError

_LEAST_S: Final = 3.0


@dataclass(frozen=True, slots=True, kw_only=True)
class SecondChance:
    """A Model that asks the second one where the first gives no answer, within the time of the request."""

    model: Model
    second: Model
    clock: Clock = field(repr=False)

    @property
    def name(self) -> str:
        return self.model.name

    def generate(self, request: ModelRequest) -> ModelResponse:
        began_s = self.clock.monotonic_s()
        try:
            return self.model.generate(request)
        except (ModelUnavailableError, ModelRefusedError) as cause:
            left_s = request.timeout_s - (self.clock.monotonic_s() - began_s)
            is_about_request = isinstance(cause, ModelRefusedError) and cause.is_about_request
            if is_about_request or left_s < _LEAST_S:
                raise
            logs.warning("model_fell_back", model=self.second.name)
            return self.second.generate(replace(request, timeout_s=left_s))
