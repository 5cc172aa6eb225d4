"""The server's rules for the conversation and the settings of a request, in the server's order and with Google's texts.

Relies on `declarations` for the rules for tools and on `signatures` for the check of thought signatures.
A text without a source is the stand-in's own wording; clients should read the status, not the text.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from simulator.gemini.declarations import refuse_bad_declarations
from simulator.gemini.errors import invalid_argument, not_found
from simulator.gemini.pages import refuse_bad_addresses
from simulator.gemini.schemas import refuse_bad_json_schema, refuse_bad_openapi_schema
from simulator.gemini.videos import refuse_bad_videos

if TYPE_CHECKING:
    from simulator.gemini.request import Content, FunctionCall, FunctionResponse, GenerateContentRequest
    from simulator.gemini.signatures import Signer

MAX_REQUEST_BYTES = 100 * 1024 * 1024
MIN_SERVER_TIMEOUT_S = 10

_LEVELS = frozenset({"MINIMAL", "LOW", "MEDIUM", "HIGH"})
_LEVELS_WITHOUT_MINIMAL = _LEVELS - {"MINIMAL"}
# Source: the Gemini 3.8, 3.5 Flash and 3.5 Flash-Lite guides. XHIGH is in the client's enum, but in no model.
_LEVELS_WITHOUT_MINIMAL_MODELS = ("gemini-3.8-flash", "gemini-3.7-flash", "gemini-4-argon")
_KNOWN_MEDIA = re.compile(
    r"image/(?:png|jpeg|webp|heic|heif)|application/pdf|text/[\w.+-]+"
    r"|audio/(?:wav|mp3|mp4|mpeg|aac|ogg|flac|aiff|m4a|x-m4a)|video/(?:mp4|mpeg|mov|quicktime|avi|webm|wmv|3gpp|x-flv)"
)
_ALIASES_OF_V1BETA = frozenset({"gemini-flash-latest", "gemini-flash-lite-latest", "gemini-pro-latest"})


def refuse_large_body(size_bytes: int) -> None:
    """Source: https://ai.google.dev/gemini-api/docs/file-input-methods, 100 MB for a request with inline data."""
    if size_bytes > MAX_REQUEST_BYTES:
        raise invalid_argument(f"Request payload size exceeds the limit: {MAX_REQUEST_BYTES} bytes.")


def refuse_short_deadline(server_timeout: str | None) -> None:
    """Source: the API's answer to `X-Server-Timeout` under ten seconds, as eight repositories report."""
    if server_timeout is None:
        return
    try:
        timeout_s = float(server_timeout)
    except ValueError:
        raise invalid_argument(f"Invalid value for X-Server-Timeout: {server_timeout!r}") from None
    if not timeout_s >= MIN_SERVER_TIMEOUT_S:
        raise invalid_argument(
            f"Manually set deadline {timeout_s:g}s is too short. Minimum allowed deadline is {MIN_SERVER_TIMEOUT_S}s."
        )


def refuse_unknown_model(model: str, *, api_version: str, resource: str | None = None) -> None:
    """Refuse all but `gemini-` models; the `-latest` aliases are known only to v1beta.

    `resource` is Vertex's full name of the model. Source: google-genai 3.4.0, README, "Major version 3 changes".
    """
    if model.startswith("gemini-") and not (api_version == "v1" and model in _ALIASES_OF_V1BETA):
        return
    if resource is not None:
        raise not_found(f"Publisher Model `{resource}` not found.")
    raise not_found(
        f"models/{model} is not found for API version {api_version}, or is not supported for generateContent. "
        "Call ListModels to see the list of available models and their supported methods."
    )


def refuse_bad_request(request: GenerateContentRequest, signer: Signer) -> None:
    """Check the request.

    Raises: RefusedError, for the first broken rule.
    """
    _refuse_bad_roles(request.contents)
    _refuse_bad_media(request)
    refuse_bad_videos(request)
    refuse_bad_declarations(request)
    refuse_bad_addresses(request)
    _refuse_bad_thinking(request)
    _refuse_penalties(request)
    _refuse_bad_response_format(request)
    _refuse_unanswered_calls(request.contents)
    _refuse_foreign_thoughts(request, signer)


def _refuse_bad_roles(contents: tuple[Content, ...]) -> None:
    if not contents:
        raise invalid_argument("* GenerateContentRequest.contents: contents is not specified\n")
    for index, content in enumerate(contents):
        if content.role not in {"user", "model"}:
            raise invalid_argument("Please use a valid role: user, model.")
        if not content.parts:
            raise invalid_argument(
                f"* GenerateContentRequest.contents[{index}].parts: contents.parts must not be empty.\n"
            )
        if content.role == "user" and content.function_calls:
            raise invalid_argument(f"contents[{index}]: only role 'model' can have function calls.")
        if content.role == "model" and content.function_responses:
            raise invalid_argument(f"contents[{index}]: only role 'user' can have function responses.")
    if contents[-1].role != "user":
        raise invalid_argument("Please ensure that the last content has role 'user': prefilling is not supported.")


