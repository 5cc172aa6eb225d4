"""Grade a played case: the final state first, then the calls, then the words: their truth, their language, their dates."""

import datetime as dt
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

import msgspec

from evals.case import Case, Expected, ExpectedEntry, ExpectedExpense, ExpectedPoll, ExpectedReminder
from evals.grading.claims import Claim
from evals.grading.evidence import Evidence, evidence_of, prompts_of
from evals.grading.said_values import said_values
from evals.grading.shown import is_question
from evals.grading.truth import untruths, wrong_languages
from evals.world import Observed, SeenPoll
from shared.conversation.records import OutcomeKind
from shared.expenses.expense import Expense
from shared.expenses.money import Money
from shared.knowledge.entry import Entry
from shared.reminders.reminder import Reminder, ReminderKind
from shared.reminders.schedule import local_time

Stage = Literal["mechanics", "state", "calls", "words", "truth", "language"]
_ACKNOWLEDGED: Final = 204
_BUBBLES: Final = 5
_DIGESTS: Final = {
    "daily": ReminderKind.DAILY_DIGEST,
    "weekly": ReminderKind.WEEKLY_DIGEST,
    "chat": ReminderKind.CHAT_SUMMARY,
}
_ID: Final = re.compile(r"\b[UCR][0-9a-f]{32}\b")


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """An expectation that does not hold.  `is_gate`: whether every mind has to meet the expectation."""

    stage: Stage
    text: str = field(repr=False)
    is_gate: bool


def grade(case: Case, observed: Observed) -> tuple[Failure, ...]:
    """Return every failure of a case, gates first, for example "no entry is {...}" of the stage "state"."""
    evidence = evidence_of(case, observed, already=frozenset(Claim(one) for one in case.wants.already))
    gates = (*(("mechanics", one) for one in _mechanics(case, observed)), *_failures(case.must, observed, evidence))
    wants = (*_failures(case.wants, observed, evidence), *_truth(case, evidence))
    return (
        *(Failure(stage=stage, text=text, is_gate=True) for stage, text in gates),
        *(Failure(stage=stage, text=text, is_gate=False) for stage, text in wants),
    )


def _mechanics(case: Case, observed: Observed) -> Iterator[str]:
    """Yield the faults of the product itself, independent of the mind."""
    if any(status != _ACKNOWLEDGED for status in observed.statuses):
        yield f"a delivery was not acknowledged: {observed.statuses}"
    is_asked = case.chat == "user" or (case.to_bot and case.policy != "off")
    if is_asked and observed.outcome is None:
        yield "an addressed message has no outcome"
    if (
        is_asked
        and not case.may_apologise
        and observed.outcome is not None
        and observed.outcome.kind is OutcomeKind.APOLOGISED
    ):
        yield "the turn ended with an apology"
    if not is_asked and case.policy != "model" and observed.asked:
        yield "the model was asked about a message not addressed to the bot"
    if len(observed.replies) > _BUBBLES:
        yield f"{len(observed.replies)} bubbles"
    if _ID.search(observed.reply):
        yield "the reply has an id of LINE"
    if _ID.search(prompts_of(observed)):
        yield "a prompt has an id of LINE"


def _failures(expected: Expected, observed: Observed, evidence: Evidence) -> Iterator[tuple[Stage, str]]:
    if expected.is_empty:
        return
    yield from (("words", failure) for failure in _limits(expected, observed))
    if expected.or_asks and is_question(evidence.shown.words) and evidence.deeds.is_nothing:
        return
    yield from (("state", failure) for failure in _state(expected, observed))
    yield from (("calls", failure) for failure in _calls(expected, observed))
    yield from (("words", failure) for failure in _words(expected, observed, evidence))


def _truth(case: Case, evidence: Evidence) -> Iterator[tuple[Stage, str]]:
    """Yield what is untrue or in another language, in any case with an answer."""
    is_grounded = case.wants.grounded or case.must.grounded
    yield from (("truth", failure) for failure in untruths(evidence, is_grounded=is_grounded))
    language = case.wants.speaks or case.language
    if language != "any":
        yield from (("language", failure) for failure in wrong_languages(evidence, language))


def _state(expected: Expected, observed: Observed) -> Iterator[str]:
    for expected_entry in expected.entries:
        if not any(_is_entry(one, expected_entry) for one in observed.after.values()):
            yield f"no entry is {_plain(expected_entry)}"
    for text in expected.no_entry:
        if any(_has(text, _text_of(one)) for one in observed.after.values()):
            yield f"an entry holds {text}"
    yield from _things(expected, observed)
    if expected.unchanged and (_state_of(observed.before) != _state_of(observed.after) or observed.notion_writes):
        yield "entries or pages changed"
    yield from _counts(expected, observed)
    yield from (
        f"the web was searched for {text}"
        for text in expected.searches_lack
        if _has(text, "\n".join(observed.searches))
    )
    yield from (f"the bucket holds {text}" for text in expected.bucket_lacks if _has(text, observed.bucket))
    prompts = prompts_of(observed) if expected.prompt_lacks else ""
    yield from (f"a prompt holds {text}" for text in expected.prompt_lacks if _has(text, prompts))


