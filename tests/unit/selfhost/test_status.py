"""The facts of the operator's page."""

from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from selfhost.registration import RegistrationState
from selfhost.status import Fact, ModelStatus, Status
from shared.adapters.memory import FixedClock
from shared.adapters.sqlite import Database, SqliteEventQueue, SqliteObjectStore
from shared.adapters.sqlite.event_queue import MOST_ATTEMPTS
from shared.bus.messages import BusMessage
from shared.clock import MINUTE_MS
from shared.errors import AizuchiError, ModelRefusedError, ModelUnavailableError, StorageUnavailableError
from shared.storage.due_marker import DueMarker
from tests.support import recorded

WORKS = RegistrationState(works=True, lines=("ok: LINE has the address", "ok: LINE tried it"))


@dataclass(kw_only=True)
class Machine:
    """What the page is asked about; a deployment that is well."""

    folder: Path
    database: Database
    clock: FixedClock = field(default_factory=FixedClock)
    state: RegistrationState = WORKS
    last_message_ms: int | None = None
    spent: int = 0
    limit: int = 0

    def __post_init__(self) -> None:
        self.store = SqliteObjectStore(self.database, clock=self.clock)
        self.queue = SqliteEventQueue(self.database, clock=self.clock)

    def facts(self) -> dict[str, Fact]:
        status = Status(
            registration=lambda: self.state,
            gemini=lambda: (True, "has gemini-x"),
            queue=self.queue,
            store=self.store,
            folder=self.folder,
            last_message_ms=lambda: self.last_message_ms,
            spent_today=lambda: self.spent,
            tokens_per_day=self.limit,
            clock=self.clock,
        )
        return {fact.name: fact for fact in status()}

    def mark_due(self, minutes: Sequence[int]) -> None:
        for number, minute in enumerate(minutes):
            at_ms = self.clock.now_ms() + minute * MINUTE_MS
            self.store.create(
                DueMarker.at(at_ms, kind="reply", conversation_id=recorded.USER, id=str(number)).name, b""
            )


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[Machine]:
    with closing(Database(tmp_path)) as database:
        yield Machine(folder=tmp_path, database=database)


def test_everything_is_green_where_everything_is_well(machine: Machine) -> None:
    facts = machine.facts()

    assert list(facts) == ["LINE", "webhook", "Gemini", "storage", "last message", "due", "budget"]
    assert [fact.name for fact in facts.values() if not fact.is_good] == []
    assert facts["due"].text == "0 events, 0 planned, 0 late, 0 dead letters"


def test_a_channel_that_was_not_asked_yet_is_red(machine: Machine) -> None:
    machine.state = RegistrationState()
    facts = machine.facts()

    assert (facts["LINE"].is_good, facts["webhook"].is_good) == (False, False)
    assert "PUBLIC_URL" in facts["LINE"].text


def test_a_webhook_that_does_not_answer_is_red_while_line_is_green(machine: Machine) -> None:
    machine.state = RegistrationState(
        works=False, lines=("ok: LINE has the address", "FAILED: LINE tried it and got 530")
    )
    facts = machine.facts()

    assert (facts["LINE"].is_good, facts["webhook"].is_good) == (True, False)
    assert facts["webhook"].text == "FAILED: LINE tried it and got 530"


def test_a_line_that_cannot_be_reached_is_red_with_its_reason(machine: Machine) -> None:
    machine.state = RegistrationState(works=False, lines=("FAILED: LINE cannot be reached",))
    facts = machine.facts()

    assert (facts["LINE"].is_good, facts["webhook"].is_good) == (False, False)
    assert facts["LINE"].text == "FAILED: LINE cannot be reached"


def test_warnings_stand_beside_a_webhook_that_works(machine: Machine) -> None:
    machine.state = RegistrationState(works=True, lines=(*WORKS.lines, "WARNING: Chat is OFF"))

    assert machine.facts()["webhook"] == Fact(name="webhook", is_good=True, text="WARNING: Chat is OFF")


def test_what_is_due_for_more_than_two_minutes_is_late(machine: Machine) -> None:
    machine.mark_due([-10, -1, 60])
    due = machine.facts()["due"]

    assert (due.is_good, due.text) == (False, "0 events, 2 planned, 1 late, 0 dead letters")


def test_a_dead_letter_is_red(machine: Machine) -> None:
    machine.queue.publish([BusMessage(data=b"words", attributes={})])
    for _ in range(MOST_ATTEMPTS):
        machine.queue.refuse(machine.queue.take(1)[0])
        machine.clock.move(600)
    due = machine.facts()["due"]

    assert (due.is_good, due.text) == (False, "0 events, 0 planned, 0 late, 1 dead letters")


@pytest.mark.parametrize(
    ("spent", "limit", "is_good", "text"),
    [
        (1_234, 0, True, "1,234 tokens today, without a limit"),
        (1_234, 2_000, True, "1,234 tokens today, of 2,000"),
        (2_000, 2_000, False, "2,000 tokens today, of 2,000"),
    ],
)
def test_a_budget_that_is_spent_is_red(machine: Machine, spent: int, limit: int, is_good: bool, text: str) -> None:
    machine.spent, machine.limit = spent, limit

    assert machine.facts()["budget"] == Fact(name="budget", is_good=is_good, text=text)


def test_the_age_of_the_last_message_is_told(machine: Machine) -> None:
    assert machine.facts()["last message"].text == "none since the start"

    machine.last_message_ms = machine.clock.now_ms()
    machine.clock.move(185)

    assert machine.facts()["last message"].text == "3 minutes ago"


def test_what_cannot_be_read_is_one_red_line_among_the_others(machine: Machine) -> None:
    machine.database.close()
    facts = machine.facts()

    assert facts["due"] == Fact(name="due", is_good=False, text=f"cannot be read ({StorageUnavailableError.__name__})")
    assert facts["budget"].is_good


class Gemini:
    """A provider that refuses its model with these errors, one a check, and knows it afterwards."""

    def __init__(self, *refusals: AizuchiError) -> None:
        self.refusals = list(refusals)
        self.checks = 0

    def check_model(self) -> None:
        self.checks += 1
        if self.refusals:
            raise self.refusals.pop(0)


@pytest.mark.parametrize(
    ("refusals", "fact"),
    [
        ((), (True, "has gemini-x")),
        ((ModelRefusedError("403", is_about_request=False),), (False, "refuses the key; check GEMINI_API_KEY")),
        (
            (ModelRefusedError("404", is_about_request=False, is_about_name=True),),
            (False, "does not know gemini-x; check GEMINI_MODEL"),
        ),
        ((ModelRefusedError("400"),), (False, "refuses the request")),
        ((ModelUnavailableError("503"),), (False, "does not answer")),
    ],
)
def test_what_gemini_says_of_the_model_is_told(refusals: tuple[AizuchiError, ...], fact: tuple[bool, str]) -> None:
    assert ModelStatus(Gemini(*refusals), name="gemini-x", clock=FixedClock())() == fact


def test_gemini_is_asked_once_a_minute() -> None:
    clock, gemini = FixedClock(), Gemini(ModelUnavailableError("503"))
    status = ModelStatus(gemini, name="gemini-x", clock=clock)

    assert status() == (False, "does not answer")
    clock.move(59)
    assert status() == (False, "does not answer")
    clock.move(1)
    assert status() == (True, "has gemini-x")

    assert gemini.checks == 2
