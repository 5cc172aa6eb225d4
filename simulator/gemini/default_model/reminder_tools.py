"""The rules for reminders, from plain sentences.

`明日の9時に薬って言って` and `Remind us Friday at 6pm: report` create a reminder, `毎朝8時に今日のまとめを送って` creates a digest,
`毎朝8時に昨日のまとめを送って` in a group a summary of what was said there, `まとめて、私だけに` one for who asks,
`毎月末の9時に家賃って言って` and
`Every hour from 9 to 17 remind us to drink` recurring ones; `リマインダーを見せて` lists the reminders,
`薬のリマインダーを取り消して` lists the reminders and cancels "薬". Times are relative to the prompt's note with the current time.
"""
# ruff: noqa: RUF001 -- full-width punctuation is how Japanese is written

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from simulator.gemini.default_model.dates import (
    CLOCK,
    ENGLISH_DAY,
    ENGLISH_WEEKDAY,
    WEEKDAYS,
    now_of,
    time_of,
    weekday_of,
)
from simulator.gemini.default_model.prompt import CallTool, Decision, Prompt, Say, mapping

if TYPE_CHECKING:
    from collections.abc import Mapping

    from simulator.gemini.default_model.phrases import Language

_WEEKDAY = rf"(?P<weekday>[{''.join(WEEKDAYS)}])(?:曜日?)"
_SAYING = (
    r"(?:(?:って|と)(?:言って|教えて|知らせて)|(?:って|と|を|ように)リマインドして|の?を(?:思い出させて|知らせて))"
    r"(?:ください|ね)?"
)
_REMIND = r"remind (?:me|us) (?:to |about |of )?"
_TO = r"(?:: ?| to | about | of )"
_TEXT = r"(?P<text>.{1,200}?)"
_NTH = "(?P<nth>[1-5]|最終|first|second|third|fourth|last)"
_NUMBERS = {"first": 1, "second": 2, "third": 3, "fourth": 4, "最終": -1, "last": -1}
_REQUESTS = (
    rf"(?P<every>毎月末)の?{CLOCK}に{_TEXT}{_SAYING}",
    rf"(?P<every>毎月)第?{_NTH}{_WEEKDAY}の?{CLOCK}に{_TEXT}{_SAYING}",
    rf"(?P<every>毎年)(?P<month>\d{{1,2}})月(?P<date>\d{{1,2}})日の?{CLOCK}に{_TEXT}{_SAYING}",
    rf"(?P<weeks>[2-9])週間(?P<every>ごと)の{_WEEKDAY}の?{CLOCK}に{_TEXT}{_SAYING}",
    rf"(?P<every>毎日){CLOCK}から(?P<last>\d{{1,2}})時まで1?時間ごとに{_TEXT}{_SAYING}",
    rf"(?P<every>every month) on the last day at {CLOCK} {_REMIND}{_TEXT}",
    rf"(?P<every>every) {_NTH} {ENGLISH_WEEKDAY} of the month at {CLOCK} {_REMIND}{_TEXT}",
    rf"(?P<every>every) (?P<weeks>[2-9]) weeks on {ENGLISH_WEEKDAY} at {CLOCK} {_REMIND}{_TEXT}",
    rf"(?P<every>every) hour from {CLOCK} to (?P<last>\d{{1,2}}) {_REMIND}{_TEXT}",
    rf"(?P<in>\d{{1,3}})(?P<unit>分|時間)後に{_TEXT}{_SAYING}",
    rf"(?P<day>今日|明日|明後日)の?(?:朝|午前)?{CLOCK}に{_TEXT}{_SAYING}",
    rf"(?P<every>毎週){_WEEKDAY}の?{CLOCK}に{_TEXT}{_SAYING}",
    rf"{_WEEKDAY}の?{CLOCK}に{_TEXT}{_SAYING}",
    rf"毎(?P<every>日|朝)の?{CLOCK}に{_TEXT}(?:って|と|を)(?:言って|教えて|知らせて|送って)(?:ください|ね)?",
    rf"remind (?:me|us) {ENGLISH_DAY} (?:at )?{CLOCK}{_TO}{_TEXT}",
    rf"remind (?:me|us) at {CLOCK} {ENGLISH_DAY}{_TO}{_TEXT}",
    rf"remind (?:me|us) at {CLOCK}{_TO}{_TEXT}",
    rf"remind (?:me|us) in (?P<in>\d{{1,3}}) (?P<unit>minutes|hours|minute|hour){_TO}{_TEXT}",
    rf"remind (?:me|us) (?P<every>every day) at {CLOCK}{_TO}{_TEXT}",
    rf"remind (?:me|us) (?P<every>every) {ENGLISH_WEEKDAY} at {CLOCK}{_TO}{_TEXT}",
    rf"(?P<every>every day) at {CLOCK} {_REMIND}{_TEXT}",
    rf"(?P<every>every) {ENGLISH_WEEKDAY} at {CLOCK} {_REMIND}{_TEXT}",
    rf"{_REMIND}{_TEXT} in (?P<in>\d{{1,3}}) (?P<unit>minutes|hours|minute|hour)",
    rf"{_REMIND}{_TEXT} (?P<every>every day) at {CLOCK}",
    rf"{_REMIND}{_TEXT} (?P<every>every) {ENGLISH_WEEKDAY} at {CLOCK}",
    rf"{_REMIND}{_TEXT} {ENGLISH_DAY} at {CLOCK}",
    rf"{_REMIND}{_TEXT} at {CLOCK} {ENGLISH_DAY}",
    rf"{_REMIND}{_TEXT} at {CLOCK}",
    rf"send me (?P<text>my daily digest) (?P<every>every day) at {CLOCK}",
    rf"(?P<every>every day) at {CLOCK} send us (?P<text>a summary of (?:yesterday|the day))",
)
_RULE_DAYS = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")
_LISTINGS = (
    r"リマインダー(?:を見せて(?:ください)?|は(?:何がある)?)",
    r"(?:show(?: me)?|list) (?:my|our|the|all) reminders",
    r"(?:what|which) reminders (?:do (?:i|we) have|are there)",
    r"what(?: is|['\u2019]s) due",
)
_CANCELLATIONS = (
    rf"{_TEXT}のリマインダーを(?:取り消して|やめて|キャンセルして)(?:ください)?",
    rf"cancel (?:the |my |our )?{_TEXT} reminder",
    rf"cancel (?:the |my |our )?(?!(?:that|it|this)$){_TEXT}",
)
_DIGEST = re.compile(r"まとめ|digest")
_PRIVATE = (
    r"(?P<text>まとめて)、私だけに",
    r"(?:send me )?(?P<text>a summary),? for me alone",
    r"(?P<text>sum up),? for me alone",
)
_CHAT_SUMMARY = re.compile(r"昨日の(?:話の)?まとめ|summary of (?:yesterday|the day)")
_TOOLS = frozenset({"create_reminder", "list_reminders", "cancel_reminder", "change_reminder"})


