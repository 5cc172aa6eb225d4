from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import replace

import pytest

from shared.adapters.memory import FixedClock
from shared.adapters.memory.scripted_model import ScriptedJsonModel, ScriptedModel, calling
from shared.agent.metered_model import MeteredJsonModel, MeteredModel
from shared.agent.model import JsonRequest, ModelRequest, ModelResponse, TextContent, UnusableAnswerError
from shared.errors import BudgetSpentError, ModelUnavailableError
from shared.metering import Meter, Metering, ModelUsage, Purpose, Usage, metered

TOKENS = Usage(prompt_tokens=100, cached_tokens=40, output_tokens=7, thought_tokens=3)
CHAT = "U" + "1" * 32


class Till:
    """Keeps what was charged."""

    def __init__(self) -> None:
        self.charged: list[tuple[str | None, ModelUsage]] = []

    def charge(self, account: str | None, usage: ModelUsage) -> None:
        self.charged.append((account, usage))


def turn_request(purpose: Purpose = Purpose.TURN) -> ModelRequest:
    return ModelRequest(
        system_instruction="", declarations=(), contents=(), max_output_tokens=1, timeout_s=1.0, purpose=purpose
    )


def answer() -> ModelResponse:
    return ModelResponse(finish_reason="STOP", calls=calling(("skip", {})).calls, usage=TOKENS)


def metering(till: Till | None = None) -> Metering:
    return Metering(clock=FixedClock(), charges=till or Till())


def test_a_meter_sums_up_by_purpose_and_model() -> None:
    model = MeteredModel(model=ScriptedModel([answer(), answer(), answer()]), metering=metering())
    meter = Meter(CHAT)

    with metered(meter):
        model.generate(turn_request())
        model.generate(turn_request())
        model.generate(turn_request(Purpose.RECAP))

    by_purpose = {one.purpose: one for one in meter.usage}
    assert by_purpose[Purpose.TURN] == ModelUsage(
        purpose=Purpose.TURN,
        model_name="scripted",
        requests=2,
        prompt_tokens=200,
        cached_tokens=80,
        output_tokens=14,
        thought_tokens=6,
    )
    assert by_purpose[Purpose.RECAP].requests == 1


def test_a_request_that_failed_counts() -> None:
    till, meter = Till(), Meter(CHAT)
    model = MeteredModel(model=ScriptedModel([ModelUnavailableError("down")]), metering=metering(till))

    with metered(meter), pytest.raises(ModelUnavailableError, match="down"):
        model.generate(turn_request())

    assert [(one.requests, one.prompt_tokens) for one in meter.usage] == [(1, 0)]
    assert [account for account, _ in till.charged] == [CHAT]


def test_an_answer_without_a_count_is_charged_by_an_estimate() -> None:
    till = Till()
    unreported = ModelResponse(finish_reason="STOP", content=calling(("reply", {"message": "あ" * 50})).content)
    request = ModelRequest(
        system_instruction="a" * 400,
        declarations=(),
        contents=(TextContent(role="user", texts=("あ" * 200,)),),
        max_output_tokens=100,
        timeout_s=1.0,
    )

    MeteredModel(model=ScriptedModel([unreported]), metering=metering(till)).generate(request)

    charged = till.charged[0][1]
    assert charged.prompt_tokens == 300
    assert 50 <= charged.output_tokens <= 100


def test_an_object_without_a_count_is_charged_by_an_estimate() -> None:
    meter = Meter()
    model = MeteredJsonModel(model=ScriptedJsonModel([{"text": "あ" * 50}]), metering=metering())

    with metered(meter):
        model.answer_json(JsonRequest(system_instruction="a" * 400, prompt="あ" * 200, schema={}, timeout_s=1.0))

    [charged] = meter.usage
    assert charged.prompt_tokens >= 300
    assert charged.output_tokens >= 50


def test_an_unusable_object_costs_its_tokens() -> None:
    meter = Meter()
    model = MeteredJsonModel(model=ScriptedJsonModel([UnusableAnswerError("cut off", TOKENS)]), metering=metering())

    with metered(meter), pytest.raises(UnusableAnswerError, match="cut off"):
        model.answer_json(JsonRequest(system_instruction="", prompt="", schema={}, timeout_s=1.0))

    assert [(one.purpose, one.prompt_tokens) for one in meter.usage] == [(Purpose.CLASSIFY, 100)]


class AskedMeter:
    """A Model during whose request the meter of the work is read."""

    name = "scripted"

    def __init__(self, meter: Meter) -> None:
        self._meter = meter
        self.meanwhile: tuple[ModelUsage, ...] = ()

    def generate(self, _: ModelRequest) -> ModelResponse:
        self.meanwhile = self._meter.usage
        return answer()


def test_a_request_under_way_counts_by_an_estimate_until_its_answer_comes() -> None:
    meter = Meter(CHAT)
    asked = AskedMeter(meter)
    request = replace(turn_request(), system_instruction="a" * 400)

    with metered(meter):
        MeteredModel(model=asked, metering=metering()).generate(request)

    assert [(one.requests, one.prompt_tokens, one.output_tokens) for one in asked.meanwhile] == [(1, 100, 0)]
    assert [(one.requests, one.output_tokens) for one in meter.usage] == [(1, TOKENS.output_tokens)]


def test_a_request_outside_of_any_work_is_charged_to_nobody() -> None:
    till = Till()

    MeteredModel(model=ScriptedModel([answer()]), metering=metering(till)).generate(turn_request())

    assert [(account, one.prompt_tokens) for account, one in till.charged] == [(None, 100)]


def test_requests_of_other_threads_are_counted_on_the_meter_of_their_work() -> None:
    model = MeteredModel(model=ScriptedModel([answer() for _ in range(20)]), metering=metering())
    meter = Meter(CHAT)

    with ThreadPoolExecutor(4) as threads, metered(meter):
        begun = [threads.submit(copy_context().run, model.generate, turn_request()) for _ in range(20)]
        for future in begun:
            future.result()

    assert [one.requests for one in meter.usage] == [20]


class ClosedGate:
    """Lets no request pass."""

    def remaining_tokens(self, meter: Meter | None) -> int | None:
        del meter
        return 0

    def check(self, meter: Meter | None) -> None:
        raise BudgetSpentError(scope="chat" if meter is not None else "deployment", renewal_ms=0)


@pytest.mark.parametrize("purpose", Purpose)
def test_a_request_that_the_gate_refuses_is_not_made_and_not_charged(purpose: Purpose) -> None:
    till, model = Till(), ScriptedModel()
    closed = MeteredModel(model=model, metering=Metering(clock=FixedClock(), gate=ClosedGate(), charges=till))

    with pytest.raises(BudgetSpentError, match="the budget of the deployment is spent"):
        closed.generate(turn_request(purpose))

    assert (model.requests, till.charged) == ([], [])
