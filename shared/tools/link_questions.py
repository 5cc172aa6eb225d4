"""Which link a tool may open, and which question about it may be asked: nothing of the chat leaves that no person wrote."""

from collections.abc import Iterator
from typing import Final

from shared import logs
from shared.agent.links import links_in
from shared.agent.tools import NOT_NAMED, ToolFault
from shared.agent.turn_context import TurnContext
from shared.tools.web_address import UnreadableAddressError, address_in, public_address

_NOT_WRITTEN: Final = ToolFault(
    message="Not read: only a link that a person wrote in this chat is read, exactly as they wrote it. Ask the person to send the link.",
    may_retry=False,
)
_LINK_IN_QUESTION: Final = ToolFault(
    message="Not read: the question must hold no link. Ask in words what to find out.", may_retry=True
)


def readable_address(link: str, context: TurnContext) -> str | ToolFault:
    """Return the address to read for the link that the model names, or why it is not read."""
    written = address_in(_people_texts(context), link)
    if written is None:
        logs.info("link_refused", reason="not_written")
        return _NOT_WRITTEN
    try:
        return public_address(written)
    except UnreadableAddressError as refusal:
        logs.info("link_refused", reason="not_public")
        return ToolFault(message=f"Not read: {refusal} Tell the person so.", may_retry=False)


def fault_of_question(question: str, context: TurnContext) -> ToolFault | None:
    """Return why the question must not be sent: it holds a link, which would be read too, or filed words that the person did not say."""
    if links_in(question):
        return _LINK_IN_QUESTION
    if context.is_tainted and context.untrusted_input.repeats_filed(question, context.said):
        return NOT_NAMED
    return None


def _people_texts(context: TurnContext) -> Iterator[str]:
    """Yield the texts that people typed, of the messages that the prompt shows, newest first; captions are no words of people."""
    for message in reversed((*context.read_earlier, *context.to_answer)):
        if message.type == "text" and message.presses is None and message.provenance is None:
            yield message.text
