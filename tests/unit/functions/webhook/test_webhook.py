import io
import json
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from functions.webhook.receive import DELIVERY_LIMIT_BYTES, Forwarding, Receive, WebhookEndpoint
from shared import logs
from shared.adapters.memory import FixedClock, MemoryEventBus
from shared.bus.messages import BusMessage
from shared.settings.secret import LEAST_S, FixedSecret, Secret, SecretFile
from tests.support import recorded

SECRET = "channel-secret"


class CrashingBus:
    """A bus with a bug, whose error quotes a message."""

    def publish(self, messages: Sequence[BusMessage]) -> tuple[str, ...]:
        raise RuntimeError(f"cannot publish {messages[0].data!r}: my pin is 4711")


class BodyOf:
    """A body that records whether it was read."""

    def __init__(self, content: bytes | None, *, declared_bytes: int | None = None) -> None:
        self.declared_bytes = declared_bytes
        self.was_read = self.is_refused = False
        self._content = content

    def read(self, at_most_bytes: int) -> bytes | None:
        self.was_read = True
        return self._content[:at_most_bytes] if self._content is not None else None

    def refuse(self) -> None:
        self.is_refused = True


class Webhook:
    """The webhook over an in-memory bus, as LINE meets it."""

    def __init__(self, secret: Secret | None = None) -> None:
        self.bus = MemoryEventBus()
        secret = secret or FixedSecret(SECRET)
        self._endpoint = WebhookEndpoint(receive=Receive(bus=self.bus, channel_secret=secret, clock=FixedClock()))

    def post_body(self, body: BodyOf, *, signature: str | None = "any", method: str = "POST") -> tuple[str, int]:
        return self._endpoint(method, body, signature=signature)

    def post(
        self,
        body: bytes,
        *,
        secret: str = SECRET,
        signature: str | None = None,
        method: str = "POST",
        traceparent: str | None = None,
    ) -> tuple[str, int]:
        signed = signature or recorded.signature(body, secret)
        return self._endpoint(method, BodyOf(body), signature=signed, traceparent=traceparent)


@pytest.fixture
def webhook() -> Webhook:
    return Webhook()


@pytest.fixture(autouse=True)
def lines() -> Iterator[io.StringIO]:
    stream = io.StringIO()
    logs.configure(stream)
    yield stream
    logs.configure()


@pytest.mark.parametrize("name", recorded.NAMES)
def test_every_event_is_on_the_bus_before_the_200(webhook: Webhook, name: str) -> None:
    assert webhook.post(recorded.body(name)) == ("OK", 200)
    assert [json.loads(message.data)["event"] for message in webhook.bus.published] == recorded.events(name)


def test_failed_publish_is_answered_503(webhook: Webhook, lines: io.StringIO) -> None:
    webhook.bus.is_down = True

    assert webhook.post(recorded.body("several-chats"))[1] == 503
    assert json.loads(lines.getvalue().splitlines()[0])["message"] == "webhook_failed"


def test_verification_by_line_is_answered_while_the_bus_is_down(webhook: Webhook) -> None:
    webhook.bus.is_down = True

    assert webhook.post(recorded.body("verification")) == ("OK", 200)


@pytest.mark.parametrize(
    ("body", "secret", "method", "status"),
    [
        (recorded.body("message-text"), "another secret", "POST", 401),
        (recorded.body("message-text")[:-20], SECRET, "POST", 400),
        (b"{}", SECRET, "POST", 400),
        (b"x" * (DELIVERY_LIMIT_BYTES + 1), SECRET, "POST", 413),
        (b"", SECRET, "GET", 405),
    ],
)
def test_rejected_request_gets_a_one_line_answer_and_publishes_nothing(
    webhook: Webhook, lines: io.StringIO, body: bytes, secret: str, method: str, status: int
) -> None:
    body_of_answer, answered_status = webhook.post(body, secret=secret, method=method)

    assert answered_status == status
    assert body_of_answer
    assert "\n" not in body_of_answer
    assert webhook.bus.published == []
    assert [json.loads(line)["message"] for line in lines.getvalue().splitlines()] == ["webhook_rejected"]


