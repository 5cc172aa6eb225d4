"""Fixed texts that have to agree with each other in every language."""

import pytest

from shared.line.phrases import Phrase, phrase

_COUNTED = {"messages": "1", "entries": "2", "media": "3", "reminders": "4", "until": "09:00"}


@pytest.mark.parametrize(
    ("locale", "kinds"),
    [
        ("en", ["notes", "media", "reminders"]),
        ("ja", ["メモ", "メディア", "リマインダー"]),
        ("th", ["บันทึก", "สื่อ", "การเตือน"]),
        ("zh-TW", ["筆記", "媒體", "提醒"]),
    ],
)
def test_what_forget_has_erased_is_told_as_it_was_asked(locale: str, kinds: list[str]) -> None:
    asked = phrase(Phrase.FORGET_QUESTION, locale=locale, bot_name="Momo", **_COUNTED)
    told = phrase(Phrase.FORGET_DONE, locale=locale, bot_name="Momo")

    assert [one for one in kinds if one in asked] == kinds
    assert [one for one in kinds if one in told] == kinds
