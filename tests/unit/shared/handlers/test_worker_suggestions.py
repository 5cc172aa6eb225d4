"""Suggestions: what a person might say next, by a tap; in groups a tap is thought about as the presser's question."""

from concurrent.futures import ThreadPoolExecutor
from typing import Final

import pytest

from shared.adapters.memory.scripted_model import Step, calling
from shared.line.cards.card import CardButton
from shared.line.messaging import SayButton, is_sendable
from shared.line.phrases import Phrase, phrase
from tests.support.people import Person
from tests.support.phrases import japanese
from tests.support.pushed import PushedWorker
from tests.support.replies import sent
from tests.support.tainted_chat import READS, TaintedChat

OTHER: Final = "U" + "c" * 32
ANSWER: Final = calling(("reply", {"message": "金曜です。"}))


def suggesting(*suggestions: str) -> Step:
    return calling(("reply", {"message": "来週です。", "suggestions": list(suggestions)}))


def buttons(person: Person, event: dict[str, object]) -> tuple[CardButton, ...]:
    card = sent(person, event)[-1].card
    return card.buttons if card is not None else ()


def test_a_friend_may_tap_what_to_say_next(friend: Person) -> None:
    asked = friend.asks("会議はいつ？", suggesting("場所は？", "リマインドして"))

    (message,) = sent(friend, asked)
    assert message.quick_replies == (SayButton(text="場所は？"), SayButton(text="リマインドして"))
    assert is_sendable([message])
    assert friend.worker.outcome(asked)["text"] == "来週です。"


def test_a_group_is_shown_three_at_most_on_a_card_that_reads_as_what_one_would_type(member: Person) -> None:
    asked = member.asks("会議はいつ？", suggesting("場所は？", "誰が来る？", "何時まで？", "議題は？"))

    *_, card = sent(member, asked)
    assert [button.label for button in buttons(member, asked)] == ["場所は？", "誰が来る？", "何時まで？"]
    assert card.text == "Aizuchi、場所は？\nAizuchi、誰が来る？\nAizuchi、何時まで？"
    assert is_sendable([card])


def test_a_tap_in_a_busy_group_is_answered_as_the_pressers_question(member: Person) -> None:
    asked = member.asks("会議はいつ？", suggesting("場所は？", "誰が来る？"))
    for text in ("お昼どうする？", "カレー", "いいね"):
        member.says(text)
    _, second = buttons(member, asked)

    pressed = member.sends(
        member.events.event("postback", by=OTHER, postback={"data": second.value}),
        calling(("reply", {"message": "山田さん"})),
    )

    assert [message.text for message in sent(member, pressed)] == ["山田さん"]
    assert "誰が来る？" in member.worker.prompt()
    assert member.worker.outcome(pressed)["answered_ids"] == [pressed["webhookEventId"]]


def test_a_press_that_is_delivered_again_is_answered_once(member: Person) -> None:
    asked = member.asks("会議はいつ？", suggesting("場所は？"))
    press = member.events.event("postback", postback={"data": buttons(member, asked)[0].value})
    pressed = member.sends(press, ANSWER)
    count = len(member.worker.said)

    member.sends(pressed)

    assert len(member.worker.said) == count


def test_a_press_after_the_answer_was_taken_back_is_told_so(member: Person) -> None:
    asked = member.asks("会議はいつ？", suggesting("場所は？"))
    button = buttons(member, asked)[0]
    member.worker.withdraw(member.events.chat_id, asked["message"]["id"])

    pressed = member.presses(button.value)

    assert [message.text for message in sent(member, pressed)] == [japanese(Phrase.PRESS_VOID)]
    assert "場所は？" not in str(member.worker.outcome(asked))


@pytest.mark.parametrize("data", ["say:event1:7", "say:elsewhere:0"])
def test_a_press_that_names_no_suggestion_of_this_chat_is_told_so(member: Person, data: str) -> None:
    member.asks("会議はいつ？", suggesting("場所は？"))

    pressed = member.presses(data)

    assert [message.text for message in sent(member, pressed)] == [japanese(Phrase.PRESS_VOID)]


def test_somebody_who_left_the_group_is_told_that_the_button_does_not_apply(member: Person) -> None:
    asked = member.asks("会議はいつ？", suggesting("場所は？"))
    member.worker.profiles.strangers.add(OTHER)

    pressed = member.sends(
        member.events.event("postback", by=OTHER, postback={"data": buttons(member, asked)[0].value})
    )

    assert [message.text for message in sent(member, pressed)] == [japanese(Phrase.PRESS_VOID)]


@pytest.mark.parametrize(
    "unusable",
    [
        "/forget",
        "／ｆｏｒｇｅｔ　ｍｅ",
        " ",
        "https://evil.example",
        "これは二十文字よりも長いのでボタンに入りません。",
    ],
)
def test_neither_commands_nor_links_nor_long_texts_are_suggested(friend: Person, unusable: str) -> None:
    asked = friend.asks("会議はいつ？", suggesting(unusable, "場所は？", "場所は？"))

    assert sent(friend, asked)[-1].quick_replies == (SayButton(text="場所は？"),)


def test_a_tainted_turn_suggests_nothing(pool: ThreadPoolExecutor) -> None:
    chat = TaintedChat(pool)

    asked = chat.person.says("what does the page say?", READS, suggesting("send money"))

    assert all(not message.quick_replies for message in sent(chat.person, asked))


def test_without_cards_a_group_reads_what_to_type(pool: ThreadPoolExecutor) -> None:
    plain = Person(PushedWorker(pool, is_rich=False), is_in_group=True)

    asked = plain.asks("会議はいつ？", suggesting("場所は？"))

    assert [(message.text, message.card) for message in sent(plain, asked)] == [
        ("来週です。", None),
        ("Aizuchi、場所は？", None),
    ]


@pytest.mark.parametrize(
    ("locale", "line"), [("ja", "Aizuchi、銀行"), ("zh-TW", "Aizuchi，銀行"), ("th", "Aizuchi 銀行")]
)
def test_words_that_show_no_language_are_suggested_in_the_chosen_one(
    pool: ThreadPoolExecutor, locale: str, line: str
) -> None:
    plain = Person(PushedWorker(pool, is_rich=False), is_in_group=True)
    plain.says(f"/language {locale}")

    asked = plain.asks("銀行", calling(("reply", {"message": "銀行", "suggestions": ["銀行"]})))

    assert sent(plain, asked)[-1].text == line


@pytest.mark.parametrize("locale", ["ja", "zh-TW"])
def test_the_buttons_of_a_han_only_answer_are_in_the_chosen_language(friend: Person, locale: str) -> None:
    friend.says(f"/language {locale}")

    asked = friend.asks("銀行", calling(("reply", {"message": "銀行" * 400})))

    assert sent(friend, asked)[-1].quick_replies == (
        SayButton(text=phrase(Phrase.GO_ON_BUTTON, locale=locale, bot_name="")),
    )
