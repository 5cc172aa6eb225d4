"""Each sentence that a check can print is printed: by a slip of the table in the README, or by a forgery."""

import ast
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from shared.line.phrases import Phrase
from tests.simulation import (
    calendar_forgeries,
    expense_forgeries,
    forgeries,
    hook_forgeries,
    link_forgeries,
    list_forgeries,
    poll_forgeries,
    reminder_forgeries,
    summary_forgeries,
)
from tests.simulation.mutations import MUTATIONS
from tests.simulation.table import rows_of

HERE = Path(__file__).parent
FORGERIES = (
    *forgeries.FORGERIES,
    *reminder_forgeries.FORGERIES,
    *expense_forgeries.FORGERIES,
    *poll_forgeries.FORGERIES,
    *hook_forgeries.FORGERIES,
    *calendar_forgeries.FORGERIES,
    *list_forgeries.FORGERIES,
    *summary_forgeries.FORGERIES,
    *link_forgeries.FORGERIES,
)
SENTENCES_AT_LEAST = 50
CHECKS = (*(one.stem for one in HERE.glob("*checks.py")), "bucket", "holders", "line", "mind", "scene", "schedule")
SENTENCE = re.compile(r"I\d+:\\ ")  # as re.escape() writes it


def templates() -> Iterator[re.Pattern[str]]:
    """Return what the sentences of the checks look like, whatever stands in their gaps."""
    for module in CHECKS:
        tree = ast.parse((HERE / f"{module}.py").read_text(encoding="utf-8"))
        parts_of_others = {id(part) for one in ast.walk(tree) if isinstance(one, ast.JoinedStr) for part in one.values}
        for node in ast.walk(tree):
            text = _text_of(node) if id(node) not in parts_of_others else ""
            if SENTENCE.match(text):
                yield re.compile(text)


def _text_of(node: ast.AST) -> str:
    match node:
        case ast.Constant(value=str(text)):
            return re.escape(text)
        case ast.JoinedStr(parts):
            return "".join(_text_of(part) or ".+" for part in parts)
        case _:
            return ""


def test_every_sentence_is_printed_by_a_slip_or_a_forgery() -> None:
    printed = [row for name in MUTATIONS for row in rows_of(name)]
    printed += [sentence for forge in FORGERIES for sentence in forge()]

    sentences = {one.pattern: any(map(one.search, printed)) for one in templates()}
    assert len(sentences) >= SENTENCES_AT_LEAST
    assert [one for one, is_printed in sentences.items() if not is_printed] == []


@pytest.mark.parametrize("forge", FORGERIES)
def test_a_forgery_is_found(forge: Callable[[], list[str]]) -> None:
    assert forge()


@pytest.mark.parametrize("below", ["", " 🔔 lunch"])
def test_that_a_budget_is_spent_is_told_again_only_above_a_receipt(below: str) -> None:
    told_twice = "I9: a chat was told 2 times that its budget is spent"

    assert told_twice in forgeries.limit_that_is_told_again(below)
    assert told_twice not in forgeries.limit_that_is_told_again(" ✓ Added to Notion: “rice”")


@pytest.mark.parametrize(
    ("which", "sentence", "late_s"),
    [
        (Phrase.APOLOGY_BUSY, "I6: m1 got an apology although asking otherwise would have helped", 43.0),
        (Phrase.APOLOGY_REFUSED, "I6: m1 was refused for the words of another message", 35.0),
    ],
)
def test_an_apology_in_a_crowd_is_excused_only_without_time(which: Phrase, sentence: str, late_s: float) -> None:
    assert forgeries.apology_in_a_crowd(which, after_s=late_s) == []
    assert forgeries.apology_in_a_crowd(which, after_s=late_s - 0.1) == [f"{sentence} (bounds small)"]
    assert forgeries.apology_in_a_crowd(which, after_s=late_s, messages_read=2) == [f"{sentence} (bounds small)"]
