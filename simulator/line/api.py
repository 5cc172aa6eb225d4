"""LINE's Messaging API over HTTP: every endpoint with its rate limit, and the steps of each request.

    request ─ faults ─ access token ─ rate limit ─ endpoint (effect) ─ log ─ faults ─ answer with x-line-request-id

Both of LINE's hosts, api.line.me and api-data.line.me, are served from the same root, as line-bot-sdk's `Configuration(host=...)` expects.
"""

import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from hmac import compare_digest
from http import HTTPStatus
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route
from starlette.types import Receive, Scope, Send

from . import account_endpoints, chat_endpoints, message_endpoints
from .calls import Answer, Call, LoggedRequest
from .channel import Channel
from .errors import LineError, not_found, rate_limit_exceeded, unauthorized
from .faults import RequestFaults
from .responses import CutResponse
from .switches import Fault, Faults

Handler = Callable[[Any, Call], Awaitable[Answer]]

_SECOND_MS: Final = 1_000
_HOUR_MS: Final = 60 * 60_000
_METHODS: Final = ("GET", "POST", "PUT", "DELETE", "PATCH")


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """One endpoint. `rate`: how many requests are allowed in a window, and the window in milliseconds.

    Source: Messaging API reference, "Rate limits".
    """

    method: str
    path: str
    handler: Handler
    rate: tuple[int, int] = (2_000, _SECOND_MS)


ENDPOINTS: Final = (
    Endpoint(method="POST", path="/v2/bot/message/reply", handler=message_endpoints.reply),
    Endpoint(method="POST", path="/v2/bot/message/push", handler=message_endpoints.push),
    Endpoint(
        method="POST", path="/v2/bot/message/multicast", handler=message_endpoints.multicast, rate=(200, _SECOND_MS)
    ),
    Endpoint(method="POST", path="/v2/bot/message/validate/reply", handler=message_endpoints.validate),
    Endpoint(method="POST", path="/v2/bot/message/validate/push", handler=message_endpoints.validate),
    Endpoint(method="POST", path="/v2/bot/message/validate/multicast", handler=message_endpoints.validate),
    Endpoint(method="GET", path="/v2/bot/message/quota", handler=message_endpoints.quota),
    Endpoint(method="GET", path="/v2/bot/message/quota/consumption", handler=message_endpoints.consumption),
    Endpoint(method="POST", path="/v2/bot/message/markAsRead", handler=chat_endpoints.refuse_unverified_account),
    Endpoint(
        method="POST", path="/v2/bot/chat/loading/start", handler=chat_endpoints.start_loading, rate=(100, _SECOND_MS)
    ),
    Endpoint(method="POST", path="/v2/bot/chat/markAsRead", handler=chat_endpoints.mark_as_read),
    Endpoint(method="GET", path="/v2/bot/profile/{user_id}", handler=chat_endpoints.profile),
    Endpoint(method="GET", path="/v2/bot/followers/ids", handler=chat_endpoints.refuse_unverified_account),
    Endpoint(method="GET", path="/v2/bot/group/{chat_id}/member/{user_id}", handler=chat_endpoints.member),
    Endpoint(method="GET", path="/v2/bot/group/{chat_id}/members/count", handler=chat_endpoints.member_count),
    Endpoint(
        method="GET", path="/v2/bot/group/{chat_id}/members/ids", handler=chat_endpoints.refuse_unverified_account
    ),
    Endpoint(method="GET", path="/v2/bot/group/{chat_id}/summary", handler=chat_endpoints.group_summary),
    Endpoint(method="POST", path="/v2/bot/group/{chat_id}/leave", handler=chat_endpoints.leave),
    Endpoint(method="GET", path="/v2/bot/room/{chat_id}/member/{user_id}", handler=chat_endpoints.member),
    Endpoint(method="GET", path="/v2/bot/room/{chat_id}/members/count", handler=chat_endpoints.member_count),
    Endpoint(method="GET", path="/v2/bot/room/{chat_id}/members/ids", handler=chat_endpoints.refuse_unverified_account),
    Endpoint(method="POST", path="/v2/bot/room/{chat_id}/leave", handler=chat_endpoints.leave),
    Endpoint(method="GET", path="/v2/bot/info", handler=account_endpoints.bot_info),
    Endpoint(method="GET", path="/v2/bot/channel/webhook/endpoint", handler=account_endpoints.get_webhook),
    Endpoint(method="PUT", path="/v2/bot/channel/webhook/endpoint", handler=account_endpoints.set_webhook),
    Endpoint(
        method="POST", path="/v2/bot/channel/webhook/test", handler=account_endpoints.test_webhook, rate=(60, _HOUR_MS)
    ),
    Endpoint(method="GET", path="/v2/bot/message/{line_message_id}/content", handler=account_endpoints.content),
    Endpoint(method="GET", path="/v2/bot/message/{line_message_id}/content/preview", handler=account_endpoints.preview),
    Endpoint(
        method="GET",
        path="/v2/bot/message/{line_message_id}/content/transcoding",
        handler=account_endpoints.transcoding,
    ),
)


