import io
import json
from collections.abc import Mapping

import pytest

from shared.adapters.memory import FixedClock
from shared.bus.endpoint import PushEndpoint
from shared.bus.envelope import Envelope
from shared.bus.messages import Tick
from shared.bus.notices import HookNotice
from shared.clock import Deadline
from shared.errors import CorruptRecordError, LineRefusedError, StorageUnavailableError, UnusableIdError
from tests.support import push, recorded

SECRET_WORDS = "my pin is 4711"


def endpoint_that(result: str | Exception) -> PushEndpoint:
    def handle(_: Mapping[str, object] | Tick | HookNotice, __: Envelope, ___: Deadline) -> str:
        if isinstance(result, Exception):
            raise result
        return result

    return PushEndpoint(handle=handle, clock=FixedClock())


@pytest.mark.parametrize(
    ("result", "status", "outcome"),
    [
        ("replied", 204, "replied"),
        (UnusableIdError("no id"), 204, "dropped"),
        (LineRefusedError("wrong access token"), 204, "given_up"),
        (CorruptRecordError("unreadable"), 500, "failed"),
        (StorageUnavailableError("down"), 503, "failed"),
        (RuntimeError(SECRET_WORDS), 500, "crashed"),
    ],
)
def test_event_that_a_later_attempt_or_an_operator_can_save_is_delivered_again(
    result: str | Exception, status: int, outcome: str, lines: io.StringIO
) -> None:
    body = push.envelope(recorded.event("message-text"), attempt=2)

    assert endpoint_that(result)("POST", body) == ("", status)
    closing = json.loads(lines.getvalue().splitlines()[-1])
    assert (closing["message"], closing["outcome"], closing["delivery_attempt"]) == ("event_handled", outcome, 2)
    assert SECRET_WORDS not in lines.getvalue()


def test_an_unforeseen_error_is_logged_by_its_type_and_place(lines: io.StringIO) -> None:
    endpoint_that(RuntimeError(SECRET_WORDS))("POST", push.envelope(recorded.event("message-text")))

    crash = json.loads(lines.getvalue().splitlines()[0])
    assert crash["severity"] == "ERROR"
    assert crash["error_type"] == "RuntimeError"
    assert any("test_endpoint.py" in place for place in crash["places"])


def test_a_body_that_is_no_envelope_is_refused_and_logged_once(lines: io.StringIO) -> None:
    text, status = endpoint_that("never")("POST", b"hello")

    assert (text, status) == ("the body is not JSON", 400)
    assert [json.loads(line)["message"] for line in lines.getvalue().splitlines()] == ["push_rejected"]


def test_only_post_is_answered() -> None:
    assert endpoint_that("never")("GET", b"")[1] == 405


def test_an_envelope_without_an_event_is_acknowledged_and_logged(lines: io.StringIO) -> None:
    assert endpoint_that("never")("POST", b'{"message": {"messageId": "9"}}') == ("", 204)
    assert json.loads(lines.getvalue().splitlines()[0])["message"] == "event_dropped"


def test_lines_of_a_request_carry_its_trace(lines: io.StringIO) -> None:
    trace = "4bf92f3577b34da6a3ce929d0e0e4736"

    endpoint_that("replied")(
        "POST", push.envelope(recorded.event("unsend")), traceparent=f"00-{trace}-00f067aa0ba902b7-01"
    )

    assert json.loads(lines.getvalue())["logging.googleapis.com/trace"] == trace


def test_the_trace_of_the_event_goes_before_that_of_the_push(lines: io.StringIO) -> None:
    of_line, of_push = "a" * 32, "b" * 32
    body = push.envelope(recorded.event("unsend"), traceparent=f"00-{of_line}-00f067aa0ba902b7-01")

    endpoint_that("withdrawn")("POST", body, traceparent=f"00-{of_push}-00f067aa0ba902b7-01")

    assert json.loads(lines.getvalue())["logging.googleapis.com/trace"] == of_line


def test_an_attribute_without_a_trace_leaves_the_trace_of_the_push(lines: io.StringIO) -> None:
    of_push = "b" * 32
    body = push.envelope(recorded.event("unsend"), traceparent="hello")

    endpoint_that("withdrawn")("POST", body, traceparent=f"00-{of_push}-00f067aa0ba902b7-01")

    assert json.loads(lines.getvalue())["logging.googleapis.com/trace"] == of_push


def test_a_body_that_is_too_large_is_answered_413() -> None:
    assert endpoint_that("replied")("POST", b" " * 5_000_000)[1] == 413
