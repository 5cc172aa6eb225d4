"""The language of people's and the model's words, for the texts that code writes around them."""

from typing import Final

import pytest

from shared.line.language import language_of, shown_language
from shared.locales.language_file import LOCALES

CHINESE: Final = (
    "今天的摘要",
    "記得買牛奶",
    "明天早上九點提醒我吃藥",
    "我們下週三要開會嗎",
    "幫我記一下,王先生的電話是0912345678",
    "謝謝你",
    "好的,沒問題",
    "取消明天的提醒",
    "這張照片是什麼?",
    "冰箱裡還有雞蛋嗎",
    "後天下午三點跟客戶開會",
    "把倒垃圾刪掉",
    "下星期五交報告",
    "媽媽生日是五月三日",
    "我想去日本旅行",
    "晚上八點打電話給爸爸",
    "我昨天說了什麼?",
    "列出所有待辦事項",
    "每個月最後一天繳房租",
    "今天天氣如何",
)
JAPANESE_IN_KANJI: Final = (
    "請求書送付",
    "明日九時会議",
    "来週月曜歯医者",
    "了解",
    "牛乳購入",
    "今日予定確認",
    "佐藤様電話番号",
    "毎朝七時起床",
    "資料印刷完了",
    "家賃振込",
    "金曜日午後三時打合",
    "免許更新期限",
    "駅前集合",
    "写真削除",
    "予約変更",
)


@pytest.mark.parametrize("default", LOCALES)
@pytest.mark.parametrize("text", CHINESE)
def test_a_chinese_sentence_is_chinese_whatever_the_bots_locale(text: str, default: str) -> None:
    assert language_of([text], default=default) == "zh-TW"


@pytest.mark.parametrize("default", LOCALES)
@pytest.mark.parametrize("text", JAPANESE_IN_KANJI)
def test_japanese_without_kana_is_japanese_whatever_the_bots_locale(text: str, default: str) -> None:
    assert language_of([text], default=default) == "ja"


@pytest.mark.parametrize(
    ("texts", "default", "language"),
    [
        (["今日のまとめを見せて"], "en", "ja"),
        (["สรุปประจำวัน"], "ja", "th"),
        (["daily digest, please"], "ja", "en"),
        (["👍", "1"], "ja", "ja"),
        (["hello", "👍"], "ja", "en"),
        ([], "th", "th"),
        (["明日の予定は？", "牛乳🥛"], "zh-TW", "ja"),
        (["明日の予定は？", "OK"], "en", "ja"),
        (["明天呢？", "Netflix"], "ja", "zh-TW"),
        (["「おはよう」是日文的早安"], "ja", "zh-TW"),
        (["ありがとう means thank you in Japanese"], "ja", "en"),
        (["Notion ตอนนี้"], "ja", "th"),
        (["明日の予定は？", "Hello!"], "ja", "en"),
        (["helloと言われた"], "en", "ja"),
        (["https://shop.example/very/long/path を見て"], "en", "ja"),
        (["@Momo Bot 明日は？"], "en", "ja"),
        (["@Ken明日の会議は何時ですか"], "en", "ja"),
        (["@さくら、明天要開會嗎"], "ja", "zh-TW"),
        (["@さくら 👍"], "en", "en"),
        (["銀行"], "ja", "ja"),
        (["銀行"], "zh-TW", "zh-TW"),
        (["銀行"], "en", "zh-TW"),
    ],
)
def test_the_last_telling_text_decides(texts: list[str], default: str, language: str) -> None:
    assert language_of(texts, default=default) == language


@pytest.mark.parametrize("text", ["銀行", "OK", "👍"])
def test_the_chats_choice_decides_where_no_text_tells(text: str) -> None:
    assert shown_language([text]) is None
    assert language_of([text], default="zh-TW", chosen="ja") == "ja"


def test_words_that_tell_count_more_than_the_chats_choice() -> None:
    assert language_of(["明日は？"], default="en", chosen="th") == "ja"


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Google Calendar 見て", "ja"),
        ("Zoom meeting は？", "ja"),
        ("Happy Birthday！おめでとう", "ja"),
        ("幫我開 Google Meet", "zh-TW"),
        ("wifi password 是什麼", "zh-TW"),
        ("ขอ link Google Meet หน่อย", "th"),
        ("What does ねこ mean?", "en"),
        ("Trip to 大阪 with 田中さん", "en"),
        ("remind me to buy トマト tomorrow", "en"),
    ],
)
@pytest.mark.parametrize("default", LOCALES)
def test_names_and_loanwords_in_latin_letters_make_no_sentence_english(text: str, language: str, default: str) -> None:
    assert language_of([text], default=default) == language


def test_the_texts_before_decide_on_a_few_latin_words_with_kana() -> None:
    assert language_of(["what is on the list?", "add トマト, eggs"], default="ja") == "en"
    assert language_of(["リストを見せて", "add トマト, eggs"], default="en") == "ja"
    assert language_of(["Google Meet 連結"], default="ja", chosen="th") == "th"
