"""What is due on the page, the switch that moves the local stack's clock, and what people see of a reminder."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.browser.screenshots import take_screenshot
from tests.browser.test_page import bubbles_after_answer_to, say


@pytest.fixture
def page(browser: Browser, url: str) -> Iterator[Page]:
    """The page in the bot's time zone."""
    opened = browser.new_page(
        viewport={"width": 1180, "height": 800}, locale="ja-JP", timezone_id="Asia/Tokyo", base_url=url
    )
    opened.goto(url)
    yield opened
    opened.close()


def now_ms(page: Page) -> int:
    return int(page.evaluate("fetch('/simulator/state').then((r) => r.json()).then((s) => s.now_ms)"))


def open_drawer(page: Page) -> Locator:
    page.locator("#filed-button").click()
    return page.locator("#filed")


def pass_time(page: Page, label: str) -> None:
    button = page.locator("#clock").get_by_role("button", name=label)
    button.click()
    expect(button).to_be_enabled()


def test_the_switch_of_the_clock_lets_time_pass_for_the_whole_stack(page: Page) -> None:
    drawer = open_drawer(page)
    expect(drawer.locator("#clock")).to_contain_text("シミュレーターだけの機能")
    began_ms = now_ms(page)

    pass_time(page, "1時間進める")

    expect(drawer.locator("#clock-now")).to_contain_text("この中では")
    assert now_ms(page) >= began_ms + 3_600_000
    page.locator("#filed-close").click()
    bubbles_after_answer_to(page, "こんばんは")


def test_a_reminder_is_listed_pushed_when_time_passes_and_postponed_by_its_button(page: Page, tmp_path: Path) -> None:
    expect(page.locator("#text")).to_be_enabled()
    say(page, "5分後に「薬を飲む時間」って言って")
    expect(page.locator(".row.theirs .bubble:not(.dots)", has_text="✓ リマインダー：「薬を飲む時間」")).to_be_visible()
    calendar = page.locator(".row.theirs").get_by_role("button", name="カレンダーに入れる")
    expect(calendar).to_be_visible()
    drawer = open_drawer(page)
    expect(drawer.locator("#due-list li")).to_have_count(1)
    expect(drawer.locator("#due-list")).to_contain_text("薬を飲む時間")
    take_screenshot(page, "reminder-due", tmp_path)

    pass_time(page, "10分進める")

    expect(drawer.locator("#due")).to_be_hidden()
    expect(page.locator(".row.theirs .bubble:not(.dots)", has_text="⏰ 薬を飲む時間")).to_have_count(1)
    replies = page.locator("#quick-replies")
    expect(replies.get_by_role("button")).to_have_count(4)
    take_screenshot(page, "reminder", tmp_path)
    replies.get_by_role("button", name="10分後にもう一度").click()
    expect(page.locator(".row.theirs .bubble:not(.dots)").last).to_contain_text("にもう一度お知らせします。")
    expect(drawer.locator("#due-list li")).to_have_count(1)

    pass_time(page, "1時間進める")
    pass_time(page, "1日進める")

    expect(page.locator(".row.theirs .bubble:not(.dots)", has_text="⏰ 薬を飲む時間")).to_have_count(2)
    expect(page.locator(".row.theirs .bubble:not(.dots)", has_text="の予定でした")).to_have_count(0)
    page.locator("#filed-close").click()
    say(page, "/reminders")
    expect(page.locator(".row.theirs .bubble:not(.dots)").last).to_contain_text("この先のリマインダーはありません。")