def test_truncated_body_does_not_match_its_signature(webhook: Webhook) -> None:
    whole = recorded.body("message-text")

    assert webhook.post(whole[:-5], signature=recorded.signature(whole, SECRET))[1] == 401


def test_unforeseen_error_is_answered_500_without_its_text(lines: io.StringIO) -> None:
    receive = Receive(bus=CrashingBus(), channel_secret=FixedSecret(SECRET), clock=FixedClock())
    endpoint = WebhookEndpoint(receive=receive)
    body = recorded.body("message-text")

    assert endpoint("POST", BodyOf(body), signature=recorded.signature(body, SECRET))[1] == 500
    assert "4711" not in lines.getvalue()


def test_no_text_ids_or_secrets_are_logged(webhook: Webhook, lines: io.StringIO) -> None:
    webhook.post(recorded.body("message-text"))

    for private in ("こんにちは", recorded.USER, SECRET, recorded.event("message-text")["replyToken"]):
        assert private not in lines.getvalue()


def test_every_event_and_every_verification_is_logged_once(webhook: Webhook, lines: io.StringIO) -> None:
    webhook.post(recorded.body("several-chats"))
    webhook.post(recorded.body("verification"))

    logged = [json.loads(line)["message"] for line in lines.getvalue().splitlines()]
    assert logged == ["event_published"] * len(recorded.events("several-chats")) + ["webhook_received"]


def test_trace_of_the_request_is_passed_on_with_every_event(webhook: Webhook, lines: io.StringIO) -> None:
    trace = "4bf92f3577b34da6a3ce929d0e0e4736"

    webhook.post(recorded.body("several-chats"), traceparent=f"00-{trace}-00f067aa0ba902b7-01")

    assert {message.attributes["traceparent"].split("-")[1] for message in webhook.bus.published} == {trace}
    assert {json.loads(line)["logging.googleapis.com/trace"] for line in lines.getvalue().splitlines()} == {trace}


@pytest.mark.parametrize(
    "odd",
    [
        b'{"type": "\\ud83d"}',
        b'{"type": "message", "webhookEventId": "\\ud83d", "source": {"type": "\\ude00"}}',
        b'{"type": "message", "message": {"duration": 1e400}}',
        b'{"type": ' + b"1" + b"0" * 400 + b"}",
        b'{"type": ' + b"9" * 5_000 + b"}",
        b'{"type": ' + b"[" * 300 + b"]" * 300 + b"}",
        b'{"type": "message", "x": ' + b"[" * 985 + b"]" * 985 + b"}",
        b'{"type": "message", "x": ' + b'{"a":' * 90_000 + b"1" + b"}" * 90_000 + b"}",
    ],
    ids=["half type", "half ids", "1e400", "10^400", "long integer", "deep type", "almost too deep", "too deep"],
)
def test_an_odd_event_costs_no_other_event_of_its_delivery(webhook: Webhook, odd: bytes) -> None:
    event = recorded.event("message-text")
    body = b'{"destination": "U", "events": [' + json.dumps(event).encode() + b"," + odd + b"]}"

    assert webhook.post(body) == ("OK", 200)
    first, second = webhook.bus.published
    assert json.loads(first.data)["event"] == event
    assert isinstance(json.loads(second.data)["event"], dict)
    assert "".join(second.attributes.values()).encode()


def test_a_signature_that_is_no_text_is_refused(webhook: Webhook) -> None:
    assert webhook.post(recorded.body("follow"), signature="\ud83d")[1] == 401


