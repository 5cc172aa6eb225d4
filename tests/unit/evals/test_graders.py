"""Each grader sees what it is for, and nothing where all is well."""

from dataclasses import replace
from typing import Any

import pytest

from evals.case import Case, Expected, ExpectedEntry, ExpectedExpense, ExpectedPoll, ExpectedReminder
from evals.graders import grade
from evals.minds import ModelCall
from evals.world import Observed, SeenPoll
from shared.agent.model import FunctionCall, ModelRequest, TextContent
from shared.conversation.provenance import Provenance
from shared.conversation.records import OutcomeKind, OutcomeRecord
from shared.expenses.expense import Expense
from shared.knowledge.entry import Entry, Note
from shared.knowledge.schema import Category
from shared.polls.poll import Poll, Vote
from shared.reminders.reminder import Reminder

ENTRY = Entry(
    category=Category.ADMIN,
    slug="rent",
    id="1",
    created_at="2026-11-22T10:00:00+09:00",
    updated_at="2026-11-22T10:00:00+09:00",
    confidence=1.0,
    fields={"name": "Rent", "status": "pending", "due_date": "2026-11-23", "tags": ("home",)},
    notes=(Note(text="by transfer"),),
)
CALL = FunctionCall(name="web_search", args={"query": "my code 77120"})


def request(text: str = "hello") -> ModelRequest:
    return ModelRequest(
        system_instruction="",
        declarations=(),
        contents=(TextContent(role="user", texts=(text,)),),
        max_output_tokens=1,
        timeout_s=1.0,
    )


REMINDER = Reminder(
    id="r0123456789",
    text="pills",
    start="2026-11-23T09:00",
    zone="Asia/Tokyo",
    rule="FREQ=DAILY",
    due_ms=1_795_392_000_000,
)


_POLL = Poll(
    id="p0123456789",
    question="Dinner?",
    options=("curry", "sushi"),
    closes_ms=1_795_770_000_000,  # 2026-11-27T18:00 in Tokyo
    zone="Asia/Tokyo",
)
_VOTES = (
    Vote(poll_id=_POLL.id, sent_ms=1, choice=1, member="m1", id="e1"),
    Vote(poll_id=_POLL.id, sent_ms=2, choice=0, member="m2", id="e2"),
)
SEEN_POLL = SeenPoll.of(_POLL, _VOTES, asker="m1")
DINNER = Expense(
    id="e0123456789",
    what="Dinner",
    payer="m1",
    currency="JPY",
    minor=900,
    shares={"m1": 600, "m2": 300},
    names={"m1": "Yuki", "m2": "健二"},
)


def observed(
    *, replies: tuple[str, ...] = ("Hello",), statuses: tuple[int, ...] = (204,), prompt: str = "hello"
) -> Observed:
    return Observed(
        statuses=statuses,
        replies=replies,
        outcome=OutcomeRecord(webhook_event_id="e", timestamp_ms=1, kind=OutcomeKind.REPLIED, provenance=Provenance()),
        asked=(ModelCall(request=request(prompt), calls=(CALL,)),),
        before={},
        after={"admin/rent.md": ENTRY},
        reminders=(REMINDER,),
        expenses=(DINNER,),
        polls=(SEEN_POLL,),
        notion_writes=1,
        searches=("my code 77120",),
        bucket="bytes",
    )


NO_DEED: dict[str, Any] = {"reminders_before": (REMINDER,), "notion_writes": 0}


def failures(must: Expected, seen: Observed | None = None) -> list[str]:
    case = Case(name="case", says="hi", must=must, wants=Expected(speaks="any"))
    return [one.text for one in grade(case, seen or observed())]


def entries(*expected: ExpectedEntry, **more: object) -> Expected:
    return Expected(entries=list(expected), **more)  # type: ignore[arg-type]


def reminders(*expected: ExpectedReminder) -> Expected:
    return Expected(reminders=list(expected))


