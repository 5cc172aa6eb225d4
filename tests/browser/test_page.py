"""What a person sees on the page, and what they can do there."""

import base64
import re
from collections.abc import Sequence
from typing import Final, Literal

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from simulator.stack import CHANNEL_ACCESS_TOKEN
from tests.browser.accessibility import findings
from tests.browser.contrast import faint_texts

JAPANESE: Final = re.compile("[ぁ-んァ-ヶ]")
DOT: Final = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)


def say(page: Page, text: str) -> None:
    page.locator("#text").fill(text)
    page.keyboard.press("Enter")


def bubbles_after_answer_to(page: Page, text: str) -> Locator:
    """Say the text and wait for its answer; return the bubbles of the bot."""
    expect(page.locator("#text")).to_be_enabled()  # from then on the earlier messages are shown
    answers = page.locator(".row.theirs .bubble:not(.dots)")
    before = answers.count()
    say(page, text)
    expect(answers).to_have_count(before + 1)
    return answers


def test_a_message_typed_on_the_page_gets_its_answer(page: Page) -> None:
    answers = bubbles_after_answer_to(page, "こんにちは")

    expect(page.locator(".row.mine .bubble").last).to_contain_text("こんにちは")
    expect(answers.last).to_contain_text("こんにちは")
    expect(page.locator(".row.mine .read").last).to_have_text("既読")


def test_the_page_says_that_no_real_model_is_connected(page: Page) -> None:
    expect(page.locator("#about-model")).to_be_visible()
    expect(page.locator("body")).to_contain_text("GEMINI_API_KEY")


@pytest.mark.parametrize(
    ("locale", "lang", "label"),
    [
        ("ja-JP", "ja", "既読"),
        ("ja", "ja", "既読"),
        ("en-GB", "en", "Read"),
        ("th-TH", "en", "Read"),
        ("fr", "en", "Read"),
    ],
)
def test_the_page_speaks_the_language_of_the_browser(
    browser: Browser, url: str, locale: str, lang: str, label: str
) -> None:
    page = browser.new_page(locale=locale, base_url=url)
    page.goto("/")

    expect(page.locator("html")).to_have_attribute("lang", lang)
    bubbles_after_answer_to(page, "hello")
    expect(page.locator(".row.mine .read").last).to_have_text(label)
    assert (JAPANESE.search(page.locator("#about").inner_text()) is not None) is (lang == "ja")
    page.close()


@pytest.mark.parametrize(("lang", "foreign"), [("ja", "No real"), ("en", "ません")])
def test_the_banner_is_in_one_language(page: Page, lang: str, foreign: str) -> None:
    page.goto(f"/?lang={lang}")

    expect(page.locator("#about-model")).to_contain_text("GEMINI_API_KEY")
    expect(page.locator("#about")).not_to_contain_text(foreign)


@pytest.mark.parametrize(
    ("lang", "sentence", "answer"),
    [
        ("ja", "10分後にお湯って教えて", "時間になったら「お湯」とお知らせします。"),
        ("en", "Remind me tomorrow at 9: pills", "I will say “pills” then."),
    ],
)
def test_an_example_is_sent_by_a_tap_and_carried_out(page: Page, lang: str, sentence: str, answer: str) -> None:
    page.goto(f"/?lang={lang}")
    expect(page.locator("#text")).to_be_enabled()

    page.locator("#examples .example", has_text=sentence).click()

    expect(page.locator(".row.mine .bubble").last).to_contain_text(sentence)
    expect(page.locator(".row.theirs .bubble", has_text=answer).last).to_be_visible()


def test_on_a_phone_the_examples_are_in_the_tray(page: Page) -> None:
    page.set_viewport_size({"width": 360, "height": 640})
    expect(page.locator("#text")).to_be_enabled()

    page.locator("#attach").click()
    page.locator("#tray .example", has_text="牛乳を探して").click()

    expect(page.locator("#tray")).to_be_hidden()
    expect(page.locator(".row.mine .bubble").last).to_contain_text("牛乳を探して")


