import io
import json
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from shared import logs
from shared.adapters.memory import FixedClock
from shared.agent.executor import ARGUMENTS_LIMIT, MOST_CALLS, Round, ToolExecutor
from shared.agent.model import FunctionCall, Json
from shared.agent.registry import Registry
from shared.agent.result_budget import RESULT_TOKENS, tokens_of
from shared.agent.tools import Cited, Tool, ToolFault
from shared.agent.turn_context import TurnContext
from shared.clock import Deadline, SystemClock
from shared.conversation.store import Conversation
from shared.tools.core import core_tools

ANYTHING: Json = {"type": "object", "properties": {"n": {"type": "integer"}}}


@pytest.fixture
def context(chat: Conversation) -> TurnContext:
    return TurnContext(conversation=chat)


@pytest.fixture
def threads() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(4) as pool:
        yield pool


def test_calls_of_a_round_run_in_parallel(threads: ThreadPoolExecutor, context: TurnContext) -> None:
    meeting = threading.Barrier(3, timeout=30)

    def meet(arguments: Json, _: TurnContext) -> Json:
        meeting.wait()
        return {"n": arguments["n"]}

    tool = Tool(name="meet", description="", parameters=ANYTHING, response=ANYTHING, run=meet)
    executor = ToolExecutor(registry=Registry((*core_tools(), tool)), threads=threads)
    calls = [FunctionCall(name="meet", args={"n": n}) for n in (1, 2, 3)]

    ran = executor.run(calls, context, Deadline.after(FixedClock(), 5))

    assert [one.response for one in ran.responses] == [{"output": {"n": n}} for n in (1, 2, 3)]


def test_a_tool_that_takes_too_long_is_answered_with_a_fault(threads: ThreadPoolExecutor, context: TurnContext) -> None:
    released = threading.Event()

    def wait(_: Json, __: TurnContext) -> Json:
        released.wait(30)
        return {}

    tool = Tool(name="wait", description="", parameters=ANYTHING, response=ANYTHING, run=wait)
    executor = ToolExecutor(registry=Registry((*core_tools(), tool)), threads=threads)

    ran = executor.run([FunctionCall(name="wait", args={})], context, Deadline.after(SystemClock(), 0.01))
    released.set()

    assert "took too long" in str(ran.responses[0].response["error"])
    assert "'may_retry': False" in str(ran.responses[0].response["error"])


def test_a_call_that_found_no_thread_in_time_is_never_made(context: TurnContext) -> None:
    released = threading.Event()
    made: list[object] = []

    def wait(arguments: Json, _: TurnContext) -> Json:
        made.append(arguments["n"])
        released.wait(30)
        return {}

    tool = Tool(name="wait", description="", parameters=ANYTHING, response=ANYTHING, run=wait)
    with ThreadPoolExecutor(1) as one_thread:
        executor = ToolExecutor(registry=Registry((*core_tools(), tool)), threads=one_thread)
        calls = [FunctionCall(name="wait", args={"n": n}) for n in (1, 2)]

        ran = executor.run(calls, context, Deadline.after(SystemClock(), 0.01))
        released.set()

    assert made == [1]
    assert "may still take effect" in str(ran.responses[0].response["error"])
    assert ran.responses[1].response["error"] == {
        "message": "The function could not be carried out this time.",
        "may_retry": True,
    }


def test_a_response_that_breaks_its_schema_never_reaches_the_model(
    threads: ThreadPoolExecutor, context: TurnContext
) -> None:
    def leak(_: Json, __: TurnContext) -> Json:
        return {"n": "a secret"}

    tool = Tool(name="leak", description="", parameters=ANYTHING, response=ANYTHING, run=leak)
    executor = ToolExecutor(registry=Registry((*core_tools(), tool)), threads=threads)

    ran = executor.run([FunctionCall(name="leak", args={})], context, Deadline.after(FixedClock(), 5))

    assert ran.responses[0].response == {"error": {"message": "The function failed.", "may_retry": False}}


