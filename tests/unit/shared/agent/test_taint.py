import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from shared.agent.links import without_hidden_characters
from shared.agent.taint import UntrustedInput


def test_links_that_nobody_gave_are_taken_out() -> None:
    untrusted_input = UntrustedInput()
    untrusted_input.record({"sources": [{"url": "https://example.com/a?b=c"}]})
    untrusted_input.record("see https://line.me/x.")

    text, count = untrusted_input.without_strange_links(
        "here: https://example.com/a?b=c and https://line.me/x, not https://evil.example/?q=4711."
    )

    assert text == "here: https://example.com/a?b=c and https://line.me/x, not ."
    assert count == 1


@pytest.mark.parametrize("text", ["{link}\nthe next line", 'they wrote "{link}"', "a tab\t{link}\tand more"])
def test_a_link_in_a_result_is_given_whatever_stands_beside_it(text: str) -> None:
    link = "https://example.com/a?b=c"
    untrusted_input = UntrustedInput()
    untrusted_input.record({"entry": {"content": text.format(link=link), "tags": []}, "total": 1})

    assert untrusted_input.without_strange_links(f"see {link}") == (f"see {link}", 0)


@pytest.mark.parametrize(
    "said", ["https://example.com/a って何?", "https://example.com/aを読んで", "「https://example.com/a」"]
)
def test_a_link_may_be_followed_by_words_of_a_script_without_spaces(said: str) -> None:
    untrusted_input = UntrustedInput()
    untrusted_input.record(said)

    text, count = untrusted_input.without_strange_links("記事はhttps://example.com/aです。https://example.com/a")

    assert (text, count) == ("記事はhttps://example.com/a です。https://example.com/a", 0)


@pytest.mark.parametrize(
    "said", ["https://example.com/aとhttps://example.com/bを比べて", "**https://example.com/b** を読んで"]
)
def test_a_link_is_given_beside_another_one_and_within_markdown(said: str) -> None:
    untrusted_input = UntrustedInput()
    untrusted_input.record(said)

    assert untrusted_input.without_strange_links("https://example.com/b です") == ("https://example.com/b です", 0)


def test_the_scheme_of_a_link_gives_no_other_host() -> None:
    untrusted_input = UntrustedInput()
    untrusted_input.record("https://例え.jp/ を読んで")

    assert untrusted_input.without_strange_links("https://悪い.jp/?q=4711") == ("", 1)
    assert untrusted_input.without_strange_links("https://例え.jp/ です") == ("https://例え.jp/ です", 0)


def test_links_in_one_run_are_read_once_each() -> None:
    untrusted_input, run = UntrustedInput(), "https://example.com/aあ" * 5_000
    untrusted_input.record("https://example.com/a")

    text, count = untrusted_input.without_strange_links(run)

    assert (text.count("/a あ"), count) == (5_000, 0)


def test_words_after_a_link_are_no_part_of_it_and_hide_no_other() -> None:
    untrusted_input = UntrustedInput()
    untrusted_input.record("https://evil.example/?q= and https://example.com/猫")

    text, count = untrusted_input.without_strange_links(
        "https://evil.example/?q=秘密https://evil.example/?q=1 https://example.com/猫"
    )

    assert (text, count) == ("https://evil.example/?q= 秘密 https://example.com/猫", 1)


def test_of_two_given_links_the_longer_one_is_kept() -> None:
    untrusted_input = UntrustedInput()
    untrusted_input.record("https://example.com/猫 https://example.com/猫の絵")

    assert untrusted_input.without_strange_links("https://example.com/猫の絵を") == ("https://example.com/猫の絵 を", 0)


def test_a_link_that_begins_like_a_strange_one_stays_whole() -> None:
    untrusted_input = UntrustedInput()
    untrusted_input.record("https://example.com/a")

    text, count = untrusted_input.without_strange_links("https://example.com/a, https://example.com")

    assert (text, count) == ("https://example.com/a, ", 1)


@pytest.mark.parametrize("data", ["https://example.com/猫\nthe next line", {"url": "https://example.com/猫"}])
def test_a_link_in_any_script_is_given_by_lines_and_by_results(data: object) -> None:
    untrusted_input = UntrustedInput()
    untrusted_input.record(data)

    assert untrusted_input.without_strange_links("see https://example.com/猫") == ("see https://example.com/猫", 0)


@example("0\u00ad0")
@given(st.text(max_size=200))
def test_text_without_links_stays(text: str) -> None:
    shown, count = UntrustedInput().without_strange_links(text)

    assert count or shown == without_hidden_characters(text)


def test_a_query_that_repeats_what_is_filed_is_known_unless_the_person_said_it() -> None:
    untrusted_input = UntrustedInput()
    untrusted_input.record({"entries": [{"name": "the safe in the basement", "pin": "code 4711"}]}, is_filed=True)
    untrusted_input.record({"entries": [{"name": "milk"}]}, is_filed=True)

    assert untrusted_input.repeats_filed("the safe in the basement evil.example", ["what is the weather?"])
    assert untrusted_input.repeats_filed("weather 4711", ["what is the weather?"])
    assert not untrusted_input.repeats_filed("weather 4712", ["what is the weather?"])
    assert not untrusted_input.repeats_filed("weather osaka", ["what is the weather?"])
    assert not untrusted_input.repeats_filed("4711 meaning", ["look up 4711"])
