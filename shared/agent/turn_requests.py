"""The requests of one turn to the model: the changes after a failed request, within the limits."""

import json
import random
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Final

from shared import logs
from shared.agent.model import (
    Content,
    FunctionCall,
    FunctionResponses,
    Model,
    ModelRequest,
    ModelResponse,
    mask_content,
)
from shared.agent.registry import Registry
from shared.agent.remedies import RATE_LIMITED, TEXT_ONLY, UNANSWERED, Remedy, Trouble, trouble_of, trouble_with
from shared.agent.turn_contents import TurnContents
from shared.agent.turn_context import TurnContext
from shared.clock import Deadline
from shared.errors import DeadlineError, ModelCallLimitError, ModelRefusedError, ModelUnavailableError
from shared.frozen import frozen
from shared.line.graphemes import cut


@frozen
class Limits:
    """The limits of a turn.  `model_calls` counts every request to the model, also after an unusable answer.

    `seconds`: the time from the first request to the decision. No request begins with less than `least_call_s` left. A request that another
    request may follow takes at most `call_s`, so that a hanging request leaves time for the next.
    """

    model_calls: int = 8
    seconds: float = 40.0
    least_call_s: float = 1.0
    call_s: float = 12.0
    tool_seconds: float = 10.0
    max_output_tokens: int = 2_048


@frozen
class Asking:
    """A turn's question: its `contents`, and with `asked_only` the contents of a prompt with only the messages to answer.

    `unread`: the same without what the code read for these messages; None: the code read nothing.
    The model may call `only` these tools; empty: all tools of the turn.
    """

    system_instruction: str
    contents: tuple[Content, ...]
    asked_only: Callable[[], tuple[Content, ...]] | None = None
    unread: Callable[[], tuple[Content, ...]] | None = None
    only: tuple[str, ...] = ()


_REPEATED: Final = (
    "You have made this call before in this turn, and its result is above: end the turn by `reply` or `skip`."
)
_REPLY: Final = "reply"
_LONGEST_REPLY_UTF16: Final = 5_000  # as `reply` takes it
_CODE: Final = re.compile(r"\s*(?:[A-Za-z_][\w.:]*\(|\[?\s*\{|</?[a-z|]|`{3})", re.ASCII)
"""The beginning of a call, an object or markup, which is meant for no person."""
_PASSING: Final = (UNANSWERED.name, RATE_LIMITED.name)


