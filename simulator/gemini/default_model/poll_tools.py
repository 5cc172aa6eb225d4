# ruff: noqa: RUF001, RUF002 -- full-width punctuation is how Japanese is written
"""The rules for polls and meetings, from plain sentences in Japanese, English and Thai.

`カレーと寿司で投票`, `Vote until tomorrow at 18:00: curry or sushi` and `โหวตมื้อเย็น: แกงหรือซูชิ` ask the group for a choice,
`28日19時から渋谷で飲み会、8人まで、来る人？` and `Dinner tomorrow at 19:00 in Shibuya: who is in?` for who comes. `寿司に一票` and
`I vote for sushi` vote, `投票どうなってる` shows the standing, `投票を締め切って` closes the newest poll, and `飲み会は中止` calls
off the only meeting ahead. The words that the product tells a person of whom LINE does not say who presses vote, too:
`「夕食は？」は「寿司」で（ケン）`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from simulator.gemini.default_model import failures
from simulator.gemini.default_model.dates import CLOCK, ENGLISH_DAY, JAPANESE_DAY, THAI_DAY, now_of, time_of
from simulator.gemini.default_model.prompt import CallTool, Decision, Prompt, Say

if TYPE_CHECKING:
    from collections.abc import Mapping

    from simulator.gemini.default_model.phrases import Language

_OPTION: Final = r".{1,30}?"
_FIRST, _SECOND = rf"(?P<first>{_OPTION})", rf"(?P<second>{_OPTION})"
_WHAT: Final = r"(?P<what>.{1,40}?)"
_PLACE: Final = r"(?P<place>.{1,20}?)"
_QUESTIONS: Final = (
    rf"{JAPANESE_DAY}{CLOCK}まで(?:に|で)?、?(?:(?P<question>.{{1,40}}?)は)?{_FIRST}(?:と|か){_SECOND}で投票(?:して)?",
    rf"(?:(?P<question>.{{1,40}}?)は)?{_FIRST}(?:と|か){_SECOND}で投票(?:して)?",
    rf"vote(?: on (?P<question>.{{1,40}}?))? until {ENGLISH_DAY} at {CLOCK}: {_FIRST} or {_SECOND}",
    rf"vote(?: on (?P<question>.{{1,40}}?))?: {_FIRST} or {_SECOND}",
    rf"โหวต(?P<question>.{{1,40}}?)? ?ถึง{THAI_DAY} ?{CLOCK} ?: ?{_FIRST}หรือ{_SECOND}",
    rf"โหวต(?P<question>.{{1,40}}?)? ?: ?{_FIRST}หรือ{_SECOND}",
)
_MEETINGS: Final = (
    (
        rf"{JAPANESE_DAY}{CLOCK}から(?:{_PLACE}で)?{_WHAT}(?:、(?P<capacity>\d{{1,3}})人まで)?"
        r"(?:、(?P<before>\d{1,4})分前にリマインド)?、(?:来る|参加する)人(?:は)?"
    ),
    (
        rf"{_WHAT} {ENGLISH_DAY} at {CLOCK}(?: in {_PLACE})?(?:, (?P<capacity>\d{{1,3}}) people at most)?"
        r"(?:, remind us (?P<before>\d{1,4}) minutes before)?: who(?: is|'s|’s) in"
    ),
    (
        rf"{THAI_DAY} ?{CLOCK} ?(?:น\. )?{_WHAT}(?:ที่{_PLACE})?(?: รับ (?P<capacity>\d{{1,3}}) คน)?"
        r"(?: เตือนก่อน (?P<before>\d{1,4}) นาที)? ใครไปบ้าง"
    ),
)
_VOTES: Final = (
    r"「.{1,120}?」は「(?P<option>.{1,60}?)」で（(?P<name>.{1,20}?)）",
    r"“.{1,120}?”: “(?P<option>.{1,60}?)” \((?P<name>.{1,20}?)\)",
    r"“.{1,120}?” เลือก “(?P<option>.{1,60}?)” \((?P<name>.{1,20}?)\)",
    rf"(?:私は)?(?P<option>{_OPTION})に(?:一票|投票)",
    rf"i vote for (?P<option>{_OPTION})",
    rf"ฉันโหวต(?P<option>{_OPTION})",
)
_STANDINGS: Final = (
    r"投票(?:は|、)?(?:今|いま)?どうなってる",
    r"how does the vote stand",
    r"ผลโหวตเป็น(?:ไง|ยังไง|อย่างไร)บ้าง",
)
_ENDS: Final = (r"投票を締め切って", r"close the vote", r"ปิดโหวต(?:เลย)?")
_CALLINGS_OFF: Final = (
    r".{0,40}?(?:は|が|を)?中止(?:です|になりました|になった|にして|で)?",
    r"call off the .{1,40}?",
    r"the .{1,40}? is (?:called )?off",
    r"ยกเลิกนัด.{0,40}?",
)
_ID: Final = re.compile(r"\bp[0-9a-f]{10}\b", re.ASCII)
TOOLS: Final = frozenset({"create_poll", "create_meeting", "vote", "show_polls", "close_poll", "call_off_meeting"})
_TITLE: Final[Mapping[Language, str]] = {"ja": "どちらにしますか", "en": "Which one?"}


def first_call(prompt: Prompt) -> CallTool | None:
    """Return the requested call of a tool for polls; None if the last message requests no such call, or the tool is not offered."""
    if asked := prompt.match(_QUESTIONS):
        question = asked["question"] or _TITLE[prompt.language]
        options = [asked["first"].strip(), asked["second"].strip()]
        closes = _time(prompt, asked, "closes")
        call = CallTool(name="create_poll", args={"question": question.strip(), "options": options, **closes})
    elif met := prompt.match(_MEETINGS):
        call = CallTool(name="create_meeting", args=_meeting(prompt, met))
    elif vote := prompt.match(_VOTES):
        call = CallTool(name="vote", args={key: words.strip() for key, words in vote.groupdict().items()})
    elif prompt.match(_STANDINGS):
        call = CallTool(name="show_polls", args={})
    elif prompt.match(_ENDS):
        call = CallTool(name="close_poll", args={})
    elif prompt.match(_CALLINGS_OFF):
        call = CallTool(name="call_off_meeting", args={})
    else:
        return None
    return call if prompt.offers(call.name) else None


def is_without_polls(prompt: Prompt) -> bool:
    """Whether the last call asked for the standing, and no poll is open: the product puts no card below the answer."""
    return prompt.has_results_of({"show_polls"}) and not prompt.output.get("polls", True)


def say_no_poll(prompt: Prompt) -> Decision:
    """Say that no poll is open."""
    return Say(text=failures.no_poll(prompt.words, fallback=prompt.language))


def names_several(prompt: Prompt) -> bool:
    """Whether a poll was to be closed, and several are open."""
    return bool(prompt.results) and "Several are open" in (prompt.results[-1].error or "")


def close_newest(prompt: Prompt) -> Decision:
    """Close the newest of the polls that the error names, the last."""
    return CallTool(name="close_poll", args={"id": _ID.findall(prompt.results[-1].error or "")[-1]})


def _meeting(prompt: Prompt, met: re.Match[str]) -> dict[str, object]:
    """Return the arguments, such as `{"what": "Dinner", "at": "2026-11-28T19:00", "place": "Shibuya", "capacity": 8}`."""
    numbers = {"capacity": met["capacity"], "remind_minutes_before": met["before"]}
    return {
        "what": met["what"].strip(),
        **_time(prompt, met, "at"),
        **({"place": met["place"].strip()} if met["place"] else {}),
        **{name: int(digits) for name, digits in numbers.items() if digits},
    }


def _time(prompt: Prompt, match: re.Match[str], name: str) -> dict[str, str]:
    """Return the local time in a match under this name; nothing without an hour, or without the prompt's note with the time."""
    groups = {key: words.casefold() for key, words in match.groupdict().items() if words is not None}
    now = now_of(prompt)
    at = time_of(groups, now) if now is not None and "hour" in groups else None
    return {} if at is None else {name: at.strftime("%Y-%m-%dT%H:%M")}
