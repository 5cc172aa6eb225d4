"""The model on Gemini, by API key or on Vertex AI, through google-genai.

Source for what its client does: google-genai 3.4.0. Timeouts are milliseconds for each phase; the Developer API refuses a server deadline
under 10 s; transport errors are httpx2's own; unknown enum values only warn; automatic continuation sends several requests for one call.
"""

import json
import math
from collections.abc import Mapping
from typing import Final

import httpx2
import pydantic
from google import genai
from google.auth.exceptions import GoogleAuthError
from google.genai import errors, types

from shared.agent.finish_reasons import remedy_for
from shared.agent.model import (
    Content,
    FunctionCall,
    FunctionDeclaration,
    FunctionResponses,
    JsonAnswer,
    JsonRequest,
    MediaPart,
    MixedContent,
    ModelContent,
    ModelRequest,
    ModelResponse,
    TextContent,
    Usage,
)
from shared.errors import ModelBlockedError, ModelRefusedError, ModelUnavailableError
from shared.settings.agent_worker import GeminiSettings

LEAST_SERVER_DEADLINE_S: Final = 10
_RETRIED_STATUSES: Final = frozenset({408, 429, 500, 502, 503, 504})
# Source: google-genai 3.4.0, types.py, the keywords of `response_json_schema`; a list for parameters is not published
_KEYWORDS: Final = frozenset(
    {
        *("$id", "$defs", "$ref", "$anchor", "type", "format", "title", "description", "enum", "items", "prefixItems"),
        *(
            "minItems",
            "maxItems",
            "minimum",
            "maximum",
            "anyOf",
            "oneOf",
            "properties",
            "additionalProperties",
            "required",
        ),
        "propertyOrdering",
    }
)


class GeminiModel:
    """Asks one Gemini model; safe to share between threads."""

    def __init__(self, settings: GeminiSettings) -> None:
        """Build the client, which opens no connection yet."""
        self._model = settings.model
        self._thinking = types.ThinkingConfig(thinking_level=types.ThinkingLevel(settings.thinking_level.upper()))
        self._client = client_of(settings)

    @property
    def name(self) -> str:
        return self._model

    def generate(self, request: ModelRequest) -> ModelResponse:
        return _response(self._asked([_content(content) for content in request.contents], self._config(request)))

    def answer_json(self, request: JsonRequest) -> JsonAnswer:
        config = types.GenerateContentConfig(
            system_instruction=request.system_instruction,
            response_mime_type="application/json",
            response_json_schema=_documented(request.schema),
            automatic_continuation=False,
            thinking_config=self._thinking,
            max_output_tokens=request.max_output_tokens,
            http_options=_http_options(request.timeout_s),
        )
        asked = types.Content(role="user", parts=[types.Part(text=request.prompt)])
        return _json_answer(self._asked([asked], config))

    def _asked(
        self, contents: list[types.Content], config: types.GenerateContentConfig
    ) -> types.GenerateContentResponse:
        try:
            return self._client.models.generate_content(model=self._model, contents=list(contents), config=config)
        except errors.APIError as cause:
            raise translated(cause) from cause
        except (
            httpx2.HTTPError,
            TimeoutError,
            json.JSONDecodeError,
            pydantic.ValidationError,
            RecursionError,
        ) as cause:
            raise ModelUnavailableError("the model gave no readable answer in time") from cause
        except GoogleAuthError as cause:
            raise ModelRefusedError("the credentials for Vertex AI cannot be used") from cause

    def _config(self, request: ModelRequest) -> types.GenerateContentConfig:
        mode = types.FunctionCallingConfigMode.VALIDATED if request.validated else types.FunctionCallingConfigMode.ANY
        return types.GenerateContentConfig(
            system_instruction=request.system_instruction,
            tools=[types.Tool(function_declarations=[_declaration(one) for one in request.declarations])],
            tool_config=types.ToolConfig(
                function_calling_config=types.FunctionCallingConfig(
                    mode=mode, allowed_function_names=list(request.allowed) or None
                )
            ),
            automatic_function_calling=types.AutomaticFunctionCallingConfig(disable=True),
            automatic_continuation=False,
            thinking_config=self._thinking,
            max_output_tokens=request.max_output_tokens,
            http_options=_http_options(request.timeout_s),
        )


def client_of(settings: GeminiSettings) -> genai.Client:
    """Return a client that retries nothing by itself."""
    options = types.HttpOptions(base_url=settings.base_url, retry_options=types.HttpRetryOptions(attempts=1))
    if settings.api_key:
        return genai.Client(vertexai=False, api_key=settings.api_key, http_options=options)
    return genai.Client(vertexai=True, project=settings.project_id, location=settings.location, http_options=options)


def _http_options(timeout_s: float) -> types.HttpOptions:
    return types.HttpOptions(
        timeout=math.ceil(timeout_s * 1_000),
        headers={"X-Server-Timeout": str(max(LEAST_SERVER_DEADLINE_S, math.ceil(timeout_s)))},
    )


