"""Errors of tools are for models: people read words in their language."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

WAITS = "Not done yet: a button asks."


@pytest.mark.parametrize(
    ("said", "tool", "error", "answered"),
    [
        ("幻リストを見せて", "show_list", "There is no list.", "そのリストは見つかりませんでした。"),
        ("Show me the ghost list", "show_list", "There is no list.", "I did not find that list."),
        ("幻リストの済みを消して", "clear_list", "Nothing of it is ticked.", "チェックの付いたものはありません。"),
        ("Clear the ghost list", "clear_list", "Nothing of it is ticked.", "Nothing on it is ticked."),
        ("投票を締め切って", "close_poll", "There is no poll.", "すみません、うまくいきませんでした。"),
        ("Close the vote", "close_poll", "There is no poll.", "Sorry, that did not work."),
        ("ปิดโหวต", "close_poll", "There is no poll.", "ขอโทษค่ะ ทำไม่สำเร็จ"),
        ("投票を締め切って", "close_poll", "There is no such open poll.", "受付中の投票はありません。"),
        ("投票を締め切って", "close_poll", "Give the id of the one that is meant.", "どれのことか教えてください。"),
        ("ปิดโหวต", "close_poll", "Give the id of the one that is meant.", "หมายถึงอันไหนคะ"),
        ("Call off the dinner", "call_off_meeting", "There is no such meeting ahead.", "No meeting is ahead."),
        ("精算して", "settle", "Nothing is open, so there is nothing to settle.", "精算するものはありません。"),
        ("Undo that", "undo_last_change", "There is nothing to undo.", "There is nothing to undo."),
        ("夕食6000円、แนนは抜きで", "add_expense", "No.", "すみません、うまくいきませんでした。"),
        ("https://example.com/ 總結", "read_link", "Not read.", "抱歉，沒有成功。"),
        ("https://example.com/ を要約して", "read_link", "Not read.", "すみません、うまくいきませんでした。"),
        ("https://example.com/ 總結", "read_link", WAITS, "請用下方的按鈕確認。"),
        ("ปิดโหวต", "close_poll", WAITS, "กรุณายืนยันด้วยปุ่มด้านล่าง"),
        ("https://example.com/ 總結", "x", "It may still take effect.", "無法確認是否已完成，麻煩您看一下。"),
        ("ปิดโหวต", "x", "It may still take effect.", "ไม่แน่ใจว่าทำเสร็จหรือยัง ช่วยตรวจดูให้หน่อยนะคะ"),
    ],
)
def test_a_failure_is_told_in_the_language_of_the_message(
    said: str, tool: str, error: str, answered: str, ask: Callable[..., tuple[str, str]]
) -> None:
    contents: list[dict[str, Any]] = [
        {"role": "user", "parts": [{"text": said}]},
        {"role": "model", "parts": [{"functionCall": {"name": tool, "args": {}}}]},
        {"role": "user", "parts": [{"functionResponse": {"name": tool, "response": {"error": error}}}]},
    ]

    assert ask(contents=contents) == ("reply", answered)
