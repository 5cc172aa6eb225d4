"""The model on Gemini, by API key or on Vertex AI, through google-genai.

Source: google-genai 3.4.0. Timeouts are in milliseconds and hold for each phase; the Developer API refuses a server deadline under 10 s;
transport errors are httpx2's own; unknown enum values cause warnings only; automatic continuation sends several requests for one call.
"""

import json
import math
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Final

import httpx2
from google import genai
from google.auth.exceptions import GoogleAuthError
from google.genai import errors, types
from google.genai.models import Models

from shared.adapters.provider_words import provider_word
from shared.agent.finish_reasons import remedy_for
from shared.agent.model import (
    BlockedAnswerError,
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
    UnusableAnswerError,
)
from shared.errors import ModelRefusedError, ModelUnavailableError
from shared.line.json_text import is_ordinary
from shared.metering import Purpose, Usage
from shared.settings.agent_worker import GeminiSettings
from shared.settings.secret import Secret

LEAST_SERVER_DEADLINE_S: Final = 10
_SKIPS_VALIDATION: Final = b"skip_thought_signature_validator"  # Source: Gemini API, "Thought signatures", FAQ
_LONGEST_RETRY_DELAY_S: Final = 3_600.0  # longer than any turn
_RETRIED_STATUSES: Final = frozenset({408, 429, 500, 502, 503, 504})
# Source: google-genai 3.4.0, types.py, the keywords of `response_json_schema`. There is no published list for parameters.
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
        """Build the client; no connection is opened."""
        self._model = settings.model
        self._thinking = {purpose: thinking_config(settings, purpose) for purpose in Purpose}
        self._client = client_of(settings)

    @property
    def name(self) -> str:
        return self._model

    def generate(self, request: ModelRequest) -> ModelResponse:
        contents = [_content(content, self._model) for content in request.contents]
        return _response(self._generate(contents, self._config(request)), self._model)

    def answer_json(self, request: JsonRequest) -> JsonAnswer:
        config = types.GenerateContentConfig(
            system_instruction=request.system_instruction,
            response_mime_type="application/json",
            response_json_schema=_with_documented_keywords(request.schema),
            automatic_continuation=False,
            thinking_config=self._thinking[request.purpose],
            max_output_tokens=request.max_output_tokens,
            http_options=http_options(request.timeout_s),
        )
        asked = types.Content(role="user", parts=[types.Part(text=request.prompt)])
        return _json_answer(self._generate([asked], config), self._model)

    def _generate(
        self, contents: list[types.Content], config: types.GenerateContentConfig
    ) -> types.GenerateContentResponse:
        with translated_errors(unreadable="the model gave no readable answer in time"):
            return self._client.models.generate_content(model=self._model, contents=list(contents), config=config)

    def _config(self, request: ModelRequest) -> types.GenerateContentConfig:
        mode = types.FunctionCallingConfigMode.VALIDATED if request.validated else types.FunctionCallingConfigMode.ANY
        return types.GenerateContentConfig(
            system_instruction=request.system_instruction,
            tools=[
                types.Tool(function_declarations=[_declaration(declaration) for declaration in request.declarations])
            ],
            tool_config=types.ToolConfig(
                function_calling_config=types.FunctionCallingConfig(
                    mode=mode, allowed_function_names=list(request.allowed) or None
                )
            ),
            automatic_function_calling=types.AutomaticFunctionCallingConfig(disable=True),
            automatic_continuation=False,
            thinking_config=self._thinking[request.purpose],
            max_output_tokens=request.max_output_tokens,
            http_options=http_options(request.timeout_s),
        )


class _KeyedClient:
    """A client that is built anew when its API key changes; safe to share between threads."""

    def __init__(self, api_key: Secret, options: types.HttpOptions) -> None:
        self._api_key = api_key
        self._options = options
        self._building = threading.Lock()
        self._clients: dict[str, genai.Client] = {}  # of earlier keys too: a client closes itself when nothing holds it

    @property
    def models(self) -> Models:
        key = self._api_key.value()
        with self._building:
            if key not in self._clients:
                self._clients[key] = genai.Client(vertexai=False, api_key=key, http_options=self._options)
            return self._clients[key].models


