"""The pools of `http_pool` as the transport of an SDK that brings HTTPX: google-genai brings httpx2, notion-client httpx.

So an SDK's requests follow the rules of the pools: a connection that was idle for long is not used again, and connecting takes seconds.
Source: HTTPX, "Custom transports" (`handle_request` gets the whole request and returns the answer); "Timeouts" (`request.extensions`).
"""

import threading
from types import ModuleType, TracebackType
from typing import Any, Final, Self
from urllib.parse import urlsplit

from shared.adapters.http_pool import FAILURES, IDLE_S, HttpPool, NotConnectedError

_MOST_IDLE: Final = 20
_OF_CONNECTION: Final = frozenset({b"connection", b"keep-alive", b"transfer-encoding"})


class PoolTransport:
    """Sends the requests of an HTTPX client through one pool for each host; safe to share between threads."""

    def __init__(self, httpx: ModuleType, *, connect_s: float, idle_s: float = IDLE_S) -> None:
        """`httpx` is the SDK's module, `httpx` or `httpx2`; a connection is made within `connect_s`, or within the request's own time."""
        self._httpx = httpx
        self._connect_s = connect_s
        self._idle_s = idle_s
        self._pools: dict[str, HttpPool] = {}
        self._opening = threading.Lock()

    def handle_request(self, request: Any) -> Any:  # noqa: ANN401 - of either module
        """Return the answer, read to its end.  Raises: `ConnectTimeout`, `ConnectError`, `ReadTimeout`, `ReadError` of the module."""
        headers = {
            name.decode("ascii"): value.decode("latin-1")
            for name, value in request.headers.raw
            if name.lower() not in _OF_CONNECTION
        }
        path = request.url.raw_path.decode("ascii")
        answer_s = request.extensions.get("timeout", {}).get("read")
        body = request.stream if "content-length" in request.headers else request.read() or None
        try:
            answer = self._pool_of(str(request.url)).ask(
                request.method, path, headers=headers, body=body, answer_s=answer_s
            )
        except NotConnectedError as cause:
            is_late = isinstance(cause.__cause__, TimeoutError)
            error = self._httpx.ConnectTimeout if is_late else self._httpx.ConnectError
            raise error(str(cause), request=request) from cause
        except FAILURES as cause:
            error = self._httpx.ReadTimeout if isinstance(cause, TimeoutError) else self._httpx.ReadError
            raise error(str(cause), request=request) from cause
        raw = [
            (name.encode(), value.encode("latin-1"))
            for name, value in answer.headers.items()
            if name.lower().encode() not in _OF_CONNECTION
        ]
        return self._httpx.Response(answer.status, headers=raw, content=answer.data, request=request)

    def close(self) -> None:
        """Close the idle connections."""
        for pool in self._pools.values():
            pool.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _pool_of(self, url: str) -> HttpPool:
        parts = urlsplit(url)
        origin = f"{parts.scheme}://{parts.netloc}"
        with self._opening:
            if origin not in self._pools:
                self._pools[origin] = HttpPool(
                    origin,
                    most_idle=_MOST_IDLE,
                    connect_timeout_s=self._connect_s,
                    answer_timeout_s=self._connect_s,
                    idle_s=self._idle_s,
                )
            return self._pools[origin]
