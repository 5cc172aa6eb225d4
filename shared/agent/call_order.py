"""The order of a round's calls: what the turn stages is staged in the model's order, and all other calls run in parallel.

list_entries, search_entries │ delete_entry │ classify_and_capture │ list_entries
   in parallel                 alone          alone                  sees both changes
"""

from collections.abc import Callable, Sequence
from concurrent.futures import Executor, Future
from contextvars import copy_context
from dataclasses import field, replace
from typing import Final

from shared.agent.model import FunctionCall
from shared.agent.tools import Tool, ToolFault, ToolResult
from shared.agent.turn_context import TurnContext
from shared.clock import Deadline
from shared.frozen import frozen

RunCall = Callable[[FunctionCall, Tool | None, TurnContext], ToolResult]
_NO_THREAD: Final = ToolFault(message="The function could not be carried out this time.", may_retry=True)


@frozen
class OrderedCalls:
    """Runs the calls of one round on `threads`, by `run_call`, until the deadline."""

    threads: Executor = field(repr=False)
    run_call: RunCall = field(repr=False)
    may_prepare: Callable[[FunctionCall, Tool], bool] = field(repr=False)
    context: TurnContext
    deadline: Deadline

    def run(self, calls: Sequence[tuple[int, FunctionCall, Tool | None]]) -> dict[int, ToolResult]:
        """Return the results by index.  A staging call begins after all calls before it, and ends before the calls after it begin."""
        prepared = {index: self._begin_preparing(call, tool) for index, call, tool in calls if tool is not None}
        results: dict[int, ToolResult] = {}
        running: dict[int, Future[ToolResult]] = {}

        def wait_for_all() -> None:
            results.update((index, _wait_for(future, self.deadline)) for index, future in running.items())
            running.clear()

        for index, call, tool in calls:
            stages = tool is not None and tool.stages
            if stages:
                wait_for_all()
            context = replace(self.context, prepared=prepared.get(index, self.context.prepared))
            running[index] = self.threads.submit(copy_context().run, self.run_call, call, tool, context)
            if stages:
                wait_for_all()
        wait_for_all()
        return results

    def _begin_preparing(self, call: FunctionCall, tool: Tool) -> Callable[[], object]:
        if tool.prepare is None or not self.may_prepare(call, tool):
            return self.context.prepared
        return self.threads.submit(copy_context().run, tool.prepare, call.args, self.context).result


def _wait_for(future: Future[ToolResult], deadline: Deadline) -> ToolResult:
    try:
        return future.result(timeout=deadline.left_s)
    except TimeoutError:
        if future.cancel():  # no thread was free for it
            return _NO_THREAD
        return ToolFault(message="The function took too long; it may still take effect.", may_retry=False)
