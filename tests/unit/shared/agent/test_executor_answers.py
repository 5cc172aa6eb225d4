"""What the executor answers, logs and remembers of a call."""

import io
import json
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

import pytest
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from shared import tracing
from shared.adapters.cloud_trace import OpenTelemetryTracer
from shared.adapters.memory import FixedClock
from shared.agent.executor import ARGUMENTS_LIMIT, Round, ToolExecutor
from shared.agent.model import FunctionCall, Json
from shared.agent.proposals import MOST_PROPOSED
from shared.agent.registry import Registry
from shared.agent.result_budget import RESULT_TOKENS
from shared.agent.tools import Cited, Decision, NeedsTap, Tool, ToolFault, ToolResult
from shared.agent.turn_context import TurnContext
from shared.clock import Deadline
from shared.conversation.store import Conversation
from shared.errors import StorageUnavailableError
from shared.tools.core import core_tools

ANYTHING: Json = {"type": "object", "properties": {"n": {"type": "integer"}}}
LINK = "https://example.com/a"


@dataclass
class Turn:
    """A turn that has the core tools and `act`."""

    context: TurnContext
    threads: ThreadPoolExecutor
    clock: FixedClock = field(default_factory=FixedClock)

    def run(self, act: Callable[[Json, TurnContext], ToolResult], *calls: FunctionCall, **more: Any) -> Round:  # noqa: ANN401 - fields of Tool
        made = more.pop("made", None)
        tool = Tool(name="act", description="", parameters=ANYTHING, response=ANYTHING, run=act, **more)
        executor = ToolExecutor(registry=Registry((*core_tools(), tool)), threads=self.threads)
        return executor.run(calls or [ACT], self.context, Deadline.after(self.clock, 5), call_counts=made)


ACT = FunctionCall(name="act", args={})


@pytest.fixture
def turn(chat: Conversation) -> Iterator[Turn]:
    with ThreadPoolExecutor(4) as threads:
        yield Turn(context=TurnContext(conversation=chat), threads=threads)


def fails(error: Exception) -> Callable[[Json, TurnContext], ToolResult]:
    def act(_: Json, __: TurnContext) -> ToolResult:
        raise error

    return act


def returns(result: ToolResult) -> Callable[[Json, TurnContext], ToolResult]:
    return lambda _, __: result


def errors(ran: Round) -> list[tuple[str, bool] | None]:
    found = [one.response.get("error") for one in ran.responses]
    return [(one["message"].partition(":")[0], one["may_retry"]) if isinstance(one, dict) else None for one in found]


@pytest.mark.parametrize(
    ("act", "call", "message", "may_retry", "outcome"),
    [
        (
            fails(StorageUnavailableError("503")),
            ACT,
            "The function could not be carried out this time.",
            True,
            "failed",
        ),
        (fails(ZeroDivisionError("1/0")), ACT, "The function failed.", False, "crashed"),
        (returns(ToolFault(message="Not today.", may_retry=True)), ACT, "Not today.", True, "fault"),
        (returns({}), FunctionCall(name="act", args={"n": "x"}), "Wrong arguments", True, "invalid_arguments"),
        (
            returns({}),
            FunctionCall(name="fly", args={}),
            "There is no such tool. There are",
            False,
            "unknown",
        ),
    ],
    ids=["failed", "crashed", "fault", "arguments", "unknown"],
)
def test_a_fault_tells_whether_another_call_may_help(
    turn: Turn,
    lines: io.StringIO,
    act: Callable[[Json, TurnContext], ToolResult],
    call: FunctionCall,
    message: str,
    outcome: str,
    *,
    may_retry: bool,
) -> None:
    assert errors(turn.run(act, call)) == [(message, may_retry)]

    assert json.loads(lines.getvalue().splitlines()[-1])["outcome"] == outcome


def test_a_call_is_logged_with_its_duration(turn: Turn, lines: io.StringIO) -> None:
    def act(_: Json, __: TurnContext) -> Json:
        turn.clock.move(0.25)
        return {"n": 1}

    turn.clock.move(100)
    turn.run(act)

    (line,) = map(json.loads, lines.getvalue().splitlines())
    assert (line["message"], line["outcome"], line["duration_ms"]) == ("tool_called", "ok", 250)


