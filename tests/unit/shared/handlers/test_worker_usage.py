"""What a turn asked of models stands in its outcome, and no message asks without end."""

from collections.abc import Sequence
from typing import Any, Final

from shared.adapters.memory.scripted_model import calling
from shared.agent.model import FunctionResponses
from shared.tools.knowledge import MOST_CAPTURES
from tests.support.people import Person

HELLO: Final = calling(("reply", {"message": "hello"}))
CLASSIFIED: Final = {"category": "ideas", "confidence": 0.8, "name": "lunch"}


def requests_by_purpose(outcome: dict[str, Any]) -> dict[str, int]:
    return {one["purpose"]: one["requests"] for one in outcome["audit"]["usage"]}


def errors_in(contents: Sequence[object]) -> list[object]:
    answered = (one for content in contents if isinstance(content, FunctionResponses) for one in content.responses)
    return [one.response["error"] for one in answered if "error" in one.response]


def test_an_outcome_carries_every_request_of_its_turn(friend: Person) -> None:
    friend.worker.json_model.steps = [CLASSIFIED]

    event = friend.says("keep: lunch", calling(("classify_and_capture", {"text": "lunch"})), HELLO)

    assert requests_by_purpose(friend.worker.outcome(event)) == {"turn": 2, "classify": 1}


def test_an_overheard_turn_that_stays_silent_is_counted(member_in_talkative_group: Person) -> None:
    member = member_in_talkative_group

    event = member.says("lunch?", calling(("skip", {"reason": "not for me"})))

    assert requests_by_purpose(member.worker.outcome(event)) == {"turn": 1}


def test_one_message_classifies_a_bounded_number_of_times(friend: Person) -> None:
    captures = calling(*(("classify_and_capture", {"text": f"thought {number}"}) for number in range(16)))
    friend.worker.json_model.steps = [CLASSIFIED] * 100

    event = friend.says("keep a lot", captures, captures, captures, HELLO)

    assert requests_by_purpose(friend.worker.outcome(event))["classify"] == MOST_CAPTURES
    refused = errors_in(friend.worker.model.requests[-1].contents)
    assert {
        "message": "Not done: a turn may call classify_and_capture 12 times at most.",
        "may_retry": False,
    } in refused


def test_a_silence_is_recorded_by_its_class(friend: Person) -> None:
    event = friend.says("thanks", calling(("skip", {"reason": "Yuki said thanks", "kind": "thanks"})))

    outcome = friend.worker.outcome(event)
    assert (outcome["audit"]["skip_kind"], len(outcome["audit"]["prompt_version"])) == ("thanks", 12)
    assert "Yuki said" not in str(outcome)
