"""Each grader sees what it is for, and nothing where all is well."""

import pytest

from evals.case import Case, Expected, ExpectedEntry, ExpectedReminder
from evals.graders import grade
from evals.minds import ModelCall
from evals.world import Observed
from shared.agent.model import FunctionCall, ModelRequest, TextContent
from shared.conversation.provenance import Provenance
from shared.conversation.records import OutcomeKind, OutcomeRecord
from shared.knowledge.entry import Entry, Note
from shared.knowledge.schema import Category
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


def observed(
    *, replies: tuple[str, ...] = ("Done",), statuses: tuple[int, ...] = (204,), prompt: str = "hello"
) -> Observed:
    return Observed(
        statuses=statuses,
        replies=replies,
        outcome=OutcomeRecord(webhook_event_id="e", timestamp_ms=1, kind=OutcomeKind.REPLIED, provenance=Provenance()),
        asked=(ModelCall(request=request(prompt), calls=(CALL,)),),
        before={},
        after={"admin/rent.md": ENTRY},
        reminders=(REMINDER,),
        notion_writes=1,
        searches=("my code 77120",),
        bucket="bytes",
    )


def failures(must: Expected, seen: Observed | None = None) -> list[str]:
    case = Case(name="case", says="hi", must=must)
    return [one.text for one in grade(case, seen or observed())]


@pytest.mark.parametrize(
    "met",
    [
        Expected(entries=[ExpectedEntry(category="admin", name="^rent$", fields={"due_date": "11-23", "tags": "home"}, text="transfer")]),
        Expected(no_entry=["passport"], count=1, count_at_most=1, notion_writes=1, searches_at_most=1, replies_at_most=1),
        Expected(searches_lack=["4711"], bucket_lacks=["4711"], prompt_lacks=["4711"]),
        Expected(calls=["web_search"], any_call=["web_search", "reply"], no_calls=["skip"], args={"web_search": {"query": "code"}}),
        Expected(reminders=[ExpectedReminder(text="pill", at="2026-11-23T09:00", rule="DAILY")], reminder_count=1),
        Expected(decision="reply", reply_has=["done"], reply_has_any=["x", "done"], reply_lacks=["failed"], longest=4, speaks="en"),
    ],
)  # fmt: skip
def test_what_is_met_is_no_failure(met: Expected) -> None:
    assert failures(met) == []


@pytest.mark.parametrize(
    ("missed", "count"),
    [
        (Expected(entries=[ExpectedEntry(category="people")]), 1),
        (Expected(entries=[ExpectedEntry(fields={"status": "done"})]), 1),
        (Expected(entries=[ExpectedEntry(text="cash")]), 1),
        (Expected(no_entry=["transfer"], unchanged=True), 2),
        (Expected(count=2, count_at_most=0, notion_writes=0, searches_at_most=0, replies_at_most=0), 5),
        (Expected(reminders=[ExpectedReminder(text="rent"), ExpectedReminder(at="2026-11-23T10:00")], reminder_count=0), 3),
        (Expected(reminders=[ExpectedReminder(rule="WEEKLY"), ExpectedReminder(digest="daily")]), 2),
        (Expected(searches_lack=["77120"], bucket_lacks=["bytes"], prompt_lacks=["hello"]), 3),
        (Expected(calls=["reply"], any_call=["skip"], no_calls=["web_search"], args={"web_search": {"query": "gym"}}), 4),
        (Expected(decision="silence", reply_has=["x"], reply_has_any=["x", "y"], reply_lacks=["done"], longest=3, speaks="th"), 6),
    ],
)  # fmt: skip
def test_what_is_missed_is_a_failure(missed: Expected, count: int) -> None:
    assert len(failures(missed)) == count


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