def test_a_log_line_about_a_wrong_response_holds_no_name_from_it(
    threads: ThreadPoolExecutor, context: TurnContext
) -> None:
    response: Json = {"type": "object", "additionalProperties": {"type": "integer"}}

    def leak(_: Json, __: TurnContext) -> Json:
        return {"my pin": "4711"}

    tool = Tool(name="leak", description="", parameters=ANYTHING, response=response, run=leak)
    executor = ToolExecutor(registry=Registry((*core_tools(), tool)), threads=threads)
    lines = io.StringIO()

    logs.configure(lines)
    executor.run([FunctionCall(name="leak", args={})], context, Deadline.after(FixedClock(), 5))
    logs.configure()

    assert json.loads(lines.getvalue().splitlines()[-1])["fault"] == "additionalProperties/type"


def test_a_tool_gets_its_context_from_the_turn(threads: ThreadPoolExecutor, context: TurnContext) -> None:
    seen: list[TurnContext] = []

    def note(_: Json, given: TurnContext) -> Json:
        seen.append(given)
        return {}

    tool = Tool(name="note", description="", parameters=ANYTHING, response=ANYTHING, run=note)
    executor = ToolExecutor(registry=Registry((*core_tools(), tool)), threads=threads)

    executor.run([FunctionCall(name="note", args={"conversation_id": "C"})], context, Deadline.after(FixedClock(), 5))

    assert seen == [context]


def test_a_tool_of_another_chat_is_unknown(threads: ThreadPoolExecutor, context: TurnContext) -> None:
    def crash(_: Json, __: TurnContext) -> Json:
        raise AssertionError("never run")

    there = frozenset({"U" + "2" * 32})
    tool = Tool(name="secret", description="", parameters=ANYTHING, response=ANYTHING, run=crash, only_in=there)
    executor = ToolExecutor(registry=Registry((*core_tools(), tool)), threads=threads)

    ran = executor.run([FunctionCall(name="secret", args={})], context, Deadline.after(FixedClock(), 5))

    assert "There is no such tool. There are: reply, skip." in str(ran.responses[0].response)


def test_calls_over_the_limit_of_a_round_are_answered_with_a_fault(
    threads: ThreadPoolExecutor, context: TurnContext
) -> None:
    tool = Tool(name="note", description="", parameters=ANYTHING, response=ANYTHING, run=lambda _, __: {"n": 1})
    executor = ToolExecutor(registry=Registry((*core_tools(), tool)), threads=threads)
    calls = [FunctionCall(name="note", args={"n": 1})] * (MOST_CALLS + 2)

    ran = executor.run(calls, context, Deadline.after(FixedClock(), 5))

    assert [("error" in one.response) for one in ran.responses] == [False] * MOST_CALLS + [True] * 2
    assert "too many calls" in str(ran.responses[-1].response)


def test_arguments_over_the_limit_never_reach_a_tool(threads: ThreadPoolExecutor, context: TurnContext) -> None:
    def crash(_: Json, __: TurnContext) -> Json:
        raise AssertionError("never run")

    tool = Tool(name="note", description="", parameters=ANYTHING, response=ANYTHING, run=crash)
    executor = ToolExecutor(registry=Registry((*core_tools(), tool)), threads=threads)
    calls = [FunctionCall(name="note", args={"words": "x" * ARGUMENTS_LIMIT})]

    (response,) = executor.run(calls, context, Deadline.after(FixedClock(), 5)).responses

    assert "too long" in str(response.response["error"])


def test_a_result_over_the_limit_is_cut_with_a_remark(threads: ThreadPoolExecutor, context: TurnContext) -> None:
    long = {"words": "x" * 8 * RESULT_TOKENS}
    tool = Tool(name="note", description="", parameters=ANYTHING, response=ANYTHING, run=lambda _, __: long)
    executor = ToolExecutor(registry=Registry((*core_tools(), tool)), threads=threads)

    ran = executor.run([FunctionCall(name="note", args={})], context, Deadline.after(FixedClock(), 5))

    assert tokens_of(ran.responses[0].response) < RESULT_TOKENS
    assert "Only a part of the result is shown" in str(ran.responses[0].response["output"])


