"""A `generateContent` request as frozen values.

Source: google-genai 3.4.0, `types.py`; https://ai.google.dev/api/generate-content.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

Backend = Literal["developer", "vertex"]


@dataclass(frozen=True, slots=True, kw_only=True)
class FunctionCall:
    """A call by the model. Older models leave out the id."""

    id: str | None
    name: str
    args: Mapping[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class FunctionResponse:
    """The response to a call: `{"output": ...}`, `{"error": ...}`, or any other object."""

    id: str | None
    name: str
    response: Mapping[str, object]

    @property
    def error(self) -> str | None:
        """The error text of a failed call, for example "not found" in `{"error": "not found"}` or `{"error": {"message": "not found"}}`."""
        failure = self.response.get("error")
        if failure is None:
            return None
        if isinstance(failure, Mapping) and isinstance(failure.get("message"), str):
            return str(failure["message"])
        return failure if isinstance(failure, str) else json.dumps(failure, ensure_ascii=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Media:
    """An image, a voice message or the like: the size of the inline data, or the `uri`."""

    media_type: str
    size_bytes: int = 0
    uri: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A part of a content, with exactly one data field.  `video_start` and `video_end` cut a video, such as "480s"; "": not given."""

    text: str | None = None
    function_call: FunctionCall | None = None
    function_response: FunctionResponse | None = None
    media: Media | None = None
    other: str | None = None
    thought: bool = False
    thought_signature: str | None = None
    video_start: str = ""
    video_end: str = ""

    @property
    def video_offsets(self) -> tuple[str, ...]:
        """The offsets of the cut, as given."""
        return tuple(filter(None, (self.video_start, self.video_end)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Content:
    """The parts of a turn. A content without a role is the user's."""

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
        """The texts, without thoughts."""
        return tuple(part.text for part in self.parts if part.text and not part.thought)


@dataclass(frozen=True, slots=True, kw_only=True)
class FunctionDeclaration:
    """A declared function. `path` is the place in the request, for error messages."""

    path: str
    name: str
    description: str
    parameters: Mapping[str, object] | None = None
    parameters_json_schema: Mapping[str, object] | None = None
    response: Mapping[str, object] | None = None
    response_json_schema: Mapping[str, object] | None = None

    @property
    def parameter_schema(self) -> Mapping[str, object]:
        """The schema of the arguments, in either dialect."""
        return self.parameters_json_schema or self.parameters or {}


@dataclass(frozen=True, slots=True, kw_only=True)
class GenerateContentRequest:
    """A request: the fields that the stand-in uses, and `body`, the whole JSON."""

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
    media_resolution: str | None = None
    response_mime_type: str | None = None
    response_schema: Mapping[str, object] | None = None
    response_json_schema: Mapping[str, object] | None = None
    body: Mapping[str, object] = field(default_factory=dict, repr=False, compare=False)

    @property
    def callable_functions(self) -> tuple[FunctionDeclaration, ...]:
        """The functions open to the model, by the mode and the allowed names."""
        if self.mode == "NONE":
            return ()
        allowed = self.allowed_function_names
        return tuple(function for function in self.functions if not allowed or function.name in allowed)

    @property
    def must_call(self) -> bool:
        """Whether the model may not answer with text."""
        return self.mode == "ANY"

    @property
    def last_text(self) -> str:
        """The last text of a user content."""
        texts = (
            text for content in reversed(self.contents) if content.role == "user" for text in reversed(content.texts)
        )
        return next(texts, "")