def _things(expected: Expected, observed: Observed) -> Iterator[str]:
    for reminder in expected.reminders:
        if not any(_is_reminder(one, reminder) for one in observed.reminders):
            yield f"no reminder is {_plain(reminder)}"
    for expense in expected.expenses:
        if not any(_is_expense(one, expense) for one in observed.expenses):
            yield f"no expense is {_plain(expense)}"
    for poll in expected.polls:
        if not any(_is_poll(one, poll) for one in observed.polls):
            yield f"no poll is {_plain(poll)}"


def _counts(expected: Expected, observed: Observed) -> Iterator[str]:
    exact = (
        ("entries", expected.count, len(observed.after)),
        ("reminders", expected.reminder_count, len(observed.reminders)),
        ("expenses", expected.expense_count, len(observed.expenses)),
        ("polls", expected.poll_count, len(observed.polls)),
        ("writes to Notion", expected.notion_writes, observed.notion_writes),
    )
    most = (
        ("entries", expected.count_at_most, len(observed.after)),
        ("searches", expected.searches_at_most, len(observed.searches)),
        ("replies", expected.replies_at_most, len(observed.replies)),
    )
    yield from (
        f"{count} {noun} instead of {exact_count}"
        for noun, exact_count, count in exact
        if exact_count not in {None, count}
    )
    yield from (f"{count} {noun}" for noun, limit, count in most if limit is not None and count > limit)


def _calls(expected: Expected, observed: Observed) -> Iterator[str]:
    calls = [call for one in observed.asked for call in one.calls]
    names = {call.name for call in calls}
    is_silent = not observed.replies
    if expected.decision == "reply" and is_silent:
        yield "it stayed silent"
    if expected.decision == "silence" and not is_silent:
        yield "it answered"
    yield from (f"it did not call {name}" for name in expected.calls if name not in names)
    yield from (f"it called {name}" for name in expected.no_calls if name in names)
    for name, arguments in expected.args.items():
        args_of_calls = [call.args for call in calls if call.name == name]
        if not any(all(_has(text, _plain(args.get(key))) for key, text in arguments.items()) for args in args_of_calls):
            yield f"{name} was not called with {_plain(arguments)}"


def _words(expected: Expected, observed: Observed, evidence: Evidence) -> Iterator[str]:
    yield from (f"the reply lacks {text}" for text in expected.reply_has if not _has(text, observed.reply))
    if expected.reply_has_any and not any(_has(text, observed.reply) for text in expected.reply_has_any):
        yield f"the reply has none of {' | '.join(expected.reply_has_any)}"
    values = said_values(observed.reply, evidence.sources.today)
    for date in expected.says_date:
        if not values.has_date(dt.date.fromisoformat(date)):
            yield f"the reply does not name {date}"
    for hour in expected.says_time:
        time = dt.time.fromisoformat(hour)
        if not values.has_hour(time.hour * 60 + time.minute):
            yield f"the reply does not name {hour}"


def _limits(expected: Expected, observed: Observed) -> Iterator[str]:
    yield from (f"the reply has {text}" for text in expected.reply_lacks if _has(text, observed.reply))
    if expected.longest is not None and len(observed.reply) > expected.longest:
        yield f"the reply has {len(observed.reply)} characters"


def _is_entry(entry: Entry, expected: ExpectedEntry) -> bool:
    return (
        (expected.category is None or entry.category.value == expected.category)
        and (expected.name is None or _has(expected.name, entry.name))
        and all(_has(text, _plain(entry.fields.get(name))) for name, text in expected.fields.items())
        and (expected.text is None or _has(expected.text, _text_of(entry)))
    )


def _is_reminder(reminder: Reminder, expected: ExpectedReminder) -> bool:
    next_ms = reminder.kept_ms or reminder.due_ms or 0
    return (
        _has(expected.text, reminder.text)
        and (expected.at is None or local_time(next_ms, reminder.zone) == expected.at)
        and (expected.rule is None or _has(expected.rule, reminder.rule or ""))
        and (expected.digest is None or reminder.kind is _DIGESTS[expected.digest])
        and (expected.private is None or reminder.is_private is expected.private)
    )


def _is_expense(expense: Expense, expected: ExpectedExpense) -> bool:
    shares = {expense.names[key]: str(Money(expense.currency, minor)) for key, minor in expense.shares.items()}
    return (
        _has(expected.what, expense.what)
        and _has(expected.payer, expense.names[expense.payer])
        and (expected.shares is None or _are_shares(shares, expected.shares))
    )


def _is_poll(seen: SeenPoll, expected: ExpectedPoll) -> bool:
    poll = seen.poll
    closes, starts = (local_time(at_ms, poll.zone) if at_ms else None for at_ms in (poll.closes_ms, poll.starts_ms))
    return (
        _has(expected.question, poll.question)
        and _has(expected.place, poll.place)
        and (expected.options is None or _are_options(poll.options, expected.options))
        and (expected.closes is None or closes == expected.closes)
        and (expected.starts is None or starts == expected.starts)
        and (expected.capacity is None or poll.capacity == expected.capacity)
        and (expected.chosen is None or _has(expected.chosen, seen.chosen or ""))
    )


def _are_options(options: Sequence[str], expected: Sequence[str]) -> bool:
    return len(options) == len(expected) and all(map(_has, expected, options))


def _are_shares(shares: Mapping[str, str], expected: Mapping[str, str]) -> bool:
    """Whether exactly the expected people bear the expected amounts."""
    return len(shares) == len(expected) and all(
        any(_has(name, person) and amount == share for person, share in shares.items())
        for name, amount in expected.items()
    )


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