def test_a_decided_turn_is_not_decided_again(turn: Turn) -> None:
    skip = FunctionCall(name="skip", args={"reason": "unclear", "kind": "other"})
    reply = FunctionCall(name="reply", args={"message": "やあ"})

    ran = turn.run(returns({}), reply, reply)

    assert ran.decision is not None
    assert ran.decision.message == "やあ"
    assert errors(ran) == [None, ("Not done", False)]
    assert errors(turn.run(returns({}), reply, skip))[1] == ("Not done", False)


def test_calls_are_counted_over_the_rounds_of_a_turn(turn: Turn) -> None:
    made: Counter[str] = Counter()

    rounds = [turn.run(returns({}), made=made, most_calls=2) for _ in range(3)]

    assert [errors(one) for one in rounds] == [[None], [None], [("Not done", False)]]
    assert made == {"act": 3}
    assert errors(turn.run(returns({}), ACT, ACT, ACT, most_calls=2)) == [None, None, ("Not done", False)]


def test_arguments_are_measured_in_characters(turn: Turn) -> None:
    longest = "庭" * (ARGUMENTS_LIMIT - len('{"a": ""}'))

    ran = turn.run(
        returns({}), FunctionCall(name="act", args={"a": longest}), FunctionCall(name="act", args={"a": f"{longest}x"})
    )

    assert errors(ran) == [None, ("Wrong arguments", True)]
    assert ran.responses[1].call.args == {}


@pytest.mark.parametrize("result", [{"words": LINK}, Cited(result={"words": LINK}, footnote="")])
@pytest.mark.parametrize("is_outside", [True, False])
def test_what_a_tool_returns_is_remembered_as_read(turn: Turn, result: ToolResult, *, is_outside: bool) -> None:
    turn.run(returns(result), outside="web" if is_outside else "")

    untrusted_input = turn.context.untrusted_input
    assert turn.context.is_tainted is is_outside
    assert [one.sources for one in untrusted_input.outside] == [frozenset({"web"})] * is_outside
    assert untrusted_input.without_strange_links(LINK) == (LINK, 0)
    assert untrusted_input.repeats_filed(LINK, ()) is not is_outside


def test_what_the_model_decides_gives_it_no_links(turn: Turn) -> None:
    turn.run(returns(Decision(result={"words": LINK}, message=LINK)), is_final=True)

    assert turn.context.untrusted_input.without_strange_links(LINK) == ("", 1)


def test_a_result_that_is_cut_keeps_its_footnote_and_one_that_is_not_is_not_logged(
    turn: Turn, lines: io.StringIO
) -> None:
    turn.run(returns({"words": "x"}))
    assert "tool_response_cut" not in lines.getvalue()

    ran = turn.run(returns(Cited(result={"words": "x" * 8 * RESULT_TOKENS}, footnote=LINK)))

    assert "tool_response_cut" in lines.getvalue()
    assert ran.footnotes == (LINK,)
    assert "Only a part of the result is shown" in str(ran.responses[0].response["output"])


def test_what_needs_a_tap_is_proposed_as_long_as_there_is_room(turn: Turn) -> None:
    calls = [FunctionCall(name="act", args={"n": n}) for n in range(MOST_PROPOSED + 1)]

    answers = [turn.run(returns(NeedsTap(name="lunch")), call).responses[0].response for call in calls]

    assert ["Not done yet: " in str(one) for one in answers] == [True] * MOST_PROPOSED + [False]
    assert f"{MOST_PROPOSED} changes wait" in str(answers[-1])
    assert [one.name for one in turn.context.proposals.proposed] == ["lunch"] * MOST_PROPOSED


@pytest.mark.parametrize(("error", "told"), [(None, None), (ZeroDivisionError(), "crashed")])
def test_the_span_of_a_call_tells_of_its_failure(turn: Turn, error: Exception | None, told: str | None) -> None:
    spans = InMemorySpanExporter()
    tracer = OpenTelemetryTracer(
        SimpleSpanProcessor(spans), project_id="p", service_name="s", provider_name="gcp.gemini"
    )

    tracing.bind(tracer)
    turn.run(returns({}) if error is None else fails(error))
    tracing.bind(None)

    (span,) = spans.get_finished_spans()
    assert (span.attributes or {}).get(tracing.ERROR_TYPE) == told