STATE_MET = (
    entries(ExpectedEntry(category="admin")),
    entries(ExpectedEntry(name="^rent$")),
    entries(ExpectedEntry(name="RENT")),
    entries(ExpectedEntry(fields={"due_date": "11-23"})),
    entries(ExpectedEntry(fields={"tags": "home"})),
    entries(ExpectedEntry(fields={"status": "^pending$", "due_date": "^2026"})),
    entries(ExpectedEntry(text="transfer")),
    entries(ExpectedEntry(text="admin/rent")),
    entries(ExpectedEntry(category="admin", name="rent", text="transfer")),
    entries(ExpectedEntry(category="admin"), ExpectedEntry(name="rent")),
    Expected(no_entry=["passport"]),
    Expected(count=1),
    Expected(count_at_most=1),
    Expected(notion_writes=1),
    Expected(bucket_lacks=["4711"], prompt_lacks=["4711"], searches_lack=["4711"]),
    Expected(searches_at_most=1, replies_at_most=1),
)
STATE_MISSED = (
    entries(ExpectedEntry(category="people")),
    entries(ExpectedEntry(name="^ren$")),
    entries(ExpectedEntry(fields={"status": "done"})),
    entries(ExpectedEntry(fields={"due_date": "11-24"})),
    entries(ExpectedEntry(fields={"next_action": "pay"})),
    entries(ExpectedEntry(text="cash")),
    entries(ExpectedEntry(category="admin", name="milk")),
    entries(ExpectedEntry(category="admin"), ExpectedEntry(name="milk")),
    Expected(no_entry=["transfer"]),
    Expected(no_entry=["^admin/rent"]),
    Expected(unchanged=True),
    Expected(count=2),
    Expected(count=0),
    Expected(count_at_most=0),
    Expected(notion_writes=0),
    Expected(searches_at_most=0),
    Expected(replies_at_most=0),
    Expected(searches_lack=["77120"]),
    Expected(bucket_lacks=["bytes"]),
    Expected(prompt_lacks=["hello"]),
)
REMINDERS_MET = (
    reminders(ExpectedReminder()),
    reminders(ExpectedReminder(text="pill")),
    reminders(ExpectedReminder(text="^PILLS$")),
    reminders(ExpectedReminder(at="2026-11-23T09:00")),
    reminders(ExpectedReminder(rule="DAILY")),
    reminders(ExpectedReminder(rule="^FREQ=DAILY$")),
    reminders(ExpectedReminder(text="pill", at="2026-11-23T09:00")),
    reminders(ExpectedReminder(text="pill", at="2026-11-23T09:00", rule="DAILY")),
    reminders(ExpectedReminder(text="pill"), ExpectedReminder(rule="DAILY")),
    Expected(reminder_count=1),
)
REMINDERS_MISSED = (
    reminders(ExpectedReminder(text="rent")),
    reminders(ExpectedReminder(text="^pill$")),
    reminders(ExpectedReminder(at="2026-11-23T10:00")),
    reminders(ExpectedReminder(at="2026-11-24T09:00")),
    reminders(ExpectedReminder(rule="WEEKLY")),
    reminders(ExpectedReminder(rule="^DAILY")),
    reminders(ExpectedReminder(digest="daily")),
    reminders(ExpectedReminder(digest="weekly")),
    reminders(ExpectedReminder(text="pill", at="2026-11-23T21:00")),
    reminders(ExpectedReminder(text="pill"), ExpectedReminder(text="rent")),
    Expected(reminder_count=0),
    Expected(reminder_count=2),
)
EXPENSES_MET = (
    Expected(expenses=[ExpectedExpense()], expense_count=1),
    Expected(expenses=[ExpectedExpense(what="^dinner$", payer="yuki")]),
    Expected(expenses=[ExpectedExpense(shares={"Yuki": "¥600", "健二": "¥300"})]),
)
EXPENSES_MISSED = (
    Expected(expense_count=0),
    Expected(expenses=[ExpectedExpense(what="taxi")]),
    Expected(expenses=[ExpectedExpense(payer="健二")]),
    Expected(expenses=[ExpectedExpense(shares={"Yuki": "¥600"})]),
    Expected(expenses=[ExpectedExpense(shares={"Yuki": "¥300", "健二": "¥600"})]),
    Expected(expenses=[ExpectedExpense(shares={"Yuki": "¥600", "Lin": "¥300"})]),
)
POLLS_MET = (
    Expected(polls=[ExpectedPoll()], poll_count=1),
    Expected(polls=[ExpectedPoll(question="^dinner", options=["curry", "sushi"], chosen="sushi")]),
    Expected(polls=[ExpectedPoll(closes="2026-11-27T18:00", capacity=0)]),
)
POLLS_MISSED = (
    Expected(poll_count=0),
    Expected(polls=[ExpectedPoll(question="lunch")]),
    Expected(polls=[ExpectedPoll(options=["sushi", "curry"])]),
    Expected(polls=[ExpectedPoll(options=["curry"])]),
    Expected(polls=[ExpectedPoll(chosen="curry")]),
    Expected(polls=[ExpectedPoll(closes="2026-11-27T19:00")]),
    Expected(polls=[ExpectedPoll(starts="2026-11-27T18:00")]),
    Expected(polls=[ExpectedPoll(place="Shibuya")]),
    Expected(polls=[ExpectedPoll(capacity=8)]),
)
CALLS_MET = (
    Expected(calls=["web_search"]),
    Expected(no_calls=["skip"]),
    Expected(no_calls=["skip", "reply", "delete_entry"]),
    Expected(args={"web_search": {}}),
    Expected(args={"web_search": {"query": "code"}}),
    Expected(args={"web_search": {"query": "^my code"}}),
    Expected(calls=["web_search"], args={"web_search": {"query": "77120"}}),
    Expected(calls=["web_search"], no_calls=["recall"]),
    Expected(decision="reply"),
    Expected(decision="reply", calls=["web_search"]),
)
CALLS_MISSED = (
    Expected(calls=["reply"]),
    Expected(calls=["web_search", "reply"]),
    Expected(no_calls=["web_search"]),
    Expected(no_calls=["reply", "web_search"]),
    Expected(args={"web_search": {"query": "gym"}}),
    Expected(args={"web_search": {"query": "code$"}}),
    Expected(args={"web_search": {"question": "code"}}),
    Expected(args={"recall": {"query": "code"}}),
    Expected(args={"recall": {}}),
    Expected(decision="silence"),
)
WORDS_MET = (
    Expected(reply_has=["no"]),
    Expected(reply_has=["NO", "question"]),
    Expected(reply_has_any=["x", "no"]),
    Expected(reply_lacks=["failed"]),
    Expected(longest=40),
    Expected(says_date=["2026-12-10"]),
    Expected(says_time=["09:00"]),
    Expected(says_time=["21:00"]),  # "at 9" fits both
    Expected(says_date=["2026-12-10"], says_time=["09:00"]),
    Expected(reply_has=["^No"], reply_lacks=["yes"]),
)
WORDS_MISSED = (
    Expected(reply_has=["x"]),
    Expected(reply_has=["no", "x"]),
    Expected(reply_has_any=["x", "y"]),
    Expected(reply_lacks=["question"]),
    Expected(reply_lacks=["x", "^no"]),
    Expected(longest=3),
    Expected(says_date=["2026-12-11"]),
    Expected(says_date=["2026-12-10", "2026-10-12"]),
    Expected(says_time=["09:30"]),
    Expected(says_time=["10:00"]),
)
WORDS = observed(replies=("No question: Dec 10 at 9.",))


