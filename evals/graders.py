"""Grade what came of a case: the final state first, then the calls, then the words."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Final, Literal

import msgspec

from evals.case import Case, Expected, WantedEntry, WantedReminder
from evals.world import Observed
from shared.agent.model import Content, FunctionResponses, JsonRequest, ModelContent, ModelRequest
from shared.conversation.records import OutcomeKind
from shared.knowledge.entry import Entry
from shared.reminders.reminder import Reminder
from shared.reminders.schedule import local_time

Stage = Literal["mechanics", "state", "calls", "words"]
_ACKNOWLEDGED: Final = 204
_BUBBLES: Final = 5
_ID: Final = re.compile(r"\b[UCR][0-9a-f]{32}\b")
_SCRIPTS: Final = {
    "ja": re.compile(r"[\u3041-\u3096\u30a1-\u30fa]"),
    "en": re.compile(r"[A-Za-z]{2}"),
    "zh-TW": re.compile(r"[\u4e00-\u9fff]"),
    "th": re.compile(r"[\u0e00-\u0e7f]"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """What does not hold.  `is_gate`: it must hold for whichever mind thinks."""

    stage: Stage
    text: str = field(repr=False)
    is_gate: bool


def grade(case: Case, seen: Observed) -> tuple[Failure, ...]:
    """Return every failure of a case, gates first."""
    gates = (*(("mechanics", one) for one in _mechanics(case, seen)), *_failures(case.must, seen))
    wants = _failures(case.wants, seen)
    return (
        *(Failure(stage=stage, text=text, is_gate=True) for stage, text in gates),
        *(Failure(stage=stage, text=text, is_gate=False) for stage, text in wants),
    )


def prompts_of(seen: Observed) -> str:
    """Return every text that the model was sent, results of tools included, its own words left out."""
    return "\n".join(_json(one.request) for one in seen.asked)


def _mechanics(case: Case, seen: Observed) -> Iterator[str]:
    """Yield what is wrong whoever thinks."""
    if any(status != _ACKNOWLEDGED for status in seen.statuses):
        yield f"a delivery was not acknowledged: {seen.statuses}"
    is_asked = case.chat == "user" or (case.to_bot and case.policy != "off")
    if is_asked and seen.outcome is None:
        yield "an addressed message has no outcome"
    if is_asked and not case.may_apologise and seen.outcome is not None and seen.outcome.kind is OutcomeKind.APOLOGISED:
        yield "the turn ended with an apology"
    if not is_asked and case.policy != "model" and seen.asked:
        yield "the model was asked about a message that nobody addressed to the bot"
    if len(seen.replies) > _BUBBLES:
        yield f"{len(seen.replies)} bubbles"
    if _ID.search(seen.reply):
        yield "the reply has an id of LINE"
    if _ID.search(prompts_of(seen)):
        yield "a prompt has an id of LINE"


def _failures(expected: Expected, seen: Observed) -> Iterator[tuple[Stage, str]]:
    if expected.is_empty:
        return
    for failure in _state(expected, seen):
        yield "state", failure
    for failure in _calls(expected, seen):
        yield "calls", failure
    for failure in _words(expected, seen):
        yield "words", failure


def _state(expected: Expected, seen: Observed) -> Iterator[str]:
    for wanted in expected.entries:
        if not any(_is_entry(one, wanted) for one in seen.after.values()):
            yield f"no entry is {_plain(wanted)}"
    for text in expected.no_entry:
        if any(_has(text, _text_of(one)) for one in seen.after.values()):
            yield f"an entry holds {text}"
    for reminder in expected.reminders:
        if not any(_is_reminder(one, reminder) for one in seen.reminders):
            yield f"no reminder is {_plain(reminder)}"
    if expected.unchanged and (_state_of(seen.before) != _state_of(seen.after) or seen.notion_writes):
        yield "entries or pages changed"
    yield from _counts(expected, seen)
    yield from (
        f"the web was searched for {text}" for text in expected.searches_lack if _has(text, "\n".join(seen.searches))
    )
    yield from (f"the bucket holds {text}" for text in expected.bucket_lacks if _has(text, seen.bucket))
    prompts = prompts_of(seen) if expected.prompt_lacks else ""
    yield from (f"a prompt holds {text}" for text in expected.prompt_lacks if _has(text, prompts))


def _counts(expected: Expected, seen: Observed) -> Iterator[str]:
    exact = (
        ("entries", expected.count, len(seen.after)),
        ("reminders", expected.reminder_count, len(seen.reminders)),
        ("writes to Notion", expected.notion_writes, seen.notion_writes),
    )
    most = (
        ("entries", expected.count_at_most, len(seen.after)),
        ("searches", expected.searches_at_most, len(seen.searches)),
        ("replies", expected.replies_at_most, len(seen.replies)),
    )
    yield from (f"{there} {what} instead of {wanted}" for what, wanted, there in exact if wanted not in {None, there})
    yield from (f"{there} {what}" for what, limit, there in most if limit is not None and there > limit)


def _calls(expected: Expected, seen: Observed) -> Iterator[str]:
    made = [call for one in seen.asked for call in one.calls]
    names = {call.name for call in made}
    is_silent = not seen.replies
    if expected.decision == "reply" and is_silent:
        yield "it stayed silent"
    if expected.decision == "silence" and not is_silent:
        yield "it answered"
    yield from (f"it did not call {name}" for name in expected.calls if name not in names)
    if expected.any_call and names.isdisjoint(expected.any_call):
        yield f"it called none of {', '.join(expected.any_call)}"
    yield from (f"it called {name}" for name in expected.no_calls if name in names)
    for name, wanted in expected.args.items():
        given = [call.args for call in made if call.name == name]
        if not any(all(_has(text, _plain(args.get(key))) for key, text in wanted.items()) for args in given):
            yield f"{name} was not called with {_plain(wanted)}"


def _words(expected: Expected, seen: Observed) -> Iterator[str]:
    yield from (f"the reply lacks {text}" for text in expected.reply_has if not _has(text, seen.reply))
    if expected.reply_has_any and not any(_has(text, seen.reply) for text in expected.reply_has_any):
        yield f"the reply has none of {' | '.join(expected.reply_has_any)}"
    yield from (f"the reply has {text}" for text in expected.reply_lacks if _has(text, seen.reply))
    if expected.longest is not None and len(seen.reply) > expected.longest:
        yield f"the reply has {len(seen.reply)} characters"
    if expected.speaks is not None and not _is_in(expected.speaks, seen.reply):
        yield f"the reply is not in {expected.speaks}"


def _is_entry(entry: Entry, wanted: WantedEntry) -> bool:
    return (
        (wanted.category is None or entry.category.value == wanted.category)
        and (wanted.name is None or _has(wanted.name, entry.name))
        and all(_has(text, _plain(entry.fields.get(name))) for name, text in wanted.fields.items())
        and (wanted.text is None or _has(wanted.text, _text_of(entry)))
    )


def _is_reminder(reminder: Reminder, wanted: WantedReminder) -> bool:
    next_ms = reminder.kept_ms or reminder.due_ms or 0
    return (
        _has(wanted.text, reminder.text)
        and (wanted.at is None or local_time(next_ms, reminder.zone) == wanted.at)
        and (wanted.rule is None or _has(wanted.rule, reminder.rule or ""))
        and (wanted.digest is None or reminder.kind.value == f"{wanted.digest}_digest")
    )


def _is_in(language: str, text: str) -> bool:
    if language == "zh-TW" and _SCRIPTS["ja"].search(text):
        return False
    return _SCRIPTS[language].search(text) is not None


def _state_of(entries: dict[str, Entry] | object) -> object:
    return {path: (one.fields, one.notes) for path, one in entries.items()} if isinstance(entries, dict) else entries


def _text_of(entry: Entry) -> str:
    return f"{entry.path}\n{_plain(dict(entry.fields))}\n{entry.content}"


def _plain(value: object) -> str:
    if isinstance(value, str):
        return value
    return msgspec.json.encode(value).decode() if value is not None else ""


def _has(pattern: str, text: str) -> bool:
    return re.search(pattern, text, re.IGNORECASE) is not None


def _json(request: ModelRequest | JsonRequest) -> str:
    if isinstance(request, ModelRequest):
        others = tuple(_without_call(one) for one in request.contents if not isinstance(one, ModelContent))
        request = replace(request, contents=others)
    return msgspec.json.encode(request, enc_hook=repr).decode()


def _without_call(content: Content) -> Content:
    """Return the content; the results of calls without the calls, which are the model's own words."""
    if not isinstance(content, FunctionResponses):
        return content
    return FunctionResponses(
        responses=tuple(replace(one, call=replace(one.call, args={})) for one in content.responses)
    )