async def _unknown(_channel: Channel, _call: Call) -> Answer:
    raise not_found()


@dataclass(slots=True, kw_only=True)
class Api:
    """The API of one channel, the log of its requests, and its faults."""

    channel: Channel
    requests: list[LoggedRequest] = field(default_factory=list)
    faults: Faults = field(default_factory=Faults)
    _arrivals: dict[str, list[int]] = field(default_factory=dict)

    def routes(self) -> list[BaseRoute]:
        """Return the routes of every endpoint; every other path below `/v2` answers 404."""
        routes: list[BaseRoute] = [
            Route(endpoint.path, self._route(endpoint), methods=[endpoint.method]) for endpoint in ENDPOINTS
        ]
        rest = Endpoint(method="", path="/v2/{rest:path}", handler=_unknown)
        return [*routes, Route(rest.path, self._route(rest), methods=list(_METHODS))]

    def _route(self, endpoint: Endpoint) -> Callable[[Request], Awaitable[Response]]:
        async def handle(request: Request) -> Response:
            call = Call(
                method=request.method,
                path=request.url.path,
                path_params=request.path_params,
                headers=dict(request.headers),
                body=await request.body(),
                request_id=self.channel.ids.request_id(),
                at_ms=self.channel.now_ms(),
            )
            return await self._answer(endpoint, call)

        return handle

    async def _answer(self, endpoint: Endpoint, call: Call) -> Response:
        faults = self.faults.match(call.path)
        await faults.before(self.channel.sleep)
        answer = await self._outcome(endpoint, call, faults)
        self._log(call, answer, was_answered=faults.lost_answer is None)
        faults.after()
        response = Response(
            answer.as_bytes(),
            status_code=answer.status,
            media_type=answer.content_type,
            headers={"x-line-request-id": call.request_id, **answer.headers},
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
            self._check_token(call)
            self._check_rate(endpoint, call)
            return await endpoint.handler(self.channel, call)
        except LineError as error:
            return Answer(status=error.status, body=error.body(), headers=error.headers)

    def _check_token(self, call: Call) -> None:
        expected = f"Bearer {self.channel.channel_access_token}"
        if not compare_digest(call.headers.get("authorization", "").encode(), expected.encode()):
            raise unauthorized()

    def _check_rate(self, endpoint: Endpoint, call: Call) -> None:
        most, window_ms = endpoint.rate
        key = f"{endpoint.method} {endpoint.path}"
        arrivals = [at_ms for at_ms in self._arrivals.get(key, []) if call.at_ms - at_ms < window_ms]
        self._arrivals[key] = [*arrivals, call.at_ms]
        if len(arrivals) >= most:
            raise rate_limit_exceeded()

    def _log(self, call: Call, answer: Answer, *, was_answered: bool) -> None:
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


def _json_or_none(body: bytes) -> Any:  # noqa: ANN401 - whatever JSON brought
    try:
        return json.loads(body) if body else None
    except ValueError:
        return None