@pytest.mark.parametrize("met", [*STATE_MET, *REMINDERS_MET, *EXPENSES_MET, *POLLS_MET, *CALLS_MET])
def test_a_state_and_calls_as_expected_pass(met: Expected) -> None:
    assert failures(met) == []


@pytest.mark.parametrize("missed", [*STATE_MISSED, *REMINDERS_MISSED, *EXPENSES_MISSED, *POLLS_MISSED, *CALLS_MISSED])
def test_another_state_or_other_calls_fail(missed: Expected) -> None:
    assert len(failures(missed)) == 1


@pytest.mark.parametrize("met", WORDS_MET)
def test_words_as_expected_pass(met: Expected) -> None:
    assert failures(met, WORDS) == []


@pytest.mark.parametrize("missed", WORDS_MISSED)
def test_other_words_fail(missed: Expected) -> None:
    assert len(failures(missed, WORDS)) == 1


@pytest.mark.parametrize(
    "question",
    [
        "Which one?",
        "どれですか。",
        "どの会議のことでしょうか",
        "哪一個呢",
        "你是說哪個嗎。",
        "อันไหนคะ",
        "กี่โมงครับ",
        "Tomorrow at 9, or at 21?",
        "何時？",
        "ลบเลยไหม",
    ],
)
def test_a_question_back_that_changes_nothing_is_as_good(question: str) -> None:
    expected = Expected(reminder_count=5, calls=["reply"], reply_has=["x"], or_asks=True)

    assert failures(expected, replace(observed(replies=(question,)), before={"admin/rent.md": ENTRY}, **NO_DEED)) == []


@pytest.mark.parametrize(
    "statement",
    [
        "Fine.",
        "わかりました。",
        "分かった、やっておきます",
        "好的。",
        "ได้ค่ะ",
        "Done",
        "9時です。",
        "I do not know.",
        "さあ。",
        "嗯",
    ],
)
def test_a_statement_is_no_question_back(statement: str) -> None:
    expected = Expected(reply_has=["x"], or_asks=True)

    assert failures(expected, replace(observed(replies=(statement,)), before={"admin/rent.md": ENTRY}, **NO_DEED)) != []


def test_a_question_back_does_not_excuse_what_was_done() -> None:
    assert failures(Expected(reply_has=["x"], or_asks=True), observed(replies=("Which one?",))) == ["the reply lacks x"]


@pytest.mark.parametrize(
    ("seen", "told"),
    [
        (observed(statuses=(204, 500)), "a delivery was not acknowledged: (204, 500)"),
        (observed(replies=("x",) * 6), "6 bubbles"),
        (observed(replies=(f"you are U{'0' * 32}",)), "the reply has an id of LINE"),
        (observed(prompt=f"C{'a' * 32}"), "a prompt has an id of LINE"),
    ],
)
def test_mechanics_are_looked_at_in_every_case(seen: Observed, told: str) -> None:
    assert failures(Expected(), seen) == [told]
