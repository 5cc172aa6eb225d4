"""The core toolset, always on: `reply` and `skip` decide how a turn ends.

Neither tool sends anything. The turn carries the decision out, because only the turn knows which reply token is alive.
"""

from typing import Final

from shared.agent.model import Json
from shared.agent.receipts import Deed, DeedKind
from shared.agent.tools import Decision, Tool, ToolFault, load_schema
from shared.agent.turn_context import TurnContext
from shared.line.utf16 import without_lone_surrogates

_MUST_TELL: Final = ToolFault(
    message="Not done: this turn changed or proposed something for the person, who has to be told. Call `reply`.",
    may_retry=False,
)

_TOLD_IN_GROUPS: Final = frozenset(
    {
        *(DeedKind.DELETED, DeedKind.UNDONE, DeedKind.REMINDER_CANCELLED, DeedKind.REMINDER_CHANGED),
        *(DeedKind.POLL_OPENED, DeedKind.POLL_CLOSED, DeedKind.POLL_REOPENED, DeedKind.POLL_REMOVED),
        *(DeedKind.MEETING_OPENED, DeedKind.MEETING_CLOSED, DeedKind.MEETING_REOPENED, DeedKind.MEETING_REMOVED),
        *(DeedKind.MEETING_CALLED_OFF, DeedKind.MEETING_ON_AGAIN),
        *(DeedKind.EXPENSE_ADDED, DeedKind.EXPENSE_CHANGED, DeedKind.EXPENSE_REMOVED),
        *(DeedKind.EXPENSES_SETTLED, DeedKind.EXPENSES_REOPENED),
    }
)
"""Effects that a group has to be told, and so may changes that remove words of an entry.

They may touch another member's entry, change what members owe, or ask members for a press on a card that stands below the answer.
"""


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
    has_to_tell = any(map(_is_told_in_groups, context.deeds)) or context.translation.offered is not None
    if has_proposed or has_to_tell or (context.conversation.is_one_on_one and context.deeds):
        return _MUST_TELL
    kind = str(arguments.get("kind", "other"))
    return Decision(skip_reason=str(arguments["reason"]), skip_kind=kind, result={"status": "skipped"})


def _is_told_in_groups(deed: Deed) -> bool:
    return deed.kind in _TOLD_IN_GROUPS or deed.takes_words
