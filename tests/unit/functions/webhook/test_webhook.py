import io
import json
from collections.abc import Iterator

import pytest

from functions.webhook.endpoint import WebhookEndpoint
from functions.webhook.receive import DELIVERY_LIMIT_BYTES, Receive
from shared import logs
from shared.adapters.memory import FixedClock, MemoryEventBus
from tests.support import recorded

SECRET = "channel-secret"


class Webhook:
    """The webhook over an in-memory bus, as LINE meets it."""

    def __init__(self) -> None:
        self.bus = MemoryEventBus()
        self._endpoint = WebhookEndpoint(receive=Receive(bus=self.bus, channel_secrets=(SECRET,), clock=FixedClock()))

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
        return self._endpoint(method, body, signature=signed, traceparent=traceparent)


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
def test_every_event_of_every_kind_is_on_the_bus_before_200(webhook: Webhook, name: str) -> None:
    assert webhook.post(recorded.body(name)) == ("OK", 200)
    assert [json.loads(message.data)["event"] for message in webhook.bus.published] == recorded.events(name)


def test_without_confirmation_there_is_no_200(webhook: Webhook, lines: io.StringIO) -> None:
    webhook.bus.is_down = True

    assert webhook.post(recorded.body("several-chats"))[1] == 503
    assert json.loads(lines.getvalue().splitlines()[0])["message"] == "webhook_failed"


def test_lines_verification_is_answered_even_while_the_bus_is_down(webhook: Webhook) -> None:
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
def test_what_is_no_delivery_of_line_gets_one_clear_line_and_publishes_nothing(
    webhook: Webhook, lines: io.StringIO, body: bytes, secret: str, method: str, status: int
) -> None:
    said, answered = webhook.post(body, secret=secret, method=method)

    assert answered == status
    assert said
    assert "\n" not in said
    assert webhook.bus.published == []
    assert [json.loads(line)["message"] for line in lines.getvalue().splitlines()] == ["webhook_rejected"]


def test_a_truncated_body_no_longer_fits_its_signature(webhook: Webhook) -> None:
    whole = recorded.body("message-text")

    assert webhook.post(whole[:-5], signature=recorded.signature(whole, SECRET))[1] == 401


def test_what_was_not_foreseen_makes_line_deliver_again(lines: io.StringIO) -> None:
    def crash(_: str, __: bytes, ___: str | None, ____: str | None) -> int:
        raise RuntimeError("my pin is 4711")

    endpoint = WebhookEndpoint(receive=crash)

    assert endpoint("POST", b"{}", signature="x")[1] == 500
    assert "4711" not in lines.getvalue()


def test_no_words_ids_or_secrets_are_logged(webhook: Webhook, lines: io.StringIO) -> None:
    webhook.post(recorded.body("message-text"))

    for private in ("こんにちは", recorded.USER, SECRET, recorded.event("message-text")["replyToken"]):
        assert private not in lines.getvalue()


def test_every_event_leaves_one_line_and_a_verification_too(webhook: Webhook, lines: io.StringIO) -> None:
    webhook.post(recorded.body("several-chats"))
    webhook.post(recorded.body("verification"))

    logged = [json.loads(line)["message"] for line in lines.getvalue().splitlines()]
    assert logged == ["event_published"] * len(recorded.events("several-chats")) + ["webhook_received"]


def test_the_trace_of_lines_request_travels_with_every_event(webhook: Webhook, lines: io.StringIO) -> None:
    trace = "4bf92f3577b34da6a3ce929d0e0e4736"

    webhook.post(recorded.body("several-chats"), traceparent=f"00-{trace}-00f067aa0ba902b7-01")

    assert {message.attributes["traceparent"].split("-")[1] for message in webhook.bus.published} == {trace}
    assert {json.loads(line)["logging.googleapis.com/trace"] for line in lines.getvalue().splitlines()} == {trace}
