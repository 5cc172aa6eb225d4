"""The stand-in: a Starlette app that checks requests like Gemini, answers by script or by the default model, and keeps a log.

Relies on `request_rules` for refusals, `script` for scripted answers, `default_model` for all others, `control` for other processes.
"""

from __future__ import annotations

import asyncio
import json
import time
from dataclasses import replace
from typing import TYPE_CHECKING, assert_never

from starlette.applications import Starlette
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from simulator.gemini import embeddings, errors, request_rules
from simulator.gemini.answers import (
    JSON_TYPE,
    Answer,
    Blocked,
    Candidate,
    Dropped,
    RawBody,
    kind_of,
    render,
)
from simulator.gemini.control import control_routes
from simulator.gemini.default_model import model as default_model
from simulator.gemini.errors import GoogleError, RefusedError
from simulator.gemini.refusals import Refusals
from simulator.gemini.request_codec import read_request
from simulator.gemini.request_log import RequestLog, RequestRecord
from simulator.gemini.script import Script, Step
from simulator.gemini.signatures import Signer
from simulator.line.responses import cut_json_response

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from starlette.requests import Request

    from simulator.gemini.request import GenerateContentRequest

MAX_HOLD_S = 60.0
_HOLD_POLL_S = 0.004
_MODEL_PATHS = (
    "/{version:str}/models/{call:str}",
    "/{version:str}/projects/{project:str}/locations/{location:str}/publishers/google/models/{call:str}",
)
_METHODS_LEFT_OUT = frozenset({"streamGenerateContent", "countTokens", "embedContent", "predict"})
_SECRET_HEADERS = frozenset({"authorization", "x-goog-api-key"})
_VERSIONS = frozenset({"v1", "v1beta", "v1beta1"})


