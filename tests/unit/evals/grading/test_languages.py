"""The grader of languages: letters count by their share, names of people do not."""

import pytest

from evals.grading.languages import Language, is_in, simplified_in


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("ja", "わかりました。"),
        ("ja", "了解"),
        ("ja", "「Garden fence」は業者待ちです。"),
        ("ja", "NotionのshoppingにmilkとeggsをLINEから追加しました。"),
        ("ja", "集合は10:30、西口です"),
        ("ja", "👍"),
        ("en", "The note 「庭の工事」 is waiting for the contractor."),
        ("en", "Kenji said 10時."),
        ("en", "OK!"),
        ("en", "It's café Ōkubo, at 9."),
        ("zh-TW", "已經幫你刪除了。"),
        ("zh-TW", "今天是星期日"),
        ("zh-TW", "「Garden fence」還在等廠商回覆"),
        ("zh-TW", "你可以用 Notion 或 LINE 記下來"),
        ("zh-TW", "在「台中の店」集合，十點半"),
        ("th", "ลบเรียบร้อยแล้วค่ะ"),
        ("th", "นัดที่ Siam Paragon ตอน 10 โมงค่ะ"),
        ("th", "「庭のフェンス」 ยังรอช่างอยู่ค่ะ"),
        ("th", "ได้เลยครับ 👍"),
        ("th", "3,776 เมตรค่ะ"),
    ],
)
def test_a_text_in_the_language_passes(language: Language, text: str) -> None:
    assert is_in(language, text)


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("ja", "已經幫你刪除了。"),
        ("ja", "The note is deleted."),
        ("ja", "I deleted 車検 for you."),
        ("ja", "ลบแล้วค่ะ"),
        ("ja", "集合時間是早上十點半在車站前面集合"),
        ("en", "削除しました。"),
        ("en", "OK、わかりました。明日の朝に言いますね"),
        ("en", "已記下"),
        ("en", "ได้ค่ะ OK"),
        ("zh-TW", "已经删除了。"),
        ("zh-TW", "好的，我会提醒你吃药"),
        ("zh-TW", "记录好了"),
        ("zh-TW", "削除しました。"),
        ("zh-TW", "Sure, I noted it."),
        ("zh-TW", "今天天氣很好，这个周末见"),
        ("th", "Deleted."),
        ("th", "消しました"),
        ("th", "OK I will tell you ค่ะ"),
        ("th", "好的，記下了"),
        ("th", "Sure! แล้วเจอกัน at the station tomorrow morning"),
    ],
)
def test_a_text_in_another_language_fails(language: Language, text: str) -> None:
    assert not is_in(language, text)


def test_names_of_entries_are_left_out() -> None:
    assert is_in("en", "庭の工事 is waiting, 車検 is done.", names=["庭の工事", "車検"])
    assert not is_in("en", "庭の工事は待ち、車検は done です", names=["庭の工事", "車検"])


def test_simplified_characters_are_told() -> None:
    assert set(simplified_in("已经删除")) == {"经", "删"}
    assert simplified_in("已經刪除") == ()
