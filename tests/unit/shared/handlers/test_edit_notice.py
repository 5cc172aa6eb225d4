"""An edit that removes what was made from the older words: the group is told, and the new words can be filed by a tap."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from shared.line.phrases import Phrase, phrase
from tests.support.people import Person
from tests.support.pushed import PushedWorker

NEW = "5 kg of brown rice for the party"


@pytest.fixture
def member(pool: ThreadPoolExecutor) -> Person:
    return Person(PushedWorker(pool), is_in_group=True)


def filed(member: Person) -> dict[str, Any]:
    """Return a message in whose turn a note was filed."""
    entry = member.files("rice")
    assert member.worker.store.read(entry) is not None
    return {"id": "m1", "type": "text"}


def edits(member: Person, message: dict[str, Any], text: str = NEW, **more: Any) -> dict[str, Any]:  # noqa: ANN401
    edited = {**member.events.event("messageEdited", **more), "message": {**message, "text": text}}
    return member.sends(edited)


def entries(member: Person) -> list[str]:
    prefix = f"entries/{member.events.chat_id}/ideas/"
    stored = (member.worker.store.read(one.name) for one in member.worker.store.list(prefix))
    return [one.data.decode() for one in stored if one is not None and one.data.startswith(b"---")]


def test_an_edit_that_removes_a_note_says_so_without_the_older_words(member: Person) -> None:
    edited = edits(member, filed(member))

    told, question = member.worker.line.replied[edited["replyToken"]]
    assert phrase(Phrase.EDIT_REMOVED, locale="en", bot_name="", entries="1", reminders="0") in told.text
    assert f"☐ File: “{NEW}”" in told.text
    assert "note an idea" not in told.text
    assert question.button is not None
    assert question.decline is not None
    assert entries(member) == []


def test_the_button_files_the_new_words_once(member: Person) -> None:
    edits(member, filed(member))
    button = member.newest_button
    member.worker.json_model.steps = [{"category": "ideas", "confidence": 0.8, "name": "brown rice"}]

    for _ in range(2):
        member.presses(button)

    (entry,) = entries(member)
    assert "brown rice" in entry


def test_the_button_files_nothing_once_the_message_was_edited_again(member: Person) -> None:
    message = filed(member)
    edits(member, message)
    button = member.newest_button
    edits(member, message, "never mind the rice")

    pressed = member.presses(button)

    (refusal,) = member.worker.line.replied[pressed["replyToken"]]
    assert refusal.text in {phrase(Phrase.PRESS_VOID, locale=locale, bot_name="") for locale in ("ja", "en")}
    assert entries(member) == []


def test_an_edit_without_a_note_is_not_answered(member: Person) -> None:
    event = member.events.text("see you at 7")
    member.sends(event)
    before = len(member.worker.said)

    edits(member, event["message"], "see you at 8")

    assert len(member.worker.said) == before


def test_an_edit_without_a_reply_token_removes_the_note_all_the_same(member: Person) -> None:
    message = filed(member)
    before = len(member.worker.said)

    edits(member, message, replyToken=None)

    assert entries(member) == []
    assert len(member.worker.said) == before
