"""Push tokens with a real key pair; the certificates come from a stand-in of Google's address."""

import io
import json
from collections.abc import Mapping

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from google.auth import crypt, jwt, transport
from google.auth.exceptions import TransportError
from hypothesis import given
from hypothesis import strategies as st

from shared.adapters.google_tokens import GooglePushTokens
from shared.adapters.memory import FixedClock
from shared.bus.endpoint import PushEndpoint
from shared.clock import SystemClock
from shared.errors import CertificatesUnavailableError, ForbiddenPushError, UnauthenticatedPushError
from shared.settings.push import PushSettings
from tests.support import push, recorded

ACCOUNT = "aizuchi-push@p.iam.gserviceaccount.com"
AUDIENCE = "https://aizuchi-unsend-123.asia-northeast1.run.app"
SETTINGS = PushSettings(service_account=ACCOUNT, audience=AUDIENCE)


class Key:
    """A key pair as Google publishes and uses it."""

    def __init__(self, key_id: str) -> None:
        private = rsa.generate_private_key(public_exponent=65537, key_size=2048)
        encoding = serialization.Encoding.PEM
        secret = private.private_bytes(
            encoding, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        ).decode()
        self.id = key_id
        self.public = private.public_key().public_bytes(encoding, serialization.PublicFormat.SubjectPublicKeyInfo)
        self._signer = crypt.RSASigner.from_string(secret, key_id)  # type: ignore[no-untyped-call]

    def authorization(self, **changes: object) -> str:
        """Return the header of a push; `changes` are claims, None for a claim that is missing."""
        now_s = SystemClock().now_ms() // 1_000
        claims = {
            "iss": "https://accounts.google.com",
            "aud": AUDIENCE,
            "email": ACCOUNT,
            "email_verified": True,
            "iat": now_s,
            "exp": now_s + 3_600,
        } | changes
        held = {name: value for name, value in claims.items() if value is not None}
        token: bytes = jwt.encode(self._signer, held)  # type: ignore[no-untyped-call]
        return f"Bearer {token.decode()}"


class Certificates(transport.Response):
    def __init__(self, status: int, body: bytes) -> None:
        self._status = status
        self._body = body

    @property
    def status(self) -> int:
        return self._status

    @property
    def headers(self) -> Mapping[str, str]:
        return {}

    @property
    def data(self) -> bytes:
        return self._body


class Google(transport.Request):
    """The address of Google's certificates; `is_down`: it cannot be reached; `junk` is answered in place of the keys."""

    def __init__(self, *keys: Key) -> None:
        self.keys = list(keys)
        self.is_down = False
        self.junk: bytes | None = None
        self.status = 200
        self.fetches = 0

    def __call__(self, url: str, *_: object, **__: object) -> Certificates:
        assert url == "https://www.googleapis.com/oauth2/v1/certs"
        self.fetches += 1
        if self.is_down:
            raise TransportError("unreachable")  # type: ignore[no-untyped-call]
        keys = json.dumps({key.id: key.public.decode() for key in self.keys}).encode()
        return Certificates(self.status, keys if self.junk is None else self.junk)


KEY, ANOTHER_KEY = Key("1"), Key("2")


@pytest.fixture
def google() -> Google:
    return Google(KEY)


@pytest.fixture
def tokens(google: Google, clock: FixedClock) -> GooglePushTokens:
    return GooglePushTokens(SETTINGS, clock=clock, request=google)


def test_a_push_of_the_subscription_is_let_through(tokens: GooglePushTokens) -> None:
    tokens.check(KEY.authorization())


@pytest.mark.parametrize(
    "changes",
    [
        {"aud": "https://another.run.app"},
        {"aud": None},
        {"aud": [AUDIENCE]},
        {"iss": "https://evil.example"},
        {"iss": None},
        {"iat": 1, "exp": 3_601},
        {"exp": None},
        {"exp": "soon"},
    ],
    ids=str,
)
def test_a_token_that_is_not_for_this_function_is_refused(tokens: GooglePushTokens, changes: dict[str, object]) -> None:
    with pytest.raises(UnauthenticatedPushError, match="not Google's"):
        tokens.check(KEY.authorization(**changes))