@pytest.mark.parametrize(
    ("signature", "method", "declared_bytes", "status"),
    [
        (None, "POST", 10, 401),
        ("", "POST", None, 401),
        ("any", "GET", 10, 405),
        ("any", "POST", DELIVERY_LIMIT_BYTES + 1, 413),
    ],
)
def test_a_request_that_cannot_be_lines_is_refused_before_its_body_is_read(
    webhook: Webhook, signature: str | None, method: str, declared_bytes: int | None, status: int
) -> None:
    body = BodyOf(b"whatever", declared_bytes=declared_bytes)

    assert webhook.post_body(body, signature=signature, method=method)[1] == status

    assert not body.was_read
    assert body.is_refused


def test_a_body_that_does_not_arrive_in_time_is_refused(webhook: Webhook, lines: io.StringIO) -> None:
    body = BodyOf(None)

    assert webhook.post_body(body)[1] == 408

    assert body.is_refused
    (rejected,) = [json.loads(line) for line in lines.getvalue().splitlines()]
    assert (rejected["message"], rejected["is_signed"]) == ("webhook_rejected", True)


def test_a_signature_by_a_secret_that_was_not_read_yet_is_accepted(tmp_path: Path) -> None:
    path, clock = tmp_path / "value", FixedClock()
    path.write_text("old secret")
    webhook = Webhook(SecretFile(path, clock=clock))
    body = recorded.body("message-text")
    assert webhook.post(body, secret="new secret")[1] == 401

    path.write_text("new secret")
    clock.move(LEAST_S)

    assert webhook.post(body, secret="new secret") == ("OK", 200)
    assert webhook.post(body, secret="old secret")[1] == 401


def test_both_of_two_secrets_in_a_file_are_accepted(tmp_path: Path) -> None:
    path = tmp_path / "value"
    path.write_text("new secret, old secret\n")
    webhook = Webhook(SecretFile(path))
    body = recorded.body("message-text")

    assert webhook.post(body, secret="new secret") == webhook.post(body, secret="old secret") == ("OK", 200)


class Forwarded:
    """A webhook that forwards to another system, on a pool."""

    def __init__(self, pool: ThreadPoolExecutor) -> None:
        self.bus, self.other = MemoryEventBus(), MemoryEventBus()
        forwarding = Forwarding(bus=self.other, threads=pool)
        receive = Receive(bus=self.bus, channel_secret=FixedSecret(SECRET), clock=FixedClock(), forwarding=forwarding)
        self._endpoint = WebhookEndpoint(receive=receive)

    def post(self, body: bytes, signature: str) -> tuple[str, int]:
        return self._endpoint("POST", BodyOf(body), signature=signature)


@pytest.fixture
def forwarded() -> Iterator[Forwarded]:
    with ThreadPoolExecutor(2) as pool:
        yield Forwarded(pool)


def test_another_system_gets_the_delivery_as_line_signed_it(forwarded: Forwarded) -> None:
    body = recorded.body("unsend")
    signature = recorded.signature(body, SECRET)

    assert forwarded.post(body, signature) == ("OK", 200)

    (message,) = forwarded.other.published
    assert message.data == body
    assert message.attributes == {"Content-Type": "application/json", "x-line-signature": signature}
    assert len(forwarded.bus.published) == 1


def test_nothing_is_forwarded_that_line_did_not_sign(forwarded: Forwarded) -> None:
    assert forwarded.post(recorded.body("unsend"), "wrong")[1] == 401

    assert forwarded.other.published == []


def test_a_verification_of_the_address_is_not_forwarded(forwarded: Forwarded) -> None:
    body = json.dumps({"destination": recorded.USER, "events": []}).encode()

    assert forwarded.post(body, recorded.signature(body, SECRET)) == ("OK", 200)

    assert forwarded.other.published == []


def test_line_redelivers_what_could_not_be_stored_for_the_other_system(forwarded: Forwarded) -> None:
    forwarded.other.is_down = True
    body = recorded.body("unsend")

    assert forwarded.post(body, recorded.signature(body, SECRET))[1] == 503
