# ruff: noqa: RUF001 -- full-width punctuation is how Japanese and Chinese are written
"""What the default model says when a call failed or waits for a person: a tool's English error is for a model and is never repeated."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

from simulator.gemini.default_model.transcript import is_thai

if TYPE_CHECKING:
    from collections.abc import Mapping

    from simulator.gemini.request import FunctionResponse

WAITS_FOR_A_TAP: Final = "Not done yet"
"""With these words the product answers a call that a person has to confirm."""
_MAY_BE_DONE: Final = re.compile(r"may have been done|may still take effect")
_KANA: Final = re.compile("[\u3040-\u30ff\uff66-\uff9f]")
_HAN: Final = re.compile("[\u3400-\u9fff]")

_Spoken = Literal["ja", "en", "zh-TW", "th"]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Words:
    """The texts about failures in a language."""

    failed: str
    may_be_done: str
    waits: str
    no_list: str
    nothing_ticked: str
    no_poll: str
    no_meeting: str
    several: str
    all_settled: str
    nothing_to_undo: str


_WORDS: Final[Mapping[_Spoken, _Words]] = {
    "ja": _Words(
        failed="すみません、うまくいきませんでした。",
        may_be_done="できたかどうか、確認できませんでした。お手数ですが、見てみてください。",
        waits="下のボタンで確認してください。",
        no_list="そのリストは見つかりませんでした。",
        nothing_ticked="チェックの付いたものはありません。",
        no_poll="受付中の投票はありません。",
        no_meeting="この先の集まりはありません。",
        several="どれのことか教えてください。",
        all_settled="精算するものはありません。",
        nothing_to_undo="取り消せる変更はありません。",
    ),
    "en": _Words(
        failed="Sorry, that did not work.",
        may_be_done="I cannot tell whether that was done. Please have a look.",
        waits="Please confirm it with the button below.",
        no_list="I did not find that list.",
        nothing_ticked="Nothing on it is ticked.",
        no_poll="No poll is open.",
        no_meeting="No meeting is ahead.",
        several="Which one do you mean?",
        all_settled="Nothing is left to settle.",
        nothing_to_undo="There is nothing to undo.",
    ),
    "zh-TW": _Words(
        failed="抱歉，沒有成功。",
        may_be_done="無法確認是否已完成，麻煩您看一下。",
        waits="請用下方的按鈕確認。",
        no_list="找不到這份清單。",
        nothing_ticked="沒有已打勾的項目。",
        no_poll="目前沒有進行中的投票。",
        no_meeting="目前沒有即將到來的活動。",
        several="請問是哪一個？",
        all_settled="沒有需要結清的項目。",
        nothing_to_undo="沒有可以還原的變更。",
    ),
    "th": _Words(
        failed="ขอโทษค่ะ ทำไม่สำเร็จ",
        may_be_done="ไม่แน่ใจว่าทำเสร็จหรือยัง ช่วยตรวจดูให้หน่อยนะคะ",
        waits="กรุณายืนยันด้วยปุ่มด้านล่าง",
        no_list="ไม่พบรายการนั้น",
        nothing_ticked="ยังไม่มีอะไรที่ทำเครื่องหมายไว้",
        no_poll="ไม่มีโพลที่เปิดอยู่",
        no_meeting="ไม่มีนัดข้างหน้า",
        several="หมายถึงอันไหนคะ",
        all_settled="ไม่มียอดที่ต้องเคลียร์",
        nothing_to_undo="ไม่มีอะไรให้ย้อนกลับ",
    ),
}


def words_for(failed: FunctionResponse, *, said: str, fallback: Literal["ja", "en"]) -> str:
    """Return what a person reads about the failed call, in the language of `said`; `fallback` decides between Japanese and English."""
    words, error = _WORDS[_spoken(said, fallback=fallback)], failed.error or ""
    if error.startswith(WAITS_FOR_A_TAP):
        return words.waits
    if _MAY_BE_DONE.search(error):
        return words.may_be_done
    by_error = {
        "no such open poll": words.no_poll,
        "no such meeting ahead": words.no_meeting,
        "one that is meant": words.several,
        "nothing to settle": words.all_settled,
        "nothing to undo": words.nothing_to_undo,
    }
    known = next((told for part, told in by_error.items() if part in error), words.failed)
    return {"show_list": words.no_list, "clear_list": words.nothing_ticked}.get(failed.name, known)


def no_poll(said: str, *, fallback: Literal["ja", "en"]) -> str:
    """Return what a person reads who asks for the standing where no poll is open."""
    return _WORDS[_spoken(said, fallback=fallback)].no_poll


def _spoken(said: str, *, fallback: Literal["ja", "en"]) -> _Spoken:
    """Return the language: Thai letters are Thai, and Han without kana is Chinese, because the Japanese that the rules know has kana."""
    if is_thai(said):
        return "th"
    return "zh-TW" if _HAN.search(said) and not _KANA.search(said) else fallback
