"""What a voice message asks for: people read what was understood before anything is written."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final

import pytest

from shared.adapters.memory.line_people import HeldContent
from shared.adapters.memory.scripted_model import Step, calling
from tests.support.people import Person
from tests.support.pushed import PushedWorker

UNDERSTOOD: Final = "two litres of milk and the brown bread from the baker behind the station"
REPLY: Final = calling(("reply", {"message": "May I note that?"}))
AUDIO: Final = {"type": "audio", "duration": 3_000, "contentProvider": {"type": "line"}}


@pytest.fixture
def person(pool: ThreadPoolExecutor) -> Person:
    return Person(PushedWorker(pool), is_in_group=False)


def speaks(person: Person, *thinks: Step) -> dict[str, Any]:
    """Deliver a voice message that LINE has the content of."""
    event = person.events.event("message", message=AUDIO)
    held = HeldContent(content_type="audio/x-m4a", data=b"voice")
    person.worker.media.contents[event["message"]["id"]] = held
    return person.sends(event, *thinks)


def test_a_note_that_is_spoken_shows_whole_what_was_understood(person: Person) -> None:
    captures = calling(("classify_and_capture", {"text": UNDERSTOOD}))

    spoken = speaks(person, captures, REPLY)

    _, question = person.worker.line.replied[spoken["replyToken"]]
    assert f"“{UNDERSTOOD}”" in question.text
    assert question.button is not None
    assert not person.worker.store.list(f"entries/{person.events.chat_id}/ideas/")


def test_a_reminder_that_is_spoken_shows_words_and_time_as_understood(person: Person) -> None:
    reminds = calling(("create_reminder", {"text": "the bread", "at": "2029-01-01T18:30"}))

    spoken = speaks(person, reminds, REPLY)

    _, question = person.worker.line.replied[spoken["replyToken"]]
    assert "“the bread”" in question.text
    assert "18:30" in question.text
    assert question.button is not None