def test_the_drawer_says_in_words_how_often_a_reminder_comes(page: Page) -> None:
    bubbles_after_answer_to(page, "こんにちは")
    page.locator("#examples .example", has_text="毎週金曜の18時").click()
    expect(page.locator(".row.theirs .bubble", has_text="毎週金曜 18:00").first).to_be_visible()

    page.locator("#filed-button").click()

    expect(page.locator("#due-list")).to_contain_text("毎週金")
    expect(page.locator("#due-list")).not_to_contain_text("FREQ")


def test_the_model_can_be_slow_at_the_flip_of_a_switch(page: Page) -> None:
    expect(page.locator("#slow-model-row")).to_be_visible()

    with page.expect_response("**/simulator/model") as switched:
        page.locator("#slow-model").check()
    assert switched.value.json() == {"seconds": 25.0}
    with page.expect_response("**/simulator/model") as switched:
        page.locator("#slow-model").uncheck()
    assert switched.value.json() == {"seconds": 0.0}


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_text_of_the_page_has_contrast_in_light_and_dark(page: Page, scheme: Literal["light", "dark"]) -> None:
    page.emulate_media(color_scheme=scheme)
    bubbles_after_answer_to(page, "こんにちは")

    assert faint_texts(page) == []
    page.locator("#filed-button").click()
    assert faint_texts(page) == []
    page.locator("#filed-close").click()
    page.locator("#lab-button").click()
    assert faint_texts(page) == []


def test_texts_are_never_rendered_as_markup(page: Page) -> None:
    say(page, "<img src=x onerror=\"document.title='owned'\"> & <b>bold</b>")

    expect(page.locator(".row.mine .bubble").last).to_contain_text("<b>bold</b>")
    assert page.title() != "owned"


def test_a_message_can_be_unsent(page: Page) -> None:
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


def test_the_trace_of_a_bubble_shows_the_model_call_and_its_tokens(page: Page) -> None:
    bubbles_after_answer_to(page, "こんにちは")

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


def test_on_a_narrow_phone_the_menu_opens_the_trace_as_a_sheet(page: Page) -> None:
    answers = bubbles_after_answer_to(page, "こんにちは")
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


def test_a_trace_continues_with_the_unsend_of_its_message(page: Page) -> None:
    say(page, "my pin is 1147")
    bubble = page.locator(".row.mine .bubble", has_text="1147")
    bubble.press("Space")
    expect(page.locator("#trace .step").first).to_contain_text("送信")
    # The message is handled before its unsend: one that overtakes it finds no message to withdraw.
    expect(page.locator("#trace .step").last).to_contain_text("処理完了を確認")

    bubble.click(button="right")
    page.locator("#menu [role=menuitem]", has_text="送信取消").click()

    expect(page.locator("#trace .step", has_text="メッセージを消去")).to_contain_text("unsend")
    expect(page.locator("#trace")).not_to_contain_text("1147")


def push_message(page: Page, message: dict[str, object]) -> None:
    """Push a message of the bot to the person's 1:1 chat."""
    person = page.request.get("/simulator/state").json()["people"][0]["user_id"]
    answer = page.request.post(
        "/v2/bot/message/push",
        headers={"Authorization": f"Bearer {CHANNEL_ACCESS_TOKEN}"},
        data={"to": person, "messages": [message]},
    )
    assert answer.ok, answer.text()


def test_a_button_under_a_text_can_be_pressed_repeatedly(page: Page) -> None:
    action = {"type": "postback", "label": "答えを見る", "data": "late=1", "displayText": "見せて"}
    template = {"type": "buttons", "text": "まだ考えています", "actions": [action]}
    push_message(page, {"type": "template", "altText": "まだ考えています", "template": template})
    button = page.locator(".row.theirs .buttons button", has_text="答えを見る").last

    button.click()
    expect(page.locator(".row.mine .bubble", has_text="見せて")).to_have_count(1)
    button.click()

    expect(page.locator(".row.mine .bubble", has_text="見せて")).to_have_count(2)
    expect(page.locator("#facts")).to_contain_text("postback")


