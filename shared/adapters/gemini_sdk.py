"""The Gemini client of google-genai: credentials, endpoint, timeouts, and the translation of errors.

The import takes a quarter of a second, so only adapters that ask import the SDK, at their first request.
Source: google-genai 3.4.0, types.py, `HttpOptions.extra_body`: merged into the request's body at the end, a list unchanged;
`GenerateContentConfig.should_return_http_response`: the body of the answer is not parsed.
"""

import math
import ssl
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

import httpx2
from google.auth.exceptions import GoogleAuthError

from shared.adapters.gemini_wire import thinking_level
from shared.adapters.google_genai import Models, errors, genai, types
from shared.adapters.http_pool import IDLE_S
from shared.adapters.inline_media import Body, InlineMedia
from shared.adapters.pool_transport import PoolTransport
from shared.adapters.provider_words import provider_word
from shared.errors import ModelRefusedError, ModelUnavailableError
from shared.metering import Purpose, Usage
from shared.settings.agent_worker import GeminiSettings
from shared.settings.secret import Secret

LEAST_SERVER_DEADLINE_S: Final = 10
CONNECT_S: Final = 3.0
_LONGEST_RETRY_DELAY_S: Final = 3_600.0  # longer than any turn
_RETRIED_STATUSES: Final = frozenset({408, 429, 500, 502, 503, 504})
_ABOUT_THE_MODEL: Final = frozenset({401, 403, 404})
_UNKNOWN_MODEL: Final = 404
_MEDIA: Final[ContextVar[InlineMedia | None]] = ContextVar("media", default=None)
_REPLACED: Final = types.Content(role="user", parts=[])
"""The SDK requires contents; the body's contents replace these.  A list with one item would be checked against twenty types: 0.3 ms."""

_UNUSED_TLS: Final = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
"""Trusts nobody.  The transport has its own context; the SDK would read the authorities twice, and import an asynchronous transport."""


class _Config(types.GenerateContentConfig):
    """A configuration with a fast `in`: the SDK tests 45 fields, and pydantic would build a list of all fields each time."""

    def __contains__(self, name: object) -> bool:
        """Always False: a pydantic model iterates over pairs, and no pair equals a name."""
        return False


_CONFIG: Final = _Config(
    automatic_function_calling=types.AutomaticFunctionCallingConfig(disable=True),
    automatic_continuation=False,
    should_return_http_response=True,
)


class GeminiSdk:
    """Posts bodies to Gemini; safe to share between threads."""

    def __init__(self, settings: GeminiSettings, *, idle_s: float = IDLE_S, connect_s: float = CONNECT_S) -> None:
        """Build the client; no connection is opened.  Only tests name other times."""
        self._model = settings.model
        self._client = client_of(settings, idle_s=idle_s, connect_s=connect_s)
        _ = self._client.models  # a client with a key is built on access

    def generate(self, body: Mapping[str, object], timeout_s: float, media: InlineMedia | None = None) -> str:
        """Return the body of the answer; `media` belong to the placeholders in `body`.

        Raises: ModelUnavailableError, ModelRefusedError.
        """
        config = _CONFIG.model_copy(update={"http_options": http_options(timeout_s, body)})
        with _sent_with(media), translated_errors(unreadable="the model gave no readable answer in time"):
            response = self._client.models.generate_content(model=self._model, contents=_REPLACED, config=config)
        answer = response.sdk_http_response
        return (answer.body if answer is not None else None) or ""

    def check_model(self, timeout_s: float) -> None:
        """The API accepts the key and knows the model.  Raises: ModelUnavailableError, ModelRefusedError.

        Source: Gemini API, "Models", `models.get`, which generates nothing and is not billed.
        """
        config = types.GetModelConfig(http_options=http_options(timeout_s))
        with translated_errors(unreadable="the provider told nothing readable of the model in time"):
            self._client.models.get(model=self._model, config=config)


class _Stream(httpx2.SyncByteStream):
    """A body for the transport."""

    def __init__(self, body: Body) -> None:
        self._body = body

    def __iter__(self) -> Iterator[bytes]:
        return iter(self._body)


@contextmanager
def _sent_with(media: InlineMedia | None) -> Iterator[None]:
    """Replace the placeholders of these media in every request that this thread sends inside the block."""
    token = _MEDIA.set(media)
    try:
        yield
    finally:
        _MEDIA.reset(token)


def _fill_in(request: httpx2.Request) -> None:
    """Put the media into the request.  Source: HTTPX, "Event hooks": a request hook may modify the request before sending."""
    media = _MEDIA.get()
    if media:
        body = media.body(request.content)
        request.headers["content-length"] = str(body.size_bytes)
        request.stream = _Stream(body)