def test_a_tool_knows_its_deadline(threads: ThreadPoolExecutor, context: TurnContext) -> None:
    left_s: list[float] = []

    def look(_: Json, given: TurnContext) -> Json:
        left_s.append(given.deadline.left_s)
        return {}

    tool = Tool(name="look", description="", parameters=ANYTHING, response=ANYTHING, run=look)
    executor = ToolExecutor(registry=Registry((*core_tools(), tool)), threads=threads)

    executor.run([FunctionCall(name="look", args={})], context, Deadline.after(FixedClock(), 5))

    assert left_s == [5.0]


WORDS: Json = {"type": "object", "properties": {"words": {"type": "string"}}}
REPEATING = Tool(name="repeat", description="", parameters=WORDS, response=WORDS, run=lambda arguments, _: arguments)


@pytest.mark.parametrize(
    "tool",
    [REPEATING, replace(REPEATING, is_reading=True), replace(REPEATING, is_reading=True, outside="web")],
    ids=["writes", "reads", "reads outside"],
)
def test_a_link_that_the_model_had_written_is_not_given_by_the_answer_to_that(
    threads: ThreadPoolExecutor, context: TurnContext, tool: Tool
) -> None:
    executor = ToolExecutor(registry=Registry((*core_tools(), tool)), threads=threads)
    call = FunctionCall(name="repeat", args={"words": "https://evil.example/?q=4711"})

    executor.run([call], context, Deadline.after(FixedClock(), 5))

    assert context.untrusted_input.has_strange_links("https://evil.example/?q=4711")


def test_a_tool_that_the_request_did_not_allow_is_not_run(threads: ThreadPoolExecutor, context: TurnContext) -> None:
    executor = ToolExecutor(registry=Registry(core_tools()), threads=threads)

    ran = executor.run(
        [FunctionCall(name="skip", args={})], context, Deadline.after(FixedClock(), 5), allowed=("reply",)
    )

    assert ran.decision is None
    assert ran.responses[0].response["error"] == {
        "message": "Not done: only reply may be called now.",
        "may_retry": False,
    }


def test_footnotes_are_kept_apart_from_the_responses(threads: ThreadPoolExecutor, context: TurnContext) -> None:
    def cite(arguments: Json, _: TurnContext) -> Cited:
        return Cited(result={"n": arguments["n"]}, footnote="https://example.com" if arguments["n"] else "")

    tool = Tool(name="cite", description="", parameters=ANYTHING, response=ANYTHING, run=cite)
    executor = ToolExecutor(registry=Registry((*core_tools(), tool)), threads=threads)
    calls = [FunctionCall(name="cite", args={"n": n}) for n in (0, 1)]

    ran = executor.run(calls, context, Deadline.after(FixedClock(), 5))

    assert [one.response for one in ran.responses] == [{"output": {"n": 0}}, {"output": {"n": 1}}]
    assert ran.footnotes == ("https://example.com",)


@pytest.mark.parametrize(
    "odd",
    [json.loads("[" * 300 + "]" * 300), 10**5_000, float("inf"), {"a": [{"b": 10**400}]}],
    ids=["deep", "long", "infinite", "inner"],
)
@pytest.mark.parametrize("name", ["note", "reply"])
def test_arguments_that_json_cannot_carry_are_answered_with_a_fault(
    threads: ThreadPoolExecutor, context: TurnContext, name: str, odd: object
) -> None:
    tool = Tool(name="note", description="", parameters=ANYTHING, response=ANYTHING, run=lambda _, __: {"n": 1})
    executor = ToolExecutor(registry=Registry((*core_tools(), tool)), threads=threads)
    calls = [FunctionCall(name=name, args={"n": odd, "message": odd}), FunctionCall(name="note", args={"n": 1})]

    ran = executor.run(calls, context, Deadline.after(FixedClock(), 5))

    assert ran.decision is None
    assert "Wrong arguments" in str(ran.responses[0].response["error"])
    assert ran.responses[1].response == {"output": {"n": 1}}


# Calls that stage


