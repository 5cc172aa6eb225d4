"""The core toolset, always on: `reply` and `skip` decide how a turn ends.

Neither tool sends anything. The turn carries the decision out, because only the turn knows which reply token is alive.
"""

from typing import Final

from shared.agent.model import Json
from shared.agent.receipts import DeedKind
from shared.agent.tools import Decision, Tool, ToolFault, load_schema
from shared.agent.turn_context import TurnContext
from shared.line.utf16 import without_lone_surrogates

_MUST_TELL: Final = ToolFault(
    message="Not done: this turn changed or proposed something for the person, who has to be told. Call `reply`.",
    may_retry=False,
)

_DESTRUCTIVE: Final = frozenset(
    {DeedKind.DELETED, DeedKind.UNDONE, DeedKind.REMINDER_CANCELLED, DeedKind.REMINDER_CHANGED}
)
"""Effects that a group has to be told, because they may touch another member's entry.  So may changes that remove words of an entry."""


def core_tools() -> tuple[Tool, ...]:
    """Return `reply` and `skip`."""
    return (
        Tool(
            name="reply",
            description=(
                "Send the one reply that this turn can send, with everything that you have to say, and end the turn."
            ),
            parameters=load_schema("reply.parameters"),
            response=load_schema("reply.response"),
            run=_reply,
            is_final=True,
        ),
        Tool(
            name="skip",
            description=("End the turn without sending anything, also where the message is not for you."),
            parameters=load_schema("skip.parameters"),
            response=load_schema("skip.response"),
            run=_skip,
            is_final=True,
        ),
    )


def _reply(arguments: Json, _: TurnContext) -> Decision:
    suggestions = arguments.get("suggestions")
    return Decision(
        message=without_lone_surrogates(str(arguments["message"])),
        suggestions=tuple(map(str, suggestions)) if isinstance(suggestions, list) else (),
        result={"status": "sent"},
    )


def _skip(arguments: Json, context: TurnContext) -> Decision | ToolFault:
    has_proposed = context.forgetting.proposed or context.proposals.proposed or context.handover.is_made
    has_destroyed = any(one.kind in _DESTRUCTIVE or one.takes_words for one in context.deeds)
    if has_proposed or has_destroyed or (context.conversation.is_one_on_one and context.deeds):
        return _MUST_TELL
    kind = str(arguments.get("kind", "other"))
    return Decision(skip_reason=str(arguments["reason"]), skip_kind=kind, result={"status": "skipped"})
