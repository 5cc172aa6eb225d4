"""A `generateContent` request as frozen values, read from either key spelling.

Relies on `fields` for the spelling. What is well-formed but not allowed is the business of `rules`.
Source: google-genai 3.4.0, `types.py`; https://ai.google.dev/api/generate-content.
"""

from __future__ import annotations

import json
from base64 import b64decode
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from simulator.gemini.errors import invalid_argument, invalid_field
from simulator.gemini.fields import Fields, parse_object

if TYPE_CHECKING:
    from collections.abc import Mapping

Backend = Literal["developer", "vertex"]

_MEDIA_FIELDS = ("inlineData", "fileData")
_OTHER_DATA_FIELDS = ("executableCode", "codeExecutionResult", "toolCall", "toolResponse")
_BUILT_IN_TOOLS = (
    "googleSearch", "googleSearchRetrieval", "enterpriseWebSearch", "urlContext", "codeExecution", "computerUse",
    "googleMaps", "fileSearch", "retrieval", "parallelAiSearch",
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class FunctionCall:
    """What the model wants called. Older models leave the id out."""

    id: str | None
    name: str
    args: Mapping[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class FunctionResponse:
    """What came of a call: `{"output": ...}`, `{"error": ...}`, or any other object."""

    id: str | None
    name: str
    response: Mapping[str, object]

    @property
    def error(self) -> str | None:
        """The failure in words, where the call failed."""
        failure = self.response.get("error")
        if failure is None:
            return None
        return failure if isinstance(failure, str) else json.dumps(failure, ensure_ascii=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Media:
    """A picture, a voice or the like: so many bytes in the request itself, or the `uri` where they lie."""

    media_type: str
    size_bytes: int = 0
    uri: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One part of a content: exactly one of its data fields is set."""

    text: str | None = None
    function_call: FunctionCall | None = None
    function_response: FunctionResponse | None = None
    media: Media | None = None
    other: str | None = None
    thought: bool = False
    thought_signature: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Content:
    """One turn's worth of parts. A content without a role is the user's."""

    role: str
    parts: tuple[Part, ...]

    @property
    def function_calls(self) -> tuple[FunctionCall, ...]:
        """The calls, in order."""
        return tuple(part.function_call for part in self.parts if part.function_call)

    @property
    def function_responses(self) -> tuple[FunctionResponse, ...]:
        """The responses, in order."""
        return tuple(part.function_response for part in self.parts if part.function_response)

    @property
    def texts(self) -> tuple[str, ...]:
        """What is said in words; thoughts are not said."""
        return tuple(part.text for part in self.parts if part.text and not part.thought)


@dataclass(frozen=True, slots=True, kw_only=True)
class FunctionDeclaration:
    """A function that the model may call. `path` is where it was declared, for messages."""

    path: str
    name: str
    description: str
    parameters: Mapping[str, object] | None = None
    parameters_json_schema: Mapping[str, object] | None = None
    response: Mapping[str, object] | None = None
    response_json_schema: Mapping[str, object] | None = None

    @property
    def parameter_schema(self) -> Mapping[str, object]:
        """The schema of the arguments, in whichever of the two dialects it came."""
        return self.parameters_json_schema or self.parameters or {}


@dataclass(frozen=True, slots=True, kw_only=True)
class GenerateContentRequest:
    """One request, as far as the stand-in understands it; `body` is all of it."""

    backend: Backend
    model: str
    contents: tuple[Content, ...]
    system_text: str = ""
    functions: tuple[FunctionDeclaration, ...] = ()
    built_in_tools: tuple[str, ...] = ()
    mode: str = "AUTO"
    allowed_function_names: tuple[str, ...] = ()
    include_server_side_tool_invocations: bool = False
    thinking_level: str | None = None
    thinking_budget: float | None = None
    frequency_penalty: float = 0.0
    presence_penalty: float = 0.0
    response_mime_type: str | None = None
    response_schema: Mapping[str, object] | None = None
    response_json_schema: Mapping[str, object] | None = None
    body: Mapping[str, object] = field(default_factory=dict, repr=False, compare=False)

    @property
    def callable_functions(self) -> tuple[FunctionDeclaration, ...]:
        """What the model may call, given the mode and the allowed names."""
        if self.mode == "NONE":
            return ()
        allowed = self.allowed_function_names
        return tuple(function for function in self.functions if not allowed or function.name in allowed)

    @property
    def must_call(self) -> bool:
        """Whether text is no answer."""
        return self.mode == "ANY"

    @property
    def last_text(self) -> str:
        """The last words that the user side of the conversation holds."""
        said = (
            text for content in reversed(self.contents) if content.role == "user" for text in reversed(content.texts)
        )
        return next(said, "")


def read_request(raw: bytes, *, model: str, backend: Backend) -> GenerateContentRequest:
    """The request in `raw`.

    Raises: RefusedError, where the body is no JSON object or a field has the wrong type.
    """
    body = parse_object(raw)
    root = Fields(values=body, path="")
    tools = root.messages("tools")
    tool_config = root.message("toolConfig")
    calling = tool_config.message("functionCallingConfig")
    generation = root.message("generationConfig")
    thinking = generation.message("thinkingConfig")
    level = thinking.text("thinkingLevel")
    system = root.message("systemInstruction")
    return GenerateContentRequest(
        backend=backend,
        model=model,
        contents=tuple(_content(content) for content in root.messages("contents")),
        system_text="\n".join(part.text("text") or "" for part in system.messages("parts")),
        functions=tuple(_function(item) for tool in tools for item in tool.messages("functionDeclarations")),
        built_in_tools=tuple(name for name in _BUILT_IN_TOOLS if any(tool.has(name) for tool in tools)),
        mode=(calling.text("mode") or "AUTO").upper(),
        allowed_function_names=calling.texts("allowedFunctionNames"),
        include_server_side_tool_invocations=tool_config.flag("includeServerSideToolInvocations"),
        thinking_level=level.upper() if level else None,
        thinking_budget=thinking.number("thinkingBudget"),
        frequency_penalty=generation.number("frequencyPenalty") or 0.0,
        presence_penalty=generation.number("presencePenalty") or 0.0,
        response_mime_type=generation.text("responseMimeType"),
        response_schema=generation.struct("responseSchema"),
        response_json_schema=generation.struct("responseJsonSchema"),
        body=body,
    )


def _content(content: Fields) -> Content:
    return Content(role=content.text("role") or "user", parts=tuple(_part(part) for part in content.messages("parts")))


def _part(part: Fields) -> Part:
    data_fields = ("text", "functionCall", "functionResponse", *_MEDIA_FIELDS, *_OTHER_DATA_FIELDS)
    given = [name for name in data_fields if part.has(name)]
    if len(given) > 1:
        raise invalid_field(part.path, f"Invalid value at '{part.path}' (oneof), oneof field 'data' is already set.")
    if not given:
        message = f"{part.path}.data: required oneof field 'data' must have one initialized field"
        raise invalid_argument(f"* GenerateContentRequest.{message}")
    return Part(
        text=part.text("text"),
        function_call=_function_call(part.message("functionCall")) if part.has("functionCall") else None,
        function_response=_function_response(part.message("functionResponse"))
        if part.has("functionResponse")
        else None,
        media=next((_media(part.message(name)) for name in _MEDIA_FIELDS if part.has(name)), None),
        other=given[0] if given[0] in _OTHER_DATA_FIELDS else None,
        thought=part.flag("thought"),
        thought_signature=part.text("thoughtSignature"),
    )


def _media(media: Fields) -> Media:
    """Protobuf's JSON takes both alphabets of base64, with and without padding."""
    data = (media.text("data") or "").replace("-", "+").replace("_", "/").rstrip("=")
    try:
        size_bytes = len(b64decode(data + "=" * (-len(data) % 4), validate=True))
    except ValueError:
        path = f"{media.path}.data"
        raise invalid_field(path, f"Invalid value at '{path}' (TYPE_BYTES), Base64 decoding failed") from None
    return Media(media_type=media.text("mimeType") or "", size_bytes=size_bytes, uri=media.text("fileUri"))


def _function_call(call: Fields) -> FunctionCall:
    return FunctionCall(id=call.text("id"), name=_required_name(call), args=call.struct("args") or {})


def _function_response(response: Fields) -> FunctionResponse:
    name = _required_name(response)
    answer = response.struct("response")
    return FunctionResponse(id=response.text("id"), name=name, response={} if answer is None else answer)


def _function(function: Fields) -> FunctionDeclaration:
    return FunctionDeclaration(
        path=function.path,
        name=function.text("name") or "",
        description=function.text("description") or "",
        parameters=function.struct("parameters"),
        parameters_json_schema=function.struct("parametersJsonSchema"),
        response=function.struct("response"),
        response_json_schema=function.struct("responseJsonSchema"),
    )


def _required_name(fields: Fields) -> str:
    name = fields.text("name")
    if not name:
        raise invalid_argument(f"* GenerateContentRequest.{fields.path}.name: Name cannot be empty.")
    return name
