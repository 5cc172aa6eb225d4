"""The tool that offers to call a person of the operator, who then answers instead of the bot.

It calls nobody: below the reply stands a question with a button, and the press begins the handover. Offered only where an operator is set,
and not in the operator's own chat.
"""

from dataclasses import field
from typing import Final

from shared import logs
from shared.agent.model import Json
from shared.agent.tools import Tool, ToolFault, load_schema
from shared.agent.turn_context import TurnContext
from shared.frozen import frozen

_ONE_BUTTON: Final = ToolFault(
    message="Not offered: your reply asks something else already. Offer a person in your next reply.",
    may_retry=False,
)
_OWN_CHAT: Final = ToolFault(message="Not offered: this is the operator's own chat.", may_retry=False)


@frozen
class HandoverTools:
    """The tool on handovers; `operator_id`: LINE's id of the operator."""

    operator_id: str = field(repr=False)

    def tools(self) -> tuple[Tool, ...]:
        """Return the tool."""
        return (
            Tool(
                name="call_person",
                description=(
                    "Offer to call a person of this account, who then answers here instead of you. Use it when somebody asks for a human, "
                    "for staff or for support, also after you could not help. It calls nobody itself: this system asks below your reply, "
                    "with a button."
                ),
                parameters=load_schema("call_person.parameters"),
                response=load_schema("call_person.response"),
                run=self._offer,
            ),
        )

    def _offer(self, arguments: Json, context: TurnContext) -> Json | ToolFault:
        if context.conversation.id == self.operator_id:
            return _OWN_CHAT
        if context.forgetting.proposed or context.translation.offered is not None:
            return _ONE_BUTTON
        context.handover.make()
        logs.info("handover_offered", reason=str(arguments["reason"]))
        return {"isOffered": True}
