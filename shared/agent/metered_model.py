"""The model behind a meter: nothing of the worker asks a model otherwise."""

from dataclasses import dataclass, field

from shared.agent.model import JsonAnswer, JsonModel, JsonRequest, Model, ModelRequest, ModelResponse
from shared.metering import Metering


@dataclass(frozen=True, slots=True, kw_only=True)
class MeteredModel:
    """A Model whose requests are counted."""

    model: Model
    metering: Metering = field(repr=False)

    @property
    def name(self) -> str:
        return self.model.name

    def generate(self, request: ModelRequest) -> ModelResponse:
        with self.metering.request(request.purpose, self.model.name) as made:
            response = self.model.generate(request)
            made.usage = response.usage
            made.response_model = response.model_version
            made.fields["finish_reason"] = response.block_reason or response.finish_reason
        return response


@dataclass(frozen=True, slots=True, kw_only=True)
class MeteredJsonModel:
    """A JsonModel whose requests are counted."""

    model: JsonModel
    metering: Metering = field(repr=False)

    @property
    def name(self) -> str:
        return self.model.name

    def answer_json(self, request: JsonRequest) -> JsonAnswer:
        with self.metering.request(request.purpose, self.model.name) as made:
            answer = self.model.answer_json(request)
            made.usage = answer.usage
        return answer
