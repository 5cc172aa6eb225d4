"""The stand-in itself: a Starlette app that checks like Gemini, answers by script or by brain, and keeps a log.

Relies on `rules` for refusals, `script` for what tests want said, `brain` for the rest, `control` for other processes.
"""

from __future__ import annotations

import asyncio
import json
import time
from dataclasses import replace
from typing import TYPE_CHECKING, assert_never

from starlette.applications import Starlette
from starlette.responses import Response
from starlette.routing import Route

from simulator.gemini import brain, errors, rules
from simulator.gemini.answers import (
    JSON_TYPE,
    Answer,
    Blocked,
    Candidate,
    Dropped,
    RawBody,
    kind_of,
    rendered,
)
from simulator.gemini.control import control_routes
from simulator.gemini.errors import GoogleError, RefusedError
from simulator.gemini.ledger import Ledger, RequestRecord
from simulator.gemini.script import Script, Step
from simulator.gemini.signatures import Signer
from simulator.gemini.wire import GenerateContentRequest, read_request

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from starlette.requests import Request
    from starlette.types import Receive, Scope, Send

MAX_HOLD_S = 60.0
_HOLD_POLL_S = 0.004
_MODEL_PATHS = (
    "/{version:str}/models/{call:str}",
    "/{version:str}/projects/{project:str}/locations/{location:str}/publishers/google/models/{call:str}",
)
_METHODS_LEFT_OUT = frozenset({"streamGenerateContent", "countTokens", "embedContent", "batchEmbedContents", "predict"})
_SECRET_HEADERS = frozenset({"authorization", "x-goog-api-key"})
_VERSIONS = frozenset({"v1", "v1beta", "v1beta1"})


class GeminiStandIn:
    """A local Gemini.

    With `strict`, a request for which nothing is scripted is answered 500 and noted in `failures`; else the brain answers.
    `api_key` is the only key that counts; None lets any key in. `latency_s` is how long every answer takes.
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
        self.strict = strict
        self._monotonic = monotonic
        self._started_s = monotonic()
        self._signer = Signer(seed=seed)
        self._api_key = api_key
        self._script = Script()
        self._ledger = Ledger()
        self._failures: list[str] = []
        self.app = Starlette(
            routes=[
                *(Route(path, self._generate, methods=["POST"]) for path in _MODEL_PATHS),
                *control_routes(self),
            ]
        )

    def script(self, steps: Iterable[Step]) -> None:
        """The next requests are answered by these steps, behind what is queued already. Refused requests use none up."""
        self._script.add(steps)

    def reset(self) -> None:
        """Nothing is scripted, nobody waits, nothing was asked."""
        self._script.clear()
        self._ledger.clear()
        self._failures.clear()

    @property
    def requests(self) -> tuple[RequestRecord, ...]:
        """Every request so far, oldest first; those under way have kind `pending`."""
        return self._ledger.records

    @property
    def pending_steps(self) -> int:
        """How many scripted steps nobody has asked for."""
        return self._script.pending

    @property
    def failures(self) -> tuple[str, ...]:
        """What went against a strict script."""
        return tuple(self._failures)

    async def _generate(self, http_request: Request) -> Response:
        started_s = self._monotonic()
        raw = await http_request.body()
        model, _, method = http_request.path_params["call"].rpartition(":")
        record = self._ledger.open(
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
        try:
            request = self._read(http_request, raw, model=model, method=method)
            record = replace(record, request=request)
            self._ledger.close(record)
            rules.refuse_bad_request(request, self._signer)
        except RefusedError as refused:
            kind, refusal = "refused", refused.error.message
            response = _error_response(refused.error)
        else:
            answer = await self._answer(request)
            kind, response = kind_of(answer), self._response(answer, request)
        self._ledger.close(
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

    def _read(self, http_request: Request, raw: bytes, *, model: str, method: str) -> GenerateContentRequest:
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
        rules.refuse_unknown_model(model, api_version=parameters["version"], resource=resource)
        if method in _METHODS_LEFT_OUT:
            raise errors.unimplemented()
        if method != "generateContent":
            raise errors.not_found("Requested entity was not found.")
        rules.refuse_large_body(len(raw))
        rules.refuse_short_deadline(headers.get("x-server-timeout"))
        return read_request(raw, model=model, backend="vertex" if on_vertex else "developer")

    async def _answer(self, request: GenerateContentRequest) -> Answer:
        step = self._script.take(request)
        if self.latency_s:
            await asyncio.sleep(self.latency_s)
        if step is None and self.strict:
            self._failures.append(f"nothing is scripted for {request.last_text!r}")
            return GoogleError(code=500, status="INTERNAL", message="The stand-in's script is used up.")
        if step is None:
            return brain.answer(request)
        answer, resolved = step.resolved(request)
        if resolved.delay_s:
            await asyncio.sleep(resolved.delay_s)
        if resolved.hold is not None:
            self._script.holding(resolved.hold)
            resolved.hold.reached.set()
            # Polled, because whoever releases it lives in another thread and knows no event loop.
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
                return _DroppedResponse()
            case Candidate() | Blocked():
                return Response(rendered(answer, request, self._signer), headers={"content-type": JSON_TYPE})
            case _:
                assert_never(answer)


def _error_response(error: GoogleError) -> Response:
    return Response(json.dumps(error.body()), status_code=error.code, headers={"content-type": JSON_TYPE})


class _DroppedResponse(Response):
    """Promises more bytes than it sends; the server then closes the connection, which is all that a client sees."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        del scope, receive
        headers = [(b"content-type", JSON_TYPE.encode()), (b"content-length", b"1024")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": b"{", "more_body": True})