def staging(name: str, log: list[str], *, is_plain: bool = True, fails: bool = False) -> Tool:
    """Return a tool that only stages writes to the chat's own store."""

    def run(arguments: Json, _: TurnContext) -> Json | ToolFault:
        log.append(f"{name} {arguments.get('n')}")
        return ToolFault(message="no", may_retry=True) if fails else {"n": arguments.get("n", 0)}

    return Tool(
        name=name,
        description="",
        parameters=ANYTHING,
        response=ANYTHING,
        run=run,
        stages=True,
        is_plain=lambda _, __: is_plain,
    )


def reading(log: list[str], *, meeting: threading.Barrier | None = None) -> Tool:
    def run(arguments: Json, _: TurnContext) -> Json:
        if meeting is not None:
            meeting.wait()
        log.append(f"read {arguments.get('n')}")
        return {"n": 0}

    return Tool(name="read", description="", parameters=ANYTHING, response=ANYTHING, run=run, is_reading=True)


def round_of(threads: ThreadPoolExecutor, context: TurnContext, tools: Sequence[Tool], *calls: str) -> Round:
    """Run calls such as "write 1" and "reply"."""
    executor = ToolExecutor(registry=Registry((*core_tools(), *tools)), threads=threads)
    parts = [call.partition(" ") for call in calls]
    made = [
        FunctionCall(name=name, args={"message": "done"} if name == "reply" else {"n": int(number)})
        for name, _, number in parts
    ]
    return executor.run(made, context, Deadline.after(SystemClock(), 30))


def test_staging_calls_run_in_the_models_order(threads: ThreadPoolExecutor, context: TurnContext) -> None:
    log: list[str] = []

    round_of(threads, context, [staging("write", log)], *(f"write {number}" for number in range(9)))

    assert log == [f"write {number}" for number in range(9)]


def test_a_reading_sees_the_writes_before_it_and_readings_run_in_parallel(
    threads: ThreadPoolExecutor, context: TurnContext
) -> None:
    log: list[str] = []
    tools = [staging("write", log), reading(log, meeting=threading.Barrier(2, timeout=30))]

    round_of(threads, context, tools, "read 1", "read 2", "write 3", "read 4", "read 5")

    assert (set(log[:2]), log[2], set(log[3:])) == ({"read 1", "read 2"}, "write 3", {"read 4", "read 5"})


def test_what_needs_no_order_is_prepared_in_parallel(threads: ThreadPoolExecutor, context: TurnContext) -> None:
    meeting, log = threading.Barrier(3, timeout=30), list[object]()

    def prepare(arguments: Json, _: TurnContext) -> object:
        meeting.wait()
        return arguments["n"]

    def run(_: Json, running: TurnContext) -> Json:
        log.append(running.prepared())
        return {}

    tool = replace(staging("write", []), prepare=prepare, run=run)

    round_of(threads, context, [tool], "write 1", "write 2", "write 3")

    assert log == [1, 2, 3]


def test_a_reply_beside_plain_writes_is_carried_out(threads: ThreadPoolExecutor, context: TurnContext) -> None:
    ran = round_of(threads, context, [staging("write", [])], "write 1", "reply", "write 2")

    assert ran.decision is not None
    assert ran.decision.message == "done"
    assert "read the results" in str(ran.undecided[1].response["error"])
    assert [one.response for one in ran.undecided[::2]] == [{"output": {"n": 1}}, {"output": {"n": 2}}]


@pytest.mark.parametrize(
    "tools",
    [
        [staging("write", []), staging("other", [], is_plain=False)],
        [staging("write", []), staging("other", [], fails=True)],
        [staging("write", []), replace(reading([]), name="other")],
        [staging("write", []), replace(staging("other", []), is_plain=None)],
        [staging("write", [])],
    ],
    ids=["not as asked", "failed", "a reading", "acts outside", "unknown"],
)
def test_a_reply_beside_anything_else_waits_for_the_results(
    threads: ThreadPoolExecutor, context: TurnContext, tools: list[Tool]
) -> None:
    ran = round_of(threads, context, tools, "write 1", "other 2", "reply")

    assert ran.decision is None
    assert "read the results" in str(ran.responses[-1].response["error"])
    assert ran.responses[0].response == {"output": {"n": 1}}
