"""The port to the model, in the terms of Gemini's function calling; no SDK type passes the port.

Source: Gemini API, "Function calling": contents alternate between user and model; the content after a model content answers all its calls;
a model content must be sent back unchanged, thought signatures included.
"""

from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Final, Literal, Protocol, TypeAlias

from shared.errors import ModelBlockedError, ModelUnavailableError
from shared.frozen import frozen
from shared.line.ids import mask_ids, mask_ids_in
from shared.metering import CostlyError, Purpose, Usage

Json = Mapping[str, object]

DECLARATIONS_CACHED: Final = 256
"""The declarations of which users cache what they make of them; a request has about thirty."""
INLINE_LIMIT_BYTES: Final = 14_000_000
"""The bytes of the media of one request.  Source: Gemini API, "Audio understanding": a request has at most 20 MB, texts included; media are
sent in base64, which adds a third. Other pages state a larger limit."""


@frozen
class FunctionCall:
    """A call by the model; `id` is None if the model gives none."""

    name: str
    args: Json = field(repr=False)
    id: str | None = None


@frozen
class FunctionResponse:
    """The answer to a call: `response` holds `output` or `error`."""

    call: FunctionCall
    response: Json = field(repr=False)


@frozen
class TextContent:
    """Text parts of one role."""

    role: Literal["user", "model"]
    texts: tuple[str, ...] = field(repr=False)


@frozen
class MediaPart:
    """An image, a voice, a video or a document: bytes, or a `gs://` address if the model reads buckets (Vertex AI).

    `content_type` is known to Gemini, for example `image/jpeg`.
    """

    content_type: str
    source: bytes | str = field(repr=False)


@frozen
class FilePart:
    """The text that this system read from a file, with remarks on omitted parts."""

    text: str = field(repr=False)


Part: TypeAlias = str | MediaPart | FilePart
"""A text, a medium or a file of people."""


@frozen
class MixedContent:
    """Texts and media of people, in order; all bytes of a request together are at most INLINE_LIMIT_BYTES."""

    parts: tuple[Part, ...] = field(repr=False)

    @property
    def role(self) -> Literal["user"]:
        """The user's role: only people send media."""
        return "user"

    @property
    def texts(self) -> tuple[str, ...]:
        """The texts, including texts of files."""
        texts = (part.text if isinstance(part, FilePart) else part for part in self.parts)
        return tuple(text for text in texts if isinstance(text, str))


@frozen
class ModelContent:
    """A content of the model, sent back unchanged within the turn; only the adapter reads it.

    `model_name`: the model that wrote the content; another model cannot check the thought signatures.
    """

    wire: Json = field(repr=False)
    model_name: str = ""


@frozen
class FunctionResponses:
    """The answers to all calls of the preceding model content, in the calls' order."""

    responses: tuple[FunctionResponse, ...]


Content = TextContent | MixedContent | ModelContent | FunctionResponses


@frozen
class FunctionDeclaration:
    """The declaration of a tool; `parameters` is a JSON Schema."""

    name: str
    description: str
    parameters: Json = field(repr=False)

    def __hash__(self) -> int:
        return hash((self.name, self.description))


@frozen
class ModelRequest:
    """A request to the model.

    The model must call a function of `allowed`, which are names among the declarations; empty: any declared function. `validated` asks for
    calling mode VALIDATED instead of ANY. `timeout_s`: the remaining time of the turn.
    """

    system_instruction: str = field(repr=False)
    declarations: tuple[FunctionDeclaration, ...]
    contents: tuple[Content, ...] = field(repr=False)
    max_output_tokens: int
    timeout_s: float
    allowed: tuple[str, ...] = ()
    validated: bool = False
    purpose: Purpose = Purpose.TURN


@frozen
class ModelResponse:
    """The model's answer: `finish_reason` by its name on the wire; `block_reason` is set if the prompt itself was blocked.

    `calls`: the function calls of `content`, in order. `text`: what `content` says outside of calls. `model_version`: the provider's
    name of the answering model.
    """

    finish_reason: str
    content: ModelContent | None = None
    calls: Sequence[FunctionCall] = ()
    text: str = field(default="", repr=False)
    block_reason: str | None = None
    model_version: str | None = None
    usage: Usage = field(default_factory=Usage)


class Model(Protocol):
    """A model that answers with function calls."""

    @property
    def name(self) -> str:
        """The model's id, as in records and logs."""
        ...

    def generate(self, request: ModelRequest) -> ModelResponse:
        """Ask once.

        Raises: ModelUnavailableError, if a later attempt may succeed (no answer in time, 408, 429, 5xx, an unreadable body);
        ModelRefusedError, if the provider refuses the request.
        """
        ...


@frozen
class JsonRequest:
    """A request, without functions, for a JSON object that matches `schema`."""

    system_instruction: str = field(repr=False)
    prompt: str = field(repr=False)
    schema: Json = field(repr=False)
    max_output_tokens: int = 1_024
    timeout_s: float
    purpose: Purpose = Purpose.CLASSIFY


@frozen
class JsonAnswer:
    """The model's object, not yet validated against the schema, and the tokens spent."""

    value: Json = field(repr=False)
    usage: Usage = field(default_factory=Usage)


class UnusableAnswerError(ModelUnavailableError, CostlyError):
    """An answer came and cost tokens, but was cut off, or does not match the request."""

    def __init__(self, message: str, usage: Usage) -> None:
        super().__init__(message)
        self.usage = usage


class BlockedAnswerError(ModelBlockedError, CostlyError):
    """The prompt or the answer was blocked after it had cost tokens."""

    def __init__(self, message: str, usage: Usage) -> None:
        super().__init__(message)
        self.usage = usage


class JsonModel(Protocol):
    """A model that answers with a JSON object."""

    @property
    def name(self) -> str:
        """The model's id, as in records and logs."""
        ...

    def answer_json(self, request: JsonRequest) -> JsonAnswer:
        """Ask once.

        Raises: ModelUnavailableError, if a later attempt may succeed (as for `Model`, and if the answer was cut off or is no object);
        ModelRefusedError, if the provider refuses the request; ModelBlockedError, if the provider blocks the prompt or the answer.
        """
        ...


def mask_content(content: Content) -> Content:
    """Return the content with every id replaced by `[ID]`; the model's own contents stay unchanged."""
    match content:
        case TextContent():
            return TextContent(role=content.role, texts=tuple(map(mask_ids, content.texts)))
        case MixedContent():
            return MixedContent(parts=tuple(map(_mask_part, content.parts)))
        case FunctionResponses():
            return FunctionResponses(
                responses=tuple(
                    FunctionResponse(call=answer.call, response=mask_ids_in(answer.response))
                    for answer in content.responses
                )
            )
        case ModelContent():
            return content


def _mask_part(part: Part) -> Part:
    match part:
        case str():
            return mask_ids(part)
        case FilePart():
            return FilePart(text=mask_ids(part.text))
        case MediaPart():
            return part
