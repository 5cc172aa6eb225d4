from collections import Counter

import pytest

from shared.agent.claim_words import Claim
from shared.agent.claims import is_claimed_done, unbacked_claims
from shared.line.language import shown_language
from tests.unit.shared.agent.claim_cases import CLAIMS, NO_CLAIMS


@pytest.mark.parametrize(("message", "claim"), CLAIMS)
def test_a_claim_without_a_call_is_seen(message: str, claim: Claim) -> None:
    assert claim in unbacked_claims(message, called=())


@pytest.mark.parametrize("message", NO_CLAIMS)
def test_what_only_sounds_like_a_claim_is_left_alone(message: str) -> None:
    assert unbacked_claims(message, called=()) == frozenset()


@pytest.mark.parametrize("cases", [[message for message, _ in CLAIMS], NO_CLAIMS], ids=["claims", "no claims"])
def test_the_tables_hold_ten_cases_of_each_language(cases: list[str]) -> None:
    counts = Counter(shown_language((case,)) or "en" for case in cases)

    assert min(counts[locale] for locale in ("ja", "en", "zh-TW", "th")) >= 10


@pytest.mark.parametrize(
    ("called", "claims"),
    [
        (("create_reminder",), set()),
        (("list_reminders",), set()),
        (("classify_and_capture",), {Claim.REMINDER}),
        (("web_search", "recall"), {Claim.REMINDER}),
        (("mcp_calendar_add",), set()),
    ],
)
def test_a_claim_is_backed_by_a_call_that_does_it(called: tuple[str, ...], claims: set[Claim]) -> None:
    assert unbacked_claims("明日の9時にリマインドしますね。", called=called) == claims


def test_of_two_claims_each_needs_its_call() -> None:
    message = "メモしました。9時にリマインドしますね。"

    assert unbacked_claims(message, called=("classify_and_capture",)) == {Claim.REMINDER}


@pytest.mark.parametrize(
    "message",
    [
        "完了にしました",
        "ステータスを変更しておきました！ほかに何かありますか？",
        "期限を金曜に変えました。",
        "メモを削除しました。",
        "I've marked it as done.",
        "I updated the page.",
        "The task is now marked as done.",
        "已經幫你把期限改成星期五。",
        "標好了！",
        "แก้ไขวันให้แล้วค่ะ",
        "เปลี่ยนสถานะเรียบร้อยแล้วครับ",
    ],
)
def test_a_change_that_is_called_done_is_seen(message: str) -> None:
    assert is_claimed_done(message)


@pytest.mark.parametrize(
    "message",
    [
        "変更できませんでした。",
        "移動は完了しましたが、変更に失敗しました。",
        "完了にしますか？",
        "どのメモを変更しますか？",
        "それはもう変更しました。",
        "「変更しました」と表示されるはずです。",
        "I couldn't update it.",
        "I moved it, but the update failed.",
        "Shall I mark it as done?",
        "找不到這則筆記，所以沒有更改。",
        "要改成星期五嗎？",
        "ยังแก้ไขไม่ได้ค่ะ",
        "はい",
    ],
)
def test_a_reply_that_admits_or_asks_calls_nothing_done(message: str) -> None:
    assert not is_claimed_done(message)
