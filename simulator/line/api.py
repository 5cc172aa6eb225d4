"""LINE's Messaging API over HTTP: every endpoint with its rate limit, and the way that each request goes.

    arrives ─ fault? ─ token? ─ rate? ─ endpoint (effect) ─ log ─ fault? ─ answer with x-line-request-id

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

from simulator.line import account, chatting, sending
from simulator.line.calls import Answer, Call, LoggedRequest
from simulator.line.channel import Channel
from simulator.line.errors import LineError, not_found, rate_limit_exceeded, unauthorized
from simulator.line.switches import Fault, Faults

Handler = Callable[[Any, Call], Awaitable[Answer]]

_SECOND_MS: Final = 1_000
_HOUR_MS: Final = 60 * 60_000
_METHODS: Final = ("GET", "POST", "PUT", "DELETE", "PATCH")


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """One endpoint. `rate`: requests allowed in a window of so many milliseconds.

    Source: Messaging API reference, "Rate limits".
    """

    method: str
    path: str
    handler: Handler
    rate: tuple[int, int] = (2_000, _SECOND_MS)


ENDPOINTS: Final = (
    Endpoint(method="POST", path="/v2/bot/message/reply", handler=sending.reply),
    Endpoint(method="POST", path="/v2/bot/message/push", handler=sending.push),
    Endpoint(method="POST", path="/v2/bot/message/multicast", handler=sending.multicast, rate=(200, _SECOND_MS)),
    Endpoint(method="POST", path="/v2/bot/message/validate/reply", handler=sending.validate),
    Endpoint(method="POST", path="/v2/bot/message/validate/push", handler=sending.validate),
    Endpoint(method="POST", path="/v2/bot/message/validate/multicast", handler=sending.validate),
    Endpoint(method="GET", path="/v2/bot/message/quota", handler=sending.quota),
    Endpoint(method="GET", path="/v2/bot/message/quota/consumption", handler=sending.consumption),
    Endpoint(method="POST", path="/v2/bot/message/markAsRead", handler=chatting.for_verified_accounts),
    Endpoint(method="POST", path="/v2/bot/chat/loading/start", handler=chatting.start_loading, rate=(100, _SECOND_MS)),
    Endpoint(method="POST", path="/v2/bot/chat/markAsRead", handler=chatting.mark_as_read),
    Endpoint(method="GET", path="/v2/bot/profile/{user_id}", handler=chatting.profile),
    Endpoint(method="GET", path="/v2/bot/followers/ids", handler=chatting.for_verified_accounts),
    Endpoint(method="GET", path="/v2/bot/group/{chat_id}/member/{user_id}", handler=chatting.member),
    Endpoint(method="GET", path="/v2/bot/group/{chat_id}/members/count", handler=chatting.member_count),
    Endpoint(method="GET", path="/v2/bot/group/{chat_id}/members/ids", handler=chatting.for_verified_accounts),
    Endpoint(method="GET", path="/v2/bot/group/{chat_id}/summary", handler=chatting.group_summary),
    Endpoint(method="POST", path="/v2/bot/group/{chat_id}/leave", handler=chatting.leave),
    Endpoint(method="GET", path="/v2/bot/room/{chat_id}/member/{user_id}", handler=chatting.member),
    Endpoint(method="GET", path="/v2/bot/room/{chat_id}/members/count", handler=chatting.member_count),
    Endpoint(method="GET", path="/v2/bot/room/{chat_id}/members/ids", handler=chatting.for_verified_accounts),
    Endpoint(method="POST", path="/v2/bot/room/{chat_id}/leave", handler=chatting.leave),
    Endpoint(method="GET", path="/v2/bot/info", handler=account.bot_info),
    Endpoint(method="GET", path="/v2/bot/channel/webhook/endpoint", handler=account.get_webhook),
    Endpoint(method="PUT", path="/v2/bot/channel/webhook/endpoint", handler=account.set_webhook),
    Endpoint(method="POST", path="/v2/bot/channel/webhook/test", handler=account.test_webhook, rate=(60, _HOUR_MS)),
    Endpoint(method="GET", path="/v2/bot/message/{line_message_id}/content", handler=account.content),
    Endpoint(method="GET", path="/v2/bot/message/{line_message_id}/content/preview", handler=account.preview),
    Endpoint(method="GET", path="/v2/bot/message/{line_message_id}/content/transcoding", handler=account.transcoding),
)


async def _unknown(_channel: Channel, _call: Call) -> Answer:
    raise not_found()


@dataclass(slots=True, kw_only=True)
class Api:
    """The API of one channel, with what was asked of it and what goes wrong in it."""

    channel: Channel
    requests: list[LoggedRequest] = field(default_factory=list)
    faults: Faults = field(default_factory=Faults)
    _arrivals: dict[str, list[int]] = field(default_factory=dict)

    def routes(self) -> list[BaseRoute]:
        """The routes of every endpoint; what else begins with /v2 is not found."""
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
        faults = self.faults.of(call.path)
        for fault in faults:
            if fault.arrived is not None:
                fault.arrived()
            if fault.delay_s:
                await self.channel.sleep(fault.delay_s)
        answer = await self._outcome(endpoint, call, faults)
        lost = next((fault.answer for fault in faults if fault.answer != "sent"), None)
        self._log(call, answer, was_answered=lost is None)
        for fault in faults:
            if fault.took_effect is not None:
                fault.took_effect()
        response = Response(
            answer.as_bytes(),
            status_code=answer.status,
            media_type=answer.content_type,
            headers={"x-line-request-id": call.request_id, **answer.headers},
        )
        match lost:
            case "cut":
                return CutResponse(response)
            case "hang":
                return HangingResponse(response)
            case _:
                return response

    async def _outcome(self, endpoint: Endpoint, call: Call, faults: tuple[Fault, ...]) -> Answer:
        status = next((fault.error_status for fault in faults if fault.error_status is not None), None)
        if status is not None:
            return Answer(status=status, body={"message": HTTPStatus(status).phrase})
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


class CutResponse(Response):
    """Promises the body and closes the connection instead of sending it: the server gives up on an answer that stays incomplete."""

    def __init__(self, whole: Response) -> None:
        super().__init__(whole.body, status_code=whole.status_code, headers=whole.headers)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG002 - the signature of ASGI
        """Only the head leaves."""
        await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})


class HangingResponse(Response):
    """Answers nothing, until the caller hangs up."""

    def __init__(self, whole: Response) -> None:
        super().__init__(whole.body, status_code=whole.status_code, headers=whole.headers)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG002 - the signature of ASGI
        """Waits for the caller's end of the connection to close."""
        while (await receive())["type"] != "http.disconnect":
            continue


def _json_or_none(body: bytes) -> Any:  # noqa: ANN401 - whatever JSON brought
    try:
        return json.loads(body) if body else None
    except ValueError:
        return None