class _KeyedClient:
    """A client that is built anew when its API key changes; safe to share between threads."""

    def __init__(self, api_key: Secret, options: types.HttpOptions) -> None:
        self._api_key = api_key
        self._options = options
        self._building = threading.Lock()
        self._clients: dict[str, genai.Client] = {}  # of earlier keys too: an unreferenced client closes itself

    @property
    def models(self) -> Models:
        key = self._api_key.value()
        with self._building:
            if key not in self._clients:
                self._clients[key] = genai.Client(vertexai=False, api_key=key, http_options=self._options)
            return self._clients[key].models


def thinking_config(settings: GeminiSettings, purpose: Purpose) -> types.ThinkingConfig:
    """Return how much the model thinks for this purpose."""
    return types.ThinkingConfig(thinking_level=types.ThinkingLevel(thinking_level(settings.thinking_level, purpose)))


def client_of(
    settings: GeminiSettings, *, idle_s: float = IDLE_S, connect_s: float = CONNECT_S
) -> genai.Client | _KeyedClient:
    """Return a client without retries of its own.

    A connection that was idle for `idle_s` may be dead, and is not used again. The SDK has one timeout for all phases; an unreachable host
    need not use up all of it, so connecting takes `connect_s` at most.
    """
    options = types.HttpOptions(
        base_url=settings.base_url,
        retry_options=types.HttpRetryOptions(attempts=1),
        client_args={
            "event_hooks": {"request": [_fill_in]},
            "transport": PoolTransport(httpx2, connect_s=connect_s, idle_s=idle_s),
            "verify": _UNUSED_TLS,
        },
        async_client_args={"transport": httpx2.AsyncBaseTransport(), "ssl": _UNUSED_TLS},
    )
    if settings.api_key is not None:
        return _KeyedClient(settings.api_key, options)
    return genai.Client(vertexai=True, project=settings.project_id, location=settings.location, http_options=options)


def http_options(timeout_s: float, body: Mapping[str, object] | None = None) -> types.HttpOptions:
    """Return the limits of time for client and server, and the body of the request: 7.2 s become 7,200 ms and `X-Server-Timeout: 10`."""
    return types.HttpOptions(
        extra_body=dict(body) if body is not None else None,
        timeout=math.ceil(timeout_s * 1_000),
        headers={"X-Server-Timeout": str(max(LEAST_SERVER_DEADLINE_S, math.ceil(timeout_s)))},
    )


def usage_of(usage: types.GenerateContentResponseUsageMetadata | None) -> Usage:
    """Return Gemini's token counts; zeros for a response without counts."""
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
    """Translate errors of a request inside the block; `unreadable`: the text for a request without a readable answer in time.

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
        raise ModelRefusedError("the credentials for Vertex AI cannot be used", is_about_request=False) from cause


def translate_error(error: errors.APIError) -> ModelUnavailableError | ModelRefusedError:
    """Return the project's error for an error of the API: 429 and 503 give ModelUnavailableError, 400 gives ModelRefusedError."""
    if error.code in _RETRIED_STATUSES:
        return ModelUnavailableError(f"the model answered {error.code}", retry_after_s=_retry_after_s(error.details))
    return ModelRefusedError(
        f"the model refused the request: {error.code} {provider_word(error.status)}",
        is_about_request=error.code not in _ABOUT_THE_MODEL and not is_about_key(error.details),
        is_about_name=error.code == _UNKNOWN_MODEL,
    )


def is_about_key(details: object) -> bool:
    """Whether the API key is at fault: Google answers 400 to a wrong key, with the reason API_KEY_INVALID."""
    return any(entry.get("reason") == "API_KEY_INVALID" for entry in _entries(details))


def _entries(details: object) -> Iterator[Mapping[str, object]]:
    error = details.get("error") if isinstance(details, dict) else None
    entries = error.get("details") if isinstance(error, dict) else None
    yield from (entry for entry in (entries if isinstance(entries, list) else []) if isinstance(entry, dict))


def _retry_after_s(details: object) -> float | None:
    """Read google.rpc.RetryInfo, for example `{"@type": ".../google.rpc.RetryInfo", "retryDelay": "17s"}`; at most an hour."""
    for entry in _entries(details):
        if str(entry.get("@type", "")).endswith("google.rpc.RetryInfo"):
            try:
                delay_s = float(str(entry.get("retryDelay", "")).removesuffix("s"))
            except ValueError:
                return None
            return min(delay_s, _LONGEST_RETRY_DELAY_S) if math.isfinite(delay_s) and delay_s >= 0 else None
    return None
