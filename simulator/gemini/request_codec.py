"""The JSON of a `generateContent` request, read into values.

Relies on `fields` for both spellings of a key. `request_rules` decides whether a well-formed request is allowed.
Source: google-genai 3.4.0, `types.py`; https://ai.google.dev/api/generate-content.
"""

from __future__ import annotations

from base64 import b64decode
from typing import TYPE_CHECKING

from simulator.gemini.errors import invalid_argument, invalid_field
from simulator.gemini.fields import Fields, parse_object
from simulator.gemini.request import (
    Content,
    FunctionCall,
    FunctionDeclaration,
    FunctionResponse,
    GenerateContentRequest,
    Media,
    Part,
)

if TYPE_CHECKING:
    from simulator.gemini.request import Backend

_MEDIA_FIELDS = ("inlineData", "fileData")
_OTHER_DATA_FIELDS = ("executableCode", "codeExecutionResult", "toolCall", "toolResponse")
_BUILT_IN_TOOLS = (
    "googleSearch", "googleSearchRetrieval", "enterpriseWebSearch", "urlContext", "codeExecution", "computerUse",
    "googleMaps", "fileSearch", "retrieval", "parallelAiSearch",
)  # fmt: skip


def read_request(raw: bytes, *, model: str, backend: Backend) -> GenerateContentRequest:
    """Return the request in `raw`.

    Raises: RefusedError, where the body is not a JSON object or a field has the wrong type.
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
        media_resolution=generation.text("mediaResolution"),
        response_mime_type=generation.text("responseMimeType"),
        response_schema=generation.struct("responseSchema"),
        response_json_schema=generation.struct("responseJsonSchema"),
        body=body,
    )


def _content(content: Fields) -> Content:
    return Content(role=content.text("role") or "user", parts=tuple(_part(part) for part in content.messages("parts")))


def _part(part: Fields) -> Part:
    data_fields = ("text", "functionCall", "functionResponse", *_MEDIA_FIELDS, *_OTHER_DATA_FIELDS)
    names = [name for name in data_fields if part.has(name)]
    if len(names) > 1:
        raise invalid_field(part.path, f"Invalid value at '{part.path}' (oneof), oneof field 'data' is already set.")
    if not names:
        message = f"{part.path}.data: required oneof field 'data' must have one initialized field"
        raise invalid_argument(f"* GenerateContentRequest.{message}")
    cut = part.message("videoMetadata")
    return Part(
        text=part.text("text"),
        function_call=_function_call(part.message("functionCall")) if part.has("functionCall") else None,
        function_response=_function_response(part.message("functionResponse"))
        if part.has("functionResponse")
        else None,
        media=next((_media(part.message(name)) for name in _MEDIA_FIELDS if part.has(name)), None),
        other=names[0] if names[0] in _OTHER_DATA_FIELDS else None,
        thought=part.flag("thought"),
        thought_signature=part.text("thoughtSignature"),
        video_start=cut.text("startOffset") or "",
        video_end=cut.text("endOffset") or "",
    )


def _media(media: Fields) -> Media:
    """Return the medium. Protobuf's JSON accepts both alphabets of base64, with and without padding."""
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