def _declaration(declaration: FunctionDeclaration) -> types.FunctionDeclaration:
    return types.FunctionDeclaration(
        name=declaration.name,
        description=declaration.description,
        parameters_json_schema=_documented(declaration.parameters),
    )


def _documented(schema: Mapping[str, object]) -> dict[str, object]:
    """Return the schema with the keywords that Gemini documents; the whole of it is checked when a call comes back."""
    kept: dict[str, object] = {}
    for keyword, value in schema.items():
        if keyword in {"properties", "$defs"} and isinstance(value, Mapping):
            kept[keyword] = {name: _documented(one) for name, one in value.items()}
        elif keyword in _KEYWORDS:
            kept[keyword] = _documented_value(value)
    return kept


def _documented_value(value: object) -> object:
    if isinstance(value, Mapping):
        return _documented(value)
    if isinstance(value, list):
        return [_documented(one) if isinstance(one, Mapping) else one for one in value]
    return value


def _content(content: Content) -> types.Content:
    match content:
        case TextContent():
            return types.Content(role=content.role, parts=[types.Part(text=text) for text in content.texts])
        case MixedContent():
            return types.Content(role="user", parts=[_part(part) for part in content.parts])
        case ModelContent():
            return types.Content.model_validate(content.wire)
        case FunctionResponses():
            return types.Content(
                role="user",
                parts=[
                    types.Part(
                        function_response=types.FunctionResponse(
                            id=one.call.id, name=one.call.name, response=dict(one.response)
                        )
                    )
                    for one in content.responses
                ],
            )


def _part(part: str | MediaPart) -> types.Part:
    if isinstance(part, str):
        return types.Part(text=part)
    if isinstance(part.source, str):
        return types.Part.from_uri(file_uri=part.source, mime_type=part.content_type)
    return types.Part.from_bytes(data=part.source, mime_type=part.content_type)


def _response(response: types.GenerateContentResponse) -> ModelResponse:
    feedback = response.prompt_feedback
    usage = usage_of(response.usage_metadata)
    if not response.candidates:
        reason = feedback.block_reason.value if feedback and feedback.block_reason else None
        return ModelResponse(finish_reason="", block_reason=reason, usage=usage)
    candidate = response.candidates[0]
    content = candidate.content
    parts = (content.parts if content else None) or []
    return ModelResponse(
        finish_reason=candidate.finish_reason.value if candidate.finish_reason else "",
        content=ModelContent(wire=content.model_dump(mode="json", exclude_none=True)) if content and parts else None,
        calls=tuple(
            FunctionCall(
                name=part.function_call.name or "", args=part.function_call.args or {}, id=part.function_call.id
            )
            for part in parts
            if part.function_call
        ),
        has_text=any(part.text and not part.thought for part in parts),
        usage=usage,
    )


def _json_answer(response: types.GenerateContentResponse) -> JsonAnswer:
    told = _response(response)
    remedy = remedy_for(told)
    if remedy is not None and remedy.refuses:
        raise ModelBlockedError(f"the model will not answer this: {told.block_reason or told.finish_reason}")
    content = response.candidates[0].content if response.candidates else None
    parts = (content.parts if content else None) or []
    text = "".join(part.text for part in parts if part.text and not part.thought)
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as cause:
        raise ModelUnavailableError(f"the model's answer is no JSON: {told.finish_reason}") from cause
    if not isinstance(value, dict) or told.finish_reason != "STOP":
        raise ModelUnavailableError(f"the model's answer is no whole JSON object: {told.finish_reason}")
    return JsonAnswer(value=value, usage=told.usage)


def usage_of(usage: types.GenerateContentResponseUsageMetadata | None) -> Usage:
    """Return the tokens as Gemini counts them; none where it tells none."""
    if usage is None:
        return Usage()
    return Usage(
        prompt_tokens=usage.prompt_token_count or 0,
        cached_tokens=usage.cached_content_token_count or 0,
        output_tokens=usage.candidates_token_count or 0,
        thought_tokens=usage.thoughts_token_count or 0,
    )


def translated(error: errors.APIError) -> ModelUnavailableError | ModelRefusedError:
    """Return what an error of the API means for its caller."""
    if error.code in _RETRIED_STATUSES:
        return ModelUnavailableError(f"the model answered {error.code}", retry_after_s=_retry_after_s(error.details))
    return ModelRefusedError(f"the model refused the request: {error.code} {error.status}")


def _retry_after_s(details: object) -> float | None:
    """Read google.rpc.RetryInfo, such as `{"@type": ".../google.rpc.RetryInfo", "retryDelay": "17s"}`."""
    error = details.get("error") if isinstance(details, dict) else None
    entries = error.get("details") if isinstance(error, dict) else None
    for entry in entries if isinstance(entries, list) else []:
        if isinstance(entry, dict) and str(entry.get("@type", "")).endswith("google.rpc.RetryInfo"):
            try:
                return float(str(entry.get("retryDelay", "")).removesuffix("s"))
            except ValueError:
                return None
    return None
