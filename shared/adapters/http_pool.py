"""Open connections to one host, on http.client: the same request takes twice the CPU time over urllib3's pool.

Not needed here, and left out, are urllib3's redirects, proxies, retries, decoding and many hosts.

A network forgets connections of an idle or frozen instance, without notice to either end. A connection that was idle for
`idle_s` is therefore not used again; and if a used connection gives no answer, all idle connections are closed: one request pays for all.
Source: Python, "http.client" (a connection takes its next request once the answer was read; what `request` sends by itself); urllib3 2.8,
util/connection.py (an idle connection with something to read was closed by the server).
"""

import select
import socket
import ssl
import threading
import weakref
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from http.client import HTTPConnection, HTTPException, HTTPMessage, HTTPResponse, HTTPSConnection, IncompleteRead
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

import certifi

from shared.clock import Clock, SystemClock
from shared.frozen import frozen

IDLE_S: Final = 20.0
"""Longer than the pauses within a turn and between messages of a lively chat; networks forget a connection after minutes."""
FAILURES: Final = (OSError, HTTPException)
"""No answer, or a malformed answer."""
_READING: Final = threading.Lock()


class NotConnectedError(ConnectionError):
    """No connection was made, so the host has received nothing of the request."""


@frozen
class Answer:
    """An answer, read to its end."""

    status: int
    data: bytes = field(repr=False)
    headers: HTTPMessage = field(repr=False)

    def header(self, name: str) -> str:
        """The values of a header with commas between them, for example `"crc32c=AAAAAA==, md5=…"`; empty without the header."""
        return ", ".join(self.headers.get_all(name, ()))


@dataclass(frozen=True, slots=True)
class _Idle:
    """A connection that waits for its next request."""

    connection: HTTPConnection
    since_s: float = field(kw_only=True)


@frozen
class ArrivingAnswer:
    """An answer whose body still arrives."""

    response: HTTPResponse = field(repr=False)

    @property
    def status(self) -> int:
        return self.response.status

    def pieces(self, most_bytes: int) -> Iterator[bytes]:
        """Read the body in pieces of at most so many bytes.  Raises: FAILURES, also if the body ends too early."""
        while piece := self.response.read(most_bytes):
            yield piece
        if self.response.length:
            raise IncompleteRead(b"", self.response.length)


class HttpPool:
    """Asks one host; safe to share between threads."""

    def __init__(  # noqa: PLR0913 - the last three have defaults that few replace
        self,
        origin: str,
        *,
        most_idle: int,
        connect_timeout_s: float,
        answer_timeout_s: float,
        idle_s: float = IDLE_S,
        clock: Clock | None = None,
        authorities: Path | None = None,
    ) -> None:
        """Open nothing yet.  `origin`: for example `https://example.com`; at most `most_idle` idle connections stay open.

        Only tests name other `authorities` than certifi's file.
        """
        url = urlsplit(origin)
        self._host = url.hostname or ""
        self._port = url.port
        self._is_secure = url.scheme == "https"
        self._most_idle = most_idle
        self._authorities = authorities
        self._connect_timeout_s = connect_timeout_s
        self._answer_timeout_s = answer_timeout_s
        self._idle_s = idle_s
        self._clock = clock or SystemClock()
        self._idle: list[_Idle] = []  # the longest idle first; appending and popping are atomic
        weakref.finalize(self, _close, self._idle)

    def ask(
        self,
        method: str,
        path: str,
        *,
        headers: Mapping[str, str],
        body: bytes | Iterable[bytes] | None = None,
        answer_s: float | None = None,
    ) -> Answer:
        """Return the answer, whatever its status.  Raises: FAILURES, of them NotConnectedError before anything was sent.

        `answer_s`: the time for this answer, and at most for its connection, in place of the pool's.
        """
        with self.arriving(method, path, headers=headers, body=body, answer_s=answer_s) as answer:
            data = answer.response.read()
        return Answer(status=answer.status, data=data, headers=answer.response.headers)

    @contextmanager
    def arriving(
        self,
        method: str,
        path: str,
        *,
        headers: Mapping[str, str],
        body: bytes | Iterable[bytes] | None = None,
        answer_s: float | None = None,
    ) -> Iterator[ArrivingAnswer]:
        """Hand over the answer before its body; the connection is used again only if the block reads the body to the end.

        Raises: FAILURES, of them NotConnectedError before anything was sent.
        """
        connection = self._idle_connection()
        was_used = connection is not None
        connection = connection or self._new()
        try:
            self._open(connection, self._answer_timeout_s if answer_s is None else answer_s)
            connection.request(method, path, body=body, headers=headers)
            response = connection.getresponse()
            yield ArrivingAnswer(response=response)
        except BaseException as cause:
            connection.close()
            if was_used and isinstance(cause, FAILURES):
                self.close()  # the same cause has ended the other idle connections
            raise
        if response.isclosed() and len(self._idle) < self._most_idle:
            self._idle.append(_Idle(connection, since_s=self._clock.monotonic_s()))
        else:
            connection.close()

    def close(self) -> None:
        """Close the idle connections, as the end of the pool does."""
        _close(self._idle)

    def _idle_connection(self) -> HTTPConnection | None:
        """Return the last used connection, if it may be alive; otherwise close all, because the others were idle for longer."""
        try:
            idle = self._idle.pop()
        except IndexError:
            return None
        if self._clock.monotonic_s() - idle.since_s < self._idle_s:
            return idle.connection
        idle.connection.close()
        self.close()
        return None

    def _new(self) -> HTTPConnection:
        if not self._is_secure:
            return HTTPConnection(self._host, self._port, timeout=self._connect_timeout_s)
        with _READING:
            tls = _tls_of(self._authorities or certifi.where())
        return HTTPSConnection(self._host, self._port, timeout=self._connect_timeout_s, context=tls)

    def _open(self, connection: HTTPConnection, answer_s: float) -> None:
        """Make the connection ready for a request whose answer may take so long."""
        if connection.sock is not None:
            if not _has_something_to_read(connection.sock):
                connection.sock.settimeout(answer_s)
                return
            connection.close()
        connection.timeout = min(self._connect_timeout_s, answer_s)
        try:
            connection.connect()
        except OSError as cause:
            raise NotConnectedError(str(cause)) from cause
        connection.sock.settimeout(answer_s)


@cache
def _tls_of(authorities: Path | str) -> ssl.SSLContext:
    """Return the only context with the authorities, shared by all pools: reading the file takes 20 ms of CPU time and 0.6 MB."""
    return ssl.create_default_context(cafile=authorities)


def _close(connections: list[_Idle]) -> None:
    while True:
        try:
            idle = connections.pop()
        except IndexError:  # another thread may have popped the last one
            return
        idle.connection.close()


def _has_something_to_read(connected: socket.socket) -> bool:
    looked_at = select.poll()
    looked_at.register(connected, select.POLLIN)
    return bool(looked_at.poll(0))
