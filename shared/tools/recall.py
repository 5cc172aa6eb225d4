"""The memory toolset, always on: `recall` looks up earlier messages, however old, and `forget_messages` proposes to withdraw some.

For example: `recall(query: "hotel", since: "2026-06-01")`, `forget_messages(query: "PIN")`. The results are people's words, as lines of the
transcript, without ids of messages or people.
"""

import zoneinfo
from dataclasses import field
from typing import Final

from shared.agent.chat_memory import SPAN_TOKENS, ChatMemory
from shared.agent.forgetting import MOST_PROPOSED
from shared.agent.model import Json
from shared.agent.recall_request import SPAN_MESSAGES, NothingToRecallError, RecallRequest, UnknownNameError
from shared.agent.tools import Tool, ToolFault, load_schema
from shared.agent.turn_context import TurnContext
from shared.frozen import frozen
from shared.tools.stretches import queries_of, stretch_of

_FOUND_LIMIT: Final = 10
_MOST_FOUND: Final = 50
_JSON_TOKENS: Final = 4_000  # for the quotes and keys around the lines
_NOT_THIS_TIME: Final = ToolFault(message="Earlier messages cannot be looked up this time.", may_retry=False)
_WHO_ASKS: Final = ToolFault(
    message="Not done: it is unclear whose messages are meant, because several people ask at once. Say so.",
    may_retry=False,
)
_NO_CRITERION: Final = ToolFault(
    message="Wrong arguments: pass a `query`, a time, or `quoted` where the person quotes a message.", may_retry=True
)
_NO_MATCH: Final = ToolFault(
    message="Nothing is proposed: none of the person's own messages fits. Try other words once, then say so.",
    may_retry=True,
)


@frozen
class MemoryTools:
    """The tools on a chat's memory."""

    memory: ChatMemory
    time_zone: zoneinfo.ZoneInfo = field(repr=False)

    def tools(self) -> tuple[Tool, ...]:
        """Return the tools in order of declaration."""
        return (
            Tool(
                name="recall",
                description=(
                    "Look up what was said in this chat, word by word, however long ago. Use it when somebody asks what was said, decided "
                    "or promised and the conversation does not hold it. Without any argument it returns what was said since the person "
                    "who asks spoke last: what they missed."
                ),
                parameters=load_schema("recall.parameters"),
                response=load_schema("recall.response"),
                run=self._recall,
                is_reading=True,
                most_calls=6,
                result_tokens=SPAN_TOKENS + _JSON_TOKENS,
            ),
            Tool(
                name="forget_messages",
                description=(
                    "Propose to take back messages of the person who asks, with all that came from them. Use it when they want something "
                    "forgotten that they said. It takes nothing back itself: this system lists what would go below your reply, with a "
                    "button for that person."
                ),
                parameters=load_schema("forget_messages.parameters"),
                response=load_schema("forget_messages.response"),
                run=self._forget,
                stages=True,
                most_calls=6,
            ),
        )

    def _recall(self, arguments: Json, context: TurnContext) -> Json | ToolFault:
        stretch = stretch_of(arguments, self.time_zone)
        if isinstance(stretch, ToolFault):
            return stretch
        queries, who = queries_of(arguments), arguments.get("who")
        most = _MOST_FOUND if queries else SPAN_MESSAGES
        limit = arguments.get("limit", _FOUND_LIMIT if queries else SPAN_MESSAGES)
        request = RecallRequest(
            queries=queries,
            who=None if who is None else str(who),
            since_ms=stretch[0],
            until_ms=stretch[1],
            limit=min(most, int(limit)) if isinstance(limit, int | float) else most,
        )
        try:
            lookup = self.memory.find(context, request)
        except NothingToRecallError:
            return _NOT_THIS_TIME
        except UnknownNameError as unknown:
            names = ", ".join(unknown.member_names) or "none"
            return ToolFault(
                message=f"`who` is not the name of exactly one person. Names here: {names}.", may_retry=True
            )
        since = {} if lookup.since is None else {"since": lookup.since}
        partial = {"isPartial": True} if lookup.is_partial else {}
        return {"lines": list(lookup.lines), "leftOut": lookup.left_out, **since, **partial}

    def _forget(self, arguments: Json, context: TurnContext) -> Json | ToolFault:
        stretch = stretch_of(arguments, self.time_zone)
        if isinstance(stretch, ToolFault):
            return stretch
        askers = {one.user_id for one in context.to_answer}
        if len(askers) != 1 or None in askers:
            return _WHO_ASKS
        is_quoted = arguments.get("quoted") is True
        request = RecallRequest(
            queries=queries_of(arguments), since_ms=stretch[0], until_ms=stretch[1], limit=MOST_PROPOSED
        )
        if not is_quoted and not request.queries and stretch == (None, None):
            return _NO_CRITERION
        try:
            lookup = self.memory.own_messages(context, request, is_quoted=is_quoted)
        except NothingToRecallError:
            return _NOT_THIS_TIME
        if not lookup.lines and not lookup.left_out:
            return _NO_MATCH
        return {"proposed": list(lookup.lines), "leftOut": lookup.left_out}
