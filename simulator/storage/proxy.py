"""The proxy in front of fake-gcs-server: forwards requests and answers unchanged, and enforces rules ignored by the server.

    request ─ faults ─ lock the names ─ conditions ─ rate ─ server (effect) ─ unlock ─ log ─ faults ─ answer

The server ignores preconditions on everything but some uploads. The proxy enforces all of them, and holds the lock of a name from the check
to the end of the write.
"""

import asyncio
import math
from collections import deque
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, Final
from urllib.parse import parse_qs, quote, urlsplit
from weakref import WeakValueDictionary

import httpx2
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from simulator.line.faults import RequestFaults
from simulator.storage.answers import Answer, WholeResponse, cut_response, refusal
from simulator.storage.calls import MUTATIONS, Call, Operation, classify
from simulator.storage.conditions import Check, Target, Version
from simulator.storage.errors import RefusedError, service_error, too_many_mutations
from simulator.storage.partial import partial_listing
from simulator.storage.switches import Fault, Faults, StorageSwitches

OnEvent = Callable[[str, Mapping[str, Any]], None]

_METHODS: Final = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
_OF_THE_CONNECTION: Final = frozenset(
    {b"connection", b"keep-alive", b"transfer-encoding", b"te", b"upgrade", b"expect"}
)
_OF_THE_SERVER: Final = _OF_THE_CONNECTION | {b"date", b"server"}  # added by the proxy's own server
_SECONDS_BETWEEN_WRITES: Final = 1.0
_UPSTREAM_TIMEOUT_S: Final = 60.0
_LOG_LENGTH: Final = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class LoggedRequest:
    """A request. `status` is the outcome, which the caller did not get if `was_answered` is false.

    `body_bytes` is the size of both bodies, the request's and the answer's.
    """

    method: str
    operation: Operation
    name: str
    status: int
    started_s: float
    ended_s: float
    was_answered: bool = True
    body_bytes: int = 0


def _ignore(_name: str, _fields: Mapping[str, Any]) -> None:
    return


