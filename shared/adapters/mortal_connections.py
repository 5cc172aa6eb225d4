"""Connections of urllib3 that may die while idle, as in `http_pool`.  The SDKs of LINE and of Cloud Storage use urllib3.

urllib3 reuses an idle connection after any time, unless its end has arrived; a network that forgets a connection sends no end.
Source: urllib3 2.8, connectionpool.py (`_get_conn` replaces a connection that is not `is_connected`; `ConnectionCls`), poolmanager.py
(`pool_classes_by_scheme`).
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPException
from typing import Any, ClassVar

from urllib3 import HTTPConnectionPool, HTTPResponse, HTTPSConnectionPool, PoolManager
from urllib3.connection import HTTPConnection, HTTPSConnection

from shared.adapters.http_pool import IDLE_S
from shared.clock import Clock, SystemClock


def expect_deaths(manager: PoolManager, *, idle_s: float = IDLE_S, clock: Clock | None = None) -> None:
    """Make the manager, before its first connection, replace every connection that was idle for `idle_s`.

    If a used connection gives no answer, all connections idle at that time are replaced, too.
    Example: after 25 s without requests, the next request opens a new connection.
    """
    network = {"network": _Network(idle_s=idle_s, clock=clock or SystemClock())}
    manager.pool_classes_by_scheme = {
        "http": type("MortalPool", (HTTPConnectionPool,), {"ConnectionCls": type("Mortal", (_Mortal,), network)}),
        "https": type(
            "MortalTlsPool", (HTTPSConnectionPool,), {"ConnectionCls": type("MortalTls", (_MortalTls,), network)}
        ),
    }


class _Network:
    """The state shared by a manager's connections; safe to share between threads."""

    def __init__(self, *, idle_s: float, clock: Clock) -> None:
        self.clock = clock
        self._idle_s = idle_s
        self._failures = 0
        self._counting = threading.Lock()

    @property
    def failures(self) -> int:
        """How often a used connection gave no answer."""
        return self._failures

    def count_failure(self) -> None:
        with self._counting:
            self._failures += 1

    def may_live(self, *, idle_since_s: float, failures: int) -> bool:
        """Whether a connection may be alive after this last use and this number of failures."""
        return self.clock.monotonic_s() - idle_since_s < self._idle_s and failures == self._failures


class _Mortal(HTTPConnection):
    """A connection with the time of its last use."""

    network: ClassVar[_Network]
    _last_answer: tuple[float, int] | None = None
    """The time of the last answer, and the number of failures then; None before the first answer."""

    @property
    def is_connected(self) -> bool:
        if not super().is_connected:
            return False
        if self._last_answer is None:
            return True
        idle_since_s, failures = self._last_answer
        return self.network.may_live(idle_since_s=idle_since_s, failures=failures)

    def close(self) -> None:
        super().close()
        self._last_answer = None

    def request(self, *arguments: Any, **options: Any) -> None:  # noqa: ANN401 - urllib3's own signature
        with self._counting_failure():
            super().request(*arguments, **options)

    def getresponse(self) -> HTTPResponse:  # type: ignore[override]  # as urllib3 overrides it
        with self._counting_failure():
            response = super().getresponse()
        self._last_answer = (self.network.clock.monotonic_s(), self.network.failures)
        return response

    @contextmanager
    def _counting_failure(self) -> Iterator[None]:
        was_used = self._last_answer is not None  # a failure may close the connection before it is seen here
        try:
            yield
        except (OSError, HTTPException):
            if was_used:
                self.network.count_failure()
            raise


class _MortalTls(_Mortal, HTTPSConnection):
    """The same over TLS."""