def thinking_config(settings: GeminiSettings, purpose: Purpose) -> types.ThinkingConfig:
    """Return how much the model thinks: as the operator chose in turns; elsewhere, where one step is asked for, little."""
    level = settings.thinking_level if purpose is Purpose.TURN or settings.thinking_level == "minimal" else "low"
    return types.ThinkingConfig(thinking_level=types.ThinkingLevel(level.upper()))


def client_of(settings: GeminiSettings) -> genai.Client | _KeyedClient:
    """Return a client without retries of its own."""
    options = types.HttpOptions(base_url=settings.base_url, retry_options=types.HttpRetryOptions(attempts=1))
    if settings.api_key is not None:
        return _KeyedClient(settings.api_key, options)
    return genai.Client(vertexai=True, project=settings.project_id, location=settings.location, http_options=options)


def http_options(timeout_s: float) -> types.HttpOptions:
    """Return how long the client, and the server, may take for a request."""
    return types.HttpOptions(
        timeout=math.ceil(timeout_s * 1_000),
        headers={"X-Server-Timeout": str(max(LEAST_SERVER_DEADLINE_S, math.ceil(timeout_s)))},
    )


def _declaration(declaration: FunctionDeclaration) -> types.FunctionDeclaration:
    return types.FunctionDeclaration(
        name=declaration.name,
        description=declaration.description,
        parameters_json_schema=_with_documented_keywords(declaration.parameters),
    )


def _with_documented_keywords(schema: Mapping[str, object]) -> dict[str, object]:
    """Return the schema reduced to the keywords that Gemini documents; the caller validates answers against the whole schema."""
    documented: dict[str, object] = {}
    for keyword, value in schema.items():
        if keyword in {"properties", "$defs"} and isinstance(value, Mapping):
            documented[keyword] = {name: _with_documented_keywords(member) for name, member in value.items()}
        elif keyword in _KEYWORDS:
            documented[keyword] = _documented_value(value)
    return documented


def _documented_value(value: object) -> object:
    if isinstance(value, Mapping):
        return _with_documented_keywords(value)
    if isinstance(value, list):
        return [_with_documented_keywords(item) if isinstance(item, Mapping) else item for item in value]
    return value


def _content(content: Content, model_name: str) -> types.Content:
    match content:
        case TextContent():
            return types.Content(role=content.role, parts=[types.Part(text=text) for text in content.texts])
        case MixedContent():
            return types.Content(role="user", parts=[_part(part) for part in content.parts])
        case ModelContent():
            found = types.Content.model_validate(content.wire)
            return found if content.model_name in {"", model_name} else _without_signatures(found)
        case FunctionResponses():
            return types.Content(
                role="user",
                parts=[
                    types.Part(
                        function_response=types.FunctionResponse(
                            id=answer.call.id, name=answer.call.name, response=dict(answer.response)
                        )
                    )
                    for answer in content.responses
                ],
            )


def _part(part: str | MediaPart) -> types.Part:
    if isinstance(part, str):
        return types.Part(text=part)
    if isinstance(part.source, str):
        return types.Part.from_uri(file_uri=part.source, mime_type=part.content_type)
    return types.Part.from_bytes(data=part.source, mime_type=part.content_type)


def _response(response: types.GenerateContentResponse, model_name: str) -> ModelResponse:
    feedback = response.prompt_feedback
    usage = usage_of(response.usage_metadata)
    if not response.candidates:
        reason = provider_word(feedback.block_reason.value) if feedback and feedback.block_reason else None
        return ModelResponse(finish_reason="", block_reason=reason, usage=usage)
    candidate = response.candidates[0]
    content = candidate.content
    parts = (content.parts if content else None) or []
    return ModelResponse(
        finish_reason=provider_word(candidate.finish_reason.value) if candidate.finish_reason else "",
        content=ModelContent(wire=_wire_of(content), model_name=model_name) if content and parts else None,
        calls=tuple(
            FunctionCall(
                name=part.function_call.name or "", args=part.function_call.args or {}, id=part.function_call.id
            )
            for part in parts
            if part.function_call
        ),
        has_text=any(part.text and not part.thought for part in parts),
        model_version=response.model_version,
        usage=usage,
    )


