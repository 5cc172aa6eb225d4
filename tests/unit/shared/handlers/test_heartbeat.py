import io
import json

import pytest

from shared.adapters.memory import FixedClock
from shared.errors import AizuchiError, LineRefusedError, LineUnavailableError, ModelRefusedError, ModelUnavailableError
from shared.handlers.heartbeat import Heartbeat
from shared.line.webhook_check import WebhookCheck

MINUTE_MS = 60_000
WELL = WebhookCheck(is_active=True, is_answered=True, status=200, reason="OK")


class Line:
    """Tests the webhook with one result, and counts."""

    def __init__(self, result: WebhookCheck | AizuchiError) -> None:
        self.checks = 0
        self._result = result

    def check_webhook(self) -> WebhookCheck:
        self.checks += 1
        if isinstance(self._result, AizuchiError):
            raise self._result
        return self._result


def beat(line: Line, *, minute: int, every_minutes: int = 5) -> None:
    Heartbeat(checker=line, every_minutes=every_minutes, clock=FixedClock(now_ms=minute * MINUTE_MS + 1))()


def test_line_is_asked_in_every_fifth_minute() -> None:
    line = Line(WELL)

    for minute in range(60):
        beat(line, minute=minute)

    assert line.checks == 12


def test_without_heartbeats_line_is_never_asked() -> None:
    line = Line(WELL)

    for minute in range(60):
        beat(line, minute=minute, every_minutes=0)

    assert line.checks == 0


@pytest.mark.parametrize(
    ("result", "logged"),
    [
        (WELL, [("INFO", "heartbeat_answered")]),
        (
            WebhookCheck(is_active=True, is_answered=False, status=401, reason="ERROR_STATUS_CODE"),
            [("ERROR", "heartbeat_lost")],
        ),
        (
            WebhookCheck(is_active=False, is_answered=True, status=200, reason="OK"),
            [("ERROR", "webhook_switched_off"), ("INFO", "heartbeat_answered")],
        ),
        (LineUnavailableError("down"), [("WARNING", "heartbeat_not_sent")]),
        (LineRefusedError("wrong token"), [("ERROR", "line_token_refused")]),
    ],
)
def test_what_came_of_a_heartbeat_is_logged(
    result: WebhookCheck | AizuchiError, logged: list[tuple[str, str]], lines: io.StringIO
) -> None:
    beat(Line(result), minute=0)

    written = [json.loads(line) for line in lines.getvalue().splitlines()]
    assert [(line["severity"], line["message"]) for line in written] == logged


class Provider:
    """Tells of the model with one result, and counts."""

    def __init__(self, refusal: AizuchiError | None = None) -> None:
        self.checks = 0
        self._refusal = refusal

    def check_model(self) -> None:
        self.checks += 1
        if self._refusal is not None:
            raise self._refusal


@pytest.mark.parametrize(
    ("refusal", "logged"),
    [
        (None, []),
        (ModelRefusedError("403", is_about_request=False), [("ERROR", "gemini_key_refused")]),
        (ModelRefusedError("404", is_about_request=False, is_about_name=True), [("ERROR", "gemini_model_unknown")]),
        (ModelRefusedError("400"), [("WARNING", "model_not_checked")]),
        (ModelUnavailableError("503"), [("WARNING", "model_not_checked")]),
    ],
)
def test_what_came_of_a_check_of_the_model_is_logged(
    refusal: AizuchiError | None, logged: list[tuple[str, str]], lines: io.StringIO
) -> None:
    heartbeat = Heartbeat(checker=Line(WELL), model=Provider(refusal), every_minutes=5, clock=FixedClock(now_ms=1))

    heartbeat()

    written = [json.loads(line) for line in lines.getvalue().splitlines()]
    assert [(line["severity"], line["message"]) for line in written] == [("INFO", "heartbeat_answered"), *logged]


def test_the_model_is_checked_where_line_refuses_the_token_and_only_with_a_heartbeat() -> None:
    provider = Provider()

    for minute in range(10):
        Heartbeat(
            checker=Line(LineRefusedError("wrong token")),
            model=provider,
            every_minutes=5,
            clock=FixedClock(now_ms=minute * MINUTE_MS),
        )()

    assert provider.checks == 2
