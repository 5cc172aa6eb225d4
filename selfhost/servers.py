"""Two HTTP servers in a single event loop: the public server, which takes only LINE's deliveries, and the operator's page.

Source: ASGI 3.0, "HTTP & WebSocket ASGI Message Format".
"""

import asyncio
import contextlib
import html
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, MutableMapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Protocol

import uvicorn

from functions.webhook.receive import DELIVERY_LIMIT_BYTES
from selfhost.status import Fact
from shared.settings.reader import SettingsError

if TYPE_CHECKING:
    from selfhost.feeds import ServedFeeds  # loaded only with CALENDAR=on
    from selfhost.hooks import ServedHooks  # loaded only with HOOKS=on

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

LOOPBACK: Final = "127.0.0.1"
_BODY_DEADLINE_S: Final = 10.0  # a slow sender holds a connection, and no thread
_WEBHOOK_THREADS: Final = 32  # each waits for the disk; commits that wait together cost one flush
_MOST_CONNECTIONS: Final = 200
_NOT_FOUND: Final = 404
_NOT_MODIFIED: Final = 304
_OK: Final = 200
_SECURITY: Final = (
    (b"cache-control", b"no-store"),
    (b"content-security-policy", b"default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"),
    (b"x-content-type-options", b"nosniff"),
)


