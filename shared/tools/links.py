"""Links: `read_link` answers a question from a page whose link stands in a person's message.

A request of its own, without functions, reads the page, because URL context and functions do not mix; Google fetches it, never the worker.
The result is outside words. Only a link that a person wrote is read, so no outside text can have words of the chat sent off in an address.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final, Protocol

from shared import logs
from shared.agent.links import links_in
from shared.agent.model import Json
from shared.agent.tools import NOT_NAMED, Tool, ToolFault, ToolResult, load_schema
from shared.agent.turn_context import TurnContext
from shared.clock import Deadline
from shared.conversation.provenance import WEB
from shared.errors import ModelBlockedError, ModelRefusedError
from shared.line.utf16 import without_lone_surrogates
from shared.metering import Metering, Purpose, Usage
from shared.tools.web_address import UnreadableAddressError, address_in, public_address

MOST_PAGES: Final = 3
"""Pages of a turn."""
ANSWER_LIMIT: Final = 4_000  # characters of an answer about a page


class LinkStatus(StrEnum):
    """What became of a page."""

    READ = "read"
    UNSAFE = "unsafe"
    PAYWALL = "paywall"
    FAILED = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkAnswer:
    """The answer from a page; `text` is empty unless the page was read."""

    status: LinkStatus
    text: str = field(default="", repr=False)
    usage: Usage = field(default_factory=Usage)


class LinkReader(Protocol):
    """Answers questions from pages."""

    @property
    def name(self) -> str:
        """The id of the model that reads, for records and logs."""
        ...

    def read(self, address: str, question: str, deadline: Deadline) -> LinkAnswer:
        """Answer the question from the page at the address.  A page that was not retrieved is a status, never an answer from memory.

        Raises: ModelUnavailableError, if a later try may succeed; ModelBlockedError, if the question is not answered; ModelRefusedError.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class MeteredLinkReader:
    """A LinkReader with metered requests."""

    reader: LinkReader
    metering: Metering = field(repr=False)

    @property
    def name(self) -> str:
        return self.reader.name

    def read(self, address: str, question: str, deadline: Deadline) -> LinkAnswer:
        with self.metering.request(Purpose.LINK, self.reader.name) as request:
            answer = self.reader.read(address, question, deadline)
            request.usage = answer.usage
        logs.info("link_read", status=answer.status.value)
        return answer


_NOT_WRITTEN: Final = ToolFault(
    message="Not read: only a link that a person wrote in this chat is read, exactly as they wrote it. Ask the person to send the link.",
    may_retry=False,
)
_LINK_IN_QUESTION: Final = ToolFault(
    message="Not read: the question must hold no link. Ask in words what to find out.", may_retry=True
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
