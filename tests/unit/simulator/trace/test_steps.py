import pytest

from simulator.trace.steps import Part, TraceStep, flag_repeats


def step(name: str, part: Part = "agent_worker", **details: object) -> TraceStep:
    return TraceStep(name=name, part=part, at_ms=0, details=details)


@pytest.mark.parametrize(
    "failed",
    [
        step("webhook_refused", "LINE", status=None, reason="request_timeout"),
        step("push_ended", "Pub/Sub", status=None, outcome="deadline"),
        step("push_ended", "Pub/Sub", status=204, outcome="acknowledgement_lost"),
        step("dead_lettered", "Pub/Sub"),
        step("event_handled", severity="INFO", status=503),
        step("tool_called", severity="INFO", outcome="fault"),
        step("moon_lost", severity="ERROR"),
    ],
    ids=lambda step: step.name,
)
def test_failures_are_marked_as_failed(failed: TraceStep) -> None:
    assert failed.is_failed


@pytest.mark.parametrize(
    "fine",
    [
        step("webhook_delivered", "LINE", status=200, reason=None),
        step("push_ended", "Pub/Sub", status=204, outcome="acknowledged"),
        step("event_handled", severity="INFO", status=204, outcome="replied"),
        step("model_called", severity="INFO", finish_reason="STOP"),
    ],
    ids=lambda step: step.name,
)
def test_successes_are_not_marked_as_failed(fine: TraceStep) -> None:
    assert not fine.is_failed


def test_later_attempts_redeliveries_and_repeats_are_flagged() -> None:
    steps = (
        step("webhook_refused", "LINE"),
        step("webhook_delivered", "LINE", is_redelivery=True),
        step("webhook_delivered", "LINE"),
        step("push_started", "Pub/Sub", subscription="agent_worker", delivery_attempt=1),
        step("push_started", "Pub/Sub", subscription="unsend", delivery_attempt=1),
        step("turn_opened", delivery_attempt=1),
        step("push_started", "Pub/Sub", subscription="agent_worker", delivery_attempt=2),
        step("model_called", delivery_attempt=2),
        step("turn_opened", delivery_attempt=1),
    )

    assert flag_repeats(steps) == (False, True, True, False, False, False, True, True, True)


def test_several_model_calls_in_one_turn_are_no_repeats() -> None:
    steps = (step("model_called", model_call=1), step("tool_called"), step("model_called", model_call=2))

    assert flag_repeats(steps) == (False, False, False)