def _wire_of(content: types.Content) -> dict[str, object]:
    """Return the content as it is sent back, without arguments that JSON cannot carry; the executor answers those with a fault."""
    parts = [
        part if part.function_call is None or is_ordinary(part.function_call.args) else _without_arguments(part)
        for part in content.parts or ()
    ]
    return content.model_copy(update={"parts": parts}).model_dump(mode="json", exclude_none=True)


def _without_signatures(content: types.Content) -> types.Content:
    """Return the content of another model, whose signatures this one cannot check."""
    parts = [
        part.model_copy(update={"thought_signature": _SKIPS_VALIDATION}) if part.thought_signature else part
        for part in content.parts or ()
    ]
    return content.model_copy(update={"parts": parts})


def _without_arguments(part: types.Part) -> types.Part:
    """Return the call without its arguments.  A signature holds for the whole call, so it is replaced, too."""
    call = part.function_call.model_copy(update={"args": {}}) if part.function_call else None
    signature = _SKIPS_VALIDATION if part.thought_signature else None
    return part.model_copy(update={"function_call": call, "thought_signature": signature})


def _json_answer(response: types.GenerateContentResponse, model_name: str) -> JsonAnswer:
    answer = _response(response, model_name)
    remedy = remedy_for(answer)
    if remedy is not None and remedy.refuses:
        reason = answer.block_reason or answer.finish_reason
        raise BlockedAnswerError(f"the model will not answer this: {reason}", answer.usage)
    content = response.candidates[0].content if response.candidates else None
    parts = (content.parts if content else None) or []
    text = "".join(part.text for part in parts if part.text and not part.thought)
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as cause:
        raise UnusableAnswerError(f"the model's answer is no JSON: {answer.finish_reason}", answer.usage) from cause
    if not isinstance(value, dict) or answer.finish_reason != "STOP":
        raise UnusableAnswerError(f"the model's answer is no whole JSON object: {answer.finish_reason}", answer.usage)
    return JsonAnswer(value=value, usage=answer.usage)


def usage_of(usage: types.GenerateContentResponseUsageMetadata | None) -> Usage:
    """Return Gemini's token counts; zeros if the response has none."""
    if usage is None:
        return Usage()
    return Usage(
        prompt_tokens=usage.prompt_token_count or 0,
        cached_tokens=usage.cached_content_token_count or 0,
        output_tokens=usage.candidates_token_count or 0,
        thought_tokens=usage.thoughts_token_count or 0,
    )


@contextmanager
def translated_errors(*, unreadable: str) -> Iterator[None]:
    """Errors of a request that is made inside the block are the project's; one that was not answered readably in time says `unreadable`.

    Raises: ModelUnavailableError, ModelRefusedError.
    """
    try:
        yield
    except errors.APIError as cause:
        raise translate_error(cause) from cause
    except (
        httpx2.HTTPError,
        TimeoutError,
        ValueError,  # no JSON, an integer of too many digits, or not the shape of an answer
        RecursionError,
    ) as cause:
        raise ModelUnavailableError(unreadable) from cause
    except GoogleAuthError as cause:
        raise ModelRefusedError("the credentials for Vertex AI cannot be used") from cause


def translate_error(error: errors.APIError) -> ModelUnavailableError | ModelRefusedError:
    """Return the project's error for an error of the API."""
    if error.code in _RETRIED_STATUSES:
        return ModelUnavailableError(f"the model answered {error.code}", retry_after_s=_retry_after_s(error.details))
    return ModelRefusedError(f"the model refused the request: {error.code} {provider_word(error.status)}")


def _retry_after_s(details: object) -> float | None:
    """Read google.rpc.RetryInfo, such as `{"@type": ".../google.rpc.RetryInfo", "retryDelay": "17s"}`; at most an hour."""
    error = details.get("error") if isinstance(details, dict) else None
    entries = error.get("details") if isinstance(error, dict) else None
    for entry in entries if isinstance(entries, list) else []:
        if isinstance(entry, dict) and str(entry.get("@type", "")).endswith("google.rpc.RetryInfo"):
            try:
                delay_s = float(str(entry.get("retryDelay", "")).removesuffix("s"))
            except ValueError:
                return None
            return min(delay_s, _LONGEST_RETRY_DELAY_S) if math.isfinite(delay_s) and delay_s >= 0 else None
    return None
