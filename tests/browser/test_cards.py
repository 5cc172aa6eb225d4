"""The bot's cards on the LINE platform's page, in four languages, on its light and its dark background.

`make screenshots` keeps the pictures for docs/chat.md.
"""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from shared.line.cards.card import Card, CardButton, CardRow
from shared.line.cards.drawing import drawn
from shared.line.phrases import LocalePhrases, Phrase
from shared.locales.language_file import LOCALES
from shared.reminders.overview import due_reminders
from simulator.line.standalone import DEFAULT_TOKEN, Standalone, StandaloneSettings
from tests.support.knowledge import MOMO, conversation_on
from tests.support.loop import LoopThread
from tests.support.reminders import ReminderChat

SCREENSHOTS_FOLDER = os.environ.get("SCREENSHOTS")  # noqa: TID251 - set by `make screenshots`
TEXTS = {
    "ja": ("薬を飲む", "ゴミを出す"),
    "en": ("take the pills", "put the bins out"),
    "zh-TW": ("吃藥", "倒垃圾"),
    "th": ("กินยา", "ทิ้งขยะ"),
}


def reminder_card(locale: str) -> Card:
    """Return the card of a chat with two reminders, one of which comes every Friday."""
    chat = ReminderChat(conversation_on())
    once, weekly = TEXTS[locale]
    chat.remind(once, at="2026-11-24T09:00")
    chat.remind(weekly, at="2026-11-27T08:00", rule="FREQ=WEEKLY;BYDAY=FR")
    card = due_reminders(chat.conversation, phrases=phrases_of(locale), locale=locale, page=0).card
    assert card is not None
    return card


def usage_card(locale: str) -> Card:
    labels = {Phrase.USAGE_TURNS: "480", Phrase.USAGE_TOKENS: "4,912,000", Phrase.USAGE_HOUR: "00:00"}
    rows = tuple(CardRow(text=phrases_of(locale).text(label), detail=fact) for label, fact in labels.items())
    return Card(title=phrases_of(locale).text(Phrase.USAGE_TITLE), rows=rows)


def phrases_of(locale: str) -> LocalePhrases:
    return LocalePhrases(locale=locale, bot_name=MOMO)


@pytest.fixture
def server() -> Iterator[Standalone]:
    with LoopThread() as loop:
        server = loop.run(Standalone(StandaloneSettings(port=0, webhook_url="http://127.0.0.1:9/")).__aenter__())
        try:
            yield server
        finally:
            loop.run(server.__aexit__(None, None, None))


@pytest.fixture
def page(browser: Browser, server: Standalone) -> Iterator[Page]:
    opened = browser.new_page(viewport={"width": 400, "height": 1_560}, locale="en-US")
    opened.goto(server.url)
    expect(opened.locator("#text")).to_be_enabled()
    opened.locator("#setup-close").click()
    yield opened
    opened.close()


def push(page: Page, server: Standalone, *cards: Card) -> None:
    messages: list[dict[str, Any]] = [{"type": "flex", "altText": "card", "contents": drawn(card)} for card in cards]
    answer = page.request.post(
        f"{server.url}/v2/bot/message/push",
        headers={"Authorization": f"Bearer {DEFAULT_TOKEN}"},
        data={"to": next(iter(server.platform.people)), "messages": messages},
    )
    assert answer.ok, answer.text()


def test_cards_are_drawn_in_four_languages_on_light_and_dark(page: Page, server: Standalone, tmp_path: Path) -> None:
    push(page, server, *map(reminder_card, LOCALES))
    push(page, server, usage_card("ja"))

    bubbles = page.locator(".flex-bubble")
    expect(bubbles).to_have_count(5)
    expect(bubbles.nth(1).get_by_text("every Fri at 08:00")).to_be_visible()
    folder = Path(SCREENSHOTS_FOLDER) if SCREENSHOTS_FOLDER else tmp_path
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        page.mouse.move(0, 0)
        page.screenshot(path=folder / f"cards-{scheme}.png")


def test_a_press_shows_what_is_pressed(page: Page, server: Standalone) -> None:
    push(page, server, reminder_card("en"), Card(buttons=(CardButton(label="What is due?", value="say:event1:0"),)))

    page.locator(".flex-bubble").first.get_by_text("Cancel").first.click()
    expect(page.locator(".row.mine .bubble").last).to_have_text("Cancel: take the pills")
    page.locator(".flex-bubble").last.get_by_text("What is due?").click()
    expect(page.locator(".row.mine .bubble").last).to_have_text("What is due?")
