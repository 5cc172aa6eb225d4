"""Runs the calls of one round: validates the arguments, runs the tools in parallel, validates the results.

Every failure is returned to the model as data. The cause of an internal failure is logged and never shown to the model.
"""

import json
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import field, replace
from functools import partial
from typing import Final

from shared import logs, tracing
from shared.agent.call_order import OrderedCalls
from shared.agent.model import FunctionCall, FunctionResponse, Json
from shared.agent.proposals import MOST_PROPOSED, shown_values
from shared.agent.registry import UNKNOWN_TOOL, Registry
from shared.agent.result_budget import fitted, tokens_of
from shared.agent.tools import Cited, Decision, NeedsTap, Tool, ToolFault, ToolResult
from shared.agent.turn_context import TurnContext
from shared.agent.usual_arguments import without_empty_arguments
from shared.clock import Deadline
from shared.conversation.records import ProposedCall
from shared.errors import AizuchiError
from shared.frozen import frozen
from shared.line.ids import mask_ids_in
from shared.line.json_text import is_ordinary

MOST_CALLS: Final = 16  # a round
ARGUMENTS_LIMIT: Final = 20_000  # characters of JSON
_ODD_ARGUMENTS: Final = ToolFault(
    message="Wrong arguments: they nest too deep, or a number is too large.", may_retry=True
)
_LONG_ARGUMENTS: Final = ToolFault(message="Wrong arguments: they are too long.", may_retry=True)
_RESULTS_FIRST: Final = ToolFault(
    message="Not done: read the results of the other calls first, then decide by a call of its own.", may_retry=True
)
_PROPOSED: Final = ToolFault(
    message="Not done yet: it needs the person's tap. A button under your reply asks them; what it would do is written above it. "
    "Call `reply`, and claim nothing.",
    may_retry=False,
)
_TOO_MUCH_TO_PROPOSE: Final = ToolFault(
    message="Not done: the prompt holds words that were read from outside, so it needs the person's tap; and it is too long for that, or "
    f"{MOST_PROPOSED} changes wait for one. Make it smaller, or tell the person what is left.",
    may_retry=False,
)
_STRANGE_LINK: Final = ToolFault(
    message="Not done: it holds a link that neither a person nor a function gave. Ask the person to write the link in their own message.",
    may_retry=False,
)
_NO_WORDS: Final = frozenset({"at", "database_name", "id", "page_id", "path", "rule"})
"""Arguments that name something or state a time."""
_NOT_THIS_TIME: Final = ToolFault(message="The function could not be carried out this time.", may_retry=True)
_TOO_MANY_CALLS: Final = ToolFault(message=f"Not done: too many calls; at most {MOST_CALLS} at once.", may_retry=True)


@frozen
class Round:
    """The result of a round of calls: an answer to every call, in order, and the decision, if the round reached any.

    `footnotes`: texts that the turn's reply must carry. `undecided`: if the decision was called beside other calls, the answers that
    leave the decision out, so that the model reads the results and decides again.
    """

    responses: tuple[FunctionResponse, ...]
    decision: Decision | None = None
    footnotes: tuple[str, ...] = ()
    undecided: tuple[FunctionResponse, ...] = ()