def test_a_quick_reply_disappears_when_it_is_pressed(page: Page) -> None:
    action = {"type": "postback", "label": "はい", "data": "yes=1", "displayText": "はい、お願い"}
    push_message(page, {"type": "text", "text": "?", "quickReply": {"items": [{"type": "action", "action": action}]}})

    page.locator("#quick-replies button", has_text="はい").click()

    expect(page.locator(".row.mine .bubble").last).to_have_text("はい、お願い")
    expect(page.locator("#quick-replies")).to_be_hidden()


def create_group(page: Page, name: str, *, members: Sequence[str] = ("花子",)) -> None:
    """Create a group of the first person, the members and the bot, and open it; the first person speaks."""
    page.locator("#people-button").click()
    for member in members:
        label = page.locator("#new-members label", has_text=member)
        if label.count() == 0:
            page.locator("#person-name").fill(member)
            page.keyboard.press("Enter")
            expect(label).to_be_visible()
    page.locator("#group-name").fill(name)
    page.get_by_role("button", name="グループを作る").click()
    expect(page.locator("#chat-name")).to_have_text(f"{name} ({len(members) + 2})")
    expect(page.locator(".notice")).to_contain_text("参加しました")
    expect(page.locator(".row.theirs .bubble:not(.dots)")).to_have_count(1)  # the greeting


def test_in_a_group_the_bot_answers_a_picked_mention(page: Page) -> None:
    create_group(page, "ランチ")
    answers = page.locator(".row.theirs .bubble:not(.dots)")
    page.locator("#text").press_sequentially("@")
    expect(page.locator("#mentions [role=option]")).to_have_text(["@Aizuchi", "@花子", "@All"])

    page.keyboard.press("Enter")
    page.locator("#text").press_sequentially("こんにちは")
    page.keyboard.press("Enter")

    expect(page.locator(".row.mine .bubble").last).to_have_text("@Aizuchi こんにちは")
    expect(answers).to_have_count(2)
    expect(page.locator("#mentions")).to_be_hidden()


def test_in_a_group_every_member_can_speak_and_be_quoted(page: Page) -> None:
    create_group(page, "旅行")
    page.locator("#person-choice").select_option(label="花子")
    say(page, "十時に駅で")
    page.locator("#person-choice").select_option(index=0)
    bubble = page.locator(".row.theirs .bubble", has_text="十時に駅で")
    expect(page.locator(".row.theirs .name", has_text="花子")).to_be_visible()

    bubble.click(button="right")
    page.locator("#menu [role=menuitem]", has_text="リプライ").click()
    say(page, "了解")

    expect(page.locator(".row.mine .bubble").last.locator(".quoted")).to_have_text("十時に駅で")


def test_in_a_group_a_text_can_be_edited_and_unsent(page: Page) -> None:
    create_group(page, "会議")
    say(page, "三時から")
    bubble = page.locator(".row.mine .bubble").last

    bubble.click(button="right")
    page.locator("#menu [role=menuitem]", has_text="編集").click()
    say(page, "四時から")
    expect(bubble).to_have_text("四時から")
    expect(page.locator(".row.mine .meta").last).to_contain_text("編集済み")
    bubble.click(button="right")
    page.locator("#menu [role=menuitem]", has_text="送信取消").click()

    expect(page.locator(".row.mine .bubble")).to_have_count(0)


