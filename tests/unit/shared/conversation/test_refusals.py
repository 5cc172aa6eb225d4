"""Which marks stand after which amendment."""

import pytest

from shared.conversation.amendments import Amendments
from shared.conversation.refusals import MOST_REFUSALS, Refusal, row_mark, standing

MARK = Refusal(id="m1", words_ms=1_000, sources=("m0",))


@pytest.mark.parametrize(
    ("amendments", "stands"),
    [
        (Amendments(), True),
        (Amendments(withdrawn=frozenset({"m1"})), False),
        (Amendments(withdrawn=frozenset({"m0"})), False),
        (Amendments(withdrawn=frozenset({"m2"})), True),
        (Amendments(redacted={"m1": frozenset()}), False),
        (Amendments(erased_ms=1_000), False),
        (Amendments(erased_ms=999), True),
        (Amendments(members={"m1": 1_000}), False),
        (Amendments(edits={"m1": "new"}, edited_ms={"m1": 1_001}), False),
        (Amendments(edits={"m1": "new"}, edited_ms={"m1": 1_000}), True),
    ],
)
def test_a_mark_stands_while_what_it_is_about_has_its_words(amendments: Amendments, *, stands: bool) -> None:
    assert standing([MARK], amendments) == ((MARK,) if stands else ())


def test_the_newest_marks_are_kept_one_for_each_id() -> None:
    marks = [Refusal(id=f"m{number % 300}", words_ms=number) for number in range(900)]

    kept = standing(marks, Amendments())

    assert [one.words_ms for one in kept] == list(range(900 - MOST_REFUSALS, 900))


def test_a_row_has_another_mark_once_its_entry_has_changed() -> None:
    first = row_mark({"m1", "m2"}, "2026-01-01T00:00:00")

    assert first == row_mark(("m2", "m1"), "2026-01-01T00:00:00")
    assert first not in {row_mark({"m1"}, "2026-01-01T00:00:00"), row_mark({"m1", "m2"}, "2026-01-02T00:00:00")}
