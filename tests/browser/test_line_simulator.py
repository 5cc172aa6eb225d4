"""The LINE platform on its own: the first screen, Flex, rich menus, dark mode; `make screenshots` keeps pictures for its README."""

import subprocess
import sys
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any, Final, Literal

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from simulator.functions import REPOSITORY
from simulator.line.standalone import DEFAULT_TOKEN, Standalone, StandaloneSettings
from tests.browser.accessibility import findings
from tests.browser.contrast import faint_texts
from tests.browser.screenshots import SCREENSHOTS_FOLDER, png_of
from tests.support.loop import LoopThread

README_PICTURES: Final = frozenset({"first-screen", "flex", "composer"})
PICTURES = REPOSITORY / "simulator" / "line" / "pictures"
PICTURE = "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 20 13'>{}</svg>"
CAFE = PICTURE.format(
    "<rect width='20' height='13' fill='#caa472'/><circle cx='10' cy='7' r='3.2' fill='#fff'/>"
    "<circle cx='10' cy='7' r='2.4' fill='#6b4423'/>"
)
STAR = PICTURE.format("<path d='M10 1l2 4h4l-3 3 1 4-4-2-4 2 1-4-3-3h4z' fill='#f5b301'/>")
MENU = """
<body style='margin:0;display:grid;grid-template-columns:1fr 1fr;height:422px;font:600 56px sans-serif;color:#fff'>
<div style='background:#2f6b9a;display:grid;place-items:center'>Menu</div>
<div style='background:#3a8f6a;display:grid;place-items:center'>Book</div>
"""
BUTTON = {"type": "message", "label": "Book a table", "text": "Book a table"}


def row(name: str, value: str) -> dict[str, Any]:
    contents = [
        {"type": "text", "text": name, "color": "#aaaaaa", "size": "sm", "flex": 1},
        {"type": "text", "text": value, "wrap": True, "color": "#666666", "size": "sm", "flex": 5},
    ]
    return {"type": "box", "layout": "baseline", "spacing": "sm", "contents": contents}


CARD: dict[str, Any] = {
    "type": "bubble",
    "hero": {
        "type": "image",
        "url": "https://example.com/cafe.svg",
        "size": "full",
        "aspectRatio": "20:13",
        "aspectMode": "cover",
    },
    "body": {
        "type": "box",
        "layout": "vertical",
        "contents": [
            {"type": "text", "text": "Brown Cafe", "weight": "bold", "size": "xl"},
            {
                "type": "box",
                "layout": "baseline",
                "margin": "md",
                "contents": [
                    *[{"type": "icon", "size": "sm", "url": "https://example.com/star.svg"}] * 4,
                    {"type": "text", "text": "4.0", "size": "sm", "color": "#999999", "margin": "md", "flex": 0},
                ],
            },
            {
                "type": "box",
                "layout": "vertical",
                "margin": "lg",
                "spacing": "sm",
                "contents": [row("Place", "Flex Tower, 7-7-4 Midori-ku, Tokyo"), row("Time", "10:00 - 23:00")],
            },
            {"type": "separator", "margin": "lg"},
            {
                "type": "text",
                "margin": "md",
                "contents": [
                    {"type": "span", "text": "Open "},
                    {"type": "span", "text": "today", "weight": "bold", "color": "#1DB446"},
                ],
            },
        ],
    },
    "footer": {
        "type": "box",
        "layout": "vertical",
        "spacing": "sm",
        "contents": [
            {"type": "button", "style": "primary", "height": "sm", "action": BUTTON},
            {
                "type": "button",
                "style": "link",
                "height": "sm",
                "action": {"type": "uri", "label": "Website", "uri": "https://example.com"},
            },
        ],
    },
}


QUICK: Final = {"items": [{"type": "action", "action": {"type": "message", "label": "Yes", "text": "Yes"}}]}
BUTTONS: Final = {
    "type": "template",
    "altText": "menu",
    "template": {"type": "buttons", "text": "well?", "actions": [{"type": "message", "label": "Yes", "text": "Yes"}]},
}


