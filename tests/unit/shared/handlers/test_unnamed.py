import io
import json
from typing import Any

import pytest

from shared.line.phrases import Phrase
from tests.support import recorded
from tests.support.phrases import japanese
from tests.support.pushed import PushedWorker


def from_a_person_without_consent(name: str, **fields: Any) -> dict[str, Any]:  # noqa: ANN401 - the fields of an event
    return recorded.event(name, source={"type": "user"}, **fields)


@pytest.mark.parametrize("name", ["message-text", "message-image", "follow", "postback"])
def test_a_person_whom_line_does_not_name_is_told_what_to_do(worker: PushedWorker, name: str) -> None:
    event = from_a_person_without_consent(name)

    assert worker.deliver(event) == 204
    assert worker.line.replies == {event["replyToken"]: (japanese(Phrase.NO_USER_ID),)}


def test_nothing_is_kept_of_a_person_whom_line_does_not_name(worker: PushedWorker) -> None:
    worker.deliver(from_a_person_without_consent("message-text"))

    assert worker.store.list("") == ()
    assert worker.model.requests == []


def test_an_unnamed_person_is_answered_once_when_the_event_comes_twice(worker: PushedWorker) -> None:
    event = from_a_person_without_consent("message-text")

    assert [worker.deliver(event), worker.deliver(event)] == [204, 204]
    assert len(worker.said) == 1


@pytest.mark.parametrize("fate", ["unknown", "unknown, not sent", "not_sent"])
def test_an_answer_without_memory_is_tried_again_when_line_does_not_answer(worker: PushedWorker, fate: str) -> None:
    worker.line.fates = [fate]

    assert worker.deliver(from_a_person_without_consent("message-text")) == 204
    assert worker.said == [japanese(Phrase.NO_USER_ID)]


def test_a_person_without_an_id_is_told_once_line_is_back_after_half_a_minute(worker: PushedWorker) -> None:
    worker.line.fates = ["not_sent"] * 17

    assert worker.deliver(from_a_person_without_consent("message-text")) == 204
    assert worker.said == [japanese(Phrase.NO_USER_ID)]


@pytest.mark.parametrize(
    ("fates", "outcome"),
    [([], "replied"), (["refused"], "undelivered"), (["unknown, not sent"] * 99, "unknown")],
)
def test_what_became_of_the_answer_is_logged(
    worker: PushedWorker, lines: io.StringIO, fates: list[str], outcome: str
) -> None:
    worker.line.fates = fates

    worker.deliver(from_a_person_without_consent("message-text"))

    logged = [json.loads(line) for line in lines.getvalue().splitlines()]
    assert [one["outcome"] for one in logged if one["message"] == "event_handled"] == [outcome]


@pytest.mark.parametrize(
    "event",
    [
        from_a_person_without_consent("message-text", mode="standby"),
        from_a_person_without_consent("message-text", replyToken=None),
        from_a_person_without_consent("unfollow"),
        from_a_person_without_consent("video-play-complete"),
        recorded.event("message-text", source={"type": "user", "userId": "U1"}),
        recorded.event("message-text", source={"type": "group"}),
    ],
    ids=["standby", "no token", "unfollow", "no word to the bot", "malformed id", "group"],
)
def test_an_event_of_no_chat_that_asks_for_no_answer_is_dropped(worker: PushedWorker, event: dict[str, Any]) -> None:
    assert worker.deliver(event) == 204
    assert worker.line.calls == 0
    assert worker.store.list("") == ()
