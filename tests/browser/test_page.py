"""A person at the page: what they see and what they can do."""

import re

from playwright.sync_api import Locator, Page, expect


def say(page: Page, text: str) -> None:
    page.locator("#text").fill(text)
    page.keyboard.press("Enter")


def answered(page: Page, text: str) -> Locator:
    """Say something and wait for its answer; return the bubbles of the bot."""
    expect(page.locator("#text")).to_be_enabled()  # what was said before is shown from then on
    answers = page.locator(".row.theirs .bubble:not(.dots)")
    before = answers.count()
    say(page, text)
    expect(answers).to_have_count(before + 1, timeout=15_000)
    return answers


def test_a_message_typed_on_the_page_gets_its_answer(page: Page) -> None:
    answers = answered(page, "こんにちは")

    expect(page.locator(".row.mine .bubble").last).to_contain_text("こんにちは")
    expect(answers.last).to_contain_text("こんにちは")
    expect(page.locator(".row.mine .read").last).to_have_text("既読")


def test_the_page_says_that_no_real_model_is_connected(page: Page) -> None:
    expect(page.locator("#about-model")).to_be_visible()
    expect(page.locator("body")).to_contain_text("GEMINI_API_KEY")


def test_what_people_write_is_never_taken_for_markup(page: Page) -> None:
    say(page, "<img src=x onerror=\"document.title='owned'\"> & <b>bold</b>")

    expect(page.locator(".row.mine .bubble").last).to_contain_text("<b>bold</b>")
    assert page.title() != "owned"


def test_a_message_can_be_taken_back(page: Page) -> None:
    say(page, "my pin is 4711")
    bubble = page.locator(".row.mine .bubble", has_text="4711")
    expect(bubble).to_be_visible()

    bubble.click(button="right")
    page.locator("#menu [role=menuitem]", has_text="送信取消").click()

    expect(page.locator(".row.mine .bubble", has_text="4711")).to_have_count(0)


def test_the_page_fits_a_narrow_phone(page: Page) -> None:
    page.set_viewport_size({"width": 360, "height": 640})

    expect(page.locator("#text")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


def test_the_trace_of_a_bubble_tells_of_the_model_and_its_tokens(page: Page) -> None:
    answered(page, "こんにちは")

    page.locator(".row.mine .bubble").last.click()

    model = page.locator("#trace .step", has_text="モデルの回答")
    expect(model).to_contain_text("トークン")
    expect(model.locator(".since")).to_have_text(re.compile(r"^\+[\d,]+ ms$"))
    expect(page.locator("#wire")).to_be_hidden()
    expect(page.locator(".row.mine .bubble").last).to_have_attribute("aria-current", "true")
    expect(page.locator("#trace .step").last).to_contain_text("処理完了を確認")

    page.keyboard.press("Escape")

    expect(page.locator("#trace")).to_be_hidden()
    expect(page.locator("#wire")).to_be_visible()


def test_on_a_narrow_phone_the_trace_is_a_sheet_that_the_menu_opens(page: Page) -> None:
    answers = answered(page, "こんにちは")
    page.set_viewport_size({"width": 360, "height": 640})

    answers.last.click()
    expect(page.locator("#trace")).to_be_hidden()
    answers.last.press("Enter")
    page.locator("#menu [role=menuitem]", has_text="処理の流れ").click()

    expect(page.locator("#trace .step", has_text="モデルの回答")).to_contain_text("トークン")
    expect(page.locator("#trace-close")).to_be_focused()
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    page.keyboard.press("Escape")
    expect(page.locator("#trace")).to_be_hidden()
    expect(answers.last).to_be_focused()


def test_a_trace_goes_on_with_what_becomes_of_its_message(page: Page) -> None:
    say(page, "my pin is 1147")
    bubble = page.locator(".row.mine .bubble", has_text="1147")
    bubble.press("Space")
    expect(page.locator("#trace .step").first).to_contain_text("送信")

    bubble.click(button="right")
    page.locator("#menu [role=menuitem]", has_text="送信取消").click()

    expect(page.locator("#trace .step", has_text="メッセージを消去")).to_contain_text("unsend")
    expect(page.locator("#trace")).not_to_contain_text("1147")


def test_what_stands_in_a_list_is_shown_as_notion_would_and_said_to_be_a_stand_in(page: Page) -> None:
    lists = page.locator("#lists")
    expect(lists).to_contain_text("Notionの代役")

    answered(page, "買い物リストに牛乳を追加して")
    item = lists.locator(".page", has_text="牛乳")
    expect(item).to_be_visible()
    expect(item.get_by_role("img", name="未了")).to_be_visible()

    answered(page, "牛乳は買ったよ")
    expect(item.get_by_role("img", name="済み")).to_be_visible()
