"""An edit that removes what was made from the older words: the group is told, and the new words can be filed by a tap."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from shared.adapters.memory.scripted_model import calling
from shared.line.phrases import Phrase, phrase
from tests.support.people import Person
from tests.support.pushed import PushedWorker

OLD = "10 kg of white rice for the party"
NEW = "5 kg of brown rice for the party"
GONE = phrase(Phrase.EDIT_REMOVED, locale="en", bot_name="", things="1 note")


@pytest.fixture
def member(pool: ThreadPoolExecutor) -> Person:
    return Person(PushedWorker(pool), is_in_group=True)


def filed(member: Person) -> dict[str, Any]:
    """Return a message that was filed because another message asked for it."""
    event = member.says(OLD)
    member.worker.json_model.steps = [{"category": "ideas", "confidence": 0.8, "name": "rice"}]
    captures = calling(("classify_and_capture", {"text": OLD}))
    member.asks("note that", captures, calling(("reply", {"message": "filed"})))
    assert len(entries(member)) == 1
    return dict(event["message"])


def filed_as_asked(member: Person) -> dict[str, Any]:
    """Return a message that itself asked for its note."""
    member.files("rice")
    member.worker.json_model.steps = [{"category": "ideas", "confidence": 0.8, "name": "brown rice"}]
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
    assert GONE in told.text
    assert f"☐ File: “{NEW}”" in question.text
    assert "10 kg" not in told.text + question.text
    assert question.button is not None
    assert question.decline is not None
    assert entries(member) == []


def test_an_edit_that_removes_a_reminder_names_no_notes(member: Person) -> None:
    member.worker.line.members[member.events.chat_id] = 3
    sets = calling(("create_reminder", {"text": "rice", "at": "2025-11-22T09:00"}))
    asked = member.asks("remind us of the rice tomorrow at 9", sets, calling(("reply", {"message": "ok"})))

    edited = edits(member, dict(asked["message"]))

    (told,) = member.worker.line.replied[edited["replyToken"]]
    assert told.text == phrase(Phrase.EDIT_REMOVED, locale="en", bot_name="", things="1 reminder")


def test_a_note_that_was_filed_in_the_same_second_does_not_stand_in_for_the_one_that_went(member: Person) -> None:
    message = filed_as_asked(member)
    member.files("tea")  # the clock stands still between the two

    edited = edits(member, message)

    told, *_ = member.worker.line.replied[edited["replyToken"]]
    assert GONE in told.text


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


def test_an_edit_without_a_reply_token_is_told_with_the_next_answer_once(member: Person) -> None:
    edits(member, filed(member), replyToken=None)
    before = len(member.worker.said)
    assert entries(member) == []

    first, second = (member.asks("what time is it?", calling(("reply", {"message": "noon"}))) for _ in range(2))

    told, question = member.worker.line.replied[first["replyToken"]]
    assert told.text.startswith("noon\n\n")
    assert GONE in told.text
    assert f"☐ File: “{NEW}”" in question.text
    assert question.button is not None
    (after,) = member.worker.line.replied[second["replyToken"]]
    assert after.text == "noon"
    assert len(member.worker.said) == before + 3


def test_the_button_below_the_next_answer_files_the_new_words(member: Person) -> None:
    edits(member, filed(member), replyToken=None)
    member.asks("what time is it?", calling(("reply", {"message": "noon"})))
    member.worker.json_model.steps = [{"category": "ideas", "confidence": 0.8, "name": "brown rice"}]

    member.presses(member.newest_button)

    (entry,) = entries(member)
    assert "brown rice" in entry


def test_two_edits_without_a_reply_token_offer_the_newest_words(member: Person) -> None:
    message = filed(member)
    edits(member, message, "rice, 4 kg", replyToken=None)
    edits(member, message, replyToken=None)

    asked = member.asks("what time is it?", calling(("reply", {"message": "noon"})))

    told, question = member.worker.line.replied[asked["replyToken"]]
    assert told.text.count(GONE) == 1
    assert f"☐ File: “{NEW}”" in question.text
    assert "4 kg" not in told.text + question.text


def test_a_message_that_asked_for_its_note_is_filed_anew_at_once(member: Person) -> None:
    edited = edits(member, filed_as_asked(member))

    (told,) = member.worker.line.replied[edited["replyToken"]]
    assert GONE in told.text
    assert "brown rice" in told.text
    assert told.button is None
    (entry,) = entries(member)
    assert NEW in entry


def test_a_message_that_asked_for_its_note_is_filed_anew_without_a_reply_token(member: Person) -> None:
    edits(member, filed_as_asked(member), replyToken=None)
    assert len(entries(member)) == 1

    asked = member.asks("what time is it?", calling(("reply", {"message": "noon"})))

    (told,) = member.worker.line.replied[asked["replyToken"]]
    assert GONE in told.text
    assert "brown rice" in told.text


def test_a_withdrawn_message_leaves_no_word_of_the_notice(member: Person) -> None:
    edits(member, filed_as_asked(member), replyToken=None)
    member.worker.withdraw(member.events.chat_id, "m1")

    asked = member.asks("what time is it?", calling(("reply", {"message": "noon"})))

    (told,) = member.worker.line.replied[asked["replyToken"]]
    assert told.text == "noon"
    assert entries(member) == []
