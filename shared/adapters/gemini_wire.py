"""Requests to Gemini and its answers as JSON, without the SDK's types, which take fifty times as long to build.

Source: Gemini API, `models.generateContent` (the same on Vertex AI), request and response; "Thought signatures": a part is sent back
unchanged.
"""

import base64
import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import field
from functools import lru_cache
from typing import Final

from shared.adapters.inline_media import InlineMedia
from shared.adapters.provider_words import provider_word
from shared.adapters.written_calls import written_calls
from shared.agent.model import (
    DECLARATIONS_CACHED,
    Content,
    FunctionCall,
    FunctionDeclaration,
    FunctionResponses,
    Json,
    JsonRequest,
    MediaPart,
    MixedContent,
    ModelContent,
    ModelRequest,
    ModelResponse,
    Part,
    TextContent,
)
from shared.frozen import frozen
from shared.line.json_text import is_ordinary
from shared.metering import Purpose, Usage

ANSWER_LIMIT_CHARACTERS: Final = 4_000_000
"""Far more characters than the output tokens of a request; a longer answer is not read."""
_SKIPS_VALIDATION: Final = base64.urlsafe_b64encode(b"skip_thought_signature_validator").decode()
"""Source: Gemini API, "Thought signatures", FAQ."""
_MOST_TOKENS: Final = 2**40
# Source: google-genai 3.4.0, types.py, the keywords of `response_json_schema`. There is no published list for parameters.
_KEYWORDS: Final = frozenset(
    {
        *("$id", "$defs", "$ref", "$anchor", "type", "format", "title", "description", "enum", "items", "prefixItems"),
        *("minItems", "maxItems", "minimum", "maximum", "anyOf", "oneOf", "properties", "additionalProperties"),
        *("required", "propertyOrdering"),
    }
)


def thinking_level(of_operator: str, purpose: Purpose) -> str:
    """Return how much the model thinks: in turns, as the operator chose; elsewhere little, because one step is asked for.

    Example: `thinking_level("high", Purpose.TURN)` is `HIGH`, `thinking_level("high", Purpose.RECAP)` is `LOW`.
    """
    level = of_operator if purpose is Purpose.TURN or of_operator == "minimal" else "low"
    return level.upper()


def request_body(request: ModelRequest, *, model_name: str, thinking: str, media: InlineMedia) -> dict[str, object]:
    """Return the body of a request with functions; `media` takes the bytes, and the body gets placeholders."""
    calling: dict[str, object] = {"mode": "VALIDATED" if request.validated else "ANY"}
    if request.allowed:
        calling["allowedFunctionNames"] = list(request.allowed)
    return {
        "contents": [_content(content, model_name, media) for content in request.contents],
        "systemInstruction": _instruction(request.system_instruction),
        "tools": [{"functionDeclarations": [declaration_body(one) for one in request.declarations]}],
        "toolConfig": {"functionCallingConfig": calling},
        "generationConfig": {
            "maxOutputTokens": request.max_output_tokens,
            "thinkingConfig": {"thinkingLevel": thinking},
        },
    }


def json_request_body(request: JsonRequest, *, thinking: str) -> dict[str, object]:
    """Return the body of a request for a JSON object."""
    return {
        "contents": [{"role": "user", "parts": [{"text": request.prompt}]}],
        "systemInstruction": _instruction(request.system_instruction),
        "generationConfig": {
            "maxOutputTokens": request.max_output_tokens,
            "responseMimeType": "application/json",
            "responseJsonSchema": _with_documented_keywords(request.schema),
            "thinkingConfig": {"thinkingLevel": thinking},
        },
    }


def _instruction(text: str) -> dict[str, object]:
    return {"role": "user", "parts": [{"text": text}]}


@lru_cache(maxsize=DECLARATIONS_CACHED)
def declaration_body(declaration: FunctionDeclaration) -> dict[str, object]:
    """Return the declaration of a tool as it is sent: without the keywords that only this service checks, such as `maxLength`."""
    return {
        "name": declaration.name,
        "description": declaration.description,
        "parametersJsonSchema": _with_documented_keywords(declaration.parameters),
    }


def _with_documented_keywords(schema: Mapping[str, object]) -> dict[str, object]:
    """Return the schema reduced to Gemini's documented keywords; the caller validates answers against the whole schema."""
    documented: dict[str, object] = {}
    for keyword, value in schema.items():
        if keyword in {"properties", "$defs"} and isinstance(value, dict):
            documented[keyword] = {name: _with_documented_keywords(member) for name, member in value.items()}
        elif keyword in _KEYWORDS:
            documented[keyword] = _documented_value(value)
    return documented


def _documented_value(value: object) -> object:
    if isinstance(value, dict):
        return _with_documented_keywords(value)
    if isinstance(value, list):
        return [_with_documented_keywords(item) if isinstance(item, dict) else item for item in value]
    return value


def _content(content: Content, model_name: str, media: InlineMedia) -> Json:
    match content:
        case TextContent():
            return {"role": content.role, "parts": [{"text": text} for text in content.texts]}
        case MixedContent():
            return {"role": "user", "parts": [_part(part, media) for part in content.parts]}
        case ModelContent():
            return content.wire if content.model_name in {"", model_name} else _without_signatures(content.wire)
        case FunctionResponses():
            return {"role": "user", "parts": [_function_response(one.call, one.response) for one in content.responses]}


def _part(part: Part, media: InlineMedia) -> dict[str, object]:
    if not isinstance(part, MediaPart):
        return {"text": part if isinstance(part, str) else part.text}
    if isinstance(part.source, str):
        return {"fileData": {"fileUri": part.source, "mimeType": part.content_type}}
    return {"inlineData": {"data": media.placeholder(part.source), "mimeType": part.content_type}}