class StorageProxy:
    """Cloud Storage from a client's view.  Lives in one event loop.

    `switches` can be replaced and `faults` added at any time; `requests` are the latest requests, oldest first. `on_event` is called with
    `storage_called` for every request.
    """

    def __init__(
        self,
        *,
        upstream_url: str,
        monotonic_s: Callable[[], float],
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        on_event: OnEvent = _ignore,
        transport: httpx2.AsyncBaseTransport | None = None,
    ) -> None:
        self.switches = StorageSwitches()
        self.faults = Faults()
        self.requests: deque[LoggedRequest] = deque(maxlen=_LOG_LENGTH)
        self.app = Starlette(routes=[Route("/{path:path}", self._handle, methods=_METHODS)])
        self._upstream = httpx2.URL(upstream_url)
        self._http = httpx2.AsyncClient(
            transport=transport,
            timeout=_UPSTREAM_TIMEOUT_S,
            limits=httpx2.Limits(max_connections=None, max_keepalive_connections=None),
            trust_env=False,
        )
        self._monotonic_s = monotonic_s
        self._sleep = sleep
        self._on_event = on_event
        self._locks: WeakValueDictionary[Target, asyncio.Lock] = WeakValueDictionary()
        self._sessions: dict[str, tuple[Check, ...]] = {}
        self._changed_s: dict[Target, float] = {}

    async def close(self) -> None:
        """Close the connections to the server.  Repeated: does nothing."""
        await self._http.aclose()

    async def _handle(self, request: Request) -> Response:
        query = request.scope["query_string"]
        call = Call(
            method=request.method,
            path=request.scope["raw_path"] + (b"?" + query if query else b""),
            headers=tuple(request.headers.raw),
            body=await request.body(),
        )
        started_s = self._monotonic_s()
        try:
            call = classify(call)
        except RefusedError as error:
            return self._respond(call, refusal(error), RequestFaults(), started_s)
        faults = self.faults.match(call)
        await faults.before(self._sleep)
        return self._respond(call, await self._outcome(call, faults), faults, started_s)

    async def _outcome(self, call: Call, faults: RequestFaults[Fault]) -> Answer:
        if faults.error_status is not None:
            return refusal(service_error(faults.error_status))
        try:
            return await self._carry_out(call)
        except RefusedError as error:
            return refusal(error)
        except httpx2.TransportError:
            return refusal(service_error(HTTPStatus.SERVICE_UNAVAILABLE))

    async def _carry_out(self, call: Call) -> Answer:
        checks = call.checks
        if call.operation == "insert" and call.upload_id is not None:
            checks = self._sessions.get(call.upload_id, ())  # the first request of the session had the conditions
        async with AsyncExitStack() as locks:
            for target in sorted({check.target for check in checks}):
                await locks.enter_async_context(self._locks.setdefault(target, asyncio.Lock()))
            for check in checks:
                if check.is_needed:
                    check.check(await self._version(check.target))
            changed = checks[0].target if checks and call.operation in MUTATIONS else None
            if changed is not None:
                self._check_rate(changed)
            answer = await self._forward(call)
            if answer.is_success:
                self._remember(call, answer, changed)
        return answer

    def _check_rate(self, target: Target) -> None:
        since_s = self._monotonic_s() - self._changed_s.get(target, -math.inf)
        if self.switches.one_write_a_second and since_s < _SECONDS_BETWEEN_WRITES:
            raise too_many_mutations(*target)

    def _remember(self, call: Call, answer: Answer, changed: Target | None) -> None:
        """Keep the facts on which later requests depend."""
        if call.operation == "start":
            self._sessions[_upload_id(answer)] = call.checks
        if changed is None:
            return
        if call.upload_id is not None:
            self._sessions.pop(call.upload_id, None)
        now_s = self._monotonic_s()
        recent = {target: at_s for target, at_s in self._changed_s.items() if now_s - at_s < _SECONDS_BETWEEN_WRITES}
        self._changed_s = recent | {changed: now_s}

    async def _version(self, target: Target) -> Version | None:
        bucket, name = (quote(part, safe="") for part in target)
        answer = await self._http.get(self._upstream.copy_with(raw_path=f"/storage/v1/b/{bucket}/o/{name}".encode()))
        if answer.status_code == HTTPStatus.NOT_FOUND:
            return None
        if not answer.is_success:
            raise service_error(answer.status_code)
        metadata = answer.json()
        return Version(generation=int(metadata["generation"]), metageneration=int(metadata["metageneration"]))

    async def _forward(self, call: Call) -> Answer:
        """Forward the request, and return the answer, both byte for byte but for the fields of a listing."""
        headers = [header for header in call.headers if header[0].lower() not in _OF_THE_CONNECTION]
        url = self._upstream.copy_with(raw_path=call.path)
        request = httpx2.Request(call.method, url, headers=headers, content=call.body)
        response = await self._http.send(request, stream=True)
        try:
            body = b"".join([chunk async for chunk in response.aiter_raw()])
        finally:
            await response.aclose()
        response_headers = tuple(
            (key, value) for key, value in response.headers.raw if key.lower() not in _OF_THE_SERVER
        )
        answer = Answer(status=response.status_code, headers=response_headers, body=body)
        return partial_listing(call.path, answer) if call.operation == "list" else answer

    def _respond(self, call: Call, answer: Answer, faults: RequestFaults[Fault], started_s: float) -> Response:
        self._log(call, answer, started_s, was_answered=faults.lost_answer is None)
        faults.after()
        match faults.lost_answer:
            case "cut":
                return cut_response(answer)
            case "unavailable":
                return WholeResponse(refusal(service_error(HTTPStatus.SERVICE_UNAVAILABLE)))
            case _:
                return WholeResponse(answer)

    def _log(self, call: Call, answer: Answer, started_s: float, *, was_answered: bool) -> None:
        logged = LoggedRequest(
            method=call.method,
            operation=call.operation,
            name=call.name,
            status=answer.status,
            started_s=started_s,
            ended_s=self._monotonic_s(),
            was_answered=was_answered,
            body_bytes=len(call.body) + len(answer.body),
        )
        self.requests.append(logged)
        duration_ms = round((logged.ended_s - started_s) * 1_000, 1)
        facts = {"operation": call.operation, "name": call.name, "status": answer.status, "duration_ms": duration_ms}
        self._on_event("storage_called", facts | {"was_answered": was_answered})


def _upload_id(answer: Answer) -> str:
    location = next((value.decode("latin-1") for key, value in answer.headers if key.lower() == b"location"), "")
    return parse_qs(urlsplit(location).query).get("upload_id", [""])[0]