@dataclass(frozen=True, slots=True, kw_only=True)
class _Words:
    """The texts about results in a language."""

    created: str
    private: str
    open_reminders: str
    none: str
    cancelled: str
    missing: str


_WORDS: Mapping[Language, _Words] = {
    "ja": _Words(
        created="わかりました。時間になったら「{text}」とお知らせします。{cost}",
        private="わかりました。1対1のトークに送ります。",
        open_reminders="{count}件あります：{names}",
        none="この先のリマインダーはありません。",
        cancelled="「{text}」を取り消しました。",
        missing="そのリマインダーは見つかりませんでした。",
    ),
    "en": _Words(
        created="All right, I will say “{text}” then.{cost}",
        private="All right, I will send it to our 1:1 chat.",
        open_reminders="{count} due: {names}",
        none="No reminders are due.",
        cancelled="I cancelled “{text}”.",
        missing="I did not find that reminder.",
    ),
}
_COSTS: Mapping[Language, str] = {
    "ja": "グループなので、1回ごとに{count}通分になります。",
    "en": " In this group each time counts as {count} messages.",
}


def first_call(prompt: Prompt) -> CallTool | None:
    """Return the requested call of an offered tool for reminders; None if the last message requests no such tool."""
    if prompt.match(_LISTINGS) or prompt.match(_CANCELLATIONS):
        call: CallTool | None = CallTool(name="list_reminders", args={})
    else:
        call = _creation(prompt)
    return call if call is not None and prompt.offers(call.name) else None


