"""The bot's cards on the LINE platform's page, in four languages, on its light and its dark background.

`make screenshots` keeps the pictures for docs/chat.md; those in Thai need a Thai font, such as fonts-tlwg-loma-ttf of Debian.
"""

import datetime as dt
import zoneinfo
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import pytest
from playwright.sync_api import Browser, Page, expect

from shared.agent.proposals import described
from shared.agent.receipts import Deed, DeedKind, Due, Place, receipt_card
from shared.conversation.provenance import Provenance
from shared.conversation.records import Erasure, Offer, ProposedCall
from shared.handlers.holdings import Held, Holding
from shared.handlers.holdings import described as described_holdings
from shared.knowledge.catalog import Row
from shared.knowledge.digest import digest
from shared.knowledge.entry_cards import results_card
from shared.knowledge.schema import Category
from shared.line.cards.card import Card, CardButton, CardRow, title_of
from shared.line.cards.drawing import drawn
from shared.line.cards.written import digest_card, greeting_card, help_card
from shared.line.phrases import EXAMPLES, GROUP_EXAMPLES, LocalePhrases, Phrase
from shared.locales.language_file import LOCALES
from shared.reminders.overview import OpenReminders
from shared.turns.asking import Asking
from shared.turns.deferral import CONFIRMED_WITHIN_MS
from simulator.line.standalone import DEFAULT_TOKEN, Standalone, StandaloneSettings
from tests.browser.screenshots import take_screenshot
from tests.support.chats import answer
from tests.support.knowledge import MOMO, conversation_on
from tests.support.loop import LoopThread
from tests.support.reminders import ReminderChat

TEXTS = {
    "ja": ("薬を飲む", "ゴミを出す", "Wi-Fiのパスワード", "庭の工事", "業者に電話"),
    "en": ("take the pills", "put the bins out", "Wi-Fi password", "Garden", "call the gardener"),
    "zh-TW": ("吃藥", "倒垃圾", "Wi-Fi 密碼", "院子工程", "打電話給師傅"),
    "th": ("กินยา", "ทิ้งขยะ", "รหัส Wi-Fi", "ซ่อมสวน", "โทรหาช่าง"),
}
NOW: Final = dt.datetime(2026, 11, 23, 8, tzinfo=zoneinfo.ZoneInfo("Asia/Tokyo"))
NOW_MS: Final = int(NOW.timestamp() * 1_000)


def reminder_card(locale: str) -> Card:
    """Return the card of a chat with two reminders, one of which comes every Friday."""
    chat = ReminderChat(conversation_on())
    once, weekly, *_ = TEXTS[locale]
    chat.remind(once, at="2026-11-24T09:00")
    chat.remind(weekly, at="2026-11-27T08:00", rule="FREQ=WEEKLY;BYDAY=FR")
    card = OpenReminders.read(chat.conversation).listed(phrases=phrases_of(locale), locale=locale, page=0).card
    assert card is not None
    return card


def entries(locale: str) -> tuple[Row, ...]:
    """Return a project, a task and a detail."""
    _, task, detail, project, action = TEXTS[locale]
    facts: tuple[tuple[Category, str, dict[str, str]], ...] = (
        (Category.PROJECTS, project, {"status": "active", "next_action": action}),
        (Category.ADMIN, task, {"status": "pending", "due_date": "2026-11-27"}),
        (Category.DETAILS, detail, {"value": "harbour-42"}),
    )
    stamp = NOW.isoformat()
    return tuple(
        Row(
            path=f"{category}/{number}.md",
            category=category,
            name=name,
            created_at=stamp,
            updated_at=stamp,
            provenance=Provenance(),
            shown=shown,
        )
        for number, (category, name, shown) in enumerate(facts)
    )


def notes_card(locale: str) -> Card:
    """Return the card of what a search found, with the title of the list."""
    rows = entries(locale)
    found = results_card(rows, " ".join(row.name for row in rows), locale=locale, listed_ms=NOW_MS)
    assert found is not None
    return replace(found, title=title_of(phrases_of(locale).text(Phrase.NOTES_OPEN, count=str(len(rows)))))


def receipt_of_changes(locale: str) -> Card:
    """Return the receipt of a turn that filed a task, changed a project and cancelled a reminder."""
    pills, task, _, project, _ = TEXTS[locale]
    deeds = (
        Deed(kind=DeedKind.FILED, name=task, place=Place.ADMIN),
        Deed(kind=DeedKind.CHANGED, name=project, place=Place.PROJECTS),
        Deed(kind=DeedKind.REMINDER_CANCELLED, name=pills, due=Due(at=NOW, this_year=NOW.year)),
    )
    card = receipt_card(deeds, locale=locale)
    assert card is not None
    return card


