"""What `make check` counts as vague, as a pronoun, as an example, and as a retired word."""

import ast

import pytest

from checks.vocabulary import bindings, measured, retired_names, retired_words


def vague(source: str) -> list[str]:
    return [finding.name for finding in measured([("a.py", source)]).vague]


@pytest.mark.parametrize(
    "source",
    [
        "found = 1\n",
        "for left in []:\n    pass\n",
        "def f(kept):\n    pass\n",
        "with a() as told:\n    pass\n",
        "if (there := 1):\n    pass\n",
        "_known = 1\n",
        "one = 1\n",
        "rows = [\n    one\n    for one in a\n]\n",
    ],
)
def test_a_vague_name_is_counted_wherever_it_is_bound(source: str) -> None:
    assert len(vague(source)) == 1


@pytest.mark.parametrize(
    "source",
    ["rows = [one for one in a]\n", "found_at_ms = 1\n", "row.found = 1\n", "print(found)\n", "message, outcome = a\n"],
)
def test_a_precise_name_a_use_and_a_comprehension_of_one_line_are_not(source: str) -> None:
    assert vague(source) == []


def test_bindings_tell_their_lines() -> None:
    assert list(bindings(ast.parse("a = 1\n\nb = 2\n"))) == [(1, "a"), (3, "b")]


def test_names_are_counted_by_thousand_lines() -> None:
    assert measured([("a.py", "found = 1\n" + "\n" * 499)]).vague_per_thousand == 2.0


def test_pronouns_are_a_share_of_the_words_of_docstrings() -> None:
    source = '"""The turn ends it."""\n\ndef f():\n    """They stop."""\n    # they, these, it: no docstring\n'

    assert measured([("a.py", source)]).pronouns_percent == pytest.approx(100 * 2 / 6)


@pytest.mark.parametrize(
    ("docstring", "examples"),
    [
        ("Return the day: `local_day(0, 'Asia/Tokyo')` is the first.", 1),
        ("For example, a press that comes twice.", 1),
        (">>> f()", 1),
        ("`a -> b`", 1),
        ("Return the `day`, see `local_day()`.", 0),
    ],
)
def test_an_example_is_code_with_its_values_or_is_said_to_be_one(docstring: str, examples: int) -> None:
    assert measured([("a.py", f'"""{docstring}"""\n')]).examples == examples


def test_a_word_that_the_glossary_retires_is_refused_as_a_part_of_a_name() -> None:
    words = retired_words("| ~~came_from, `saw`~~ | provenance | one field |\n| record | stored | a log line |\n")

    names = retired_names("a.py", "def f(came_from_ids):\n    saw = 1\n    sawmill = 2\n", words)

    assert words == {"came_from", "saw"}
    assert sorted((name.line, name.name) for name in names) == [(1, "came_from_ids"), (2, "saw")]