class Webhook(Protocol):
    """The webhook's endpoint; a call blocks."""

    def __call__(
        self, method: str, body: "ReceivedBody", *, signature: str | None, traceparent: str | None = None
    ) -> tuple[str, int]:
        """Return body and status.  Never raises."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class ReceivedBody:
    """The body of a request, as far as the event loop may read; `content` is None if nothing was read, or not completely in time."""

    content: bytes | None = field(repr=False)
    declared_bytes: int | None

    def read(self, at_most_bytes: int) -> bytes | None:
        """Return the body, or its first `at_most_bytes`; None if the body was not complete in time."""
        return None if self.content is None else self.content[:at_most_bytes]

    def refuse(self) -> None:
        """Do nothing: the server closes a connection by itself when the answer precedes the end of the request."""


async def _content(receive: Receive) -> bytes | None:
    """Return the body, cut a little above the largest delivery; None if the body was not complete in time."""
    pieces, size = [], 0
    try:
        async with asyncio.timeout(_BODY_DEADLINE_S):
            while size <= DELIVERY_LIMIT_BYTES:
                message = await receive()
                if message["type"] != "http.request":  # the sender has disconnected
                    return None
                pieces.append(message.get("body", b""))
                size += len(pieces[-1])
                if not message.get("more_body", False):
                    break
    except TimeoutError:
        return None
    return b"".join(pieces)


def public_app(webhook: Webhook, hooks: "ServedHooks | None" = None, feeds: "ServedFeeds | None" = None) -> App:
    """Return the app behind the tunnel: `POST /` is the webhook, `/hooks/notify` takes notices, `/feeds/` has calendars; others get 404."""
    threads = ThreadPoolExecutor(_WEBHOOK_THREADS, thread_name_prefix="webhook")

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        if hooks is not None and scope["type"] == "http" and hooks.is_for(scope["path"]):
            await _take_notice(hooks, scope, receive, send, threads)
            return
        if feeds is not None and scope["type"] == "http" and feeds.is_for(scope["path"]):
            await _serve_feed(feeds, scope, send, threads)
            return
        if scope["type"] != "http" or scope["path"] != "/" or scope["method"] != "POST":
            await _answer(send, _NOT_FOUND, "not found")
            return
        signature, declared_bytes = _header(scope, b"x-line-signature"), _declared(scope)
        is_refused_unread = not signature or (declared_bytes or 0) > DELIVERY_LIMIT_BYTES
        content = None if is_refused_unread else await _content(receive)
        answer, status = await asyncio.get_running_loop().run_in_executor(
            threads,
            lambda: webhook(
                "POST",
                ReceivedBody(content=content, declared_bytes=declared_bytes),
                signature=signature,
                traceparent=_header(scope, b"traceparent"),
            ),
        )
        await _answer(send, status, answer)

    return app


async def _take_notice(
    hooks: "ServedHooks", scope: Scope, receive: Receive, send: Send, threads: ThreadPoolExecutor
) -> None:
    headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
    declared_bytes = _declared(scope)
    has_proof = "authorization" in headers or "x-hub-signature-256" in headers
    is_refused_unread = not has_proof or (declared_bytes or 0) > DELIVERY_LIMIT_BYTES
    body = ReceivedBody(content=None if is_refused_unread else await _content(receive), declared_bytes=declared_bytes)
    text, status, answered = await asyncio.get_running_loop().run_in_executor(
        threads,
        lambda: hooks.answer(scope["method"], scope["path"], scope["query_string"].decode("latin-1"), headers, body),
    )
    more = tuple((name.lower().encode(), value.encode()) for name, value in answered.items() if name != "Content-Type")
    await _answer(send, status, text, content_type=answered["Content-Type"].encode(), more=more)


async def _serve_feed(feeds: "ServedFeeds", scope: Scope, send: Send, threads: ThreadPoolExecutor) -> None:
    body, status, answered = await asyncio.get_running_loop().run_in_executor(
        threads, lambda: feeds.answer(scope["method"], scope["path"], _header(scope, b"if-none-match"))
    )
    headers = [(name.lower().encode(), text.encode()) for name, text in answered.items()]
    if status != _NOT_MODIFIED:  # whose length would be that of the file.  Source: RFC 9110, 8.6
        headers.append((b"content-length", str(len(body)).encode()))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": b"" if scope["method"] == "HEAD" else body})


def status_app(facts: Callable[[], tuple[Fact, ...]], *, port: int) -> App:
    """Return the operator's page.

    A web page whose domain was rebound to 127.0.0.1 sends that domain as `Host` and gets 404; `localhost:8081`, for example, is answered.
    Source: OWASP, "DNS Rebinding": validate the Host header against a list.
    """
    hosts = {f"{LOOPBACK}:{port}", f"localhost:{port}", f"[::1]:{port}"}

    async def app(scope: Scope, _: Receive, send: Send) -> None:
        is_here = scope["type"] == "http" and scope["path"] == "/" and scope["method"] == "GET"
        if not is_here or _header(scope, b"host") not in hosts:
            await _answer(send, _NOT_FOUND, "not found")
            return
        page = _page(await asyncio.to_thread(facts))
        await _answer(send, _OK, page, content_type=b"text/html; charset=utf-8")

    return app


def _page(facts: tuple[Fact, ...]) -> str:
    rows = "".join(
        f'<tr class="{"good" if fact.is_good else "bad"}"><th>{html.escape(fact.name)}<td>'
        f"{'ok' if fact.is_good else 'NOT OK'}<td>{html.escape(fact.text)}"
        for fact in facts
    )
    style = "body{font:1rem sans-serif;margin:2rem}th,td{text-align:left;padding:.3rem .8rem}.good{color:#060}.bad{color:#a00}"
    return f'<!doctype html><meta charset="utf-8"><title>Aizuchi</title><style>{style}</style><h1>Aizuchi</h1><table>{rows}</table>'


async def _answer(
    send: Send,
    status: int,
    text: str,
    *,
    content_type: bytes = b"text/plain; charset=utf-8",
    more: tuple[tuple[bytes, bytes], ...] = (),
) -> None:
    body = text.encode()
    headers = [(b"content-type", content_type), (b"content-length", str(len(body)).encode()), *_SECURITY, *more]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


def _header(scope: Scope, name: bytes) -> str | None:
    return next((value.decode("latin-1") for key, value in scope["headers"] if key == name), None)


def _declared(scope: Scope) -> int | None:
    value = _header(scope, b"content-length")
    return int(value) if value is not None and value.isdigit() else None


class _Server(uvicorn.Server):
    """A server without signal handlers; the process has its own."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


@contextlib.asynccontextmanager
async def serving(app: App, sock: socket.socket) -> AsyncIterator[None]:
    """Serve the app on the socket within the block."""
    server = _Server(
        uvicorn.Config(
            app,
            log_level="critical",
            access_log=False,
            lifespan="off",
            server_header=False,
            ws="none",  # nobody opens a web socket, and the package for it takes 3 MB
            limit_concurrency=_MOST_CONNECTIONS,
            timeout_graceful_shutdown=3,
        )
    )
    task = asyncio.create_task(server.serve(sockets=[sock]))
    try:
        yield
    finally:
        server.should_exit = True
        await task


def listening_socket(port: int, setting: str) -> socket.socket:
    """Return a socket that listens on 127.0.0.1 only.  Raises: SettingsError."""
    sock = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        sock.bind((LOOPBACK, port))
    except OSError as cause:
        sock.close()
        raise SettingsError(f"port {port} cannot be used ({cause.strerror}); set {setting} to another one") from cause
    sock.listen(128)
    return sock