def _function_response(call: FunctionCall, response: Json) -> dict[str, object]:
    fields: dict[str, object] = {"name": call.name, "response": dict(response)}
    return {"functionResponse": {"id": call.id, **fields} if call.id is not None else fields}


def _without_signatures(wire: Json) -> Json:
    """Return another model's content with signatures that skip validation, because this model cannot check the original signatures."""
    parts = wire.get("parts")
    known_parts = parts if isinstance(parts, Sequence) else ()
    return {**wire, "parts": [{**one, **_skipped_signatures(one)} for one in known_parts if isinstance(one, Mapping)]}


def _skipped_signatures(part: Json) -> dict[str, object]:
    """Return, for each signature of the part, a replacement that skips validation, under the signature's name on the wire."""
    return {name: _SKIPS_VALIDATION for name in ("thoughtSignature", "thought_signature") if part.get(name)}


@frozen
class ReadAnswer:
    """An answer in the port's types, and the text outside of calls and thoughts."""

    response: ModelResponse
    text: str = field(repr=False)


def read_answer(body: str, *, model_name: str, functions: Collection[str] = ()) -> ReadAnswer:
    """Read the body of an answer; a text that consists of calls of the `functions` counts as these calls.

    Raises: ValueError, RecursionError, if the body is no JSON, or has another shape than an answer.
    """
    if len(body) > ANSWER_LIMIT_CHARACTERS:
        raise ValueError("the answer is too long")
    answer = _object(json.loads(body or "{}"))
    usage = _usage(_object(answer.get("usageMetadata")))
    version = _optional_text(answer.get("modelVersion"))
    candidates = _array(answer.get("candidates"))
    if not candidates:
        feedback = _object(answer.get("promptFeedback"))
        reason = _optional_text(feedback.get("blockReason"))
        blocked = provider_word(reason) if reason else None
        return ReadAnswer(response=ModelResponse(finish_reason="", block_reason=blocked, usage=usage), text="")
    candidate = _object(candidates[0])
    content = _object(candidate.get("content"))
    parts = [_Part.of(_object(one)) for one in _array(content.get("parts"))]
    text = "".join(one.text for one in parts if not one.is_thought)
    if text and not any(one.call for one in parts):
        parts = [_Part.made(call) for call in written_calls(text, functions)] or parts
    reason = _optional_text(candidate.get("finishReason"))
    wire = {**content, "role": content.get("role") or "model", "parts": [one.wire for one in parts]}
    response = ModelResponse(
        finish_reason=provider_word(reason) if reason else "",
        content=ModelContent(wire=wire, model_name=model_name) if parts else None,
        calls=tuple(one.call for one in parts if one.call is not None),
        text=text,
        model_version=version,
        usage=usage,
    )
    return ReadAnswer(response=response, text=text)


@frozen
class _Part:
    """A part of an answer; `wire`: the part as it is sent back."""

    wire: Json = field(repr=False)
    text: str = field(repr=False)
    is_thought: bool
    call: FunctionCall | None

    @classmethod
    def made(cls, call: FunctionCall) -> "_Part":
        """Return the part of a call that the model wrote as text; such a call has no signature, so validation is skipped."""
        wire = {"functionCall": {"name": call.name, "args": dict(call.args)}, "thoughtSignature": _SKIPS_VALIDATION}
        return cls(wire=wire, text="", is_thought=False, call=call)

    @classmethod
    def of(cls, part: Json) -> "_Part":
        """Raises: ValueError."""
        is_thought = part.get("thought", False)
        if not isinstance(is_thought, bool):
            raise ValueError("a thought is marked by a Boolean")  # noqa: TRY004 - of the answer, not of the caller
        text = _optional_text(part.get("text")) or ""
        if part.get("functionCall") is None:
            return cls(wire=part, text=text, is_thought=is_thought, call=None)
        asked = _object(part["functionCall"])
        args = _object(asked.get("args"))
        call = FunctionCall(name=_optional_text(asked.get("name")) or "", args=args, id=_optional_text(asked.get("id")))
        wire = part if is_ordinary(args) else _without_arguments(part, asked)
        return cls(wire=wire, text=text, is_thought=is_thought, call=call)


def _without_arguments(part: Json, call: Json) -> Json:
    """Return the call without arguments that JSON cannot carry; the executor answers such a call with a fault.

    A signature holds for the whole call, so it is replaced, too.
    """
    return {**part, "functionCall": {**call, "args": {}}, **_skipped_signatures(part)}


def _usage(counted: Json) -> Usage:
    return Usage(
        prompt_tokens=_count(counted.get("promptTokenCount")),
        cached_tokens=_count(counted.get("cachedContentTokenCount")),
        output_tokens=_count(counted.get("candidatesTokenCount")),
        thought_tokens=_count(counted.get("thoughtsTokenCount")),
    )


def _count(value: object) -> int:
    if value is None:
        return 0
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= _MOST_TOKENS:
        raise ValueError("a count of tokens is no number")
    return value


def _object(value: object) -> Json:
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise ValueError("there is no object where the answer has one")  # noqa: TRY004 - as above
    return value


def _array(value: object) -> Sequence[object]:
    if value is None:
        return ()
    if not isinstance(value, list):
        raise ValueError("there is no array where the answer has one")  # noqa: TRY004 - as above
    return value


def _optional_text(value: object) -> str | None:
    if value is not None and not isinstance(value, str):
        raise ValueError("there is no text where the answer has one")
    return value
