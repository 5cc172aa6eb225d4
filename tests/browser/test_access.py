"""Admission, confirmation and limits as people see them on a phone, on a stack by invitation with a budget of three turns."""

import contextlib
import io
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from operations.__main__ import run
from simulator.stack import LocalStack
from tests.browser.screenshots import take_screenshot
from tests.browser.test_manners import bot
from tests.browser.test_page import say
from tests.support.stacks import running_stack


@pytest.fixture(scope="module")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalStack]:
    settings = {"SETTLE_MS": "0", "LIMIT_TURNS_PER_CHAT_DAY": "3"}
    with running_stack(tmp_path_factory.mktemp("invited"), access="invited", more_env=settings) as (_, running):
        yield running


@pytest.fixture(scope="module")
def invited(browser: Browser, stack: LocalStack) -> Iterator[Page]:
    """The page at the size of a phone; the tests of this module use the same chat, one after another."""
    opened = browser.new_page(
        viewport={"width": 390, "height": 720}, locale="ja-JP", timezone_id="Asia/Tokyo", base_url=stack.url
    )
    opened.goto(stack.url)
    expect(opened.locator("#text")).to_be_enabled()
    yield opened
    opened.close()


def invitation(stack: LocalStack) -> str:
    """Return what the operator's command prints."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), pytest.MonkeyPatch.context() as patched:
        patched.setenv("STORAGE_EMULATOR_HOST", stack.operations_env["STORAGE_EMULATOR_HOST"])
        assert run(["invite"], stack.operations_env) == 0
    return printed.getvalue().strip()


def test_a_stranger_gets_in_with_a_code(invited: Page, stack: LocalStack, tmp_path: Path) -> None:
    invited.set_viewport_size({"width": 390, "height": 1_080})  # so that the greeting leaves room for the code
    say(invited, "こんにちは")
    expect(bot(invited).last).to_contain_text("招待制")
    say(invited, invitation(stack))
    expect(bot(invited).last).to_contain_text("はじめまして")
    say(invited, "こんにちは")
    expect(bot(invited)).to_have_count(3)
    take_screenshot(invited, "admission", tmp_path)
    invited.set_viewport_size({"width": 390, "height": 720})


def test_a_question_counts_what_would_go(invited: Page, tmp_path: Path) -> None:
    say(invited, "/forget")
    expect(bot(invited).last).to_contain_text("メッセージ1件")
    take_screenshot(invited, "confirmation", tmp_path)


def test_a_chat_that_spent_its_budget_is_told_once(invited: Page, tmp_path: Path) -> None:
    before = bot(invited).count()
    for number in range(2):
        say(invited, f"こんにちは {number}")
        expect(bot(invited)).to_have_count(before + 1 + number)
    say(invited, "もう一度")
    expect(bot(invited).last).to_contain_text("使い切りました")
    say(invited, "/usage")
    expect(bot(invited).last).to_contain_text("お返事できる回数0")
    take_screenshot(invited, "limit", tmp_path)
