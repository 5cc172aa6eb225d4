"""Access tokens of a function's account, from the metadata server of the instance.

google-auth reads the same server, but its import takes 0.13 s of CPU time, with requests, cryptography and asyncio.
Source: Compute Engine, "Authenticate workloads using service accounts" (the address, the header, `expires_in`; the server caches a token
until five minutes before its end); google-auth, `_helpers.REFRESH_THRESHOLD` (3 min 45 s).
"""

import http.client
import json
import threading
from dataclasses import field
from http import HTTPStatus
from typing import Final

import grpc

from shared.clock import Clock
from shared.frozen import frozen

METADATA_HOST: Final = "metadata.google.internal"
_PATH: Final = "/computeMetadata/v1/instance/service-accounts/default/token"
_HEADERS: Final = {"Metadata-Flavor": "Google"}
_TIMEOUT_S: Final = 0.5  # the server is on the instance's own host; LINE waits 2 s for a whole delivery
_ASKED_AGAIN_S: Final = 5.0
_RENEWED_BEFORE_S: Final = 225.0
_LONGEST_BYTES: Final = 65_536


class NoTokenError(Exception):
    """The metadata server gave no token."""


@frozen
class _Token:
    text: str = field(repr=False)
    ends_s: float


class InstanceTokens:
    """Caches a token until shortly before the end; safe to share between threads: one thread asks for the next token."""

    def __init__(self, clock: Clock, *, metadata_host: str = METADATA_HOST, timeout_s: float = _TIMEOUT_S) -> None:
        """No token is asked for yet; `timeout_s`: how long an answer may take."""
        self._clock = clock
        self._timeout_s = timeout_s
        self._host = metadata_host
        self._asking = threading.Lock()
        self._token: _Token | None = None
        self._attempts = 0
        self._failed_s = float("-inf")

    def get(self) -> str:
        """Return a valid token.  Raises: NoTokenError.

        While one thread asks, the others wait, and share a failure: a server without an answer costs all threads one timeout.
        """
        attempts = self._attempts
        if not self._is_fresh():
            with self._asking:
                if self._attempts == attempts:
                    self._renew()
        token = self._token
        if token is None or self._left_s(token) <= 0:
            raise NoTokenError("the metadata server gave no token")
        return token.text

    def _is_fresh(self) -> bool:
        """Whether the token needs no renewal, or is valid after a renewal that failed a moment ago.

        Example: with 300 s left, fresh; with 100 s left, fresh only within 5 s of a failure.
        """
        left_s = self._left_s(self._token) if self._token is not None else 0.0
        has_failed = self._clock.monotonic_s() - self._failed_s < _ASKED_AGAIN_S
        return left_s >= _RENEWED_BEFORE_S or (left_s > 0 and has_failed)

    def _renew(self) -> None:
        """Store a new token, or the time of the failure."""
        try:
            self._token = self._ask()
        except (OSError, http.client.HTTPException, ValueError, KeyError, TypeError):
            self._failed_s = self._clock.monotonic_s()
        finally:
            self._attempts += 1

    def _ask(self) -> _Token:
        connection = http.client.HTTPConnection(self._host, timeout=self._timeout_s)
        try:
            connection.request("GET", _PATH, headers=_HEADERS)
            asked_s = self._clock.monotonic_s()
            with connection.getresponse() as response:
                if response.status != HTTPStatus.OK:
                    raise ValueError("no token")
                answer = json.loads(response.read(_LONGEST_BYTES))
        finally:
            connection.close()
        return _Token(text=str(answer["access_token"]), ends_s=asked_s + float(answer["expires_in"]))

    def _left_s(self, token: _Token) -> float:
        return token.ends_s - self._clock.monotonic_s()


class TokenPlugin(grpc.AuthMetadataPlugin):
    """Adds a token to every call; gRPC asks for the token in a thread of its own."""

    def __init__(self, tokens: InstanceTokens) -> None:
        self._tokens = tokens

    def __call__(self, context: grpc.AuthMetadataContext, callback: grpc.AuthMetadataPluginCallback) -> None:
        """Without a token the call fails as UNAVAILABLE, which is retried."""
        del context
        try:
            token = self._tokens.get()
        except NoTokenError as cause:
            callback((), cause)
        else:
            callback((("authorization", f"Bearer {token}"),), None)
