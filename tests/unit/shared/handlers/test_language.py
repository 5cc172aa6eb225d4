"""`/language` and its buttons: the language of texts that no words of people decide."""

import pytest

from shared.adapters.memory.scripted_model import calling
from shared.line.messaging import PostbackButton
from shared.line.phrases import Phrase, phrase
from shared.locales import LOCALES
from tests.support.people import Person
from tests.support.phrases import japanese


def of(which: Phrase, locale: str, **facts: str) -> str:
    return phrase(which, locale=locale, bot_name="Aizuchi", **facts)


@pytest.mark.parametrize("locale", LOCALES)
@pytest.mark.parametrize("spelling", ["/language {}", "／ＬＡＮＧＵＡＧＥ　{}", "@Aizuchi /language {}"])
def test_a_command_chooses_the_language_of_later_commands(member: Person, locale: str, spelling: str) -> None:
    member.says(spelling.format(locale))
    member.says("/help")

    assert member.worker.said == [of(Phrase.LANGUAGE_DONE, locale), of(Phrase.HELP_GROUP, locale)]
    assert member.worker.model.requests == []


def test_the_command_alone_shows_the_language_with_a_button_for_each(friend: Person) -> None:
    asked = friend.says("/language")

    (message,) = friend.worker.line.replied[asked["replyToken"]]
    assert message.text == japanese(Phrase.LANGUAGE_NOW)
    assert [one.label for one in message.quick_replies] == ["日本語", "English", "繁體中文", "ไทย"]


def test_a_tap_chooses_the_language(friend: Person) -> None:
    asked = friend.says("/language")
    (message,) = friend.worker.line.replied[asked["replyToken"]]

    thai = message.quick_replies[3]
    assert isinstance(thai, PostbackButton)
    friend.presses(thai.data)
    friend.says("/reminders")

    assert friend.worker.said[1:] == [of(Phrase.LANGUAGE_DONE, "th"), of(Phrase.REMINDERS_NONE, "th")]


def test_a_language_that_does_not_exist_is_a_question_for_the_model(friend: Person) -> None:
    friend.says("/language klingon", calling(("reply", {"message": "Sorry"})))

    assert friend.worker.said == ["Sorry"]


@pytest.mark.parametrize(
    ("locale", "receipt"), [("ja", "✓ 記録：「銀行」（用事）"), ("zh-TW", "✓ 已記下：「銀行」（雜事）")]
)
def test_the_choice_decides_about_words_that_may_be_japanese_or_chinese(
    friend: Person, locale: str, receipt: str
) -> None:
    friend.says(f"/language {locale}")
    friend.worker.json_model.steps = [{"category": "admin", "confidence": 0.9, "name": "銀行"}]

    filed = friend.says(
        "銀行", calling(("classify_and_capture", {"text": "銀行"})), calling(("reply", {"message": "OK"}))
    )

    assert friend.worker.outcome(filed)["text"].endswith(receipt)


def test_the_choice_outlives_a_reset(friend: Person) -> None:
    friend.says("/language en")

    friend.says("/reset")

    assert friend.worker.said[-1] == of(Phrase.RESET_DONE, "en")


def test_a_choice_is_told_once_though_delivered_twice(friend: Person) -> None:
    event = friend.says("/language en")

    friend.worker.deliver(event)

    assert friend.worker.said == [of(Phrase.LANGUAGE_DONE, "en")]