class GeminiStandIn:
    """A local Gemini.

    With `strict`, a request without a scripted step is answered 500 and listed in `failures`; otherwise the default model answers.
    `api_key` is the only valid key; with None every key is valid. `latency_s` is the time of every answer.
    """

    def __init__(
        self,
        *,
        monotonic: Callable[[], float] = time.monotonic,
        seed: int = 0,
        latency_s: float = 0.0,
        strict: bool = False,
        api_key: str | None = None,
    ) -> None:
        self.latency_s = latency_s
        self.refusals = Refusals()
        self.strict = strict
        self._monotonic = monotonic
        self._started_s = monotonic()
        self._signer = Signer(seed=seed)
        self._api_key = api_key
        self._script = Script()
        self._log = RequestLog()
        self._failures: list[str] = []
        self.app = Starlette(
            routes=[
                *(Route(path, self._generate, methods=["POST"]) for path in _MODEL_PATHS),
                *(Route(path, self._describe, methods=["GET"]) for path in _MODEL_PATHS),
                *control_routes(self),
            ]
        )

    def script(self, steps: Iterable[Step]) -> None:
        """Queue steps for the next requests. Refused requests take no step."""
        self._script.add(steps)

    def reset(self) -> None:
        """Clear the script, release all holds, refuse nothing, and clear the log."""
        self._script.clear()
        self.refusals = Refusals()
        self._log.clear()
        self._failures.clear()

    @property
    def requests(self) -> tuple[RequestRecord, ...]:
        """All requests, oldest first; unanswered requests have kind `pending`."""
        return self._log.records

    @property
    def pending_steps(self) -> int:
        """How many steps are queued."""
        return self._script.pending

    @property
    def failures(self) -> tuple[str, ...]:
        """The requests without a step, with `strict`."""
        return tuple(self._failures)

    async def _generate(self, http_request: Request) -> Response:
        started_s = self._monotonic()
        raw = await http_request.body()
        model, _, method = http_request.path_params["call"].rpartition(":")
        record = self._log.open(
            RequestRecord(
                number=0,
                path=http_request.url.path,
                model=model,
                headers={name: value for name, value in http_request.headers.items() if name not in _SECRET_HEADERS},
                received_s=started_s - self._started_s,
                request_bytes=len(raw),
            )
        )
        refusal: str | None = None
        if method == embeddings.METHOD:
            return self._embed(http_request, raw, model=model, record=record)
        try:
            request = self._read(http_request, raw, model=model, method=method)
            record = replace(record, request=request)
            self._log.close(record)
            request_rules.refuse_bad_request(request, self._signer)
            blocked = self.refusals.answer(request)
        except RefusedError as refused:
            kind, refusal = "refused", refused.error.message
            response = _error_response(refused.error)
        else:
            answer = blocked or await self._answer(request)
            kind, response = kind_of(answer), self._response(answer, request)
        self._log.close(
            replace(
                record,
                kind=kind,
                status_code=response.status_code,
                latency_ms=(self._monotonic() - started_s) * 1000,
                response_bytes=len(response.body),
                refusal=refusal,
            )
        )
        return response

    async def _describe(self, http_request: Request) -> Response:
        """Describe a model without generating anything.  Source: Gemini API, "Models", `models.get`."""
        model = http_request.path_params["call"]
        try:
            self._check_access(http_request, model=model)
        except RefusedError as refused:
            return _error_response(refused.error)
        return JSONResponse({"name": f"models/{model}", "supportedGenerationMethods": ["generateContent"]})

    def _embed(self, http_request: Request, raw: bytes, *, model: str, record: RequestRecord) -> Response:
        """Return vectors made without a model."""
        try:
            self._check_access(http_request, model=model)
            request_rules.refuse_large_body(len(raw))
            kind, response = "answer", Response(embeddings.answer(raw), headers={"content-type": JSON_TYPE})
        except RefusedError as refused:
            kind, response = "refused", _error_response(refused.error)
        self._log.close(replace(record, kind=kind, status_code=response.status_code))
        return response

    def _check_access(self, http_request: Request, *, model: str) -> bool:
        """Return whether the request is of Vertex AI.  Raises: RefusedError, for a request without access to the model."""
        parameters, headers = http_request.path_params, http_request.headers
        on_vertex = "project" in parameters
        has_token = headers.get("authorization", "").startswith("Bearer ")
        api_key = headers.get("x-goog-api-key") or http_request.query_params.get("key")
        if on_vertex and not has_token and not api_key:
            raise errors.missing_bearer_token()
        if not on_vertex and not has_token and not api_key:
            raise errors.missing_api_key()
        if api_key and self._api_key is not None and api_key != self._api_key:
            raise errors.invalid_api_key()
        if parameters["version"] not in _VERSIONS:
            raise errors.not_found("Requested entity was not found.")
        resource = http_request.url.path.split("/", 2)[2].rpartition(":")[0] if on_vertex else None
        request_rules.refuse_unknown_model(model, api_version=parameters["version"], resource=resource)
        return on_vertex

    def _read(self, http_request: Request, raw: bytes, *, model: str, method: str) -> GenerateContentRequest:
        on_vertex, headers = self._check_access(http_request, model=model), http_request.headers
        if method in _METHODS_LEFT_OUT:
            raise errors.unimplemented()
        if method != "generateContent":
            raise errors.not_found("Requested entity was not found.")
        request_rules.refuse_large_body(len(raw))
        request_rules.refuse_short_deadline(headers.get("x-server-timeout"))
        return read_request(raw, model=model, backend="vertex" if on_vertex else "developer")

    async def _answer(self, request: GenerateContentRequest) -> Answer:
        step = self._script.take(request)
        if self.latency_s:
            await asyncio.sleep(self.latency_s)
        if step is None and self.strict:
            self._failures.append(f"nothing is scripted for {request.last_text!r}")
            return GoogleError(code=500, status="INTERNAL", message="The stand-in's script is used up.")
        if step is None:
            return default_model.answer(request)
        answer, resolved = step.resolve(request)
        if resolved.delay_s:
            await asyncio.sleep(resolved.delay_s)
        if resolved.hold is not None:
            self._script.register_hold(resolved.hold)
            resolved.hold.reached.set()
            # Polled, because a test releases the hold from another thread, outside of the event loop.
            for _ in range(int(MAX_HOLD_S / _HOLD_POLL_S)):
                if resolved.hold.released.is_set():
                    break
                await asyncio.sleep(_HOLD_POLL_S)
        return answer

    def _response(self, answer: Answer, request: GenerateContentRequest) -> Response:
        match answer:
            case GoogleError():
                return _error_response(answer)
            case RawBody():
                headers = {"content-type": answer.content_type}
                return Response(answer.body, status_code=answer.status_code, headers=headers)
            case Dropped():
                return cut_json_response(JSON_TYPE)
            case Candidate() | Blocked():
                return Response(render(answer, request, self._signer), headers={"content-type": JSON_TYPE})
            case _:
                assert_never(answer)


def _error_response(error: GoogleError) -> Response:
    return Response(json.dumps(error.body()), status_code=error.code, headers={"content-type": JSON_TYPE})
