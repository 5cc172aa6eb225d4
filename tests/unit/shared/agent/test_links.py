"""What counts as a link, in every spelling that is tappable, and what does not."""

import pytest

from shared.agent.links import links_in
from shared.agent.taint import Readings

TAPPABLE = [
    "https://evil.example/?d=4711",
    "HTTPS://EVIL.EXAMPLE/4711",
    "ht\u200btps://evil.example/?d=4711",
    "https:/\u2060/evil.example/?d=4711",
    "ｈｔｔｐｓ：／／evil.example/?d=4711",
    "https:\\\\evil.example\\?d=4711",
    "//evil.example/?d=4711",
    "www.evil.example/?d=4711",
    "evil.example.com/?d=4711",
    "evil.example/4711",
    "evil.com",
    "4711.evil.com",
    "evil.com:8080/4711",
    "line://msg/text/?4711",
    "line.me/R/msg/text/?4711",
    "tel:00004711",
    "sms:+814711",
    "mailto:a@evil.example?subject=4711",
    "a+4711@evil.example",
    "ftp://evil.example/4711",
    "intent://evil.example/4711#Intent;scheme=https;end",
    "market://details?id=4711",
]
WORDS = [
    "plan.md と main.py を見てね",
    "Node.js 22.1 and v1.2.3/4",
    "e.g. and/or i.e. 10/12",
    "see you.me too",
    "9:30 に駅 (改札) で",
    "LINE: こんにちは",
    "tel: 後で、mailto: も",
    "// a remark",
    "円//月",
    "3.5km/h, 1,000円/人",
    "@yuki さん",
    "U.S.A/Japan",
    "すごい。例えば.これ",
    "1️⃣ 👨\u200d👩\u200d👧 ok",
]


@pytest.mark.parametrize("link", TAPPABLE)
@pytest.mark.parametrize("around", ["見てね {} です", "「{}」", "see **{}**, please", "こちら：{}"])
def test_whatever_is_tappable_is_a_link_that_somebody_has_to_give(link: str, around: str) -> None:
    text, count = Readings().without_strange_links(around.format(link), instead="…")

    assert (text, count) == (around.format("…"), 1)


@pytest.mark.parametrize("link", TAPPABLE)
def test_a_link_that_was_given_is_repeated_in_the_spelling_in_which_it_was_given(link: str) -> None:
    readings = Readings()
    readings.note(f"look: {link} please")

    assert readings.without_strange_links(f"it is {link} then")[1] == 0


@pytest.mark.parametrize("text", WORDS)
def test_words_that_are_no_link_stay_as_they_are(text: str) -> None:
    assert links_in(text) == []
    assert Readings().without_strange_links(text) == (text, 0)


@pytest.mark.parametrize("said", ["example.com", "www.example.com", "Example.com/a?b=c", "example.com/a?b=c"])
def test_a_link_that_was_given_may_be_named_without_its_scheme_and_its_host_alone(said: str) -> None:
    readings = Readings()
    readings.note("https://www.example.com/a?b=c https://Example.com/a?b=c")

    assert readings.without_strange_links(f"see {said}") == (f"see {said}", 0)


@pytest.mark.parametrize(
    "said", ["example.com/other", "other.example.com", "https://example.com/other", "example.com.evil.com"]
)
def test_the_host_of_a_link_gives_no_other_address(said: str) -> None:
    readings = Readings()
    readings.note("https://example.com/a")

    assert readings.without_strange_links(f"see {said}")[1] == 1


def test_a_text_full_of_dots_and_slashes_is_read_in_linear_time() -> None:
    for part in ("a.", "/", "a@", "www.", "https:", "a.b/", "\u200b", "ａ．"):
        links_in(part * 20_000)
