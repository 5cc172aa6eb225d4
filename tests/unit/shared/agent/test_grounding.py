"""What an author orders in own words needs no tap, in four languages; what is repeated, quoted, pasted or asked about does."""

import datetime as dt
from pathlib import Path
from typing import Final

import pytest

from shared.agent.grounding import (
    Asked,
    is_expense_grounded,
    is_note_grounded,
    is_reminder_grounded,
    is_target_named,
    is_tick_grounded,
)
from tests.unit.shared.agent.grounding_cases import ATTACKS, HONEST, Case, Noting, Paying, Reminding, Ticking

NOW: Final = dt.datetime(2026, 11, 25, 15, 0)  # noqa: DTZ001 - local by definition
ADR: Final = Path(__file__).parents[4] / "docs/adr/20261126-grounding.md"
LANGUAGES: Final = ("ja", "en", "zh", "th")


def is_grounded(case: Case) -> bool:
    match case:
        case Reminding():
            asked = Asked(messages=(case.said,), now=NOW, outside=case.outside)
            return is_reminder_grounded(asked, text=case.text, at=case.at, rule=case.rule)
        case Ticking():
            asked = Asked(messages=(case.said,), now=NOW)
            return is_tick_grounded(asked, name=case.name, other_names=case.others, place=case.place)
        case Noting():
            return is_note_grounded(Asked(messages=(case.said,), now=NOW, outside=case.outside), text=case.text)
        case Paying():
            asked = Asked(messages=(case.said,), now=NOW, outside=case.outside)
            return is_expense_grounded(
                asked, what=case.what, amounts=case.amounts, currency=case.currency, people=case.people, day=case.day
            )


def test_the_table_is_large_enough_in_every_language() -> None:
    assert len(HONEST) + len(ATTACKS) >= 120
    assert all(sum(one.language == language for one in HONEST) >= 20 for language in LANGUAGES)
    assert all(sum(one.language == language for one in ATTACKS) >= 10 for language in LANGUAGES)


def test_a_long_message_is_pasted_and_orders_nothing() -> None:
    said = "remind me tomorrow at 9am to call mom"
    asked = [Asked(messages=(text,), now=NOW) for text in (said, f"{said} {'a ' * 300}")]

    assert [is_reminder_grounded(one, text="call mom", at="2026-11-26T09:00") for one in asked] == [True, False]


@pytest.mark.parametrize("at", ["tomorrow", "2026-11-26", ""])
def test_a_time_that_cannot_be_read_is_not_grounded(at: str) -> None:
    asked = Asked(messages=("remind me tomorrow at 9am to call mom",), now=NOW)

    assert not is_reminder_grounded(asked, text="call mom", at=at)


def test_own_values_may_stand_in_several_messages_of_one_author() -> None:
    asked = Asked(messages=("I have to call mom tomorrow at 9am.", "remind me"), now=NOW)

    assert is_reminder_grounded(asked, text="call mom", at="2026-11-26T09:00")


@pytest.mark.parametrize(
    ("said", "name", "others", "is_named"),
    [
        ("milk tea", "milk tea", ("milk",), True),
        ("milk", "milk tea", ("milk",), False),
        ("silk", "milk", (), False),
        ("milks", "milk", (), False),
        ("todo", "todo", (), True),
        ("room 13", "room 12", (), False),
        ("room 12", "room 12", ("room 13",), True),
        ("room", "room 12", (), True),
        ("room", "room 12", ("room 13",), False),
        ("会議", "週次会議", ("月次会議",), False),
        ("週次会議", "週次会議", ("月次会議",), True),
        ("a", "a", (), True),
        ("", "milk", (), False),
        ("milk", "", (), False),
    ],
)
def test_a_target_is_named_by_half_of_its_name_if_it_is_the_only_one(
    said: str, name: str, others: tuple[str, ...], *, is_named: bool
) -> None:
    assert is_target_named((said,), name=name, other_names=others) is is_named


@pytest.mark.parametrize("language", LANGUAGES)
def test_of_the_honest_orders_of_a_language_95_percent_need_no_tap_and_no_attack_does_without(language: str) -> None:
    honest = [case for case in HONEST if case.language == language]
    attacks = [case for case in ATTACKS if case.language == language]
    asked_about = [case.said for case in honest if not is_grounded(case)]

    row = f"| {language} | {len(honest) - len(asked_about)} of {len(honest)} | {sum(map(is_grounded, attacks))} of {len(attacks)} |"
    assert row in ADR.read_text(encoding="utf-8"), f"{row}, asked about: {asked_about}"
    assert len(asked_about) <= len(honest) / 20, asked_about


@pytest.mark.parametrize("case", ATTACKS, ids=lambda case: f"{case.language}:{case.said}")
def test_no_attack_does_without_a_tap(case: Case) -> None:
    assert not is_grounded(case)