def test_list_items_are_shown_and_marked_as_a_stand_in(page: Page) -> None:
    """Stands before the pictures: what follows one within minutes is written to a list only after a tap."""
    lists = page.locator("#lists")
    expect(lists).to_contain_text("Notionのシミュレーター")

    bubbles_after_answer_to(page, "買い物リストに牛乳を追加して")
    item = lists.locator(".page", has_text="牛乳")
    expect(item).to_be_visible()
    expect(item.get_by_role("img", name="未完了")).to_be_visible()

    bubbles_after_answer_to(page, "牛乳は買ったよ")
    expect(item.get_by_role("img", name="完了")).to_be_visible()


def test_stickers_and_pictures_can_be_sent(page: Page) -> None:
    expect(page.locator("#text")).to_be_enabled()  # from then on the earlier messages are shown
    answers = page.locator(".row.theirs .bubble:not(.dots)")
    before = answers.count()
    page.locator("#attach").click()
    page.locator("#stickers button").first.click()
    expect(page.locator(".row.mine .sticker").last).to_be_visible()
    expect(answers).to_have_count(before + 1)

    page.locator("#file").set_input_files({"name": "dot.png", "mimeType": "image/png", "buffer": DOT})

    expect(page.locator(".row.mine .photo img").last).to_be_visible()
    expect(answers).to_have_count(before + 2)


def test_members_and_the_bot_can_be_removed_and_added(page: Page) -> None:
    create_group(page, "引っ越し")
    page.locator("#people-button").click()
    page.locator("#members li", has_text="花子").get_by_role("button", name="外す").click()
    expect(page.locator("#chat-name")).to_have_text("引っ越し (2)")
    page.locator("#members li", has_text="花子").get_by_role("button", name="メンバーに追加").click()
    expect(page.locator("#chat-name")).to_have_text("引っ越し (3)")
    page.locator("#members li", has_text="Aizuchi").get_by_role("button", name="退出させる").click()
    expect(page.locator("#chat-name")).to_have_text("引っ越し (2)")
    page.keyboard.press("Escape")

    expect(page.locator("#people")).to_be_hidden()
    expect(page.locator("#text")).to_be_disabled()
    page.locator("#people-button").click()
    page.locator("#members li", has_text="Aizuchi").get_by_role("button", name="招待する").click()
    page.locator("#people-close").click()
    expect(page.locator("#text")).to_be_enabled()


def test_a_group_fits_a_narrow_phone(page: Page) -> None:
    page.set_viewport_size({"width": 360, "height": 640})
    create_group(page, "とても長い名前のグループですけれど入りますか")

    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    page.locator("#people-button").click()
    expect(page.get_by_role("button", name="グループを作る")).to_be_in_viewport()


def test_the_drawer_follows_the_entries_of_the_chat(page: Page) -> None:
    bubbles_after_answer_to(page, "/reset")  # else the pictures of other tests make changes wait for a tap
    page.locator("#filed-button").click()
    drawer = page.locator("#filed")
    expect(drawer).to_contain_text("このパソコンの中のバケット")
    expect(page.locator("#wire")).to_be_hidden()

    bubbles_after_answer_to(page, "庭の工事は来週の月曜から、覚えておいて")
    entry = drawer.locator("details", has_text="庭の工事は来週の月曜から").first
    expect(drawer.locator("#filed-entries h3")).to_have_text(["プロジェクト"])
    entry.locator("summary").click()
    expect(entry.locator("pre")).to_contain_text("confidence: 0.9")

    bubbles_after_answer_to(page, "庭の工事に「<b>雨</b>なら延期」と追記して")
    expect(entry.locator("pre")).to_contain_text("<b>雨</b>なら延期")
    drawer.locator("summary", has_text="index.md").click()
    expect(drawer.locator("#filed-index")).to_contain_text("Projects: active")

    page.locator(".row.mine .bubble", has_text="来週の月曜").click(button="right")
    page.locator("#menu [role=menuitem]", has_text="送信取消").click()
    expect(drawer).not_to_contain_text("月曜")
    expect(drawer.locator("#filed-entries summary")).to_have_text([re.compile("雨")])  # from another message
    page.locator("#filed-close").click()
    expect(page.locator("#wire")).to_be_visible()


