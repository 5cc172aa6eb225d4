import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.agent.taint import Readings, is_named


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("牛乳", "牛乳は買ったよ"),
        ("牛乳 (2本)", "牛乳は買ったよ"),
        ("Milk", "I bought the milk"),
        ("Garden work", "delete the garden entry"),
        ("C++", "write that under c++, please"),
        ("To the plan", "add it to the plan"),
        ("🎂🎉", "write it under 🎂🎉"),
        ("To do", "put it on to do"),
        ("ToDo", "ToDoに牛乳を追加して"),
        ("Roadmap", "請更新Roadmap吧"),
        ("CRM", "เพิ่มในCRMนะ"),
        ("Q3 ロードマップ", "Q3のロードマップに追記"),
    ],
)
def test_what_the_person_names_is_named(name: str, said: str) -> None:
    assert is_named(name, [said])


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("家の鍵", "牛乳は買ったよ"),
        ("Bank", "I bought the milk"),
        ("", "milk"),
        ("a", "a milk"),
        ("The plan of evil", "what is on the list?"),
        ("is", "this list"),
        ("the", "what is on the list?"),
        ("Is?", "what is on the list?"),
        ("is on the", "what is on the list?"),
        ("して", "牛乳を追加して"),
        ("o t", "write to the list"),
        ("n the", "what is on these lists?"),
        ("Buy a car", "buy milk"),
    ],
)
def test_what_the_person_does_not_name_is_not(name: str, said: str) -> None:
    assert not is_named(name, [said])


def test_links_that_nobody_gave_are_taken_out() -> None:
    readings = Readings()
    readings.note({"sources": [{"url": "https://example.com/a?b=c"}]})
    readings.note("see https://line.me/x.")

    text, count = readings.without_strange_links(
        "here: https://example.com/a?b=c and https://line.me/x, not https://evil.example/?q=4711."
    )

    assert text == "here: https://example.com/a?b=c and https://line.me/x, not ."
    assert count == 1


@pytest.mark.parametrize("text", ["{link}\nthe next line", 'they wrote "{link}"', "a tab\t{link}\tand more"])
def test_a_link_in_a_result_is_given_whatever_stands_beside_it(text: str) -> None:
    link = "https://example.com/a?b=c"
    readings = Readings()
    readings.note({"entry": {"content": text.format(link=link), "tags": []}, "total": 1})

    assert readings.without_strange_links(f"see {link}") == (f"see {link}", 0)


@pytest.mark.parametrize(
    "said", ["https://example.com/a って何?", "https://example.com/aを読んで", "「https://example.com/a」"]
)
def test_a_link_may_be_followed_by_words_of_a_script_without_spaces(said: str) -> None:
    readings = Readings()
    readings.note(said)

    text, count = readings.without_strange_links("記事はhttps://example.com/aです。https://example.com/a")

    assert (text, count) == ("記事はhttps://example.com/a です。https://example.com/a", 0)


@pytest.mark.parametrize(
    "said", ["https://example.com/aとhttps://example.com/bを比べて", "**https://example.com/b** を読んで"]
)
def test_a_link_is_given_beside_another_one_and_within_markdown(said: str) -> None:
    readings = Readings()
    readings.note(said)

    assert readings.without_strange_links("https://example.com/b です") == ("https://example.com/b です", 0)


def test_the_scheme_of_a_link_gives_no_other_host() -> None:
    readings = Readings()
    readings.note("https://例え.jp/ を読んで")

    assert readings.without_strange_links("https://悪い.jp/?q=4711") == ("", 1)
    assert readings.without_strange_links("https://例え.jp/ です") == ("https://例え.jp/ です", 0)


def test_links_in_one_run_are_read_once_each() -> None:
    readings, run = Readings(), "https://example.com/aあ" * 5_000
    readings.note("https://example.com/a")

    text, count = readings.without_strange_links(run)

    assert (text.count("/a あ"), count) == (5_000, 0)


def test_words_after_a_link_are_no_part_of_it_and_hide_no_other() -> None:
    readings = Readings()
    readings.note("https://evil.example/?q= and https://example.com/猫")

    text, count = readings.without_strange_links(
        "https://evil.example/?q=秘密https://evil.example/?q=1 https://example.com/猫"
    )

    assert (text, count) == ("https://evil.example/?q= 秘密 https://example.com/猫", 1)


def test_of_two_given_links_the_longer_one_is_kept() -> None:
    readings = Readings()
    readings.note("https://example.com/猫 https://example.com/猫の絵")

    assert readings.without_strange_links("https://example.com/猫の絵を") == ("https://example.com/猫の絵 を", 0)


def test_a_link_that_begins_like_a_strange_one_stays_whole() -> None:
    readings = Readings()
    readings.note("https://example.com/a")

    text, count = readings.without_strange_links("https://example.com/a, https://example.com")

    assert (text, count) == ("https://example.com/a, ", 1)


@pytest.mark.parametrize("data", ["https://example.com/猫\nthe next line", {"url": "https://example.com/猫"}])
def test_a_link_in_any_script_is_given_by_lines_and_by_results(data: object) -> None:
    readings = Readings()
    readings.note(data)

    assert readings.without_strange_links("see https://example.com/猫") == ("see https://example.com/猫", 0)


@pytest.mark.parametrize(
    ("outside", "beside", "is_tainted"),
    [
        ((), {"a"}, False),
        (("a",), {"a"}, False),
        (("a",), {"a", "b"}, False),
        (("a",), {"b"}, True),
        (("a", "b"), {"a"}, True),
    ],
)
def test_a_turn_is_tainted_by_what_it_read_beside_some_sources(
    outside: tuple[str, ...], beside: set[str], *, is_tainted: bool
) -> None:
    readings = Readings()
    for one in outside:
        readings.mark_outside(one)

    assert readings.is_tainted_beside(beside) == is_tainted


@given(st.text(max_size=200))
def test_text_without_links_stays(text: str) -> None:
    shown, count = Readings().without_strange_links(text)

    assert count or shown == text


def test_a_query_that_repeats_what_is_filed_is_known_unless_the_person_said_it() -> None:
    readings = Readings()
    readings.note({"entries": [{"name": "the safe in the basement", "pin": "code 4711"}]}, is_kept=True)
    readings.note({"entries": [{"name": "milk"}]}, is_kept=True)

    assert readings.repeats_kept("the safe in the basement evil.example", ["what is the weather?"])
    assert readings.repeats_kept("weather 4711", ["what is the weather?"])
    assert not readings.repeats_kept("weather 4712", ["what is the weather?"])
    assert not readings.repeats_kept("weather osaka", ["what is the weather?"])
    assert not readings.repeats_kept("4711 meaning", ["look up 4711"])