def _refuse_bad_media(request: GenerateContentRequest) -> None:
    """Source: https://ai.google.dev/gemini-api/docs/file-input-methods, types by kind, and the backends with access to buckets."""
    for media in (part.media for content in request.contents for part in content.parts if part.media):
        if not _KNOWN_MEDIA.fullmatch(media.media_type):
            raise invalid_argument(f"Unsupported MIME type: {media.media_type}")
        if media.uri is None and not media.size_bytes:
            raise invalid_argument("Unable to process input: the inline data is empty.")
        if media.uri is not None and media.uri.startswith("gs://") and request.backend == "developer":
            raise invalid_argument(f"Invalid or unsupported file uri: {media.uri}")


def _refuse_bad_thinking(request: GenerateContentRequest) -> None:
    """Source: the thinking guide, per model; https://ai.google.dev/gemini-api/docs/gemini-3, FAQ, for the exclusion."""
    level = request.thinking_level
    if level is None or level == "THINKING_LEVEL_UNSPECIFIED":
        return
    if request.thinking_budget is not None:
        raise invalid_argument("You can only set only one of thinking budget and thinking level.")
    if request.model.startswith("gemini-2"):
        raise invalid_argument("Thinking level is not supported for this model.")
    small = request.model.startswith(_LEVELS_WITHOUT_MINIMAL_MODELS)
    if level not in (_LEVELS_WITHOUT_MINIMAL if small else _LEVELS):
        raise invalid_argument(f"Thinking level {level} is not supported for this model.")


def _refuse_penalties(request: GenerateContentRequest) -> None:
    """Refuse penalties other than zero.  Source: google-gemini/cookbook#1290."""
    if request.frequency_penalty or request.presence_penalty:
        raise invalid_argument("Penalty is not enabled for this model")


def _refuse_bad_response_format(request: GenerateContentRequest) -> None:
    """Source: google-genai 3.4.0, `GenerateContentConfig.response_json_schema`."""
    schemas = (request.response_schema, request.response_json_schema)
    if all(schema is None for schema in schemas):
        return
    if all(schema is not None for schema in schemas):
        raise invalid_argument("Only one of response_schema and response_json_schema can be set.")
    if request.response_mime_type != "application/json":
        raise invalid_argument("A response schema requires response_mime_type to be 'application/json'.")
    if request.response_json_schema is not None:
        refuse_bad_json_schema(request.response_json_schema, "generation_config.response_json_schema")
    if request.response_schema is not None:
        refuse_bad_openapi_schema(request.response_schema, "generation_config.response_schema", backend=request.backend)


def _refuse_unanswered_calls(contents: tuple[Content, ...]) -> None:
    """Check that the next content responds to all calls of a model content, and to nothing else.

    For example, calls of `search` and `reply` need two responses, in one content.
    Source: google-gemini/gemini-cli#5443, #7410 for the texts; https://ai.google.dev/gemini-api/docs/function-calling.
    """
    before: Content | None = None
    for content in contents:
        if content.function_calls and (before is None or before.role != "user"):
            raise invalid_argument(
                "Please ensure that function call turn comes immediately after a user turn "
                "or after a function response turn."
            )
        calls = before.function_calls if before else ()
        if content.function_responses and not calls:
            raise invalid_argument(
                "Please ensure that function response turn comes immediately after a function call turn."
            )
        if len(calls) != len(content.function_responses):
            raise invalid_argument(
                "Please ensure that the number of function response parts is equal to "
                "the number of function call parts of the function call turn."
            )
        _refuse_mismatches(calls, content.function_responses)
        before = content


def _refuse_mismatches(calls: tuple[FunctionCall, ...], responses: tuple[FunctionResponse, ...]) -> None:
    """Match responses to calls by id; calls without ids are matched in order."""
    by_id = {response.id: response for response in responses if response.id is not None}
    without_id = [response for response in responses if response.id is None or response.id not in {c.id for c in calls}]
    for call in calls:
        response = (without_id.pop(0) if without_id else None) if call.id is None else by_id.pop(call.id, None)
        if response is None:
            raise invalid_argument(f"No function response has the id {call.id!r} of function call '{call.name}'.")
        if response.name != call.name:
            raise invalid_argument(
                f"Function response name '{response.name}' does not match the name of function call '{call.name}'."
            )


def _refuse_foreign_thoughts(request: GenerateContentRequest, signer: Signer) -> None:
    """Check the signature of the first call of each model content of the current turn.

    Gemini 2 only recommends signatures; for Gemini 2, a missing signature is accepted.
    Source: https://ai.google.dev/gemini-api/docs/thought-signatures.
    """
    contents = request.contents
    user_turns = (i for i, content in enumerate(contents) if content.role == "user" and not content.function_responses)
    start = max(user_turns, default=0)
    for position, content in enumerate(contents[start:], start=start + 1):
        signed = next((part for part in content.parts if part.function_call), None)
        if signed is None or signed.function_call is None:
            continue
        call, signature = signed.function_call, signed.thought_signature
        if not signature and request.model.startswith("gemini-2"):
            continue
        if not signature:
            raise invalid_argument(
                "Function call is missing a thought_signature in functionCall parts. This is required for tools to "
                "work correctly, and missing thought_signature may lead to degraded model performance. Additional "
                f"data, function call `default_api:{call.name}` , position {position}. Please refer to "
                "https://ai.google.dev/gemini-api/docs/thought-signatures for more details."
            )
        if not signer.accepts(call, signature):
            raise invalid_argument(
                f"Thought signature is not valid: the thought_signature of function call `default_api:{call.name}` , "
                f"position {position}, belongs to another call."
            )
