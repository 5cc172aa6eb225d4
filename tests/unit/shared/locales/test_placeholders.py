import pytest

from shared.locales.placeholders import beginning, filled, joined


def test_braces_within_a_fact_stay() -> None:
    assert filled("{name} ({place})", name="{place}", place="ideas") == "{place} (ideas)"


@pytest.mark.parametrize(
    ("count", "text"), [("1", "1 vote in all"), ("0", "0 votes in all"), ("12", "12 votes in all")]
)
def test_a_word_depends_on_its_number(count: str, text: str) -> None:
    assert filled("{count} {count:vote|votes} in all", count=count) == text


def test_a_placeholder_without_a_fact_is_refused() -> None:
    with pytest.raises(KeyError):
        filled("{name} ({place})", name="lunch")


@pytest.mark.parametrize(
    ("words", "text"),
    [(["tea"], "tea"), (["tea", "milk"], "tea, milk"), (["{second}", "milk", "rice"], "{second}, milk, rice")],
)
def test_words_are_joined_by_the_text_for_two(words: list[str], text: str) -> None:
    assert joined("{first}, {second}", words) == text


@pytest.mark.parametrize(("text", "start"), [("Filed: {names}", "Filed: "), ("{names}", ""), ("Done.", "Done.")])
def test_what_precedes_the_first_placeholder_is_the_beginning(text: str, start: str) -> None:
    assert beginning(text) == start