@pytest.mark.parametrize(
    "changes",
    [
        {"email": "another@p.iam.gserviceaccount.com"},
        {"email": None},
        {"email_verified": False},
        {"email_verified": "true"},
    ],
    ids=str,
)
def test_a_token_of_another_account_is_refused(tokens: GooglePushTokens, changes: dict[str, object]) -> None:
    with pytest.raises(ForbiddenPushError, match="another account"):
        tokens.check(KEY.authorization(**changes))


@pytest.mark.parametrize("authorization", [None, "", "Bearer", "Basic YTpi"])
def test_a_push_without_a_token_is_refused(tokens: GooglePushTokens, google: Google, authorization: str | None) -> None:
    with pytest.raises(UnauthenticatedPushError, match="no bearer token"):
        tokens.check(authorization)

    assert google.fetches == 0


def test_a_token_that_another_key_signed_is_refused(tokens: GooglePushTokens) -> None:
    with pytest.raises(UnauthenticatedPushError, match="not Google's"):
        tokens.check(ANOTHER_KEY.authorization())


@given(st.text(max_size=200) | st.binary(max_size=60).map(lambda raw: f"{raw.hex()}.e30.AA") | st.just("[" * 9_000))
def test_any_other_text_is_no_token(text: str) -> None:
    tokens = GooglePushTokens(SETTINGS, clock=FixedClock(), request=Google(KEY))

    with pytest.raises(UnauthenticatedPushError, match="token"):
        tokens.check(f"Bearer {text}")


@given(st.data())
def test_no_flipped_character_leaves_a_token_valid(data: st.DataObject) -> None:
    tokens = GooglePushTokens(SETTINGS, clock=FixedClock(), request=Google(KEY))
    header = KEY.authorization()
    last = header.rindex(".")
    at = data.draw(st.integers(len("Bearer "), last - 1))
    flipped = header[:at] + ("A" if header[at] != "A" else "B") + header[at + 1 :]

    with pytest.raises(UnauthenticatedPushError, match="token"):
        tokens.check(flipped)


def test_certificates_are_fetched_once_an_hour(tokens: GooglePushTokens, google: Google, clock: FixedClock) -> None:
    for _ in range(3):
        tokens.check(KEY.authorization())
    assert google.fetches == 1

    clock.move(3_600)
    tokens.check(KEY.authorization())
    assert google.fetches == 2


def test_a_key_that_google_begins_to_use_is_known_at_once(
    tokens: GooglePushTokens, google: Google, clock: FixedClock
) -> None:
    tokens.check(KEY.authorization())
    google.keys.append(ANOTHER_KEY)
    clock.move(61)

    tokens.check(ANOTHER_KEY.authorization())


def test_wrong_tokens_have_certificates_fetched_once_a_minute(
    tokens: GooglePushTokens, google: Google, clock: FixedClock
) -> None:
    tokens.check(KEY.authorization())
    clock.move(61)

    for _ in range(5):
        with pytest.raises(UnauthenticatedPushError):
            tokens.check(ANOTHER_KEY.authorization())

    assert google.fetches == 2


@pytest.mark.parametrize("status", [None, 500])
def test_a_push_that_cannot_be_checked_is_delivered_again(
    tokens: GooglePushTokens, google: Google, clock: FixedClock, status: int | None
) -> None:
    google.is_down, google.status = status is None, status or 200

    for _ in range(3):
        with pytest.raises(CertificatesUnavailableError):
            tokens.check(KEY.authorization())
    assert google.fetches == 1

    google.is_down, google.status = False, 200
    clock.move(6)
    tokens.check(KEY.authorization())


