"""Fixed texts that have to agree with each other in every language."""

import pytest

from shared.features.stored_features import STORED_FEATURES
from shared.handlers.holdings import Held, Holding, described
from shared.line.phrases import Phrase, phrase
from shared.locales import LOCALES
from tests.support.wishes.feature import STORED_WISHES


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
    asked = described((Holding(folder=one, count=2) for one in Held), locale=locale)
    told = phrase(Phrase.FORGET_DONE, locale=locale, bot_name="Momo")

    assert [one for one in kinds if one in asked] == kinds
    assert [one for one in kinds if one in told] == kinds


@pytest.mark.parametrize("locale", LOCALES)
def test_each_feature_whose_things_are_counted_has_words_for_the_count(locale: str) -> None:
    counted = [feature for feature in (*STORED_FEATURES, STORED_WISHES) if feature.counted is not None]

    texts = [
        Holding(folder=feature.folder, count=7, words=feature.counted.words).text(locale)
        for feature in counted
        if feature.counted
    ]

    assert len(set(texts)) == 8
    assert all("7" in text for text in texts)
