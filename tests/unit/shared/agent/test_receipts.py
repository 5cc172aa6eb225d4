import pytest

from shared.agent.receipts import Deed, DeedKind, Place, receipt
from shared.line.graphemes import graphemes
from shared.locales.language_file import LOCALES

FILED = Deed(kind=DeedKind.FILED, name="庭の工事", place=Place.PROJECTS)


def test_nothing_done_has_no_receipt() -> None:
    assert receipt((), locale="ja") == ""


def test_a_receipt_names_what_was_done_and_where() -> None:
    assert receipt((FILED,), locale="ja") == "✓ 記録：「庭の工事」（プロジェクト）"
    assert receipt((FILED, Deed(kind=DeedKind.DELETED, name="lunch")), locale="en") == (
        "✓ Filed: “庭の工事” (projects) · Deleted: “lunch”"
    )


@pytest.mark.parametrize("locale", LOCALES)
@pytest.mark.parametrize("kind", DeedKind)
def test_every_deed_has_its_name_in_every_language(kind: DeedKind, locale: str) -> None:
    line = receipt((Deed(kind=kind, name="garden"),), locale=locale)

    assert "garden" in line
    assert "{" not in line


@pytest.mark.parametrize("locale", LOCALES)
@pytest.mark.parametrize("name", ["a\nb" * 500, "{place}", "👨‍👩‍👧‍👦" * 300])
def test_a_receipt_is_one_short_line(name: str, locale: str) -> None:
    deeds = tuple(
        Deed(kind=kind, name=f"{name}{number}", place=Place.INBOX) for kind in DeedKind for number in range(9)
    )

    line = receipt(deeds, locale=locale)

    assert "\n" not in line
    assert len(graphemes(line)) < 8 * 4 * 45 + 300


def test_names_beyond_the_first_few_are_counted() -> None:
    line = receipt([Deed(kind=DeedKind.FILED, name=f"n{number}") for number in range(6)], locale="en")

    assert line == "✓ Filed: “n0”, “n1”, “n2”, “n3” and 2 more"