JUNK = [
    b"",
    b"<html>Sign in to the network</html>",
    b"\xff",
    b"[]",
    b"{}",
    b'"certificates"',
    b'{"keys": []}',
    b'{"1": "junk"}',
    b'{"1": null}',
    b"[" * 100_000,
    b'{"1": "' + b"x" * 2_000_000 + b'"}',
]


@pytest.mark.parametrize("junk", JUNK, ids=lambda junk: str(junk[:20]))
def test_junk_in_place_of_certificates_has_honest_pushes_delivered_again(
    tokens: GooglePushTokens, google: Google, clock: FixedClock, junk: bytes
) -> None:
    google.junk = junk

    for _ in range(3):
        with pytest.raises(CertificatesUnavailableError):
            tokens.check(KEY.authorization())
    assert google.fetches == 1

    google.junk = None
    clock.move(60)
    tokens.check(KEY.authorization())


@pytest.mark.parametrize("junk", JUNK, ids=lambda junk: str(junk[:20]))
def test_junk_replaces_no_certificates(
    tokens: GooglePushTokens, google: Google, clock: FixedClock, junk: bytes
) -> None:
    tokens.check(KEY.authorization())
    google.junk = junk
    clock.move(3_600)

    tokens.check(KEY.authorization())


@pytest.mark.parametrize("junk", [None, b"{}"])
def test_a_key_that_google_begins_to_use_while_it_cannot_be_fetched_is_not_refused(
    tokens: GooglePushTokens, google: Google, clock: FixedClock, junk: bytes | None
) -> None:
    tokens.check(KEY.authorization())
    google.keys.append(ANOTHER_KEY)
    google.is_down, google.junk = junk is None, junk
    clock.move(61)

    with pytest.raises(CertificatesUnavailableError):
        tokens.check(ANOTHER_KEY.authorization())
    with pytest.raises(UnauthenticatedPushError):
        tokens.check(KEY.authorization(aud="another"))

    google.is_down, google.junk = False, None
    clock.move(60)
    tokens.check(ANOTHER_KEY.authorization())


def test_older_certificates_serve_while_no_newer_ones_can_be_fetched(
    tokens: GooglePushTokens, google: Google, clock: FixedClock
) -> None:
    tokens.check(KEY.authorization())
    google.is_down = True
    clock.move(7_200)

    tokens.check(KEY.authorization())


@pytest.mark.parametrize(
    ("authorization", "status", "message"),
    [
        (KEY.authorization(), 204, "event_handled"),
        (None, 401, "push_rejected"),
        (ANOTHER_KEY.authorization(), 401, "push_rejected"),
        (KEY.authorization(email="another@p"), 403, "push_rejected"),
    ],
    ids=["subscription", "nobody", "another key", "another account"],
)
def test_an_endpoint_answers_only_the_subscription_and_logs_no_token(
    tokens: GooglePushTokens, lines: io.StringIO, authorization: str | None, status: int, message: str
) -> None:
    endpoint = PushEndpoint(handle=lambda *_: "replied", clock=FixedClock(), tokens=tokens)

    answer = endpoint("POST", push.envelope(recorded.event("message-text")), authorization=authorization)

    assert answer[1] == status
    (line,) = lines.getvalue().splitlines()
    assert json.loads(line)["message"] == message
    assert authorization is None or authorization.split()[1] not in line


def test_an_endpoint_that_cannot_check_a_push_has_it_delivered_again(
    tokens: GooglePushTokens, google: Google, lines: io.StringIO
) -> None:
    google.is_down = True
    endpoint = PushEndpoint(handle=lambda *_: "replied", clock=FixedClock(), tokens=tokens)

    answer = endpoint("POST", push.envelope(recorded.event("message-text")), authorization=KEY.authorization())

    assert answer[1] == 503
    assert json.loads(lines.getvalue())["message"] == "push_not_checked"
