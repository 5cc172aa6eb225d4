"""Access tokens of the account that a function runs as, from the metadata server of its instance.

google-auth reads the same server, but its import takes 0.13 s of CPU time, with requests, cryptography and asyncio.
Source: Compute Engine, "Authenticate workloads using service accounts" (the address, the header, `expires_in`; the server keeps a token
until five minutes before its end); google-auth, `_helpers.REFRESH_THRESHOLD` (3 min 45 s).
"""

import http.client
import json
import threading
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Final

import grpc

from shared.clock import Clock

METADATA_HOST: Final = "metadata.google.internal"
_PATH: Final = "/computeMetadata/v1/instance/service-accounts/default/token"
_HEADERS: Final = {"Metadata-Flavor": "Google"}
_TIMEOUT_S: Final = 1.0
_RENEWED_BEFORE_S: Final = 225.0
_LONGEST_BYTES: Final = 65_536


class NoTokenError(Exception):
    """The metadata server gave no token."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Token:
    text: str = field(repr=False)
    ends_s: float


class InstanceTokens:
    """Keeps a token until shortly before its end; safe to share between threads, of which one asks for the next."""

    def __init__(self, clock: Clock, *, metadata_host: str = METADATA_HOST) -> None:
        """No token is asked for yet."""
        self._clock = clock
        self._host = metadata_host
        self._asking = threading.Lock()
        self._token: _Token | None = None

    def get(self) -> str:
        """Return a token that is valid.  Raises: NoTokenError."""
        token = self._token
        if token is None or self._left_s(token) < _RENEWED_BEFORE_S:
            with self._asking:
                if self._token is token:
                    self._token = token = self._renewed(token)
                else:  # another thread has asked meanwhile
                    token = self._token
        assert token is not None  # noqa: S101 - it is never forgotten
        return token.text

    def _renewed(self, token: _Token | None) -> _Token:
        """Return a new token, or this one while it is still valid."""
        try:
            return self._ask()
        except (OSError, http.client.HTTPException, ValueError, KeyError, TypeError) as cause:
            if token is not None and self._left_s(token) > 0:
                return token
            raise NoTokenError("the metadata server gave no token") from cause

    def _ask(self) -> _Token:
        connection = http.client.HTTPConnection(self._host, timeout=_TIMEOUT_S)
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
    """Adds a token to every call; gRPC asks it in a thread of its own."""

    def __init__(self, tokens: InstanceTokens) -> None:
        self._tokens = tokens

    def __call__(self, context: grpc.AuthMetadataContext, callback: grpc.AuthMetadataPluginCallback) -> None:
        """Without a token the call fails as UNAVAILABLE, so that it is tried again."""
        del context
        try:
            token = self._tokens.get()
        except NoTokenError as cause:
            callback((), cause)
        else:
            callback((("authorization", f"Bearer {token}"),), None)
