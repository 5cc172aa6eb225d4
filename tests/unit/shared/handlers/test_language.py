"""`/language` and its buttons: the language of texts that no words of people decide."""

from concurrent.futures import ThreadPoolExecutor
from typing import Final

import pytest

from shared.access.budgets import Limits
from shared.adapters.memory.scripted_model import calling
from shared.line.messaging import PostbackButton
from shared.line.phrases import Phrase, phrase
from shared.locales import LOCALES
from tests.support import recorded
from tests.support.people import START_MS, Person
from tests.support.phrases import japanese
from tests.support.pushed import PushedWorker


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


def test_a_choice_that_is_delivered_again_does_not_undo_a_later_one(friend: Person) -> None:
    thai = friend.says("/language th")
    friend.says("/language English")
    friend.sends(thai)
    friend.says("/reminders")

    assert friend.worker.said[1:] == [of(Phrase.LANGUAGE_DONE, "en"), of(Phrase.REMINDERS_NONE, "en")]


@pytest.mark.parametrize(
    ("name", "locale"),
    [
        ("日本語", "ja"),
        ("JP", "ja"),
        ("ＥＮＧＬＩＳＨ", "en"),
        ("繁體中文", "zh-TW"),
        ("中文", "zh-TW"),
        ("ไทย", "th"),
        ("ภาษาไทย", "th"),
    ],
)
def test_a_language_is_chosen_by_one_of_its_names(friend: Person, name: str, locale: str) -> None:
    friend.says(f"/language {name}")
    assert friend.worker.said == [of(Phrase.LANGUAGE_DONE, locale)]


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


CHINESE: Final = "提醒我繳房租"
MORNING_MS: Final = 1_763_768_415_000  # 8:40:15 on 22 November 2025 in Tokyo
LISTED: Final = {
    "/help": of(Phrase.HELP_FRIEND, "zh-TW"),
    "/id": of(Phrase.ID, "zh-TW", id=recorded.USER),
    "/notes": of(Phrase.NOTES_NONE, "zh-TW"),
    "/reminders": of(Phrase.REMINDERS_NONE, "zh-TW"),
    "/language": of(Phrase.LANGUAGE_NOW, "zh-TW"),
    "/usage": "今天還可以回答 499 次，午夜 12 點重新計算。",
    "/export me": of(Phrase.EXPORT_ME, "zh-TW", id=recorded.USER),
    "/reset": of(Phrase.RESET_DONE, "zh-TW"),
    "/bye": of(Phrase.GOODBYE_FRIEND, "zh-TW"),
}


@pytest.mark.parametrize("command", LISTED)
def test_a_command_is_answered_in_the_language_of_the_persons_earlier_messages(
    pool: ThreadPoolExecutor, command: str
) -> None:
    friend = Person(PushedWorker(pool, limits=Limits(tokens_per_chat_day=0)), is_in_group=False)
    friend.says(CHINESE, calling(("reply", {"message": "好的"})))

    friend.says(command)

    assert friend.worker.said[-1] == LISTED[command]


def test_a_members_own_language_counts_before_those_of_others(member: Person) -> None:
    member.says("what did we decide?", calling(("reply", {"message": "Nothing yet."})))
    member.sends(member.events.text(CHINESE, by="U" + "2" * 32))

    member.sends(member.events.text("/notes", by="U" + "2" * 32))
    member.says("/notes")

    assert member.worker.said[-2:] == [of(Phrase.NOTES_NONE, "zh-TW"), of(Phrase.NOTES_NONE, "en")]


@pytest.mark.parametrize("before", [(), ("OK",), ("👍", "Momo")])
def test_who_has_shown_no_language_is_answered_in_that_of_the_chat(member: Person, before: tuple[str, ...]) -> None:
    member.says("what did we decide?", calling(("reply", {"message": "Nothing yet."})))
    for text in before:
        member.sends(member.events.text(text, by="U" + "2" * 32))

    member.sends(member.events.text("/notes", by="U" + "2" * 32))

    assert member.worker.said[-1] == of(Phrase.NOTES_NONE, "en")


def test_after_forget_me_the_language_of_the_chat_stays(member: Person) -> None:
    member.says("what did we decide?", calling(("reply", {"message": "Nothing yet."})))
    member.sends(member.events.text("we wanted to decide tomorrow", by="U" + "2" * 32))
    member.says("/forget me")

    member.says("/notes")

    assert member.worker.said[-1] == of(Phrase.NOTES_NONE, "en")


def test_a_greeting_of_one_word_shows_the_language(friend: Person) -> None:
    friend.says("Hello!", calling(("reply", {"message": "Hi!"})))

    friend.says("/notes")

    assert friend.worker.said[-1] == of(Phrase.NOTES_NONE, "en")


def test_forget_me_is_confirmed_in_the_language_of_the_words_that_it_withdraws(member: Person) -> None:
    member.says(CHINESE)

    member.says("/forget me")

    assert member.worker.said == [of(Phrase.FORGET_ME_DONE, "zh-TW", messages="1")]


@pytest.mark.parametrize(
    ("words", "until"), [("私の言葉はメカジキです", "（8:50まで有効）"), ("my word is swordfish", "(until 08:50)")]
)
def test_a_question_says_until_when_it_holds_in_the_form_of_its_language(
    friend: Person, words: str, until: str
) -> None:
    friend.worker.clock.move((MORNING_MS - START_MS) / 1_000)
    friend.sends({**friend.events.text(words), "timestamp": MORNING_MS - 1_000}, calling(("reply", {"message": "OK"})))

    friend.sends({**friend.events.text("/forget"), "timestamp": MORNING_MS})

    assert friend.worker.said[-1].endswith(until)
