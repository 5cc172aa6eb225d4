from dataclasses import replace

import pytest

from shared.conversation.records import Audit, OutcomeKind, outcome_of
from shared.conversation.spending import Ledger, Spending, weighted_tokens
from shared.conversation.turn import TurnRecord
from shared.metering import ModelUsage, Purpose
from tests.support.chats import message

NOON_MS = 1_763_780_400_000  # 2025-11-22, 12:00 in Tokyo
USED = ModelUsage(purpose=Purpose.TURN, model_name="m", prompt_tokens=100, output_tokens=6, thought_tokens=6)


def test_tokens_of_output_and_thought_weigh_as_they_cost() -> None:
    assert weighted_tokens(USED) == 200


def test_the_day_is_that_of_the_bots_zone() -> None:
    ledger = Ledger()

    assert ledger.day(NOON_MS) == "2025-11-22"
    assert ledger.day(NOON_MS + 12 * 3_600_000) == "2025-11-23"


def test_charges_are_taken_once() -> None:
    ledger = Ledger()
    ledger.charge("a", USED)
    ledger.charge("a", USED)
    ledger.charge("b", USED)
    ledger.charge(None, USED)

    assert [ledger.take("a"), ledger.take("a"), ledger.take("b")] == [400, 0, 200]


def test_a_new_day_begins_with_the_turn_that_is_under_way() -> None:
    before = Spending(day="2025-11-22", turns=7, tokens=9, is_reserved=True, was_told=True)

    assert before.on("2025-11-22") == before
    assert before.on("2025-11-23") == Spending(day="2025-11-23", turns=1, is_reserved=True)


@pytest.mark.parametrize(("later_writes", "is_known"), [(15, True), (16, False)])
def test_the_last_sixteen_writes_with_a_charge_are_known_also_on_a_new_day(
    later_writes: int, *, is_known: bool
) -> None:
    spending = Spending(day="2025-11-22").plus(70, by="w1").plus(0, by="w2").on("2025-11-23")
    for number in range(later_writes):
        spending = spending.plus(1, by=f"later-{number}")

    assert spending.has_charge_of("w1") is is_known
    assert not spending.has_charge_of("w2")
    assert spending.tokens == later_writes


def test_a_day_that_is_over_does_not_begin_again() -> None:
    tomorrow = Spending(day="2025-11-23", turns=2, tokens=9)

    assert tomorrow.on("2025-11-22") == tomorrow


def test_an_instance_knows_what_it_has_charged_and_not_written() -> None:
    ledger = Ledger()
    assert ledger.spending("a", NOON_MS) is None

    ledger.remember("a", Spending(day="2025-11-22", tokens=50), generation=7)
    ledger.charge("a", USED)
    assert ledger.spending("a", NOON_MS) == Spending(day="2025-11-22", tokens=250)

    taken = ledger.take("a")
    assert ledger.spending("a", NOON_MS) == Spending(day="2025-11-22", tokens=250)

    ledger.remember("a", Spending(day="2025-11-22", tokens=250), generation=8)
    ledger.end_writing("a", taken)
    assert ledger.spending("a", NOON_MS) == Spending(day="2025-11-22", tokens=250)


def test_what_a_lost_write_was_to_carry_is_charged_all_the_same() -> None:
    ledger = Ledger()
    ledger.remember("a", Spending(day="2025-11-22"), generation=7)
    ledger.charge("a", USED)
    taken = ledger.take("a")

    ledger.put_back("a", taken)
    ledger.end_writing("a", taken)

    assert ledger.spending("a", NOON_MS) == Spending(day="2025-11-22", tokens=200)
    assert ledger.take("a") == 200


@pytest.mark.parametrize(("writers", "owed"), [(("w1",), 0), (("w2",), 200), (("w1", "w2", "w3"), 0)])
def test_what_a_write_of_unknown_fate_was_to_carry_is_spent_until_a_newer_turn_shows_whether_it_is_charged(
    writers: tuple[str, ...], owed: int
) -> None:
    ledger = Ledger()
    ledger.remember("a", Spending(day="2025-11-22"), generation=7)
    ledger.charge("a", USED)
    taken = ledger.take("a")

    ledger.doubt("a", taken, writer="w1", generation=7)
    ledger.end_writing("a", taken)
    ledger.remember("a", Spending(day="2025-11-22"), generation=7)

    assert ledger.spending("a", NOON_MS) == Spending(day="2025-11-22", tokens=200)
    assert ledger.take("a") == 0

    shown = Spending(day="2025-11-22")
    for writer in writers:
        shown = shown.plus(9, by=writer)
    ledger.remember("a", shown, generation=8)
    ledger.remember("a", Spending(day="2025-11-22"), generation=9)

    assert ledger.take("a") == owed


def test_an_older_turn_that_is_read_late_tells_nothing() -> None:
    ledger = Ledger()
    ledger.remember("a", Spending(day="2025-11-22", tokens=50), generation=8)

    ledger.remember("a", Spending(day="2025-11-22", tokens=9), generation=7)

    assert ledger.spending("a", NOON_MS) == Spending(day="2025-11-22", tokens=50)


def test_yesterdays_spending_is_none_of_today() -> None:
    ledger = Ledger()
    ledger.remember("a", Spending(day="2025-11-21", turns=3, tokens=50), generation=7)

    assert ledger.spending("a", NOON_MS) == Spending(day="2025-11-22")


def test_a_turn_that_was_reserved_by_a_dead_holder_is_not_counted_again() -> None:
    reserved = Spending(day="d").reserved()

    assert reserved.turns == 1
    assert reserved.reserved() == reserved


@pytest.mark.parametrize(
    ("usage", "kind", "tries", "turns"),
    [
        ((USED,), OutcomeKind.REPLIED, 0, 1),
        ((), OutcomeKind.REPLIED, 0, 0),  # a stored answer
        ((), OutcomeKind.DEFERRED, 0, 1),  # the model goes on
        ((), OutcomeKind.APOLOGISED, 3, 1),  # its workers died over it
    ],
)
def test_a_turn_counts_if_the_model_was_asked(
    usage: tuple[ModelUsage, ...], kind: OutcomeKind, tries: int, turns: int
) -> None:
    thinking = TurnRecord(state="thinking", tries=tries, spending=Spending(day="d").reserved())
    outcome = outcome_of([message(1)], kind)

    committed = thinking.with_outcome(replace(outcome, audit=Audit(usage=usage)), thinking.route)

    assert (committed.spending.turns, committed.spending.is_reserved) == (turns, False)


def test_a_turn_that_is_given_back_is_not_counted() -> None:
    thinking = TurnRecord(state="thinking", spending=Spending(day="d").reserved())

    assert thinking.abandoned().spending == Spending(day="d")


def test_a_turn_that_was_not_reserved_settles_nothing() -> None:
    unreserved = Spending(day="d", turns=3)

    assert unreserved.settled(counts=False) == unreserved.settled(counts=True) == unreserved
