import pytest

from shared.adapters.memory import FixedClock, ScriptedModel
from shared.adapters.memory.scripted_model import ScriptedJsonModel, Step, calling
from shared.agent.model import JsonRequest, ModelRequest, ModelResponse
from shared.agent.second_chance import SecondChance, SecondJsonChance
from shared.errors import ModelRefusedError, ModelUnavailableError

REQUEST = ModelRequest(system_instruction="", declarations=(), contents=(), max_output_tokens=100, timeout_s=15.0)
WELL = calling(("write_recap", {"text": "a recap"}))


def asked(*steps: Step, takes_s: float = 0.0) -> tuple[ModelResponse, ScriptedModel]:
    clock, second = FixedClock(), ScriptedModel([WELL])

    def first(request: ModelRequest) -> ModelResponse:
        clock.move(takes_s)
        return ScriptedModel(steps).generate(request)

    return SecondChance(model=ScriptedModel([first]), second=second, clock=clock).generate(REQUEST), second


def test_a_first_model_that_answers_is_enough() -> None:
    answer, second = asked(WELL)

    assert (answer, second.requests) == (WELL, [])


@pytest.mark.parametrize(
    "failure",
    [
        ModelUnavailableError("503"),
        ModelUnavailableError("429", retry_after_s=60),
        ModelRefusedError("404", is_about_request=False),
    ],
)
def test_the_second_model_is_asked_with_the_time_that_is_left(failure: Exception) -> None:
    answer, second = asked(failure, takes_s=5.0)

    assert answer == WELL
    assert second.requests[0].timeout_s == 10.0


@pytest.mark.parametrize(
    ("failure", "takes_s"), [(ModelRefusedError("400"), 0.0), (ModelUnavailableError("no answer"), 15.0)]
)
def test_the_second_model_is_not_asked_what_is_refused_nor_without_time(failure: Exception, takes_s: float) -> None:
    with pytest.raises(type(failure)):
        asked(failure, takes_s=takes_s)


def test_a_classification_asks_the_second_model_too() -> None:
    first, second = ScriptedJsonModel([ModelUnavailableError("429", retry_after_s=60)]), ScriptedJsonModel([{"a": 1}])
    request = JsonRequest(system_instruction="", prompt="", schema={}, timeout_s=8.0)

    answer = SecondJsonChance(model=first, second=second, clock=FixedClock()).answer_json(request)

    assert (answer.value, second.requests[0].timeout_s) == ({"a": 1}, 8.0)
