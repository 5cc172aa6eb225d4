"""The loop: ask the model, run the calls, return the results, until the model decides or a limit is reached."""

import random
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from typing import Final

from shared import logs
from shared.agent.executor import Round, ToolExecutor
from shared.agent.model import Content, FunctionResponses, Model
from shared.agent.registry import Registry
from shared.agent.remedies import BLANK, FAILED_CALL, UNBACKED_CLAIM, Remedy, Trouble
from shared.agent.tools import Decision
from shared.agent.turn_context import TurnContext
from shared.agent.turn_requests import Asking, Limits, TurnRequests
from shared.clock import Clock, Deadline
from shared.errors import PromptAmendedError
from shared.frozen import frozen

_LEAST_FOR_ANOTHER_S: Final = 15.0
"""With less time left, a reply that can be sent is not asked for again."""


@frozen
class Thought:
    """The decision of a turn, and how it came about.

    `tools_used`: names of existing tools only. `footnotes`: texts that the reply must carry unchanged. `remedies_used`: the changes before
    further requests, in order. `saw_asked_only`: every content of the model in this turn came from a prompt with only the messages to
    answer.
    """

    decision: Decision
    model_name: str
    model_calls: int
    tools_used: tuple[str, ...]
    tools_offered: tuple[str, ...] = ()
    footnotes: tuple[str, ...] = ()
    remedies_used: tuple[Remedy, ...] = ()
    saw_asked_only: bool = False


@frozen
class Agent:
    """Decides on an answer.  Serves many chats at once: the state of a turn is local to its call of `think`.

    `fallback` is asked for the rest of a turn after `model` gave no usable answer.
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
        unread: Callable[[], tuple[Content, ...]] | None = None,
        on_last_request: Callable[[], None] = lambda: None,
        trouble_with_reply: Callable[[str | None], Trouble | None] = lambda _: None,
        unbacked_claims: Callable[[str, Collection[str]], Collection[object]] = lambda *_: (),
        is_claimed_done: Callable[[str], bool] = lambda _: False,
    ) -> Thought:
        """Return the decision, by the deadline, if any, and within the limits.

        The model may call `only` the named tools; empty: all tools of the turn. `asked_only` returns the contents of a prompt with only the
        messages to answer, `unread` the same without what the code read for them, if it did. `on_last_request` is called when a
        request begins after which the model may only end the turn. A message in trouble, for example a blank message, is requested again;
        without a better message it is returned. `unbacked_claims` returns what a message claims without one of the tools that were carried
        out or proposed; `is_claimed_done`, whether it calls a change done.

        Raises: PromptAmendedError, ModelUnavailableError, ModelRefusedError, ModelBlockedError, ModelCallLimitError, DeadlineError.
        """
        limits, registry = self.limits, self.tools.registry
        turn = TurnRequests(
            models=(self.model,) if self.fallback is None else (self.model, self.fallback),
            registry=registry,
            limits=limits,
            chance=self.chance,
            asking=Asking(
                system_instruction=system_instruction,
                contents=tuple(contents),
                asked_only=asked_only,
                unread=unread,
                only=only,
            ),
            on_last_request=on_last_request,
            context=context,
            deadline=Deadline.after(self.clock, limits.seconds)
            if deadline is None
            else deadline.within(limits.seconds),
        )
        used: list[str] = []
        effects = _Effects()
        call_counts: Counter[str] = Counter()
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
            round_results = self.tools.run(
                response.calls, context, turn.tool_deadline(), call_counts=call_counts, allowed=turn.allowed
            )
            used += [registry.known_name(call.name, context) for call in response.calls]
            effects.add(round_results, registry, context)
            footnotes += round_results.footnotes
            decision = round_results.decision
            if decision is None:
                turn.append(response, FunctionResponses(responses=round_results.responses))
                continue
            trouble = trouble_with_reply(decision.message) or effects.trouble_with(
                decision.message or "", unbacked_claims, is_claimed_done
            )
            # Asked for a better reply alone, the model would stage all again
            if round_results.undecided and trouble is not None:
                turn.append(response, FunctionResponses(responses=round_results.undecided))
                if trouble not in {UNBACKED_CLAIM, FAILED_CALL}:
                    continue
            if sendable is not None and (decision.message is None or trouble is BLANK):
                break
            can_be_sent = trouble is not None and trouble.can_be_sent
            sendable, least_s = (decision, _LEAST_FOR_ANOTHER_S) if can_be_sent else (sendable, 0.0)
            if trouble is None or not turn.try_remedy(trouble, least_s=least_s):
                sendable = decision
                break
        return Thought(
            decision=sendable,
            model_name=turn.model.name,
            model_calls=turn.model_calls,
            tools_used=tuple(used),
            tools_offered=tuple(one.name for one in registry.offered_to(context)),
            footnotes=tuple(dict.fromkeys(footnotes)),
            remedies_used=tuple(turn.remedies_used),
            saw_asked_only=turn.saw_asked_only,
        )


@dataclass(slots=True)
class _Effects:
    """What the calls of a turn did: the tools that were carried out or wait for a tap, and those that failed and did not succeed since."""

    called: set[str] = field(default_factory=set)
    failed: set[str] = field(default_factory=set)

    def add(self, results: Round, registry: Registry, context: TurnContext) -> None:
        """Add the results of a round; the failure of a tool that only reads is none."""
        self.called |= {registry.plain_name(one.call.name) for one in results.responses if "output" in one.response}
        self.called |= {proposed.tool for proposed in context.proposals.proposed}
        errors = (one.call.name for one in results.responses if "error" in one.response)
        tools = ((name, registry.find(name, context)) for name in errors)
        self.failed |= {
            registry.plain_name(name) for name, tool in tools if tool is None or not (tool.is_reading or tool.is_final)
        }
        self.failed -= self.called

    def trouble_with(
        self,
        message: str,
        unbacked_claims: Callable[[str, Collection[str]], Collection[object]],
        is_claimed_done: Callable[[str], bool],
    ) -> Trouble | None:
        """Return the trouble with a message that claims what no call did, or calls done what failed."""
        if unbacked_claims(message, self.called):
            return UNBACKED_CLAIM
        return FAILED_CALL if self.failed and is_claimed_done(message) else None
