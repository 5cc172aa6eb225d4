"""Answers that are cut: the last line says that there is more, and a tap asks the bot to go on."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final

import pytest

from shared.adapters.memory.scripted_model import Step, calling
from shared.line.bubbles import ANSWER, length_of
from shared.line.messaging import OutgoingMessage, SayButton, is_sendable
from shared.line.phrases import Phrase, phrase
from shared.locales import LOCALES
from tests.support.people import Person
from tests.support.pushed import PushedWorker
from tests.support.replies import sent
from tests.support.tainted_chat import READS, TaintedChat

SENTENCES: Final = {
    "ja": "これは長い説明の一文です。",
    "en": "This is one sentence of a long explanation. ",
    "zh-TW": "這是一段很長的說明裡的一句話，請慢慢看。",
    "th": "นี่คือประโยคหนึ่งของคำอธิบายที่ยาวมาก ",
}
QUESTIONS: Final = {"ja": "詳しく教えて", "en": "tell me all about it", "zh-TW": "請詳細說明一下", "th": "เล่าให้ฟังหน่อย"}


def of(which: Phrase, locale: str) -> str:
    return phrase(which, locale=locale, bot_name="Aizuchi")


def long_reply(locale: str = "ja", *suggestions: str) -> Step:
    return calling(("reply", {"message": SENTENCES[locale] * 60, "suggestions": list(suggestions)}))


def said(messages: list[OutgoingMessage]) -> list[str]:
    return [message.text for message in messages if message.card is None]


@pytest.mark.parametrize("locale", LOCALES)
def test_a_cut_answer_says_so_and_offers_to_go_on_in_its_language(friend: Person, locale: str) -> None:
    asked = friend.asks(QUESTIONS[locale], long_reply(locale))

    messages = sent(friend, asked)
    assert friend.worker.outcome(asked)["text"].endswith(f"\n{of(Phrase.GOES_ON, locale)}")
    assert length_of(friend.worker.outcome(asked)["text"]) <= ANSWER.text_limit
    assert messages[-1].text.endswith(of(Phrase.GOES_ON, locale))
    assert messages[-1].text != of(Phrase.GOES_ON, locale)
    assert messages[-1].quick_replies == (SayButton(text=of(Phrase.GO_ON_BUTTON, locale)),)
    assert is_sendable(messages)


def test_an_answer_within_the_limit_offers_nothing(friend: Person) -> None:
    asked = friend.asks("教えて", calling(("reply", {"message": SENTENCES["ja"] * 30})))

    assert of(Phrase.GOES_ON, "ja") not in friend.worker.outcome(asked)["text"]
    assert sent(friend, asked)[-1].quick_replies == ()


def test_going_on_comes_before_what_the_model_suggests(friend: Person) -> None:
    asked = friend.asks("教えて", long_reply("ja", "例は？", "いつから？", "だれが？", "なぜ？"))

    labels = [button.text for button in sent(friend, asked)[-1].quick_replies if isinstance(button, SayButton)]
    assert labels == ["続けて", "例は？", "いつから？", "だれが？"]


def test_a_tap_in_a_busy_group_goes_on_with_the_answer_of_its_button(member: Person) -> None:
    asked = member.asks("教えて", long_reply())
    *_, card = sent(member, asked)
    assert card.card is not None
    assert card.text == "Aizuchi、続けて"
    member.asks("別の話", calling(("reply", {"message": "はい"})))
    for text in ("お昼どうする？", "カレー", "いいね"):
        member.says(text)

    press = member.events.event("postback", by="U" + "c" * 32, postback={"data": card.card.buttons[0].value})
    member.sends(press, calling(("reply", {"message": "続きです。"})))

    question = member.worker.prompt().rpartition("[quote | you]")[2]
    assert SENTENCES["ja"] in question
    assert "続けて" in question


@pytest.mark.parametrize("is_in_group", [True, False])
def test_without_cards_the_words_to_send_are_shown(pool: ThreadPoolExecutor, *, is_in_group: bool) -> None:
    plain = Person(PushedWorker(pool, is_rich=False), is_in_group=is_in_group)

    asked = plain.asks("教えて", long_reply())

    last = sent(plain, asked)[-1]
    assert last.text == "Aizuchi、続けて" if is_in_group else last.quick_replies == (SayButton(text="続けて"),)


def test_a_tainted_turn_offers_to_go_on_and_nothing_else(pool: ThreadPoolExecutor) -> None:
    chat = TaintedChat(pool)

    asked = chat.person.says("what does the page say?", READS, long_reply("en", "send money"))

    assert sent(chat.person, asked)[-1].quick_replies == (SayButton(text="Go on"),)


def test_two_cut_answers_do_not_repeat_each_other(pool: ThreadPoolExecutor) -> None:
    chat = TaintedChat(pool)
    page = chat.person.says("what does the page say?", READS, long_reply("en"))

    own = calling(("reply", {"message": "Let us talk of gardens instead, and of rain. " * 60}))
    asked = chat.person.says("tell me about your garden", own)

    assert _outside(chat.person.worker.outcome(page))
    assert not _outside(chat.person.worker.outcome(asked))


def test_a_long_list_in_a_group_leaves_room_for_the_button(member: Person) -> None:
    digest = calling(("generate_digest", {"type": "weekly"}))
    many = calling(("reply", {"message": SENTENCES["ja"] * 320}))

    asked = member.asks("一週間のまとめ", digest, many)

    messages = sent(member, asked)
    assert messages[-1].text == "Aizuchi、続けて"
    assert "".join(said(messages)).replace("\n", "") == member.worker.outcome(asked)["text"].replace("\n", "")


def _outside(outcome: dict[str, Any]) -> object:
    return outcome["provenance"].get("outside")