def help_of(locale: str) -> Card:
    phrases = phrases_of(locale)
    return help_card(phrases.text(Phrase.HELP_GROUP), "event1", [phrases.text(example) for example in GROUP_EXAMPLES])


def usage_card(locale: str) -> Card:
    labels = {
        Phrase.USAGE_TURNS: "480",
        Phrase.USAGE_TOKENS: "4,912,000",
        Phrase.USAGE_HOUR: phrases_of(locale).day_begin(int(NOW.replace(hour=0).timestamp() * 1_000)),
    }
    rows = tuple(CardRow(text=phrases_of(locale).text(label), detail=fact) for label, fact in labels.items())
    return Card(title=phrases_of(locale).text(Phrase.USAGE_TITLE), rows=rows)


def question_cards(locale: str) -> tuple[Card, ...]:
    """Return the question of `/forget`, and a proposal to change a reminder and to delete a note."""
    pills, _, _, project, _ = TEXTS[locale]
    phrases = phrases_of(locale)
    asking = Asking(phrases=phrases, is_rich=True)
    erased = described_holdings(
        [Holding(folder=kind, count=3) for kind in (Held.MESSAGES, Held.ENTRIES)], locale=locale
    )
    until = phrases.hour(NOW_MS + CONFIRMED_WITHIN_MS, locale=locale)
    asked = phrases.text(Phrase.FORGET_QUESTION, locale=locale, erased=erased, until=until)
    erasure = replace(answer(1, asked), answers=(), offer=Offer(asks=Erasure.FORGET))
    calls = (
        ProposedCall(
            tool="change_reminder",
            arguments='{"id": "r1", "at": "2026-11-24T21:00", "text": "' + pills + ' 💊"}',
            name=pills,
            due_at="2026-11-24T09:00",
        ),
        ProposedCall(tool="delete_entry", arguments='{"path": "projects/1.md"}', name=project),
    )
    text = f"OK\n\n{described(calls, locale=locale)}"
    proposal = replace(answer(2, text), timestamp_ms=NOW_MS, offer=Offer(proposes=calls))
    question = asking.alone(erasure, locale)
    _, (change,) = asking.below(proposal, locale)
    assert question is not None
    return tuple(card for card in (question.whole_card, change.whole_card) if card is not None)


def greeting_of(locale: str) -> Card:
    phrases = phrases_of(locale)
    return greeting_card(
        phrases.text(Phrase.GREETING_FRIEND), "event1", [phrases.text(example) for example in EXAMPLES]
    )


def cards_of(locale: str) -> tuple[Card, ...]:
    """Return one card of each kind."""
    today = digest_card(digest(entries(locale), kind="daily", locale=locale, now=NOW).text)
    return (
        reminder_card(locale),
        notes_card(locale),
        receipt_of_changes(locale),
        today,
        usage_card(locale),
        help_of(locale),
        greeting_of(locale),
        *question_cards(locale),
    )


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
    opened = browser.new_page(viewport={"width": 400, "height": 2_620}, locale="en-US")
    opened.goto(server.url)
    expect(opened.locator("#text")).to_be_enabled()
    opened.locator("#setup-close").click()
    yield opened
    opened.close()


def push(page: Page, server: Standalone, *cards: Card) -> None:
    for card in cards:
        message: dict[str, Any] = {"type": "flex", "altText": "card", "contents": drawn(card)}
        answer = page.request.post(
            f"{server.url}/v2/bot/message/push",
            headers={"Authorization": f"Bearer {DEFAULT_TOKEN}"},
            data={"to": next(iter(server.platform.people)), "messages": [message]},
        )
        assert answer.ok, answer.text()


@pytest.mark.parametrize("locale", LOCALES)
def test_each_card_is_drawn_in_each_language_on_light_and_dark(
    page: Page, server: Standalone, tmp_path: Path, locale: str
) -> None:
    cards = cards_of(locale)
    push(page, server, *cards)

    bubbles = page.locator(".flex-bubble")
    expect(bubbles).to_have_count(len(cards))
    for bubble, card in zip(bubbles.all(), cards, strict=True):
        expect(bubble).to_contain_text(card.title or card.rows[0].text)
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        take_screenshot(page, f"cards-{locale}-{scheme}", tmp_path)


def test_a_press_shows_what_is_pressed(page: Page, server: Standalone) -> None:
    push(page, server, reminder_card("en"), Card(buttons=(CardButton(label="What is due?", value="say:event1:0"),)))

    page.locator(".flex-bubble").first.get_by_text("Cancel").first.click()
    expect(page.locator(".row.mine .bubble").last).to_have_text("Cancel: take the pills")
    page.locator(".flex-bubble").last.get_by_text("What is due?").click()
    expect(page.locator(".row.mine .bubble").last).to_have_text("What is due?")
