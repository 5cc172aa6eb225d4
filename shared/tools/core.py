"""The core toolset, always on: `reply` and `skip` decide how a turn ends.

Neither sends anything: the turn carries the decision out, because it alone knows which reply token is alive.
"""

from typing import Final

from shared.agent.model import Json
from shared.agent.receipts import DeedKind
from shared.agent.tools import Decision, Tool, ToolFault, load_schema
from shared.agent.turn_context import TurnContext
from shared.line.utf16 import without_lone_surrogates

_UNTOLD: Final = ToolFault(
    message="Not done: this turn changed or proposed something for the person, who has to be told. Call `reply`.",
    may_retry=False,
)

_DESTROYS: Final = frozenset({DeedKind.DELETED, DeedKind.REMINDER_CANCELLED, DeedKind.REMINDER_CHANGED})
"""Deeds that a group is told, because what is gone may be another member's; so it is told of changes that take words from an entry."""


def core_tools() -> tuple[Tool, ...]:
    """Return `reply` and `skip`."""
    return (
        Tool(
            name="reply",
            description=(
                "Send the one reply that this turn can send, and end the turn. Use it whenever the person asked, told or greeted you and "
                "expects an answer. Call it once, with everything that you have to say; there is no second message."
            ),
            parameters=load_schema("reply.parameters"),
            response=load_schema("reply.response"),
            run=_reply,
            is_final=True,
        ),
        Tool(
            name="skip",
            description=(
                "End the turn without sending anything. Use it when an answer would only be noise: the person thanked you, said goodbye or "
                "closed the conversation, or the message is not for you."
            ),
            parameters=load_schema("skip.parameters"),
            response=load_schema("skip.response"),
            run=_skip,
            is_final=True,
        ),
    )


def _reply(arguments: Json, _: TurnContext) -> Decision:
    return Decision(message=without_lone_surrogates(str(arguments["message"])), result={"status": "sent"})


def _skip(arguments: Json, context: TurnContext) -> Decision | ToolFault:
    has_proposed = context.forgetting.proposed or context.proposals.proposed
    has_destroyed = any(one.kind in _DESTROYS or one.takes_words for one in context.deeds)
    if has_proposed or has_destroyed or (context.conversation.is_one_on_one and context.deeds):
        return _UNTOLD
    kind = str(arguments.get("kind", "other"))
    return Decision(skip_reason=str(arguments["reason"]), skip_kind=kind, result={"status": "skipped"})
