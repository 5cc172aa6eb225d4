"""The loop: ask the model, run its calls, return their results to it, until it decides or a limit is reached."""

import random
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

from shared import logs
from shared.agent.executor import ToolExecutor
from shared.agent.model import Content, FunctionResponses, Model
from shared.agent.remedies import BLANK, STRANGE_LINK, Help, Trouble
from shared.agent.tools import Decision
from shared.agent.turn_context import TurnContext
from shared.agent.turn_requests import Asking, Limits, TurnRequests
from shared.clock import Clock, Deadline
from shared.errors import PromptAmendedError

_LEAST_FOR_ANOTHER_S: Final = 15.0
"""With less time left, a reply that can be sent is not asked for again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Thought:
    """The decision of a turn, and how it came about.

    `tools_used` holds no name that the model made up. `footnotes` are texts that the reply has to carry unchanged. `helped`: what was
    changed before the model was asked again, in order. `saw_asked_only`: nothing that the model wrote in this turn came from any other
    prompt than one of only what is asked.
    """

    decision: Decision
    model_name: str
    model_calls: int
    tools_used: tuple[str, ...]
    tools_offered: tuple[str, ...] = ()
    footnotes: tuple[str, ...] = ()
    helped: tuple[Help, ...] = ()
    saw_asked_only: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Agent:
    """Decides on an answer.  Serves many chats at once: the state of a turn is local to its call of `think`.

    `fallback` is asked for the rest of a turn where `model` gave no usable answer.
    """

    model: Model
    fallback: Model | None = None
    tools: ToolExecutor
    limits: Limits
    clock: Clock
    chance: random.Random = field(repr=False)

    def think(  # noqa: PLR0913 - what a turn begins with
        self,
        system_instruction: str,
        contents: Sequence[Content],
        context: TurnContext,
        *,
        deadline: Deadline | None = None,
        only: tuple[str, ...] = (),
        asked_only: Callable[[], tuple[Content, ...]] | None = None,
        trouble_with_reply: Callable[[str | None], Trouble | None] = lambda _: None,
    ) -> Thought:
        """Return the decision, by the deadline where there is one, and within the limits.

        The model may call `only` these tools; none named: all that the turn has. `asked_only` makes the contents of a prompt that holds
        nothing of the chat but what is asked. A message in trouble, such as a blank one, is asked for again; it is returned if that gives
        no other.

        Raises: PromptAmendedError, ModelUnavailableError, ModelRefusedError, ModelBlockedError, ModelCallLimitError, DeadlineError.
        """
        limits, registry = self.limits, self.tools.registry
        turn = TurnRequests(
            models=(self.model,) if self.fallback is None else (self.model, self.fallback),
            registry=registry,
            limits=limits,
            clock=self.clock,
            chance=self.chance,
            asking=Asking(
                system_instruction=system_instruction, contents=tuple(contents), asked_only=asked_only, only=only
            ),
            context=context,
            deadline=Deadline.after(self.clock, limits.seconds)
            if deadline is None
            else deadline.within(limits.seconds),
        )
        used: list[str] = []
        made: Counter[str] = Counter()
        footnotes: list[str] = []
        sendable: Decision | None = None
        while True:
            try:
                response = turn.ask(tries_once=sendable is not None)
            except PromptAmendedError:
                raise
            except Exception as cause:  # of whatever kind: it costs no reply that can be sent
                if sendable is None:
                    raise
                logs.warning("reply_not_improved", error_type=type(cause).__name__)
                break
            ran = self.tools.run(response.calls, context, turn.tool_deadline(), made=made, allowed=turn.allowed)
            used += [registry.known_name(call.name, context) for call in response.calls]
            footnotes += ran.footnotes
            decision = ran.decision
            if decision is None:
                turn.append(response, FunctionResponses(responses=ran.responses))
                continue
            trouble = trouble_with_reply(decision.message)
            if sendable is not None and (decision.message is None or trouble is BLANK):
                break
            if trouble is STRANGE_LINK:
                sendable = decision
            least_s = _LEAST_FOR_ANOTHER_S if trouble is STRANGE_LINK else 0.0
            if trouble is None or not turn.helps_against(trouble, least_s=least_s):
                sendable = decision
                break
        return Thought(
            decision=sendable,
            model_name=turn.model.name,
            model_calls=turn.model_calls,
            tools_used=tuple(used),
            tools_offered=tuple(one.name for one in registry.offered_to(context)),
            footnotes=tuple(dict.fromkeys(footnotes)),
            helped=tuple(turn.helped),
            saw_asked_only=turn.saw_asked_only,
        )
