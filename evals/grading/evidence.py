"""The evidence of a run: what the turn did, what the model could read, and which names people gave."""

import datetime as dt
import re
from dataclasses import dataclass, field, replace
from typing import Final

import msgspec

from evals.case import Case
from evals.grading.claims import Claim, Facts
from evals.grading.deeds import Deeds, deeds_between
from evals.grading.details import Sources
from evals.grading.shown import Shown
from evals.world import BOT, Observed
from shared.agent.model import Content, FunctionResponses, JsonRequest, ModelContent, ModelRequest, TextContent
from shared.knowledge.entry import Entry
from shared.reminders.reminder import Reminder
from shared.reminders.schedule import local_time

_CALENDAR: Final = re.compile(r"The (?:coming|past) days: [^.]*\.")
_PATH_IN_INDEX: Final = re.compile(r"\((?:people|projects|ideas|admin|inbox|details)/[^)]*\)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """What the words of a reply are held against.  `names` are those of entries, reminders, rows and people."""

    shown: Shown
    deeds: Deeds
    facts: Facts
    sources: Sources
    names: tuple[str, ...] = field(default=(), repr=False)


def evidence_of(case: Case, observed: Observed, *, already: frozenset[Claim] = frozenset()) -> Evidence:
    """Return the evidence of a played case, for example with the deed "filed: light bulbs"."""
    shown = Shown.of(observed.replies)
    deeds = deeds_between(
        observed.before,
        observed.after,
        reminders_before=observed.reminders_before,
        reminders_after=observed.reminders,
        pages=observed.notion_writes,
    )
    entries = (*observed.before.values(), *observed.after.values())
    reminders = (*observed.reminders_before, *observed.reminders)
    remaining = (*(one.name for one in observed.after.values()), *(one.text for one in observed.reminders))
    return Evidence(
        shown=shown,
        deeds=deeds,
        facts=Facts(
            deeds=deeds,
            remaining=remaining,
            is_reminder_open=bool(observed.reminders),
            searches=len(observed.searches),
            earlier=already,
        ),
        sources=Sources(
            text="\n".join(
                (
                    *(_readable(one.request) for one in observed.asked),
                    *map(_text_of_entry, entries),
                    *map(_text_of_reminder, reminders),
                    *shown.receipts,
                    *shown.proposals,
                    *case.people.values(),
                    BOT,
                )
            ),
            paths=frozenset(one.path for one in entries),
            counts=frozenset({len(observed.after), len(observed.reminders), case.members, 500}),
            today=dt.datetime.fromisoformat(case.now).date(),
        ),
        names=tuple(
            {one.name for one in entries} | {one.text for one in reminders} | {one.name for one in case.notion or ()}
        ),
    )


def prompts_of(observed: Observed) -> str:
    """Return every text sent to the model, results of tools included, the model's own words left out."""
    return "\n".join(_json(_without_model(one.request)) for one in observed.asked)


def _readable(request: ModelRequest | JsonRequest) -> str:
    """Return what a model may repeat of a request: the conversation and results, without instructions, calendar and paths."""
    if isinstance(request, JsonRequest):
        return ""
    without_model = _without_model(request)
    assert isinstance(without_model, ModelRequest)  # noqa: S101 - it was one
    texts = map(_text_of_content, without_model.contents)
    return _PATH_IN_INDEX.sub("", _CALENDAR.sub("", "\n".join(texts)))


def _text_of_content(content: Content) -> str:
    return "\n".join(content.texts) if isinstance(content, TextContent) else _json(content).replace("\\n", "\n")


def _text_of_entry(entry: Entry) -> str:
    return f"{entry.name}\n{msgspec.json.encode(dict(entry.fields)).decode()}\n{entry.content}"


def _text_of_reminder(reminder: Reminder) -> str:
    next_ms = reminder.kept_ms or reminder.due_ms or 0
    return f"{reminder.text}\n{local_time(next_ms, reminder.zone)}\n{reminder.start}\n{reminder.rule or ''}"


def _without_model(request: ModelRequest | JsonRequest) -> ModelRequest | JsonRequest:
    if isinstance(request, JsonRequest):
        return request
    contents = tuple(_without_call(one) for one in request.contents if not isinstance(one, ModelContent))
    return replace(request, contents=contents)


def _without_call(content: Content) -> Content:
    """Return the content, with results of calls but without arguments, because the model wrote the arguments."""
    if not isinstance(content, FunctionResponses):
        return content
    return FunctionResponses(
        responses=tuple(replace(one, call=replace(one.call, args={})) for one in content.responses)
    )


def _json(value: object) -> str:
    return msgspec.json.encode(value, enc_hook=repr).decode()
