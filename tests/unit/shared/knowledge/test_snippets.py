import regex
from hypothesis import given, settings
from hypothesis import strategies as st

from shared.knowledge.snippets import SNIPPET_LIMIT, snippet
from shared.line.utf16 import utf16_length


@settings(max_examples=300)
@given(st.text(max_size=300), st.text(max_size=5))
def test_a_snippet_is_within_its_limit_and_cuts_no_grapheme(text: str, query: str) -> None:
    shown = snippet(text, [query])
    graphemes = regex.findall(r"\X", " ".join(text.split()))

    assert utf16_length(shown) <= SNIPPET_LIMIT
    inside = shown.removeprefix("…").removesuffix("…")
    assert inside in " ".join(text.split())
    assert all(
        utf16_length(grapheme) > SNIPPET_LIMIT - 2 or grapheme in graphemes
        for grapheme in regex.findall(r"\X", inside.strip())
    )


def test_a_snippet_surrounds_the_match() -> None:
    shown = snippet("あ" * 200 + "ガレージの鍵" + "い" * 200, ["がれーじ"])

    assert "ガレージの鍵" in shown
    assert shown.startswith("…")
    assert shown.endswith("…")


def test_a_snippet_is_as_long_as_it_may_be() -> None:
    assert utf16_length(snippet("あ" * 200 + "鍵" + "い" * 200, ["鍵"])) == SNIPPET_LIMIT


def test_a_snippet_begins_twenty_characters_before_the_match() -> None:
    assert snippet("a" * 30 + "key", ["key"]) == "…" + "a" * 20 + "key"
    assert snippet("a" * 20 + "key", ["key"]) == "a" * 20 + "key"
    assert snippet("㍿" * 30 + "鍵", ["鍵"]) == "…" + "㍿" * 20 + "鍵"  # four characters each, as search reads them


def test_a_snippet_surrounds_the_first_of_the_wanted_words_that_is_there() -> None:
    text = "garden " + "x " * 60 + "shed"

    assert snippet(text, ["pond", "garden", "shed"]).startswith("garden")
    assert snippet(text, ["shed", "garden"]).endswith("shed")
    assert snippet(text, ["pond"]).startswith("garden")
