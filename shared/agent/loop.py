"""The loop: ask the model, run its calls, return their results to it, until it decides or a limit is reached."""

import json
import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from shared import logs
from shared.agent.executor import ToolExecutor
from shared.agent.finish_reasons import Remedy, remedy_for
from shared.agent.model import (
    Content,
    FunctionResponses,
    Model,
    ModelContent,
    ModelRequest,
    ModelResponse,
    TextContent,
    mask_content,
)
from shared.agent.request_budget import within_request
from shared.agent.result_budget import fitted
from shared.agent.tools import Decision
from shared.agent.transcript import words
from shared.agent.turn_context import TurnContext
from shared.clock import Clock, Deadline
from shared.errors import DeadlineError, ModelBlockedError, ModelCallLimitError, ModelUnavailableError


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """The limits of a turn.  `model_calls` counts every request to the model, also if its answer could not be used.

    `seconds` is the time from the first request to the decision. No request begins with less than `least_call_s` left. A request that
    another one may follow takes at most `call_s`, so that a request that hangs leaves time for the next one.
    """

    model_calls: int = 8
    seconds: float = 40.0
    least_call_s: float = 1.0
    call_s: float = 12.0
    tool_seconds: float = 10.0
    max_output_tokens: int = 2_048


_ATTEMPTS_WHILE_DOWN: Final = 3
_NOTE_TOKENS: Final = 500
_CHANGE: Final = "[earlier attempt] You have already called {tool} in this turn: {facts}. It holds; do not do it again."


@dataclass(frozen=True, slots=True, kw_only=True)
class Thought:
    """The decision of a turn, and how it came about.

    `tools_used` holds no name that the model made up. `footnotes` are texts that the reply has to carry unchanged.
    """

    decision: Decision
    model_name: str
    model_calls: int
    tools_used: tuple[str, ...]
    tools_offered: tuple[str, ...] = ()
    footnotes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Agent:
    """Decides on an answer.  Serves many chats at once: the state of a turn is local to its call of `think`.

    `fallback` is asked for the rest of a turn where `model` did not answer twice.
    """

    model: Model
    fallback: Model | None = None
    tools: ToolExecutor
    limits: Limits
    clock: Clock
    chance: random.Random = field(repr=False)

    def think(
        self,
        system_instruction: str,
        contents: Sequence[Content],
        context: TurnContext,
        *,
        deadline: Deadline | None = None,
        only: tuple[str, ...] = (),
    ) -> Thought:
        """Return the decision, by the deadline where there is one, and within the limits.

        The model may call `only` these tools; none named: all that the turn has.

        Raises: PromptAmendedError, ModelUnavailableError, ModelRefusedError, ModelBlockedError, ModelCallLimitError, DeadlineError.
        """
        turn = _Turn(
            agent=self,
            system_instruction=system_instruction,
            first=tuple(contents),
            context=context,
            deadline=Deadline.after(self.clock, self.limits.seconds)
            if deadline is None
            else deadline.within(self.limits.seconds),
            only=only,
        )
        used: list[str] = []
        made: Counter[str] = Counter()
        footnotes: list[str] = []
        while True:
            response = turn.ask()
            remedy = remedy_for(response)
            if remedy is not None:
                turn.mend(remedy)
                continue
            ran = self.tools.run(response.calls, context, turn.tool_deadline(), made=made, allowed=turn.allowed)
            used += [self.tools.registry.known_name(call.name, context) for call in response.calls]
            footnotes += ran.footnotes
            if ran.decision is not None:
                return Thought(
                    decision=ran.decision,
                    model_name=turn.model.name,
                    model_calls=turn.model_calls,
                    tools_used=tuple(used),
                    tools_offered=tuple(one.name for one in self.tools.registry.offered_to(context)),
                    footnotes=tuple(dict.fromkeys(footnotes)),
                )
            turn.append(response, FunctionResponses(responses=ran.responses))