@frozen
class ToolExecutor:
    """Runs calls against the tools of `registry`, on the threads of `threads`."""

    registry: Registry
    threads: Executor = field(repr=False)

    def run(
        self,
        calls: Sequence[FunctionCall],
        context: TurnContext,
        deadline: Deadline,
        *,
        call_counts: Counter[str] | None = None,
        allowed: Sequence[str] = (),
    ) -> Round:
        """Answer every call exactly once, and add the calls to `call_counts`, the turn's earlier calls by tool.

        `allowed`: the tools that the request allowed; empty: all tools of the turn.

        A final call counts beside calls that only stage writes to the chat's own store, if every result is as the call asked. Beside
        others it is answered with an error, while the others run, because the model wrote it before knowing their results. For example, of
        `web_search` and `reply` in one round, only `web_search` runs. Of several final calls the first counts.
        """
        context = replace(context, deadline=deadline)
        results: dict[int, ToolResult] = {
            index: fault
            for index, call in enumerate(calls)
            if (fault := self._fault_of_call(index, call, allowed)) is not None
        }
        # Mask ids in arguments, too: an id that the model invents must not reach a tool.
        calls = [
            replace(call, args={} if index in results else mask_ids_in(call.args)) for index, call in enumerate(calls)
        ]
        tools = [self.registry.find(call.name, context) for call in calls]
        results |= _faults_of_counts(tools, Counter() if call_counts is None else call_counts)
        runnable = [index for index in range(len(calls)) if index not in results]
        deciding = [index for index in runnable if (tool := tools[index]) is not None and tool.is_final]
        order = OrderedCalls(
            threads=self.threads,
            run_call=self._run_call,
            may_prepare=partial(self._may_prepare, context),
            context=context,
            deadline=deadline,
        )
        results |= order.run([(index, calls[index], tools[index]) for index in runnable if index not in deciding])
        other_calls = [(tools[index], calls[index], result) for index, result in results.items()]
        is_plain = all(_is_plain(tool, call, result) for tool, call, result in other_calls)
        decision = None
        for index in deciding:
            if not is_plain:
                results[index] = _RESULTS_FIRST
            elif decision is not None:
                results[index] = ToolFault(message="Not done: the turn was already decided.", may_retry=False)
            else:
                results[index] = self._run_call(calls[index], tools[index], context)
                result = results[index]
                decision = result if isinstance(result, Decision) else None
        responses = tuple(_response_to(call, results[index]) for index, call in enumerate(calls))
        footnotes = tuple(
            result.footnote for result in results.values() if isinstance(result, Cited) and result.footnote
        )
        undecided: tuple[FunctionResponse, ...] = ()
        if decision is not None and other_calls:
            results |= dict.fromkeys(deciding, _RESULTS_FIRST)
            undecided = tuple(_response_to(call, results[index]) for index, call in enumerate(calls))
        return Round(responses=responses, decision=decision, footnotes=footnotes, undecided=undecided)

    def is_as_proposed(self, proposed: ProposedCall, context: TurnContext) -> bool:
        """Whether the call's target is in the state that the person was shown."""
        tool = self.registry.find(proposed.tool, context)
        if tool is None or tool.revision is None:
            return tool is not None
        return tool.revision(json.loads(proposed.arguments), context) == proposed.revision

    def _fault_of_call(self, index: int, call: FunctionCall, allowed: Sequence[str]) -> ToolFault | None:
        """Return the fault of a call that no tool should see."""
        if index >= MOST_CALLS:
            return _TOO_MANY_CALLS
        if allowed and self.registry.plain_name(call.name) not in allowed:
            return ToolFault(message=f"Not done: only {', '.join(allowed)} may be called now.", may_retry=False)
        if not is_ordinary(call.args):
            return _ODD_ARGUMENTS
        return _LONG_ARGUMENTS if _length(call.args) > ARGUMENTS_LIMIT else None

    def _may_prepare(self, context: TurnContext, call: FunctionCall, tool: Tool) -> bool:
        """Whether the call will run: its arguments are valid, and it would write no strange link."""
        is_valid = self.registry.faults_of_arguments(tool, call.args) is None
        return is_valid and not _writes_strange_link(tool, call.args, context)

    def _run_call(self, call: FunctionCall, tool: Tool | None, context: TurnContext) -> ToolResult:
        if tool is None:
            logs.info("tool_called", tool=UNKNOWN_TOOL, outcome="unknown")
            offered_names = ", ".join(offered.name for offered in self.registry.offered_to(context))
            return ToolFault(message=f"There is no such tool. There are: {offered_names}.", may_retry=False)
        arguments = without_empty_arguments(tool.parameters, call.args)
        refusal = self._refusal(tool, arguments, context)
        if refusal is not None:
            return refusal
        if not tool.is_final:
            context.untrusted_input.record_written(arguments)
        if tool.may_act_outside:
            context.begin_act()
        result = _run_tool(tool, arguments, context)
        if isinstance(result, ToolFault | NeedsTap):
            return result if isinstance(result, ToolFault) else _propose(tool, arguments, context, result)
        data = result.result if isinstance(result, Decision | Cited) else result
        broken_rule = self.registry.faults_of_response(tool, data)
        if broken_rule is not None:
            logs.error("tool_response_invalid", tool=tool.name, fault=broken_rule)
            return ToolFault(message="The function failed.", may_retry=False)
        if tool.outside:
            context.untrusted_input.record_outside(tool.outside, data)
        if not tool.is_final:
            context.untrusted_input.record(data, is_filed=not tool.outside, is_outside=bool(tool.outside))
        shown = fitted(data, limit_tokens=tool.result_tokens)
        if shown is data:
            return result
        logs.info("tool_response_cut", tool=tool.name, tokens=tokens_of(data))
        return replace(result, result=shown) if isinstance(result, Decision | Cited) else shown

    def _refusal(self, tool: Tool, arguments: Json, context: TurnContext) -> ToolFault | None:
        """Return why the tool must not run with these arguments, or None."""
        wrong = self.registry.faults_of_arguments(tool, arguments)
        if wrong is not None:
            logs.info("tool_called", tool=tool.name, outcome="invalid_arguments")
            return ToolFault(message=f"Wrong arguments: {wrong}.", may_retry=True)
        if _writes_strange_link(tool, arguments, context):
            logs.warning("link_not_written", tool=tool.name)
            return _STRANGE_LINK
        return None


