from shared.adapters.memory.scripted_model import calling
from shared.line.phrases import Phrase
from tests.support import recorded
from tests.support.phrases import japanese
from tests.support.pushed import PushedWorker

HELLO = calling(("reply", {"message": "こんにちは！"}))


def test_press_of_an_unknown_deferral_finds_nothing(worker: PushedWorker) -> None:
    worker.deliver(recorded.event("message-text"), thinks=[HELLO])

    assert worker.deliver(recorded.event("postback", postback={"data": "late:01FZ74A0TDDPYRVKNK77XK9999"})) == 204

    assert worker.said == ["こんにちは！", japanese(Phrase.NOTHING_TO_SHOW)]
    assert len(worker.model.requests) == 1
