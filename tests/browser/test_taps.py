"""What people tap, and what the bot answers: confirmations, edits, help, names, suggestions, the rich menu, a slow model in a group."""

import re
from collections.abc import Callable, Iterator
from typing import Final, TypeVar

import pytest
from playwright.sync_api import Browser, Page, expect

from operations.adapters.rich_menus import SdkRichMenus
from operations.rich_menu.registration import show_menu
from simulator.gemini.script import Hold, call
from simulator.stack import CHANNEL_ACCESS_TOKEN, LocalStack
from tests.browser.test_manners import bot
from tests.browser.test_page import create_group, say
from tests.support.loop import LoopThread
from tests.support.stacks import running_stack

_Result = TypeVar("_Result")
PATIENCE_S: Final = 30.0
_DEFERRED_AFTER_MS: Final = 21_000
_EXPIRED_AFTER_MS: Final = 11 * 60_000
ECHO: Final = re.compile("もう少し聞かせて|Tell me more")
"""What the stand-in says where it understood no order."""
NAMES: Final = "Aizuchi,アイズチ"


class RunningStack:
    """A stack, and the loop that it runs in."""

    def __init__(self, loop: LoopThread, stack: LocalStack) -> None:
        self.loop = loop
        self.stack = stack

    def does(self, action: Callable[[], _Result]) -> _Result:
        """Carry out the action in the loop of the stack."""

        async def act() -> _Result:
            return action()

        return self.loop.run(act())

    def moves_clock(self, *, ms: int) -> None:
        """Time passes for every process of the stack."""

        async def move() -> None:
            self.stack.clock.move(ms=ms)

        self.loop.run(move())

    def settles(self) -> None:
        """Every event so far has been handled."""

        async def wait_until_settled() -> None:
            await self.stack.line.wait_until_settled()
            await self.stack.pubsub.wait_until_idle()

        self.loop.run(wait_until_settled())

    def sends_tokens_with_edits(self, page: Page, *, edits_have_tokens: bool) -> None:
        answer = page.request.post("/simulator/switches", data={"edits_have_tokens": edits_have_tokens})
        assert answer.ok, answer.text()


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningStack]:
    more_env = {"SETTLE_MS": "0", "BOT_NAME": NAMES}
    with running_stack(tmp_path_factory.mktemp("taps"), more_env=more_env) as (loop, stack):
        yield RunningStack(loop, stack)


@pytest.fixture
def page(browser: Browser, running: RunningStack) -> Iterator[Page]:
    opened = browser.new_page(viewport={"width": 390, "height": 780}, locale="ja-JP", base_url=running.stack.url)
    opened.goto(running.stack.url)
    expect(opened.locator("#text")).to_be_enabled()
    yield opened
    opened.close()


def asks_in_group(page: Page, text: str) -> None:
    """Mention the bot and say the text."""
    page.locator("#text").press_sequentially("@")
    page.keyboard.press("Enter")
    page.locator("#text").press_sequentially(text)
    page.keyboard.press("Enter")


def edits(page: Page, before: str, after: str) -> None:
    """Edit the own message in the field, as the app's menu does."""
    page.locator(".row.mine .bubble", has_text=before).click(button="right")
    page.locator("#menu [role=menuitem]", has_text="編集").click()
    page.locator("#text").fill(after)
    page.keyboard.press("Enter")
    expect(page.locator(".row.mine .bubble", has_text=after)).to_have_count(1)


def test_forget_me_in_a_one_to_one_chat_asks_first_and_can_be_declined(page: Page) -> None:
    say(page, "/forget me")
    decline = page.locator(".row.theirs").get_by_role("button", name="やめる").last
    expect(page.locator(".row.theirs").get_by_role("button", name="すべて消す").last).to_be_visible()
    expect(bot(page).last).to_contain_text("元には戻せません")

    decline.click()

    expect(bot(page).last).to_contain_text("やめました。何も変更していません。")


def test_a_button_that_is_pressed_twice_or_too_late_says_so(page: Page, running: RunningStack) -> None:
    questions = page.locator(".row.theirs").get_by_role("button", name="すべて消す")
    before = questions.count()
    say(page, "/forget")
    expect(questions).to_have_count(before + 1)
    questions.last.click()
    expect(bot(page).last).to_contain_text("すべて消しました")
    questions.last.click()
    expect(bot(page).last).to_contain_text("この確認のボタンはもう押されています")
    say(page, "/forget")
    expect(questions).to_have_count(before + 2)

    running.moves_clock(ms=_EXPIRED_AFTER_MS)
    questions.last.click()

    expect(bot(page).last).to_contain_text("このボタンは10分間だけ有効です")


@pytest.mark.parametrize("edits_have_tokens", [True, False])
def test_an_edit_that_removes_a_note_is_told_and_filed_anew(
    page: Page, running: RunningStack, *, edits_have_tokens: bool
) -> None:
    running.sends_tokens_with_edits(page, edits_have_tokens=edits_have_tokens)
    create_group(page, "買い出し" if edits_have_tokens else "買い物係")
    asks_in_group(page, "お米を10キロ買う、メモして")
    expect(bot(page)).to_have_count(2)

    edits(page, "10キロ", "@Aizuchi お米を5キロ買う、メモして")
    if not edits_have_tokens:
        running.settles()
        asks_in_group(page, "こんにちは")

    expect(bot(page)).to_have_count(3)
    expect(bot(page).last).to_contain_text("編集前の言葉から作ったものは消えました：メモ1件")
    expect(bot(page).last).to_contain_text("5キロ")


