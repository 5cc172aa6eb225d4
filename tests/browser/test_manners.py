"""What people see of the bot on a phone; `make screenshots` keeps the screenshots for docs/chat.md."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.browser.screenshots import png_of, take_screenshot
from tests.browser.test_page import create_group, say

PICTURE = (
    "<svg xmlns='http://www.w3.org/2000/svg' width='160' height='110'><rect width='160' height='110' fill='#bfe3ff'/>"
    "<circle cx='50' cy='78' r='22' fill='none' stroke='#222' stroke-width='4'/>"
    "<circle cx='112' cy='78' r='22' fill='none' stroke='#222' stroke-width='4'/>"
    "<path d='M50 78 72 44h30l10 34M72 44l20 34H50' fill='none' stroke='#c22' stroke-width='5'/></svg>"
)


@pytest.fixture
def phone(browser: Browser, url: str) -> Iterator[Page]:
    """The page at the size of a phone."""
    opened = browser.new_page(
        viewport={"width": 390, "height": 720}, locale="ja-JP", timezone_id="Asia/Tokyo", base_url=url
    )
    opened.goto(url)
    expect(opened.locator("#text")).to_be_enabled()
    yield opened
    opened.close()


def bot(page: Page) -> Locator:
    return page.locator(".row.theirs .bubble:not(.dots)")


def test_in_a_group_the_bot_answers_a_mention_with_a_quote(phone: Page, tmp_path: Path) -> None:
    create_group(phone, "釣りの会")
    phone.locator("#person-choice").select_option(label="花子")
    say(phone, "明日は十時に駅で")
    phone.locator("#person-choice").select_option(index=0)
    bubble = phone.locator(".row.theirs .bubble", has_text="十時に駅で")
    bubble.click(button="right")
    phone.locator("#menu [role=menuitem]", has_text="リプライ").click()
    phone.locator("#text").press_sequentially("@")
    phone.keyboard.press("Enter")
    phone.locator("#text").press_sequentially("こんにちは")
    phone.keyboard.press("Enter")

    expect(bot(phone).last).to_contain_text("こんにちは")
    expect(bot(phone).last).not_to_contain_text("引用")
    expect(bot(phone).last.locator(".quoted")).to_contain_text("こんにちは")
    take_screenshot(phone, "group", tmp_path)


def test_forget_asks_with_a_button_and_confirms_the_erasure(phone: Page, tmp_path: Path) -> None:
    say(phone, "/forget")
    button = phone.locator(".row.theirs").get_by_role("button", name="すべて消す").last
    expect(button).to_be_visible()

    button.click()

    expect(bot(phone).last).to_contain_text("すべて消しました")
    take_screenshot(phone, "forget", tmp_path)


def test_help_says_what_the_bot_can_do(phone: Page, tmp_path: Path) -> None:
    phone.set_viewport_size({"width": 390, "height": 900})  # so that the card shows whole
    say(phone, "/help")

    expect(bot(phone).last).to_contain_text("できること")
    expect(bot(phone).last).to_contain_text("/forget")
    take_screenshot(phone, "help", tmp_path)


def test_a_picture_gets_an_answer(phone: Page, browser: Browser, tmp_path: Path) -> None:
    before = bot(phone).count()
    drawn = browser.new_page(viewport={"width": 160, "height": 110})
    drawn.set_content(f"<body style='margin:0'>{PICTURE}</body>")
    png = png_of(drawn)
    drawn.close()

    phone.locator("#file").set_input_files({"name": "bicycle.png", "mimeType": "image/png", "buffer": png})

    expect(bot(phone)).to_have_count(before + 1)
    expect(bot(phone).last).to_contain_text("image/png")
    take_screenshot(phone, "picture", tmp_path)
