"""The models behind a meter: the worker asks every model through a meter."""

from dataclasses import field, replace
from functools import partial

from shared.agent.model import JsonAnswer, JsonModel, JsonRequest, Model, ModelRequest, ModelResponse
from shared.agent.request_budget import tokens_of_request
from shared.agent.result_budget import tokens_of
from shared.agent.token_estimate import estimated_tokens
from shared.frozen import frozen
from shared.metering import Metering, Usage

_UNREPORTED = Usage()


@frozen
class MeteredModel:
    """A Model whose requests are counted; without reported tokens, an answer counts by an estimate, so that budgets still hold.

    A request under way counts by its prompt, for example one that a follow-up ended and that is not answered yet.
    """

    model: Model
    metering: Metering = field(repr=False)

    @property
    def name(self) -> str:
        return self.model.name

    def generate(self, request: ModelRequest) -> ModelResponse:
        estimate = partial(_estimated_prompt, request)
        with self.metering.request(request.purpose, self.model.name, estimate=estimate) as counted:
            response = self.model.generate(request)
            counted.usage = response.usage if response.usage != _UNREPORTED else _estimated_usage(request, response)
            counted.response_model = response.model_version
            counted.fields["finish_reason"] = response.block_reason or response.finish_reason
        return response


@frozen
class MeteredJsonModel:
    """A JsonModel whose requests are counted, like those of a MeteredModel."""

    model: JsonModel
    metering: Metering = field(repr=False)

    @property
    def name(self) -> str:
        return self.model.name

    def answer_json(self, request: JsonRequest) -> JsonAnswer:
        estimate = partial(_estimated_json_prompt, request)
        with self.metering.request(request.purpose, self.model.name, estimate=estimate) as counted:
            answer = self.model.answer_json(request)
            counted.usage = answer.usage if answer.usage != _UNREPORTED else _estimated_json_usage(request, answer)
        return answer


def _estimated_prompt(request: ModelRequest) -> Usage:
    return Usage(prompt_tokens=tokens_of_request(request.system_instruction, request.declarations, request.contents))


def _estimated_usage(request: ModelRequest, response: ModelResponse) -> Usage:
    output_tokens = tokens_of(response.content.wire) if response.content is not None else 0
    return replace(_estimated_prompt(request), output_tokens=output_tokens)


def _estimated_json_prompt(request: JsonRequest) -> Usage:
    texts = (request.system_instruction, request.prompt)
    return Usage(prompt_tokens=sum(map(estimated_tokens, texts)) + tokens_of(request.schema))


def _estimated_json_usage(request: JsonRequest, answer: JsonAnswer) -> Usage:
    return replace(_estimated_json_prompt(request), output_tokens=tokens_of(answer.value))