def test_a_new_friend_sees_abilities_examples_to_tap_and_who_reads(page: Page) -> None:
    page.get_by_role("button", name="ブロック", exact=True).click()
    before = bot(page).count()
    page.get_by_role("button", name="ブロック解除", exact=True).click()

    greeting = bot(page).last
    expect(bot(page)).to_have_count(before + 1)
    for words in (
        "質問にお答えし、メモを預かり、時間になったらお知らせします",
        "AIモデルが読み取ります",
        "/forget ですべて消去",
    ):
        expect(greeting).to_contain_text(words)
    expect(greeting.get_by_role("button")).to_have_count(3)
    greeting.get_by_role("button", name="牛乳を買う、メモして").click()

    expect(bot(page)).to_have_count(before + 2)
    expect(bot(page).last).to_contain_text("✓ 記録：「牛乳")


def test_a_suggestion_in_a_group_is_a_button_that_answers_its_presser(page: Page, running: RunningStack) -> None:
    create_group(page, "旅の相談")
    offer = call("reply", {"message": "京都の明日は雨です。", "suggestions": ["大阪は？", "奈良は？"]})
    running.stack.gemini.script([offer, call("reply", {"message": "大阪は晴れです。"})])
    asks_in_group(page, "京都の天気は")
    suggestion = bot(page).last.get_by_role("button", name="大阪は？")
    expect(suggestion).to_be_visible()
    before = bot(page).count()

    suggestion.click()

    expect(page.locator(".row.mine .bubble").last).to_have_text("大阪は？")
    expect(bot(page)).to_have_count(before + 1)
    expect(bot(page).last).to_contain_text("大阪は晴れです。")


def test_help_names_abilities_and_its_examples_are_tapped(page: Page) -> None:
    say(page, "ヘルプ")
    expect(bot(page).last).to_contain_text("できること")
    expect(bot(page).last).to_contain_text("ブロックしてもすべて消えます")
    expect(bot(page).last).not_to_contain_text("/catchup")
    before = bot(page).count()

    page.locator(".flex-bubble").get_by_role("button", name="牛乳を買う、メモして").last.click()

    expect(bot(page)).to_have_count(before + 1)
    expect(bot(page).last).to_contain_text("牛乳")


def test_help_in_a_group_offers_what_was_missed(page: Page) -> None:
    create_group(page, "同窓会")

    say(page, "/help")

    expect(bot(page)).to_have_count(2)
    expect(bot(page).last).to_contain_text("/catchup")


def test_in_a_group_the_bot_is_called_by_its_name_in_kana(page: Page) -> None:
    create_group(page, "将棋部")

    say(page, "アイズチ、こんにちは")

    expect(bot(page)).to_have_count(2)
    expect(bot(page).last).to_contain_text("こんにちは")


def test_a_suggestion_is_tapped_and_answered(page: Page, running: RunningStack) -> None:
    offer = call("reply", {"message": "京都の明日は雨です。", "suggestions": ["大阪は？"]})
    running.stack.gemini.script([offer])
    say(page, "京都の天気は")
    expect(bot(page).last).to_contain_text("京都の明日は雨です。")
    before = bot(page).count()

    page.locator("#quick-replies button", has_text="大阪は？").click()

    expect(page.locator(".row.mine .bubble").last).to_have_text("大阪は？")
    expect(bot(page)).to_have_count(before + 1)


def test_the_rich_menu_of_the_command_is_drawn_and_answers(page: Page, running: RunningStack) -> None:
    menus = SdkRichMenus(channel_access_token=CHANNEL_ACCESS_TOKEN, base_url=running.stack.url)
    show_menu(menus, "ja")
    areas = page.locator("#rich-menu-areas button")
    expect(areas).to_have_count(6)
    before = bot(page).count()

    areas.nth(5).click()

    expect(bot(page)).to_have_count(before + 1)


def test_a_group_is_told_after_20_seconds_that_a_slow_model_still_thinks(page: Page, running: RunningStack) -> None:
    create_group(page, "山歩き")
    hold = Hold()
    running.stack.gemini.script([call("reply", {"message": "高尾山はどう？"}).held(hold)])
    asks_in_group(page, "どこへ行く？")
    hold.wait_until_reached(PATIENCE_S)

    running.moves_clock(ms=_DEFERRED_AFTER_MS)

    button = page.locator(".row.theirs").get_by_role("button", name="答えを見る").last
    expect(button).to_be_visible()
    hold.release()
    button.click()
    expect(page.locator(".row.theirs .bubble", has_text=re.compile("高尾山はどう"))).to_be_visible()


@pytest.mark.parametrize("lang", ["ja", "en"])
def test_an_example_of_every_ability_is_answered(page: Page, lang: str) -> None:
    page.set_viewport_size({"width": 1180, "height": 800})
    page.goto(f"/?lang={lang}")
    expect(page.locator("#text")).to_be_enabled()
    answers = page.locator(".row.theirs .bubble:not(.dots)")
    rows = page.locator("#examples .example-group:not([hidden]) .example-row")
    expect(rows).to_have_count(8)

    for row in rows.all():
        before = answers.count()
        example = row.locator(".example").first
        sentence = example.inner_text()
        example.click()
        expect(page.locator(".row.mine .bubble").last).to_contain_text(sentence)
        expect(answers.nth(before)).to_be_visible()
        expect(page.locator("#loading")).to_be_hidden()
        assert not any(sentence in text for text in answers.all_inner_texts()[before:] if ECHO.search(text))
