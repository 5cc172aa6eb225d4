# ruff: noqa: RUF001, RUF002 -- full-width punctuation is how Chinese is written
"""The examples that `/help` and the greeting show in Chinese and Thai, and sentences like them, answered in their language.

`明天9點提醒我吃藥` and `9 โมงเตือนกินยา` set a reminder, `記下來：買牛奶` and `จดไว้: ซื้อนม` file a note, `給我看筆記` and
`ขอดูบันทึก` list the notes, `我們決定了什麼` and `เราตกลงอะไรกัน` search the chat. Any other sentence in these languages gets an echo.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from simulator.gemini.default_model import memory_tools
from simulator.gemini.default_model.dates import now_of, time_of
from simulator.gemini.default_model.prompt import CallTool, Decision, Prompt, Say, mapping
from simulator.gemini.default_model.transcript import is_thai

if TYPE_CHECKING:
    from collections.abc import Mapping

_CHINESE_CLOCK: Final = r"(?P<hour>\d{1,2})[點点:：](?P<minute>\d{2})?分?"
_THAI_CLOCK: Final = r"(?P<hour>\d{1,2})(?: ?โมง|[:.](?P<minute>\d{2})(?: ?น\.)?)"
_DAYS: Final = {"今天": "today", "明天": "tomorrow", "วันนี้": "today", "พรุ่งนี้": "tomorrow"}
_WEEKDAYS: Final = {
    "一": "monday", "二": "tuesday", "三": "wednesday", "四": "thursday", "五": "friday", "六": "saturday", "日": "sunday",
    "จันทร์": "monday", "อังคาร": "tuesday", "พุธ": "wednesday", "พฤหัส": "thursday", "ศุกร์": "friday", "เสาร์": "saturday",
    "อาทิตย์": "sunday",
}  # fmt: skip
_THAI_WEEKDAY: Final = "(?P<weekday>จันทร์|อังคาร|พุธ|พฤหัส|ศุกร์|เสาร์|อาทิตย์)"
_THAI_REMIND: Final = "(?:ช่วย)?เตือน(?:ฉัน|ผม|หนู|เรา)?(?:ให้|ว่า)?"
_KANA: Final = re.compile("[\u3041-\u30ff]")
_HAN: Final = re.compile("[\u4e00-\u9fff]")
_ONLY_CHINESE: Final = re.compile("[你妳您們嗎這麼沒說讓點來]|給我")
_NAMES: Final = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class _Language:
    """The patterns and texts of a language; the patterns of reminders have the group `text`, those of notes `about`."""

    reminders: tuple[str, ...]
    notes: tuple[str, ...]
    listings: tuple[str, ...]
    recalls: tuple[str, ...]
    asks_what_it_can: tuple[str, ...]
    abilities: str
    done: str
    listed: str
    recalled: str
    nothing: str
    echo: str
    separator: str


CHINESE: Final = _Language(
    reminders=(
        rf"(?P<day>今天|明天)?(?:早上|上午)?{_CHINESE_CLOCK}提醒(?:我|大家)(?P<text>.{{1,200}})",
        rf"提醒(?:我|大家)(?P<day>今天|明天)?(?:早上|上午)?{_CHINESE_CLOCK}(?P<text>.{{1,200}})",
        rf"(?:星期|週|禮拜)(?P<weekday>[一二三四五六日]){_CHINESE_CLOCK}提醒(?:我|大家)(?P<text>.{{1,200}})",
    ),
    notes=(r"(?:幫我)?記(?:下來|住|一下)[：:、，]? ?(?P<about>.{1,200})",),
    listings=(r"給我看筆記", r"(?:有(?:什麼|哪些)|列出)筆記"),
    recalls=(r"我們決定了什麼",),
    asks_what_it_can=(r".*(?:你會(?:做)?|你能做|你可以做)(?:些)?什麼.*", r".*怎麼用.*"),
    abilities="我會記筆記和提醒，也記得聊過的事。輸入 /help 看例子。",
    done="好的。",
    listed="有{count}則筆記：{names}",
    recalled="之前說過：\n{lines}",
    nothing="什麼都沒有找到。",
    echo="「{words}」嗎？可以再多說一點。",
    separator="、",
)
THAI: Final = _Language(
    reminders=(
        rf"(?P<day>วันนี้|พรุ่งนี้)? ?{_THAI_CLOCK} ?{_THAI_REMIND}(?P<text>.{{1,200}})",
        rf"วัน{_THAI_WEEKDAY} ?{_THAI_CLOCK} ?{_THAI_REMIND}(?P<text>.{{1,200}})",
    ),
    notes=(r"(?:ช่วย)?จดไว้(?:ว่า)? ?:? ?(?P<about>.{1,200})",),
    listings=(r"(?:ขอ)?ดูบันทึก", r"มีบันทึกอะไรบ้าง"),
    recalls=(r"เราตกลงอะไรกัน",),
    asks_what_it_can=(r".*ทำอะไรได้บ้าง.*", r".*(?:ใช้|ใช้งาน)(?:ยังไง|อย่างไร).*"),
    abilities="จดบันทึก เตือน และจำเรื่องที่คุยกันได้ พิมพ์ /help เพื่อดูตัวอย่าง",
    done="ได้เลย",
    listed="มีบันทึก {count} รายการ: {names}",
    recalled="เคยคุยกันไว้ว่า\n{lines}",
    nothing="ไม่พบอะไรเลย",
    echo="“{words}” เหรอ เล่าต่อได้เลย",
    separator=", ",
)
_TOOLS: Final = frozenset({"create_reminder", "classify_and_capture", "list_entries", memory_tools.RECALL})


def first_call(prompt: Prompt) -> CallTool | None:
    """Return the call of an example; None for any other sentence, or where the tool is not offered."""
    language = _language_of(prompt)
    call = _call(prompt, language) if language is not None and not prompt.results else None
    return call if call is not None and prompt.offers(call.name) else None


def has_result(prompt: Prompt) -> bool:
    """Whether an example was carried out."""
    language = _language_of(prompt)
    return language is not None and _call(prompt, language) is not None and prompt.has_results_of(_TOOLS)


def report(prompt: Prompt) -> Decision:
    """Say what the tool found, or a few words where the product's receipt says everything."""
    language = _required_language(prompt)
    if prompt.results[-1].name == "list_entries":
        entries = [mapping(entry) for entry in prompt.output.get("entries", ())]
        names = language.separator.join(str(entry.get("name")) for entry in entries[:_NAMES])
        return Say(text=language.listed.format(count=len(entries), names=names) if names else language.nothing)
    if prompt.results[-1].name == memory_tools.RECALL:
        lines = "\n".join(memory_tools.shown_lines(prompt.output))
        return Say(text=language.recalled.format(lines=lines) if lines else language.nothing)
    return Say(text=language.done)