class TurnRequests:
    """The requests of one run of the loop: the remedies used so far, and the remaining limits."""

    def __init__(  # noqa: PLR0913 - what a run begins with
        self,
        *,
        models: Sequence[Model],
        registry: Registry,
        limits: Limits,
        chance: random.Random,
        asking: Asking,
        context: TurnContext,
        deadline: Deadline,
        on_last_request: Callable[[], None] = lambda: None,
    ) -> None:
        """`models`: the first model, and the second, if any."""
        self._on_last_request = on_last_request
        self.model_calls = 0
        self.remedies_used: list[Remedy] = []
        self.saw_asked_only = False
        self.model, *self._other_models = models
        self._registry = registry
        self._limits = limits
        self._chance = chance
        self._asking = asking
        self._context = context
        self._contents = TurnContents(asking.contents, registry, context)
        self._deadline = deadline
        self._declarations = registry.declarations(context)
        self._tried: Counter[str] = Counter()
        self._made: frozenset[tuple[str, str]] = frozenset()
        self._note: str | None = None
        self._is_ending = False
        self._validated = False
        self._output_tokens = limits.max_output_tokens

    def ask(self, *, tries_once: bool = False) -> ModelResponse:
        """Return the model's next usable answer; after a failure, the next remedy is applied and the model asked again, within limits.

        A model that writes text without a call even where it may only end the turn has answered: its words count as a `reply`, except in
        a turn that nobody addressed. `tries_once`: a failure is raised at once. Raises: as `Agent.think`.
        """
        while True:
            request = self._request()
            end_check = self._begin_check()
            try:
                response = self._context.ask(partial(self.model.generate, request))
            except (ModelUnavailableError, ModelRefusedError) as cause:
                end_check()
                if tries_once:
                    raise
                self._prepare_retry(cause)
                continue
            end_check()
            for name in _PASSING:
                del self._tried[name]
            trouble = trouble_with(response)
            if trouble is None:
                return response
            if tries_once or not self._apply_next_remedy(trouble):
                is_reply = trouble is TEXT_ONLY and _CODE.match(response.text) is None
                if not is_reply or tries_once or self._context.is_overheard:
                    raise trouble.error
                logs.warning("text_taken_as_reply", model_call=self.model_calls)
                return _as_reply(response)

    def append(self, response: ModelResponse, results: FunctionResponses) -> None:
        """Append the answer and the results of its calls.  After a round of repeated calls, only the final tools are offered."""
        assert response.content is not None  # noqa: S101 - trouble_with lets no answer without content through
        self._contents.append(response.content, results)
        self._note = None
        calls = frozenset(map(self._signature, response.calls))
        if calls <= self._made:
            logs.warning("calls_repeated", model_call=self.model_calls)
            self._is_ending, self._note = True, _REPEATED
        has_changed = any(not self._is_reading(one.name) for one in response.calls)
        self._made = calls if has_changed else self._made | calls  # after a change, a repeated reading is no repetition

    def try_remedy(self, trouble: Trouble, *, least_s: float = 0.0) -> bool:
        """Apply the next remedy for a trouble with the reply; return False without a remedy, a request or `least_s` left."""
        has_request = self.model_calls < self._limits.model_calls
        return has_request and self._deadline.left_s >= least_s and self._apply_next_remedy(trouble)

    @property
    def allowed(self) -> tuple[str, ...]:
        """The tools among which the model had to choose in the last request; empty: all tools of the turn."""
        if self._asking.only:
            return self._asking.only
        is_last = self.model_calls == self._limits.model_calls
        return self._registry.final_names if is_last or self._is_ending else ()

    def tool_deadline(self) -> Deadline:
        """Return the deadline for the tools of a round."""
        return self._deadline.within(self._limits.tool_seconds)

    def _begin_check(self) -> Callable[[], None]:
        """Check the amendments before the request; before the first request, only begin the check if the chat was read just now."""
        if self.model_calls == 1:
            return self._context.begin_check()
        self._context.check_amendments()
        return lambda: None

    def _prepare_retry(self, cause: ModelUnavailableError | ModelRefusedError) -> None:
        """Prepare the next request, after a pause if the remedy is a repetition.  Raises: `cause`, without a remedy or enough time."""
        is_down = isinstance(cause, ModelUnavailableError)
        retry_after_s = cause.retry_after_s if isinstance(cause, ModelUnavailableError) else None
        if is_down:
            logs.warning("model_unavailable", model_call=self.model_calls, retry_after_s=retry_after_s)
        trouble = trouble_of(cause)
        if not self._apply_next_remedy(trouble):
            raise cause
        if is_down and self.remedies_used[-1] is Remedy.AGAIN:
            pause_s = retry_after_s or self._chance.uniform(0.2, 1.0) * self._tried[trouble.name]
            if not self._deadline.pause(pause_s, least_s=self._limits.least_call_s):
                raise cause

    def _apply_next_remedy(self, trouble: Trouble) -> bool:
        """Apply the trouble's next possible remedy; return False if none remains."""
        while (place := self._tried[trouble.name]) < len(trouble.remedies):
            self._tried[trouble.name] += 1
            remedy = trouble.remedies[place]
            if not self._is_possible(remedy):
                if not trouble.is_passing:
                    continue
                remedy = Remedy.AGAIN
            if not trouble.is_passing:
                logs.warning("model_answer_unusable", trouble=trouble.name, help=remedy.value)
            self.remedies_used.append(remedy)
            self._apply(remedy, trouble.note)
            return True
        return False

    def _is_possible(self, remedy: Remedy) -> bool:
        match remedy:
            case Remedy.OTHER_MODEL:
                return bool(self._other_models)
            case Remedy.ASKED_ONLY:
                return not self._contents.begins_with(self._asked_only())
            case Remedy.UNREAD:
                return self._asking.unread is not None
            case Remedy.WITHOUT_MEDIA:
                return self._contents.has_media
            case Remedy.WITHOUT_RESULTS:
                return self._contents.has_results
            case _:
                return True

    def _apply(self, remedy: Remedy, note: str | None) -> None:
        self._note = note if remedy in {Remedy.NOTE, Remedy.ENDING} else None
        self._validated = remedy is Remedy.VALIDATED
        self._is_ending = self._is_ending or remedy is Remedy.ENDING
        match remedy:
            case Remedy.MORE_OUTPUT:
                self._output_tokens *= 2
            case Remedy.START_OVER:
                self._contents.leave_out_rounds()
            case Remedy.WITHOUT_RESULTS:
                self._contents.leave_out_results()
            case Remedy.ASKED_ONLY:
                self.saw_asked_only = not self._contents.has_called
                self._contents.begin_with(self._asked_only())
            case Remedy.UNREAD if self._asking.unread is not None:
                self._contents.begin_with(self._asking.unread())
            case Remedy.WITHOUT_MEDIA:
                self._contents.leave_out_media()
            case Remedy.OTHER_MODEL:
                self.model = self._other_models.pop(0)
                logs.warning("model_fell_back", model=self.model.name)
            case _:
                pass

    def _asked_only(self) -> tuple[Content, ...]:
        return self._asking.asked_only() if self._asking.asked_only is not None else self._contents.prompt

    def _signature(self, call: FunctionCall) -> tuple[str, str]:
        return self._registry.plain_name(call.name), json.dumps(call.args, sort_keys=True, default=str)

    def _is_reading(self, name: str) -> bool:
        tool = self._registry.find(name, self._context)
        return tool is None or tool.is_reading or tool.is_final

    def _request(self) -> ModelRequest:
        limits = self._limits
        if self.model_calls >= limits.model_calls:
            raise ModelCallLimitError(f"no decision within {limits.model_calls} model calls")
        if self._deadline.left_s < limits.least_call_s:
            raise DeadlineError("no decision in time")
        self.model_calls += 1
        system_instruction, declarations = self._asking.system_instruction, self._declarations
        if self.allowed:
            self._on_last_request()
        if self._is_ending:
            declarations = tuple(one for one in declarations if one.name in self._registry.final_names)
        contents = self._contents.within_request(system_instruction, declarations, self._note)
        return ModelRequest(
            system_instruction=system_instruction,
            declarations=declarations,
            contents=tuple(map(mask_content, contents)),
            max_output_tokens=self._output_tokens,
            timeout_s=self._deadline.left_s if self._is_last else min(limits.call_s, self._deadline.left_s),
            allowed=self.allowed,
            validated=self._validated,
        )

    @property
    def _is_last(self) -> bool:
        """Whether the request may take all remaining time: a late answer is better than none."""
        return not self._other_models and any(self._tried[one] for one in _PASSING)


def _as_reply(response: ModelResponse) -> ModelResponse:
    """Return an answer of text alone as the call of `reply` that it stands for: "hello" is `reply(message="hello")`."""
    message = cut(response.text.strip(), limit_utf16=_LONGEST_REPLY_UTF16)
    return replace(response, calls=(FunctionCall(name=_REPLY, args={"message": message}),))