def _is_plain(tool: Tool | None, call: FunctionCall, result: ToolResult) -> bool:
    """Whether words that were written before the result are true of the call: its writes are staged as asked, and no question is open."""
    if tool is None or tool.is_plain is None or isinstance(result, ToolFault | NeedsTap | Decision | Cited):
        return False
    return tool.is_plain(call.args, result)


def _writes_strange_link(tool: Tool, arguments: Json, context: TurnContext) -> bool:
    """Whether the call would store a link from neither a person nor a function: when read back, the link would look trusted.

    A person who confirmed the call has seen the link.
    """
    if tool.is_final or tool.is_reading or context.confirmed:
        return False
    return context.untrusted_input.has_strange_links({name: arguments[name] for name in arguments.keys() - _NO_WORDS})


def _propose(tool: Tool, arguments: Json, context: TurnContext, needs_tap: NeedsTap) -> ToolFault:
    name, revision = needs_tap.name, needs_tap.revision
    arguments = arguments if needs_tap.arguments is None else needs_tap.arguments
    if context.untrusted_input.has_strange_links(shown_values(arguments, name=name)):
        return _STRANGE_LINK
    revise = partial(str, revision) if tool.revision is None else partial(tool.revision, arguments, context)
    proposed = ProposedCall(tool=tool.name, name=name, due_at=needs_tap.due_at, due_rule=needs_tap.due_rule)
    has_room = context.proposals.add(proposed, arguments, revise=revise)
    logs.info("change_proposed", tool=tool.name, has_room=has_room)
    return _PROPOSED if has_room else _TOO_MUCH_TO_PROPOSE


def _faults_of_counts(tools: Sequence[Tool | None], call_counts: Counter[str]) -> dict[int, ToolResult]:
    """Return the faults, by index, of calls beyond a tool's `most_calls`; all calls are added to `call_counts`."""
    faults: dict[int, ToolResult] = {}
    for index, tool in enumerate(tools):
        if tool is None:
            continue
        call_counts[tool.name] += 1
        if call_counts[tool.name] > tool.most_calls:
            logs.warning("tool_calls_exceeded", tool=tool.name)
            faults[index] = ToolFault(
                message=f"Not done: a turn may call {tool.name} {tool.most_calls} times at most.", may_retry=False
            )
    return faults


def _length(data: Json) -> int:
    return len(json.dumps(data, ensure_ascii=False))


def _run_tool(tool: Tool, arguments: Json, context: TurnContext) -> ToolResult:
    attributes = {tracing.TOOL_NAME: tool.name, tracing.TOOL_TYPE: "function"}
    with tracing.span(tracing.Operation.EXECUTE_TOOL, tool.name, attributes) as span:
        result, outcome = _run_safely(tool, arguments, context)
        if outcome != "ok":
            span.set({tracing.ERROR_TYPE: outcome})
    return result


def _run_safely(tool: Tool, arguments: Json, context: TurnContext) -> tuple[ToolResult, str]:
    """Return the result, and the class of the outcome: "ok", "fault", "failed" or "crashed"."""
    clock = context.deadline.clock
    started_s = clock.monotonic_s()
    outcome = "ok"
    try:
        result = tool.run(arguments, context)
        outcome = "fault" if isinstance(result, ToolFault) else "ok"
    except AizuchiError as cause:
        outcome = "failed"
        logs.warning("tool_failed", tool=tool.name, error_type=type(cause).__name__)
        result = _NOT_THIS_TIME
    except Exception as cause:  # noqa: BLE001 - an exception of a tool must not end the turn
        outcome = "crashed"
        logs.error("tool_crashed", cause=cause, tool=tool.name)
        result = ToolFault(message="The function failed.", may_retry=False)
    duration_ms = round((clock.monotonic_s() - started_s) * 1_000)
    logs.info("tool_called", tool=tool.name, outcome=outcome, duration_ms=duration_ms)
    return result, outcome


def _response_to(call: FunctionCall, result: ToolResult) -> FunctionResponse:
    if isinstance(result, ToolFault):
        return FunctionResponse(
            call=call, response={"error": {"message": result.message, "may_retry": result.may_retry}}
        )
    data = result.result if isinstance(result, Decision | Cited) else result
    return FunctionResponse(call=call, response={"output": data})