def is_chinese_or_thai(prompt: Prompt) -> bool:
    """Whether the last message is in Chinese or Thai: words in Han characters alone are Chinese only where Japanese does not write so."""
    return _language_of(prompt) is not None


def converse(prompt: Prompt, words: str) -> Decision:
    """Answer in the language of the last message: what the bot can do, where that is the question; else repeat the words."""
    language = _required_language(prompt)
    return Say(
        text=language.abilities if prompt.match(language.asks_what_it_can) else language.echo.format(words=words)
    )


def _call(prompt: Prompt, language: _Language) -> CallTool | None:
    if (reminder := prompt.match(language.reminders)) and (now := now_of(prompt)) is not None:
        groups = {name: part for name, part in reminder.groupdict().items() if part is not None}
        at = time_of(_as_in_english(groups), now)
        args = {"text": groups["text"].strip(), "at": at.strftime("%Y-%m-%dT%H:%M")} if at is not None else {}
        return CallTool(name="create_reminder", args=args) if args else None
    if note := prompt.match(language.notes):
        return CallTool(name="classify_and_capture", args={"text": note["about"].strip()})
    if prompt.match(language.listings):
        return CallTool(name="list_entries", args={})
    return CallTool(name=memory_tools.RECALL, args={}) if prompt.match(language.recalls) else None


def _as_in_english(groups: Mapping[str, str]) -> dict[str, str]:
    """Return the groups with the English names of days: `{"weekday": "五"}` is `{"weekday": "friday"}`."""
    names = {**_DAYS, **_WEEKDAYS}
    return {name: names.get(part, part) for name, part in groups.items()}


def _language_of(prompt: Prompt) -> _Language | None:
    words = prompt.words
    if is_thai(words):
        return THAI
    is_chinese = _HAN.search(words) and _ONLY_CHINESE.search(words) and not _KANA.search(words)
    return CHINESE if is_chinese else None


def _required_language(prompt: Prompt) -> _Language:
    language = _language_of(prompt)
    assert language is not None  # noqa: S101 - the rule recognised it
    return language