def has_result(prompt: Prompt) -> bool:
    """Whether all calls of the last round were for reminders, and succeeded."""
    return prompt.has_results_of(_TOOLS)


def proceed(prompt: Prompt) -> Decision:
    """Cancel the listed reminder, or say the result."""
    result, words = prompt.results[-1], _WORDS[prompt.language]
    output = prompt.output
    text = str(output.get("text"))
    if result.name == "cancel_reminder":
        return Say(text=words.cancelled.format(text=text))
    if output.get("private"):
        return Say(text=words.private)
    if result.name != "list_reminders":
        count = output.get("messages_each_time")
        cost = _COSTS[prompt.language].format(count=count) if count is not None else ""
        return Say(text=words.created.format(text=text, cost=cost))
    reminders = [mapping(one) for one in output.get("reminders", [])]
    cancelled = prompt.match(_CANCELLATIONS)
    if cancelled is None:
        separator = "、" if prompt.language == "ja" else ", "
        names = separator.join(f"{one.get('text')} ({str(one.get('next')).replace('T', ' ', 1)})" for one in reminders)
        return Say(text=words.open_reminders.format(count=len(reminders), names=names) if reminders else words.none)
    search_text = cancelled["text"].strip().casefold()
    reminder = next((one for one in reminders if search_text in str(one.get("text")).casefold()), None)
    return (
        Say(text=words.missing)
        if reminder is None
        else CallTool(name="cancel_reminder", args={"id": str(reminder["id"])})
    )


def _creation(prompt: Prompt) -> CallTool | None:
    match, now = prompt.match(_REQUESTS), now_of(prompt)
    if (summary := prompt.match(_PRIVATE)) is not None and now is not None and not prompt.is_direct:
        asked_at = now.strftime("%Y-%m-%dT%H:%M")
        args = {"text": summary["text"], "at": asked_at, "digest": "chat", "private": True}
        return CallTool(name="create_reminder", args=args)
    if match is None or now is None:
        return None
    groups = {name: part.casefold() for name, part in match.groupdict().items() if part is not None}
    at = time_of(groups, now)
    if at is None:
        return None
    text, every = match["text"].strip("「」 "), groups.get("every")
    return CallTool(
        name="create_reminder",
        args={
            "text": text,
            "at": at.strftime("%Y-%m-%dT%H:%M"),
            **({"rule": _rule(groups)} if every else {}),
            **(_digest(text, is_direct=prompt.is_direct) if every else {}),
        },
    )


def _digest(text: str, *, is_direct: bool) -> dict[str, str]:
    """Return what is summed up: in a group "昨日のまとめ" is about what was said there, and any other "まとめ" about what is filed."""
    if _CHAT_SUMMARY.search(text) and not is_direct:
        return {"digest": "chat"}
    return {"digest": "daily"} if _DIGEST.search(text) else {}


def _rule(groups: Mapping[str, str]) -> str:
    """Return the rule of a recurring request: `FREQ=MONTHLY;BYDAY=2MO` for "every second Monday of the month"."""
    weekday = weekday_of(groups)
    day = None if weekday is None else _RULE_DAYS[weekday]
    match groups:
        case {"every": "毎月末" | "every month"}:
            return "FREQ=MONTHLY;BYMONTHDAY=-1"
        case {"nth": nth}:
            return f"FREQ=MONTHLY;BYDAY={_NUMBERS.get(nth, nth)}{day}"
        case {"month": _}:
            return "FREQ=YEARLY"
        case {"weeks": weeks}:
            return f"FREQ=WEEKLY;INTERVAL={weeks};BYDAY={day}"
        case {"last": last, "hour": first}:
            return f"FREQ=DAILY;BYHOUR={','.join(map(str, range(int(first), int(last) + 1)))}"
    return "FREQ=DAILY" if day is None else f"FREQ=WEEKLY;BYDAY={day}"
