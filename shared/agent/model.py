"""The port to the model, in the words of Gemini's function calling; no SDK type passes it.

Source: Gemini API, "Function calling": contents alternate between user and model, every call of a model content is answered in the one
content that follows it, and a model content must be sent back as it came, thought signatures included.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal, Protocol

from shared.line.ids import mask_ids, mask_ids_in

Json = Mapping[str, object]

INLINE_LIMIT_BYTES: Final = 20_000_000  # Source: Gemini API, "Audio understanding"; other pages give more


@dataclass(frozen=True, slots=True, kw_only=True)
class FunctionCall:
    """A call that the model asks for; `id` is None on models that give none."""

    name: str
    args: Json = field(repr=False)
    id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FunctionResponse:
    """The answer to a call: `response` holds `output` or `error`."""

    call: FunctionCall
    response: Json = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class TextContent:
    """Text parts of one side."""

    role: Literal["user", "model"]
    texts: tuple[str, ...] = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class MediaPart:
    """A picture, a voice, a video or a document: its bytes, or the `gs://` address of them where the model reads buckets (Vertex AI).

    `content_type` is one that Gemini knows, such as `image/jpeg`.
    """

    content_type: str
    source: bytes | str = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class MixedContent:
    """What people said and showed, in order; all bytes of a request together are at most INLINE_LIMIT_BYTES."""

    parts: tuple[str | MediaPart, ...] = field(repr=False)

    @property
    def role(self) -> Literal["user"]:
        """Only people show something."""
        return "user"

    @property
    def texts(self) -> tuple[str, ...]:
        """What was said."""
        return tuple(part for part in self.parts if isinstance(part, str))


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelContent:
    """A content of the model exactly as it came, to be echoed within the turn; only its adapter looks inside."""

    wire: Json = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class FunctionResponses:
    """The answers to all calls of the model content before it, in its order."""

    responses: tuple[FunctionResponse, ...]


Content = TextContent | MixedContent | ModelContent | FunctionResponses


@dataclass(frozen=True, slots=True, kw_only=True)
class FunctionDeclaration:
    """What the model is told of a tool; `parameters` is a JSON Schema."""

    name: str
    description: str
    parameters: Json = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelRequest:
    """One question to the model.

    It has to call one of `allowed` (names among the declarations; all of them when empty). `validated` asks for calling mode VALIDATED
    instead of ANY. `timeout_s` is what is left of the turn.
    """

    system_instruction: str = field(repr=False)
    declarations: tuple[FunctionDeclaration, ...]
    contents: tuple[Content, ...] = field(repr=False)
    max_output_tokens: int
    timeout_s: float
    allowed: tuple[str, ...] = ()
    validated: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """Tokens as the provider counts them; `prompt_tokens` includes `cached_tokens`."""

    prompt_tokens: int = 0
    cached_tokens: int = 0
    output_tokens: int = 0
    thought_tokens: int = 0

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(
            prompt_tokens=self.prompt_tokens + other.prompt_tokens,
            cached_tokens=self.cached_tokens + other.cached_tokens,
            output_tokens=self.output_tokens + other.output_tokens,
            thought_tokens=self.thought_tokens + other.thought_tokens,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelResponse:
    """What came back: `finish_reason` by its name on the wire, `block_reason` where the prompt itself was refused.

    `calls` are the function calls of `content`, in order; `has_text` says that it held words outside of any call.
    """

    finish_reason: str
    content: ModelContent | None = None
    calls: Sequence[FunctionCall] = ()
    has_text: bool = False
    block_reason: str | None = None
    usage: Usage = Usage()


class Model(Protocol):
    """A model that answers with function calls."""

    @property
    def name(self) -> str:
        """The model's id, as records and logs name it."""
        ...

    def generate(self, request: ModelRequest) -> ModelResponse:
        """Ask once.

        Raises: ModelUnavailableError, when a later try may succeed (no answer in time, 408, 429, 5xx, an unreadable body);
        ModelRefusedError, when the provider refuses the request as it is.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class JsonRequest:
    """A question whose answer is one JSON object of `schema`, without functions; `timeout_s` is how long it may take."""

    system_instruction: str = field(repr=False)
    prompt: str = field(repr=False)
    schema: Json = field(repr=False)
    max_output_tokens: int = 1_024
    timeout_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class JsonAnswer:
    """An object of the model's, not yet checked against the schema, and what it took."""

    value: Json = field(repr=False)
    usage: Usage = Usage()


class JsonModel(Protocol):
    """A model that answers with a JSON object."""

    def answer_json(self, request: JsonRequest) -> JsonAnswer:
        """Ask once.

        Raises: ModelUnavailableError, when a later try may succeed (as for `Model`, and for an answer that was cut off or is no object);
        ModelRefusedError, when the provider refuses the request as it is; ModelBlockedError, when it blocks the prompt or the answer.
        """
        ...


def masked(content: Content) -> Content:
    """Return the content with every id as `[ID]`; the model's own contents are echoed as they came."""
    match content:
        case TextContent():
            return TextContent(role=content.role, texts=tuple(map(mask_ids, content.texts)))
        case MixedContent():
            return MixedContent(parts=tuple(mask_ids(one) if isinstance(one, str) else one for one in content.parts))
        case FunctionResponses():
            return FunctionResponses(
                responses=tuple(
                    FunctionResponse(call=one.call, response=mask_ids_in(one.response)) for one in content.responses
                )
            )
        case ModelContent():
            return content
