"""LINE's Messaging API over HTTP: the steps of each request.

    request ─ faults ─ access token ─ rate limit ─ endpoint (effect) ─ log ─ faults ─ answer with x-line-request-id

Both of LINE's hosts, api.line.me and api-data.line.me, are served from the same root, as line-bot-sdk's `Configuration(host=...)` expects.
"""

import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from hmac import compare_digest
from http import HTTPStatus
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Match, Route
from starlette.types import Receive, Scope, Send

from . import local_media
from .calls import BODY_BYTES, Answer, Call, LoggedRequest
from .channel import Channel
from .endpoints import ENDPOINTS, Endpoint
from .errors import LineError, bad_request, method_not_supported, not_found, rate_limit_exceeded, unauthorized
from .faults import RequestFaults
from .json_body import MalformedJsonError, parse_json, read_body
from .line_hosts import LINE_HOSTS
from .responses import CutResponse
from .switches import Fault, Faults

REQUESTS_KEPT: Final = 10_000
_MOST_BYTES: Final = BODY_BYTES + 1  # one byte over the limit suffices to refuse the body
logger: Final = logging.getLogger(__name__)


@dataclass(slots=True, kw_only=True)
class Api:
    """The API of one channel, with a log of requests and with faults."""

    channel: Channel
    requests: list[LoggedRequest] = field(default_factory=list)
    faults: Faults = field(default_factory=Faults)
    _arrivals: dict[str, list[int]] = field(default_factory=dict)

    def routes(self) -> list[BaseRoute]:
        """Return the routes of every endpoint."""
        return [Route(endpoint.path, self._route(endpoint), methods=[endpoint.method]) for endpoint in ENDPOINTS]

    def unknown(self, request: Request) -> Response:
        """Answer 404 for an unknown path and 405 for an unknown method of an endpoint, and log the refusal.

        For example, `GET /v2/bot/message/reply` is answered with 405.
        """
        error = method_not_supported(request.method) if self._is_path_of_line(request) else not_found()
        logger.warning("no operation of LINE, answered %d: %s %.200r", error.status, request.method, request.url.path)
        call = self._call(request, b"")
        self._log(call, Answer(status=error.status, body=error.body()), was_answered=True)
        return JSONResponse(error.body(), status_code=error.status, headers={"x-line-request-id": call.request_id})

    def _is_path_of_line(self, request: Request) -> bool:
        """Whether an endpoint has the path; for a request to one of LINE's hosts, whether an endpoint of that host does."""
        hosts = {
            endpoint.host
            for endpoint, route in zip(ENDPOINTS, self.routes(), strict=True)
            if route.matches(request.scope)[0] is not Match.NONE
        }
        return bool(hosts) and (request.url.hostname not in LINE_HOSTS or request.url.hostname in hosts)

    def clear(self) -> None:
        """Forget the requests, the faults and the arrivals."""
        self.requests.clear()
        self.faults.clear()
        self._arrivals.clear()

    def _route(self, endpoint: Endpoint) -> Callable[[Request], Awaitable[Response]]:
        async def handle(request: Request) -> Response:
            if request.url.hostname in LINE_HOSTS and request.url.hostname != endpoint.host:
                return self.unknown(request)
            call = self._call(request, await read_body(request, most_bytes=_MOST_BYTES))
            return await self._answer(endpoint, call)

        return handle

    def _call(self, request: Request, body: bytes) -> Call:
        return Call(
            method=request.method,
            path=request.url.path,
            path_params=request.path_params,
            query=dict(request.query_params),
            headers=dict(request.headers),
            body=body,
            request_id=self.channel.ids.request_id(),
            at_ms=self.channel.now_ms(),
        )

    async def _answer(self, endpoint: Endpoint, call: Call) -> Response:
        faults = self.faults.match(call.path)
        await faults.before(self.channel.sleep)
        answer = await self._outcome(endpoint, call, faults)
        marks = self._marks(call, answer)
        self._log(call, answer, was_answered=faults.lost_answer is None)
        faults.after()
        response = Response(
            answer.as_bytes(),
            status_code=answer.status,
            media_type=answer.content_type,
            headers={"x-line-request-id": call.request_id, **answer.headers, **marks},
        )
        match faults.lost_answer:
            case "cut":
                return CutResponse(status=answer.status, headers=response.raw_headers)
            case "hang":
                return HangingResponse()
            case _:
                return response

    async def _outcome(self, endpoint: Endpoint, call: Call, faults: RequestFaults[Fault]) -> Answer:
        if faults.error_status is not None:
            return Answer(status=faults.error_status, body={"message": HTTPStatus(faults.error_status).phrase})
        try:
            if not endpoint.is_open:
                self._check_token(call)
            self._check_rate(endpoint, call)
            if "x-line-retry-key" in call.headers and not endpoint.is_retriable:
                raise bad_request("X-Line-Retry-Key is not supported for this API")
            return await endpoint.handler(self.channel, call)
        except LineError as error:
            return Answer(status=error.status, body=error.body(), headers=error.headers)

    def _marks(self, call: Call, answer: Answer) -> Mapping[str, str]:
        """Mark an accepted request if LINE would refuse the same request."""
        is_sent = call.path.startswith("/v2/bot/message/") and answer.status < HTTPStatus.BAD_REQUEST
        return local_media.MARK if is_sent and local_media.has_local_media(_json_or_none(call.body)) else {}

    def _check_token(self, call: Call) -> None:
        authorization = call.headers.get("authorization", "")
        if compare_digest(authorization.encode(), f"Bearer {self.channel.channel_access_token}".encode()):
            return
        if self.channel.access_tokens.find(authorization.removeprefix("Bearer "), at_ms=call.at_ms) is None:
            raise unauthorized()

    def _check_rate(self, endpoint: Endpoint, call: Call) -> None:
        most, window_ms = endpoint.rate
        key = f"{endpoint.method} {endpoint.path}"
        arrivals = [at_ms for at_ms in self._arrivals.get(key, []) if call.at_ms - at_ms < window_ms]
        self._arrivals[key] = [*arrivals, call.at_ms]
        if len(arrivals) >= most:
            raise rate_limit_exceeded()

    def _log(self, call: Call, answer: Answer, *, was_answered: bool) -> None:
        del self.requests[:-REQUESTS_KEPT]
        self.requests.append(
            LoggedRequest(
                at_ms=call.at_ms,
                method=call.method,
                path=call.path,
                headers={name: value for name, value in call.headers.items() if name != "authorization"},
                body=_json_or_none(call.body),
                status=answer.status,
                answer=answer.body if answer.content is None else None,
                request_id=call.request_id,
                has_effect=answer.has_effect,
                was_answered=was_answered,
            )
        )
        facts = {
            "method": call.method,
            "path": call.path,
            "status": int(answer.status),
            "has_effect": answer.has_effect,
        }
        self.channel.on_event("api_called", facts | {"request_id": call.request_id})


class HangingResponse(Response):
    """No answer, until the caller closes the connection."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG002 - the signature of ASGI
        """Wait for the end of the connection."""
        while (await receive())["type"] != "http.disconnect":
            continue


def _json_or_none(body: bytes) -> Any:  # noqa: ANN401 - any JSON
    try:
        return parse_json(body) if body else None
    except MalformedJsonError:
        return None
