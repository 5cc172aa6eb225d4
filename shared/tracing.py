"""Spans of the agent, by OpenTelemetry's conventions for generative AI: the port, and the names of attributes.

Nothing is traced until a tracer is bound.  No attribute holds words of people, of the model or of a tool; an error appears as its type.
Source: OpenTelemetry, "Semantic Conventions for GenAI agent and framework spans" and "... for GenAI client spans" (status: development);
input tokens include cached tokens, output tokens include reasoning tokens.
"""

from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from enum import StrEnum
from typing import Final, Protocol

Value = str | int | tuple[str, ...]

AGENT_NAME: Final = "gen_ai.agent.name"
CACHED_TOKENS: Final = "gen_ai.usage.cache_read.input_tokens"
CONVERSATION_ID: Final = "gen_ai.conversation.id"
ERROR_TYPE: Final = "error.type"
FINISH_REASONS: Final = "gen_ai.response.finish_reasons"
INPUT_TOKENS: Final = "gen_ai.usage.input_tokens"
OPERATION_NAME: Final = "gen_ai.operation.name"
OUTPUT_TOKENS: Final = "gen_ai.usage.output_tokens"
PROVIDER_NAME: Final = "gen_ai.provider.name"
REASONING_TOKENS: Final = "gen_ai.usage.reasoning.output_tokens"
REQUEST_MODEL: Final = "gen_ai.request.model"
RESPONSE_MODEL: Final = "gen_ai.response.model"
TOOL_NAME: Final = "gen_ai.tool.name"
TOOL_TYPE: Final = "gen_ai.tool.type"


class Operation(StrEnum):
    """The operation of a span."""

    CHAT = "chat"
    EMBEDDINGS = "embeddings"
    EXECUTE_TOOL = "execute_tool"
    INVOKE_AGENT = "invoke_agent"


class Span(Protocol):
    """A span that is under way."""

    def set(self, attributes: Mapping[str, Value]) -> None:
        """Add attributes; with ERROR_TYPE among them the operation failed.  Raises nothing."""
        ...


class Tracer(Protocol):
    """Makes spans."""

    def span(self, operation: Operation, subject: str, attributes: Mapping[str, Value]) -> AbstractContextManager[Span]:
        """Open a span, the child of the surrounding span, until the end of the block; an exception passes, and its type is recorded."""
        ...


class _NoSpan:
    """Is no span."""

    def set(self, attributes: Mapping[str, Value]) -> None:
        """Do nothing."""


class _Bound:
    """The tracer of the process."""

    tracer: Tracer | None = None


_NO_SPAN: Final = _NoSpan()


def bind(tracer: Tracer | None) -> None:
    """Make the process's spans with `tracer` from here on; None: no spans."""
    _Bound.tracer = tracer


@contextmanager
def span(operation: Operation, subject: str, attributes: Mapping[str, Value]) -> Iterator[Span]:
    """Trace the block; `subject` is the model, the tool or the agent.  Without a tracer nothing happens.

    Example: `with span(Operation.EXECUTE_TOOL, "set_reminder", {}) as opened: ...`.
    """
    if _Bound.tracer is None:
        yield _NO_SPAN
        return
    with _Bound.tracer.span(operation, subject, attributes) as opened:
        yield opened