class Accepting(BaseHTTPRequestHandler):
    """A webhook that answers 200."""

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(200)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Say nothing."""


class Running:
    """A server and an echo bot of its own."""

    def __init__(self, server: Standalone, loop: LoopThread) -> None:
        self.server = server
        self.loop = loop
        self.user_id = next(iter(server.platform.people))

    def call(self, page: Page, path: str, **request: Any) -> dict[str, Any]:  # noqa: ANN401 - of playwright
        headers = {"Authorization": f"Bearer {DEFAULT_TOKEN}", **request.pop("headers", {})}
        answer = page.request.post(f"{self.server.url}/v2/bot/{path}", headers=headers, **request)
        assert answer.ok, answer.text()
        return dict(answer.json())

    def push(self, page: Page, *messages: dict[str, Any]) -> None:
        self.call(page, "message/push", data={"to": self.user_id, "messages": list(messages)})


@pytest.fixture
def running() -> Iterator[Running]:
    with LoopThread() as loop:
        server = loop.run(Standalone(StandaloneSettings(port=0, webhook_url="http://127.0.0.1:9/")).__aenter__())
        try:
            yield Running(server, loop)
        finally:
            loop.run(server.__aexit__(None, None, None))


@pytest.fixture
def page(browser: Browser, running: Running) -> Iterator[Page]:
    opened = browser.new_page(viewport={"width": 1280, "height": 820}, locale="en-US")
    problems: list[str] = []
    opened.on("pageerror", lambda error: problems.append(str(error)))
    opened.route("https://example.com/**", picture)
    opened.goto(running.server.url)
    expect(opened.locator("#text")).to_be_enabled()
    yield opened
    opened.close()
    assert problems == []


def picture(route: Route) -> None:
    route.fulfill(content_type="image/svg+xml", body=STAR if "star" in route.request.url else CAFE)


def take_screenshot(page: Page, name: str, folder: Path) -> None:
    page.mouse.move(0, 0)
    is_kept = SCREENSHOTS_FOLDER and name in README_PICTURES
    ((PICTURES if is_kept else folder) / f"{name}.png").write_bytes(png_of(page))


def test_the_first_screen_says_what_to_set(page: Page, running: Running, tmp_path: Path) -> None:
    expect(page.locator("#about")).to_contain_text("not LINE")
    expect(page.locator("#setup-values")).to_contain_text(running.server.url)
    expect(page.locator("#setup-values")).to_contain_text("local-channel-secret")
    for name, wanted in (
        ("Python", "host="),
        ("Node.js", "dataApiBaseURL"),
        ("Go", "WithBlobEndpoint"),
        ("Java", "MessagingApiBlobClient"),
    ):
        page.get_by_role("button", name=name, exact=True).click()
        expect(page.locator("#setup-snippet")).to_contain_text(wanted)
    assert not page.locator("#lists, #filed-button, #trace").count()
    page.get_by_role("button", name="Python", exact=True).click()
    take_screenshot(page, "first-screen", tmp_path)


def test_the_light_is_red_until_the_webhook_answers(page: Page, running: Running) -> None:
    page.get_by_role("button", name="Save and test").click()
    expect(page.locator("#setup-light")).to_have_class("light wrong")
    expect(page.locator("#setup-call-body")).to_contain_text("No server listens")
    expect(page.locator("#setup-call-body")).to_contain_text("x-line-signature")

    bot = [sys.executable, str(REPOSITORY / "simulator" / "line" / "example_bots" / "python" / "echo_bot.py"), "0"]
    with subprocess.Popen(bot, env={"LINE_API": running.server.url}, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            page.locator("#setup-webhook").fill(process.stdout.readline().strip())
            page.get_by_role("button", name="Save and test").click()
            expect(page.locator("#setup-light")).to_have_class("light good")
            page.locator("#text").fill("hello")
            page.keyboard.press("Enter")
            expect(page.locator(".row.theirs .bubble:not(.dots)").last).to_have_text("hello")
            page.locator("#setup-call summary").click()
        finally:
            process.terminate()


def test_a_line_of_the_wire_opens_to_its_bodies(page: Page, running: Running) -> None:
    running.push(page, {"type": "text", "text": "<b>pushed</b>"})

    page.locator("#facts summary", has_text="message/push").click()

    expect(page.locator("#facts .fact-bodies")).to_contain_text("<b>pushed</b>")
    expect(page.locator("#facts .fact-bodies")).to_contain_text("sentMessages")


def test_a_flex_message_is_drawn_and_its_buttons_act(page: Page, running: Running, tmp_path: Path) -> None:
    page.locator("#setup-close").click()
    running.push(page, {"type": "flex", "altText": "card", "contents": CARD})

    bubble = page.locator(".flex-bubble")
    expect(bubble.get_by_text("Brown Cafe")).to_have_css("font-size", "22px")
    expect(bubble.locator(".flex-icon")).to_have_count(4)
    bubble.locator(".flex-waiting").first.click()
    expect(bubble.locator(".flex-waiting")).to_have_count(0)
    expect(bubble.locator(".flex-hero img")).to_have_js_property("complete", value=True)
    assert bubble.locator(".flex-missing").count() == 0
    take_screenshot(page, "flex", tmp_path)
    bubble.get_by_role("button", name="Book a table").click()
    expect(page.locator(".row.mine .bubble").last).to_have_text("Book a table")

    page.emulate_media(color_scheme="dark")
    expect(bubble).to_have_css("background-color", "rgb(255, 255, 255)")
    expect(page.locator("body")).to_have_css("background-color", "rgb(17, 22, 28)")
    take_screenshot(page, "dark", tmp_path)


def test_a_rich_menu_is_drawn_and_tapped_on_a_phone(
    page: Page, running: Running, browser: Browser, tmp_path: Path
) -> None:
    page.locator("#setup-close").click()
    page.set_viewport_size({"width": 390, "height": 780})
    webhook = ThreadingHTTPServer(("127.0.0.1", 0), Accepting)
    Thread(target=webhook.serve_forever, daemon=True).start()
    running.server.platform.courier.webhook_url = f"http://127.0.0.1:{webhook.server_port}/"
    drawn = browser.new_page(viewport={"width": 1250, "height": 422})
    drawn.set_content(MENU)
    image = png_of(drawn)
    drawn.close()
    bounds = [{"x": x, "y": 0, "width": 625, "height": 422} for x in (0, 625)]
    actions = [
        {"type": "message", "text": "Show me the menu"},
        {"type": "postback", "data": "book=1", "displayText": "Book"},
    ]
    areas = [{"bounds": one, "action": action} for one, action in zip(bounds, actions, strict=True)]
    size = {"width": 1250, "height": 422}
    menu = {"size": size, "selected": True, "name": "Main", "chatBarText": "Menu", "areas": areas}
    rich_menu_id = running.call(page, "richmenu", data=menu)["richMenuId"]
    running.call(page, f"richmenu/{rich_menu_id}/content", data=image, headers={"Content-Type": "image/png"})
    running.call(page, f"user/all/richmenu/{rich_menu_id}")
    carousel = {"type": "carousel", "contents": [CARD, CARD]}
    running.push(page, {"type": "flex", "altText": "cards", "contents": carousel})
    page.locator(".flex-waiting").first.click()

    page.get_by_role("button", name="Show me the menu").click()
    expect(page.locator(".row.mine .bubble").last).to_have_text("Show me the menu")
    expect(page.locator(".row.mine .bubble").last).to_be_in_viewport()
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    take_screenshot(page, "rich-menu", tmp_path)
    page.locator("#rich-menu-bar").click()
    expect(page.locator("#rich-menu-areas")).to_be_hidden()
    webhook.shutdown()
    webhook.server_close()


def test_the_first_screen_fits_a_phone(page: Page) -> None:
    page.set_viewport_size({"width": 390, "height": 700})

    expect(page.locator("#setup-webhook")).to_be_in_viewport()
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    page.locator("#setup-close").click()
    expect(page.locator("#text")).to_be_in_viewport()


def test_a_person_without_consent_is_chosen_on_the_page(page: Page, running: Running) -> None:
    page.locator("#people-button").click()

    with page.expect_response(lambda response: response.request.method == "POST"):
        page.locator("#consents input").uncheck()

    expect(page.locator("#consents input")).not_to_be_checked()
    assert not running.server.platform.people[running.user_id].has_consented
    page.locator("#people-close").click()
    expect(page.locator("#people")).to_be_hidden()


def webhook_of(running: Running) -> ThreadingHTTPServer:
    """Start a webhook that answers 200, and deliver to it."""
    webhook = ThreadingHTTPServer(("127.0.0.1", 0), Accepting)
    Thread(target=webhook.serve_forever, daemon=True).start()
    running.server.platform.courier.webhook_url = f"http://127.0.0.1:{webhook.server_port}/"
    return webhook


def choose(page: Page, entry: str) -> None:
    page.locator(".row.mine .bubble").last.click(button="right")
    page.get_by_role("menuitem", name=entry, exact=True).click()


def test_a_message_is_sent_again_and_its_event_redelivered(page: Page, running: Running) -> None:
    webhook = webhook_of(running)
    page.locator("#text").fill("hello")
    page.keyboard.press("Enter")
    expect(page.locator(".row.mine .bubble")).to_have_count(1)
    choose(page, "Send again")
    expect(page.locator(".row.mine .bubble")).to_have_text(["hello", "hello"])
    choose(page, "Redeliver the event")
    expect(page.locator("#facts")).to_contain_text("redelivery")
    webhook.shutdown()
    webhook.server_close()


def test_any_file_is_sent_as_the_app_would(page: Page, running: Running) -> None:
    files = [("notes.pdf", "application/pdf"), ("clip.mp4", "video/mp4"), ("voice.m4a", "audio/x-m4a"), ("x.bin", "")]
    for name, kind in files:
        page.locator("#file").set_input_files({"name": name, "mimeType": kind, "buffer": b"0" * 64})
        expect(page.locator(".row.mine")).to_have_count(files.index((name, kind)) + 1)

    sent = [message.content for message in running.server.platform.chats[running.user_id].messages]
    assert [content["type"] for content in sent] == ["file", "video", "audio", "file"]
    assert sent[0]["fileName"] == "notes.pdf"
    assert running.server.platform.media[next(iter(running.server.platform.media))].content == b"0" * 64


def test_faults_are_switched_on_the_page(page: Page, running: Running, tmp_path: Path) -> None:
    webhook = webhook_of(running)
    page.locator("#lab-button").click()
    page.get_by_label("As if the bot were too slow").check()
    page.get_by_label("Redeliver what was not accepted").check()
    page.get_by_label("Edits without a reply token").check()
    page.get_by_label("Further copies of each").fill("2")
    page.get_by_label("Further copies of each").press("Tab")
    with page.expect_response(lambda response: response.url.endswith("/add_fault")):
        page.locator("#fault").select_option("429")
    take_screenshot(page, "faults", tmp_path)
    page.reload()
    expect(page.locator("#fault")).to_have_value("429")
    page.locator("#lab-button").click()

    switches = running.server.platform.switches
    assert (switches.redelivers, switches.duplicates, switches.timeout_s) == (True, 2, 0.01)
    assert not switches.edits_have_tokens
    body = {"to": running.user_id, "messages": [{"type": "text", "text": "hi"}]}
    headers = {"Authorization": f"Bearer {DEFAULT_TOKEN}"}
    answer = page.request.post(f"{running.server.url}/v2/bot/message/push", data=body, headers=headers)
    assert answer.status == 429
    page.locator("#lab-close").click()
    webhook.shutdown()
    webhook.server_close()


def test_a_message_of_the_bot_is_composed_checked_and_shown(page: Page, tmp_path: Path) -> None:
    page.locator("#setup-close").click()
    page.locator("#lab-button").click()
    page.locator("#sample").select_option("flex")
    page.locator("#messages").fill(page.locator("#messages").input_value().replace('"weight"', '"wight"'))
    page.get_by_role("button", name="Check by LINE's rules").click()
    expect(page.locator("#bot-message-result")).to_contain_text(
        "A message (messages[0]) in the request body is invalid"
    )
    expect(page.locator("#bot-message-result")).to_contain_text("/body/contents/0/wight unknown field")
    take_screenshot(page, "composer", tmp_path)
    page.locator("#messages").fill("{")
    page.get_by_role("button", name="Show in this chat").click()
    expect(page.locator("#bot-message-result")).to_contain_text("This is no JSON")
    for sample in ("text", "quick", "buttons", "carousel", "flex", "image"):
        page.locator("#sample").select_option(sample)
        page.get_by_role("button", name="Check by LINE's rules").click()
        expect(page.locator("#bot-message-result")).to_have_text("LINE accepts this.")
    page.locator("#sample").select_option("quick")
    page.get_by_role("button", name="Show in this chat").click()
    expect(page.locator("#lab")).to_be_hidden()
    expect(page.get_by_role("button", name="Coffee")).to_be_visible()


def test_ids_are_there_to_be_copied(page: Page, running: Running, tmp_path: Path) -> None:
    page.locator("#people-button").click()
    page.locator(".people-ids summary").click()

    expect(page.locator("#ids")).to_contain_text(running.user_id)
    expect(page.locator("#ids")).to_contain_text(running.server.platform.account.user_id)
    expect(page.get_by_role("button", name="Copy: Hanako")).to_be_visible()
    take_screenshot(page, "ids", tmp_path)
    page.locator("#people-close").click()


def test_nothing_is_fetched_from_outside_before_a_click(page: Page, running: Running) -> None:
    fetched: list[str] = []
    page.on("request", lambda request: fetched.append(request.url))
    hero = {"type": "image", "url": "https://example.com/cafe.png", "size": "full"}
    card = {"type": "bubble", "hero": hero}
    running.push(page, {"type": "flex", "altText": "cards", "contents": {"type": "carousel", "contents": [card, card]}})
    waiting = page.locator(".flex-waiting")
    expect(waiting).to_have_count(2)
    assert [url for url in fetched if not url.startswith((running.server.url, "data:"))] == []

    waiting.first.click()

    expect(waiting).to_have_count(0)
    assert {url for url in fetched if not url.startswith((running.server.url, "data:"))} == {hero["url"]}
    running.push(page, {"type": "flex", "altText": "card", "contents": card})
    expect(page.locator(".flex-image")).to_have_count(3)
    expect(waiting).to_have_count(0)


def test_a_picture_whose_address_is_none_does_not_break_the_page(page: Page, running: Running) -> None:
    card = {"type": "bubble", "hero": {"type": "image", "url": "https://[", "aspectRatio": "20:13"}}
    running.push(page, {"type": "flex", "altText": "card", "contents": card})
    running.push(page, {"type": "text", "text": "still here"})

    expect(page.locator(".row.theirs .bubble:not(.dots)").last).to_have_text("still here")
    expect(page.locator(".flex-missing")).to_have_count(1)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_text_stands_out_from_its_ground(page: Page, running: Running, scheme: Literal["light", "dark"]) -> None:
    page.emulate_media(color_scheme=scheme)
    running.server.platform.courier.webhook_url = "http://127.0.0.1:9/"
    page.locator("#text").fill("hello")
    page.keyboard.press("Enter")
    expect(page.locator(".failure")).to_be_visible()
    running.push(page, {"type": "text", "text": "see https://example.com", "quickReply": QUICK})
    running.push(page, BUTTONS)
    running.push(page, {"type": "text", "text": "see https://example.com", "quickReply": QUICK})
    expect(page.locator("#entries .row.theirs")).to_have_count(3)

    assert faint_texts(page) == []
    page.locator("#people-button").click()
    page.locator(".people-ids summary").click()
    assert faint_texts(page) == []
    page.locator("#people-close").click()
    page.locator("#lab-button").click()
    assert faint_texts(page) == []
    page.locator("#lab-close").click()
    page.locator("#attach").click()
    assert faint_texts(page) == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_on_the_first_screen_and_in_a_chat(
    page: Page, running: Running, scheme: Literal["light", "dark"]
) -> None:
    page.emulate_media(color_scheme=scheme)
    found = {"first screen": findings(page)}
    running.push(page, {"type": "flex", "altText": "a cafe", "contents": CARD}, BUTTONS)
    expect(page.locator(".row.theirs .buttons button", has_text="Yes")).to_be_visible()
    found["chat"] = findings(page)
    page.locator(".row.theirs .bubble, .row.theirs .flex-message").first.click(button="right")
    expect(page.locator("#menu")).to_be_visible()
    found["menu"] = findings(page)

    assert {where: found[where] for where in found if found[where]} == {}
