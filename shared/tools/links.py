"""Links: `read_link` answers a question from a page whose link stands in a person's message.

A request of its own, without functions, reads the page, because URL context and functions do not mix; Google fetches it, never the worker.
The result is outside words. Only a link that a person wrote is read, so no outside text can have words of the chat sent off in an address.
"""

from typing import Final

from shared.agent.model import Json
from shared.agent.tools import Tool, ToolFault, ToolResult, load_schema
from shared.agent.turn_context import TurnContext
from shared.conversation.provenance import WEB
from shared.errors import ModelBlockedError, ModelRefusedError
from shared.line.utf16 import without_lone_surrogates
from shared.tools.link_port import ANSWER_LIMIT, LinkReader, LinkStatus
from shared.tools.link_questions import fault_of_question, readable_address
from shared.tools.videos import video_at

MOST_PAGES: Final = 3
"""Pages of a turn."""
_A_VIDEO: Final = ToolFault(
    message="Not read: it is a video. Call `watch_video` if a person asks about it.", may_retry=True
)
_NOT_ANSWERED: Final = ToolFault(
    message="The provider refuses to read this page. Tell the person that it could not be read.", may_retry=False
)
_UNREAD: Final = {
    LinkStatus.UNSAFE: ToolFault(
        message="Not read: Google considers the page unsafe. Tell the person so, and that nothing of it was read.",
        may_retry=False,
    ),
    LinkStatus.PAYWALL: ToolFault(
        message="Not read: the page is behind a paywall or a login. Tell the person so, and that nothing of it was read.",
        may_retry=False,
    ),
    LinkStatus.FAILED: ToolFault(
        message="Not read: the page could not be retrieved; it may not exist, need a login, or be of a kind that cannot be read. Tell the "
        "person so, and that nothing of it was read.",
        may_retry=False,
    ),
}


def link_tools(reader: LinkReader) -> tuple[Tool, ...]:
    """Return `read_link`."""

    def read(arguments: Json, context: TurnContext) -> ToolResult:
        address = readable_address(str(arguments["url"]), context)
        if isinstance(address, ToolFault):
            return address
        if video_at(address) is not None:
            return _A_VIDEO
        question = without_lone_surrogates(str(arguments["question"]))
        fault = fault_of_question(question, context)
        if fault is not None:
            return fault
        context.check_amendments()
        try:
            answer = reader.read(address, question, context.deadline)
        except (ModelBlockedError, ModelRefusedError):
            return _NOT_ANSWERED
        unread = _UNREAD.get(answer.status)
        return unread if unread is not None else {"status": "success", "answer": answer.text[:ANSWER_LIMIT]}

    return (
        Tool(
            name="read_link",
            description=(
                "Read the page behind a link that a person wrote in this chat, and answer a question from it: a summary, a price, a date. "
                "If it was not read, say so and why; never guess what a page says."
            ),
            parameters=load_schema("read_link.parameters"),
            response=load_schema("read_link.response"),
            run=read,
            is_reading=True,
            outside=WEB,
            most_calls=MOST_PAGES,
        ),
    )