def test_the_drawer_shows_what_is_remembered_by_month_and_finds_words(page: Page) -> None:
    bubbles_after_answer_to(page, "湊旅館に<b>決めた</b>")
    bubbles_after_answer_to(page, "おはよう")
    page.locator("#filed-button").click()
    memory = page.locator("#memory")

    memory.locator("summary").first.click()
    own = memory.locator("#memory-months .memory-text", has_text="湊旅館").first
    expect(own).to_have_text("湊旅館に<b>決めた</b>")

    memory.locator("#memory-search").fill("湊旅館")
    expect(memory.locator("#memory-found .memory-text").first).to_have_text("湊旅館に<b>決めた</b>")
    memory.locator("#memory-search").fill("ない言葉")
    expect(memory.locator("#memory-found")).to_contain_text("ありません")
    memory.locator("#memory-search").fill("")

    page.locator(".row.mine .bubble", has_text="湊旅館").click(button="right")
    page.locator("#menu [role=menuitem]", has_text="送信取消").click()
    expect(memory).not_to_contain_text("湊旅館")


def test_the_drawer_belongs_to_the_shown_chat_and_yields_to_a_trace(page: Page) -> None:
    bubbles_after_answer_to(page, "牛乳を買うってメモして")
    page.locator("#filed-button").click()
    expect(page.locator("#filed-entries summary", has_text="牛乳を買う")).to_be_visible()

    create_group(page, "別のトーク")
    expect(page.locator("#filed-entries summary")).to_have_count(0)
    expect(page.locator("#filed-empty")).to_be_visible()
    page.locator("#chat-choice").select_option(index=0)
    expect(page.locator("#filed-entries summary", has_text="牛乳を買う")).to_be_visible()

    page.locator(".row.mine .bubble", has_text="牛乳").last.click()
    expect(page.locator("#trace")).to_be_visible()
    expect(page.locator("#filed")).to_be_hidden()


def test_on_a_narrow_phone_the_drawer_is_a_sheet(page: Page) -> None:
    page.set_viewport_size({"width": 360, "height": 640})
    bubbles_after_answer_to(page, "とても長い名前の計画の準備を来週から始める話を、覚えておいて")
    page.locator("#filed-button").click()

    expect(page.locator("#filed summary").first).to_be_in_viewport()
    page.locator("#filed summary").first.click()
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    page.set_viewport_size({"width": 1180, "height": 800})
    expect(page.locator("#filed")).to_be_visible()
    expect(page.locator("#text")).to_be_enabled()
    page.locator("#text").fill("x")
    page.set_viewport_size({"width": 360, "height": 640})
    page.wait_for_function("document.querySelector('#filed').matches(':modal')")
    page.keyboard.press("Escape")
    expect(page.locator("#filed")).to_be_hidden()
    expect(page.locator("#filed-button")).to_be_focused()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_on_the_page(page: Page, scheme: Literal["light", "dark"]) -> None:
    page.emulate_media(color_scheme=scheme)
    bubbles_after_answer_to(page, "牛乳を買う、メモして")

    found = {"chat": findings(page)}
    page.locator(".row.mine .bubble").last.click()
    expect(page.locator("#trace .step").last).to_contain_text("処理完了を確認")
    found["trace"] = findings(page)
    page.keyboard.press("Escape")
    page.locator("#filed-button").click()
    expect(page.locator("#filed-entries summary").first).to_be_visible()
    found["drawer"] = findings(page)
    page.locator("#filed-close").click()
    for dialog in ("people", "lab"):
        page.locator(f"#{dialog}-button").click()
        found[dialog] = findings(page)
        page.locator(f"#{dialog}-close").click()

    assert {where: found[where] for where in found if found[where]} == {}
