"""The sources below an answer, as a card with a button for each link."""

import pytest

from shared.line.cards.sources import sources_apart
from shared.tools.web import WebAnswer, WebSource, footnote

SOURCES = (
    "[1] tenki.jp\nhttps://tenki.jp/forecast/\nGoogle: Osaka weather\nhttps://www.google.com/search?q=Osaka%20weather"
)


def test_the_code_writes_sources_as_the_card_reads_them() -> None:
    answer = WebAnswer(
        text="Sunny [1].",
        sources=(WebSource(title="tenki.jp", url="https://tenki.jp/forecast/"),),
        searches=("Osaka weather",),
    )

    assert footnote(answer) == SOURCES


def test_each_source_becomes_a_button_that_opens_it() -> None:
    words, listed, card = sources_apart(f"Sunny [1].\n\n{SOURCES}\n\n[1] weather.example\nhttps://weather.example/")

    assert words == "Sunny [1]."
    assert listed == f"{SOURCES}\n\n[1] weather.example\nhttps://weather.example/"
    assert card is not None
    assert [(button.label, button.value, button.action) for button in card.buttons] == [
        ("[1] tenki.jp", "https://tenki.jp/forecast/", "open"),
        ("Google: Osaka weather", "https://www.google.com/search?q=Osaka%20weather", "open"),
        ("[1] weather.example", "https://weather.example/", "open"),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "Sunny.",
        SOURCES,
        f"{SOURCES}\n\nSunny.",
        f"Sunny:\n{SOURCES}",
        "Sunny.\n\n[1] plain\nhttp://plain.example/",
        f"Sunny.\n\n[1] long\nhttps://example.com/{'x' * 1_000}",
        "Sunny.\n\n" + "\n".join(f"[{number}] {'t' * 60}\nhttps://example.com/{number}" for number in range(30)),
    ],
    ids=["no sources", "only sources", "sources first", "same paragraph", "no https", "long link", "long list"],
)
def test_an_answer_without_sources_that_line_can_draw_stays_whole(text: str) -> None:
    assert sources_apart(text) == (text, "", None)
