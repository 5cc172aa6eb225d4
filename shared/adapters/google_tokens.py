"""Google's ID tokens, checked by google-auth against Google's certificates, which are fetched once an hour.

A malformed answer about certificates counts as no answer: an honest push is then delivered again, instead of being refused as forged.
"""

import json
import threading
from collections.abc import Mapping
from http import HTTPStatus
from typing import Final

from google.auth import crypt, jwt, transport
from google.auth.exceptions import GoogleAuthError, TransportError
from google.auth.transport.requests import Request
from google.oauth2 import id_token

from shared.clock import SKEW_MS, Clock
from shared.errors import CertificatesUnavailableError, ForbiddenPushError, UnauthenticatedPushError
from shared.settings.push import PushSettings

_SCHEME: Final = "bearer "
_FETCH_TIMEOUT_S: Final = 5.0
_CACHED_S: Final = (
    3_600.0  # Google announces a key hours before its first signature; Source: Cache-Control of the certificates
)
_RENEWED_AFTER_S: Final = (
    60.0  # a token with an unknown key makes the certificates be fetched again, at most once in this time
)
_FAILED_S: Final = 5.0
_LONGEST_BYTES: Final = 1_048_576
_HANGS_UP: Final = {"connection": "close"}  # an hour later the connection may be dead
_ODD_TOKEN: Final = (GoogleAuthError, ValueError, KeyError, TypeError, AttributeError, RecursionError)


class GooglePushTokens:
    """Lets pushes of one account for one audience through; safe to share between threads.

    Source: Pub/Sub, "Authenticate push subscriptions": the claims are `aud`, `email`, `email_verified`, `iss`, `exp`. Example:
    `{"aud": "https://worker.example", "email": "push@project.iam.gserviceaccount.com", "email_verified": true, …}`.
    """

    def __init__(self, settings: PushSettings, *, clock: Clock, request: transport.Request | None = None) -> None:
        """`request` fetches the certificates; None: from Google."""
        self._settings = settings
        self._certificates = _Certificates(request or Request(), clock)

    def check(self, authorization: str | None) -> None:
        if authorization is None or not authorization.lower().startswith(_SCHEME):
            raise UnauthenticatedPushError("the push carries no bearer token")
        token = authorization[len(_SCHEME) :].strip()
        try:
            claims = self._claims(token)
        except TransportError as cause:
            raise CertificatesUnavailableError("Google's certificates could not be fetched") from cause
        except _ODD_TOKEN as cause:
            if self._certificates.may_lack(_key_id_of(token)):
                raise CertificatesUnavailableError("Google's newest certificates could not be fetched") from cause
            raise UnauthenticatedPushError(
                "the push's token is not Google's, expired, or for another audience"
            ) from cause
        if claims.get("email_verified") is not True or claims.get("email") != self._settings.service_account:
            raise ForbiddenPushError("the push's token is of another account")

    def _claims(self, token: str) -> dict[str, object]:
        try:
            return self._verified_claims(token)
        except ValueError:
            if not self._certificates.forget():
                raise
            return self._verified_claims(token)

    def _verified_claims(self, token: str) -> dict[str, object]:
        claims: dict[str, object] = id_token.verify_oauth2_token(  # type: ignore[no-untyped-call]
            token, self._certificates, audience=self._settings.audience, clock_skew_in_seconds=SKEW_MS // 1_000
        )
        return claims


class _Certificates(transport.Request):
    """A request with a cached answer.  While one thread fetches, the others wait, and share its failure."""

    def __init__(self, request: transport.Request, clock: Clock) -> None:
        self._request = request
        self._clock = clock
        self._lock = threading.Lock()
        self._cached: transport.Response | None = None
        self._key_ids: frozenset[str] = frozenset()
        self._fetched_s = 0.0
        self._failed_s: float | None = None

    def __call__(self, url: str, *_: object, **__: object) -> transport.Response:
        """Return the certificates; older certificates if no newer ones are available.  Raises: TransportError."""
        with self._lock:
            now_s = self._clock.monotonic_s()
            is_fresh = self._cached is not None and now_s - self._fetched_s < _CACHED_S
            has_failed = self._failed_s is not None and now_s - self._failed_s < _FAILED_S
            if not is_fresh and not has_failed:
                self._fetch(url)
            if self._cached is None:
                raise TransportError("no certificates")  # type: ignore[no-untyped-call]
            return self._cached

    def forget(self) -> bool:
        """Make the next call fetch the certificates; False after a recent fetch."""
        with self._lock:
            if self._clock.monotonic_s() - self._fetched_s < _RENEWED_AFTER_S:
                return False
            self._fetched_s = self._clock.monotonic_s() - _CACHED_S
            return True

    def may_lack(self, key_id: str | None) -> bool:
        """Whether Google may have announced this key meanwhile: the certificates lack it, and newer ones could not be fetched."""
        with self._lock:
            return self._failed_s is not None and key_id is not None and key_id not in self._key_ids

    def _fetch(self, url: str) -> None:
        try:
            response = self._request(url, method="GET", headers=_HANGS_UP, timeout=_FETCH_TIMEOUT_S)
            key_ids = _key_ids_in(response)
        except (TransportError, ValueError, TypeError, AttributeError, RecursionError):
            self._failed_s = self._clock.monotonic_s()
        else:
            self._cached, self._key_ids = response, key_ids
            self._fetched_s, self._failed_s = self._clock.monotonic_s(), None


def _key_ids_in(response: transport.Response) -> frozenset[str]:
    """Return the ids of the keys in `{"5a1f...": "-----BEGIN CERTIFICATE-----...", ...}`.

    A key of a kind that google-auth cannot use is skipped: Google may add such keys.
    Raises: ValueError, TypeError, AttributeError, RecursionError, without any certificate.
    Source: google-auth 2.62, id_token.py: the certificates are a mapping of key ids to X.509 certificates.
    """
    if response.status != HTTPStatus.OK or len(response.data) > _LONGEST_BYTES:
        raise ValueError("there is no answer")
    certificates = json.loads(response.data)
    if not isinstance(certificates, Mapping):
        raise TypeError("there is no mapping of certificates")
    key_ids = frozenset(key_id for key_id, certificate in certificates.items() if _is_usable(certificate))
    if not key_ids:
        raise ValueError("there is no certificate")
    return key_ids


def _is_usable(certificate: object) -> bool:
    try:
        crypt.RSAVerifier.from_string(certificate)  # type: ignore[no-untyped-call]
    except (ValueError, TypeError, AttributeError):
        return False
    return True


def _key_id_of(token: str) -> str | None:
    """Return the id of the key in the token's header; None without an id."""
    try:
        key_id = jwt.decode_header(token).get("kid")  # type: ignore[no-untyped-call]
    except _ODD_TOKEN:
        return None
    return key_id if isinstance(key_id, str) else None
