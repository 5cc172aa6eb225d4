from collections.abc import Sequence

import pytest

from shared.locales.language_names import LANGUAGES, code_of
from shared.translation.languages import is_written_in, language_by_script
from shared.translation.left_alone import is_left_alone

JA_TH = ("ja", "th")


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("ja", "ja"),
        ("TH", "th"),
        ("ｔｈ", "th"),
        ("タイ語", "th"),
        ("ภาษาไทย", "th"),
        ("zh-tw", "zh-TW"),
        ("Tiếng Việt", "vi"),
        ("xx", None),
    ],
)
def test_a_language_is_known_by_its_code_and_by_names_of_it(name: str, code: str | None) -> None:
    assert code_of(name) == code


def test_every_language_is_known_by_its_own_name() -> None:
    assert {code_of(own_name) for own_name in LANGUAGES.values()} == set(LANGUAGES)


@pytest.mark.parametrize(
    ("text", "languages", "language"),
    [
        ("明日は？", ("ja", "th", "en"), "ja"),
        ("พรุ่งนี้ไปไหม", JA_TH, "th"),
        ("銀行", ("ja", "zh-TW"), None),
        ("銀行", ("zh-TW", "en"), "zh-TW"),
        ("see you tomorrow", ("en", "id"), None),
        ("see you tomorrow", ("en", "th"), "en"),
        ("ごはん", ("zh-TW", "en"), None),
        ("会議はZoomでお願いします", ("ja", "en"), "ja"),
        ("我在Starbucks", ("zh-TW", "vi"), "zh-TW"),
        ("Let's go to 居酒屋 tonight", ("ja", "en"), None),
        ("15:30", JA_TH, None),
    ],
)
def test_the_script_tells_the_language_where_only_one_writes_in_it(
    text: str, languages: Sequence[str], language: str | None
) -> None:
    assert language_by_script(text, languages) == language


@pytest.mark.parametrize(
    "text",
    [
        "👍",
        "😂😂😂",
        "https://example.com/a",
        "15:30",
        "@Ken",
        "[emoji: love]",
        "555",
        "OK",
        "see you",
        "おはよう สวัสดี",
        "w",
        "/x 明日",
        "あ" * 1_501,
    ],
)
def test_what_is_left_alone_in_japanese_and_thai(text: str) -> None:
    assert is_left_alone(text, JA_TH)


@pytest.mark.parametrize(
    "text", ["行く", "ไปครับ", "15:30に集合", "OKです！", "https://example.com 見て", "@Ken 明日は？", "ลิงก์ Zoom ครับ"]
)
def test_what_is_translated_between_japanese_and_thai(text: str) -> None:
    assert not is_left_alone(text, JA_TH)


@pytest.mark.parametrize(
    ("text", "languages"),
    [
        ("LINEで送って", ("ja", "en")),
        ("明日はStarbucksで待ち合わせね", ("ja", "en")),
        ("zoomで会議", ("ja", "en")),
        ("Instagram見た？", ("ja", "id")),
        ("我用Line Pay付了", ("zh-TW", "id")),
        ("เจอกันที่ Central World", ("th", "en")),
        ("ส่ง LINE มา", ("th", "en")),
        ("I bought お土産 at the airport", ("ja", "en")),
        ("Disneyland行く？", JA_TH),
        ("Microsoft Teamsで会議", JA_TH),
        ("我在Starbucks Coffee", ("zh-TW", "th")),
        ("さくら說她會帶蛋糕", ("zh-TW", "vi")),
    ],
)
def test_a_name_or_a_word_within_a_sentence_of_another_script_leaves_nothing_untranslated(
    text: str, languages: Sequence[str]
) -> None:
    assert not is_left_alone(text, languages)


def test_a_word_that_the_chat_keeps_makes_no_sentence_bilingual() -> None:
    assert is_left_alone("Can't make it. Ask さくら", ("ja", "en"))
    assert not is_left_alone("Can't make it. Ask さくら", ("ja", "en"), ("さくら",))


@pytest.mark.parametrize(
    "text",
    [
        "おはよう Good morning",
        "Thank you ありがとう",
        "今から帰る / Coming home now",
        "おはよう。\nGood morning. 元気？\nHow are you?",
    ],
)
def test_what_says_itself_in_two_languages_is_left_alone(text: str) -> None:
    assert is_left_alone(text, ("ja", "en"))


def test_a_translation_is_in_its_language_if_it_has_a_letter_of_the_script() -> None:
    assert is_written_in("ไปครับ OK", "th")
    assert not is_written_in("OK", "th")
