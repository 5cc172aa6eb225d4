"""`RICH=off` over real wires: no message is a card, every list and question is words, and its buttons act."""

from collections.abc import Iterator
from typing import Any

import pytest

from simulator.gemini.script import call
from tests.e2e.conftest import Person, Platform
from tests.support.buttons import first_press
from tests.support.message_words import words_of
from tests.support.stacks import running_stack


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Platform]:
    folder = tmp_path_factory.mktemp("plain")
    with running_stack(folder, more_env={"SETTLE_MS": "0", "RICH": "off"}) as (loop, stack):
        yield Platform(loop, stack, folder)


@pytest.fixture
def person(plain: Platform, request: pytest.FixtureRequest) -> Person:
    return Person(plain, str(request.node.name)[:20])


def heard(plain: Platform, person: Person) -> list[dict[str, Any]]:
    """Return the messages of the bot in the person's chat, as on LINE's wire."""
    plain.settle()
    messages = plain.do(lambda stack: list(stack.line.chat(person.id).messages))
    return [dict(message.content) for message in messages if message.sender_id != person.id]


def scripted(plain: Platform, *calls: tuple[str, dict[str, Any]]) -> None:
    plain.do(lambda stack: stack.gemini.script([call(name, arguments) for name, arguments in calls]))


def test_lists_help_and_usage_are_words(plain: Platform, person: Person) -> None:
    for text in ("牛乳を買う、メモして", "/notes", "/reminders", "/help", "/usage", "/digest"):
        person.says(text)
        plain.settle()

    messages = heard(plain, person)
    assert {message["type"] for message in messages} <= {"text", "template"}
    assert len(messages) >= 6
    assert any("牛乳" in words_of(message) for message in messages[1:])


def test_a_question_before_an_erasure_is_a_template_whose_button_erases(plain: Platform, person: Person) -> None:
    person.says("牛乳を買う、メモして")
    plain.settle()
    person.says("/forget")

    question = heard(plain, person)[-1]
    assert question["type"] == "template"
    assert "メモ1件" in question["template"]["text"]
    assert "0件" not in question["template"]["text"]
    plain.do(lambda stack: stack.line.press(person.id, person.id, first_press(question)))

    assert "すべて消しました" in words_of(heard(plain, person)[-1])
    assert not [name for name, data in plain.bucket().items() if person.id in name and "牛乳" in data.decode()]


def test_suggestions_are_quick_replies_and_a_cut_answer_goes_on(plain: Platform, person: Person) -> None:
    long = "これは長い説明の一文です。" * 60
    scripted(plain, ("reply", {"message": long, "suggestions": ["例は？"]}), ("reply", {"message": "これが続きです。"}))

    person.says("詳しく教えて")
    last = heard(plain, person)[-1]
    labels = [item["action"]["label"] for item in last["quickReply"]["items"]]
    person.says(labels[0])

    assert {message["type"] for message in heard(plain, person)} == {"text"}
    assert words_of(last).endswith("（続きがあります）")
    assert labels == ["続けて", "例は？"]
    assert words_of(heard(plain, person)[-1]) == "これが続きです。"
