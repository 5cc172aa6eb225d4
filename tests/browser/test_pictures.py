"""The pictures of README.md and docs/chat.md that need a chat of their own; `make screenshots` keeps them."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.screenshots import take_screenshot
from tests.browser.test_manners import PICTURE, bot
from tests.browser.test_page import create_group, say
from tests.support.stacks import running_stack


@pytest.fixture
def phone(browser: Browser, tmp_path: Path) -> Iterator[Page]:
    """The page at the size of a phone, in Japan, on a stack of its own."""
    with running_stack(tmp_path / "stack", more_env={"SETTLE_MS": "0"}) as (_, stack):
        opened = browser.new_page(
            viewport={"width": 390, "height": 720}, locale="ja-JP", timezone_id="Asia/Tokyo", base_url=stack.url
        )
        opened.goto(stack.url)
        expect(opened.locator("#text")).to_be_enabled()
        yield opened
        opened.close()


def speaks(page: Page, name: str, text: str) -> None:
    """A member of the group says the text; a text that begins with an at sign mentions the bot."""
    page.locator("#person-choice").select_option(label=name)
    if text.startswith("@"):
        page.locator("#text").press_sequentially("@")
        page.keyboard.press("Enter")
        page.locator("#text").press_sequentially(text.removeprefix("@"))
        page.keyboard.press("Enter")
    else:
        say(page, text)
    expect(page.locator(".bubble", has_text=text.removeprefix("@")).last).to_be_visible()


def test_a_group_plans_and_the_bot_keeps_the_hour_and_the_note(phone: Page, tmp_path: Path) -> None:
    phone.set_viewport_size({"width": 420, "height": 1085})
    create_group(phone, "明日の釣り")
    own = phone.locator("#person-choice option").first.inner_text()
    speaks(phone, "花子", "船は5時に出るって")
    speaks(phone, own, "じゃあ4時に港だね")

    speaks(phone, "花子", "@明日の4時に「港に集合」って言って")
    expect(bot(phone).filter(has_text="✓ リマインダー：「港に集合」")).to_be_visible()
    expect(bot(phone).filter(has_text="カレンダーに入れる")).to_be_visible()
    speaks(phone, own, "@えさと氷を買う、メモして")
    expect(bot(phone).filter(has_text="✓ ").filter(has_text="えさと氷を買う")).to_be_visible()
    quotes = bot(phone).locator(".quoted")
    expect(quotes).to_have_text(
        [re.compile("港に集合"), re.compile("えさと氷")]
    )  # each answer names whose question it answers
    speaks(phone, "花子", "ありがとう！")
    phone.locator("#person-choice").select_option(label=own)
    expect(phone.locator(".row.theirs .bubble", has_text="ありがとう")).to_be_visible()

    take_screenshot(phone, "chat", tmp_path)


def test_three_people_share_a_dinner_and_settle_up(phone: Page, tmp_path: Path) -> None:
    phone.set_viewport_size({"width": 420, "height": 1120})
    create_group(phone, "温泉旅行", members=("花子", "次郎"))
    own = phone.locator("#person-choice option").first.inner_text()
    speaks(phone, "花子", "夕食おいしかったね")
    speaks(phone, "次郎", "払ってくれてありがとう")

    speaks(phone, own, "@夕食6000円払ったよ")
    expect(bot(phone).filter(has_text="✓ 立替：「夕食」（¥6,000 ÷ 3")).to_be_visible()
    speaks(phone, "花子", "@タクシー1000円払った、次郎は抜きで")
    expect(bot(phone).filter(has_text="✓ 立替：「タクシー」（¥1,000 ÷ 2")).to_be_visible()
    speaks(phone, "次郎", "@誰がいくら？")
    balance = phone.locator(".row.theirs", has_text="立替の残り").last
    expect(balance).to_contain_text(f"花子 → {own}")
    expect(balance).to_contain_text("¥1,500")  # 2,000 less half of the taxi
    expect(balance.get_by_text("コピー")).to_be_visible()
    expect(balance.get_by_text("精算する")).to_be_visible()
    phone.locator("#person-choice").select_option(label=own)
    expect(phone.locator(".row.theirs .bubble", has_text="誰がいくら").first).to_be_visible()

    take_screenshot(phone, "expenses", tmp_path)


def test_what_follows_a_picture_waits_for_a_tap(phone: Page, browser: Browser, tmp_path: Path) -> None:
    drawn = browser.new_page(viewport={"width": 160, "height": 110})
    drawn.set_content(f"<body style='margin:0'>{PICTURE}</body>")
    png = drawn.screenshot()
    drawn.close()
    for text, answer in (
        ("庭の工事は来週の月曜から、覚えておいて", "庭の工事"),
        ("明日の9時に薬って言って", "✓ リマインダー：「薬」"),
    ):
        say(phone, text)
        expect(bot(phone).filter(has_text=answer).last).to_be_visible()
    phone.locator("#file").set_input_files({"name": "bicycle.png", "mimeType": "image/png", "buffer": png})
    expect(bot(phone).last).to_contain_text("image/png")
    questions = phone.locator(".row.theirs").get_by_role("button", name="実行する")

    for number, (name, text, line) in enumerate(
        (
            ("tap-note", "庭の工事に「雨なら延期。植木屋さんに前日の夜8時までに電話」と追記して", "☐ 「庭の工事"),
            ("tap-list", "買い物リストにパンを追加して", "☐ Notionに追加：「パン」"),
            ("tap-reminder", "薬のリマインダーを取り消して", "☐ "),
        ),
        start=1,
    ):
        say(phone, text)
        expect(questions).to_have_count(number)
        expect(bot(phone).filter(has_text=line).last).to_be_visible()
        take_screenshot(phone, name, tmp_path)