class _Turn:
    """The state of one run of the loop: the contents so far, and the remaining limits."""

    def __init__(  # noqa: PLR0913 - what a run begins with
        self,
        *,
        agent: Agent,
        system_instruction: str,
        first: tuple[Content, ...],
        context: TurnContext,
        deadline: Deadline,
        only: tuple[str, ...],
    ) -> None:
        self.model_calls = 0
        self._only = only
        self.model = agent.model
        self._agent = agent
        self._context = context
        self._system_instruction = system_instruction
        self._first = first
        self._contents = list(first)
        self._deadline = deadline
        self._declarations = agent.tools.registry.declarations(context)
        self._troubles: Counter[str] = Counter()
        self._note: str | None = None
        self._validated = False
        self._output_tokens = agent.limits.max_output_tokens

    def ask(self) -> ModelResponse:
        """Return the model's next answer; retry while the model is unavailable, within the limits."""
        for attempt in range(1, _ATTEMPTS_WHILE_DOWN + 1):
            request = self._request(is_last=self._is_last(attempt))
            end_check = self._begin_check()
            try:
                response = self.model.generate(request)
            except ModelUnavailableError as down:
                end_check()
                logs.warning(
                    "model_unavailable", attempt=attempt, model_call=self.model_calls, retry_after_s=down.retry_after_s
                )
                pause_s = down.retry_after_s or self._agent.chance.uniform(0.2, 1.0) * attempt
                if attempt == _ATTEMPTS_WHILE_DOWN or pause_s + self._agent.limits.least_call_s > self._deadline.left_s:
                    raise
                if attempt == _ATTEMPTS_WHILE_DOWN - 1:
                    self._fall_back()
                self._agent.clock.sleep(pause_s)
            else:
                end_check()
                return response
        raise AssertionError("the last attempt returns or raises")

    def _begin_check(self) -> Callable[[], None]:
        """Check the amendments before the request; before the first one, only begin the check if its chat was read just now."""
        if self.model_calls == 1:
            return self._context.begin_check()
        self._context.check_amendments()
        return lambda: None

    def _is_last(self, attempt: int) -> bool:
        """Whether this request may take all the time that is left: a slow model answers late rather than never."""
        has_other = self._agent.fallback is not None and self._agent.fallback is not self.model
        return attempt > 1 and (not has_other or attempt == _ATTEMPTS_WHILE_DOWN)

    def _fall_back(self) -> None:
        """Ask the second model for the rest of the turn, if there is one."""
        if self._agent.fallback is not None and self.model is not self._agent.fallback:
            self.model = self._agent.fallback
            logs.warning("model_fell_back", model=self.model.name)

    def append(self, response: ModelResponse, results: FunctionResponses) -> None:
        """Append the answer and the results of its calls to the contents."""
        assert response.content is not None  # noqa: S101 - remedy_for lets no answer without content through
        self._contents += [response.content, results]
        self._note = None

    def mend(self, remedy: Remedy) -> None:
        """Prepare to ask again.  Raises: ModelBlockedError or ModelUnavailableError, if the remedy's retries are used up."""
        self._troubles[remedy.trouble] += 1
        times = self._troubles[remedy.trouble]
        if times > remedy.retries:
            if remedy.refuses:
                raise ModelBlockedError(f"the model will not answer this: {remedy.trouble}")
            raise ModelUnavailableError(f"the model gave no usable answer: {remedy.trouble}")
        logs.warning("model_answer_unusable", trouble=remedy.trouble, times=times)
        is_chance = times == 1 and remedy.trouble == "EMPTY"  # a first empty answer is often followed by a usable one
        self._note = None if is_chance else remedy.note
        self._validated = remedy.validated_last and times == remedy.retries
        self._output_tokens *= 2 if remedy.more_output else 1
        if remedy.start_over:
            self._leave_out(len(self._contents) - len(self._first))

    def _leave_out(self, contents: int) -> None:
        """Leave these first contents of the turn's rounds out from now on, and tell their changes instead."""
        gone, rest = self._contents[len(self._first) :][:contents], self._contents[len(self._first) + contents :]
        self._first = (*self._first, *self._told_changes(gone))
        self._contents = [*self._first, *rest]

    def _told_changes(self, contents: Sequence[Content]) -> Iterator[TextContent]:
        """Yield a note on the changes of the rounds that are left out from now on: they hold, so they are not to be made twice."""
        registry = self._agent.tools.registry
        rounds = (one for one in contents if isinstance(one, FunctionResponses))
        notes = []
        for answer in (one for several in rounds for one in several.responses if "output" in one.response):
            tool = registry.find(answer.call.name, self._context)
            if tool is not None and not tool.is_reading:
                facts = fitted({"arguments": answer.call.args, **answer.response}, limit_tokens=_NOTE_TOKENS)
                notes.append(_CHANGE.format(tool=tool.name, facts=words(json.dumps(facts, ensure_ascii=False))))
        if notes:
            yield TextContent(role="user", texts=tuple(notes))

    @property
    def allowed(self) -> tuple[str, ...]:
        """The tools that the model had to choose from in the last request; none named: all that the turn has."""
        if self._only:
            return self._only
        is_last = self.model_calls == self._agent.limits.model_calls
        return self._agent.tools.registry.final_names if is_last else ()

    def tool_deadline(self) -> Deadline:
        """Return the deadline for the tools of a round."""
        return self._deadline.within(self._agent.limits.tool_seconds)

    def _request(self, *, is_last: bool) -> ModelRequest:
        limits = self._agent.limits
        if self.model_calls >= limits.model_calls:
            raise ModelCallLimitError(f"no decision within {limits.model_calls} model calls")
        if self._deadline.left_s < limits.least_call_s:
            raise DeadlineError("no decision in time")
        self.model_calls += 1
        note = [TextContent(role="user", texts=(self._note,))] if self._note else []
        contents = self._within_request(note)
        return ModelRequest(
            system_instruction=self._system_instruction,
            declarations=self._declarations,
            contents=tuple(map(mask_content, contents)),
            max_output_tokens=self._output_tokens,
            timeout_s=self._deadline.left_s if is_last else min(limits.call_s, self._deadline.left_s),
            allowed=self.allowed,
            validated=self._validated,
        )

    def _within_request(self, note: Sequence[Content]) -> tuple[Content, ...]:
        """Return the contents within the budget of a request; what the rounds that it leaves out have changed is told."""
        while True:
            contents = within_request(self._system_instruction, self._declarations, (*self._contents, *note))
            kept = {id(one) for one in contents if isinstance(one, ModelContent)}
            rounds = self._contents[len(self._first) :]
            left_out = sum(isinstance(one, ModelContent) and id(one) not in kept for one in rounds)
            if not left_out:
                return contents
            self._leave_out(2 * left_out)  # each with the answers to its calls
