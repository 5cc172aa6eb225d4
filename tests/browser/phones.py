"""Three people of one group, each with the chat on a phone of their own; `SCREENSHOTS` keeps pictures of the phones."""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from playwright.sync_api import Browser, ConsoleMessage, Error, Locator, Page, expect

from tests.browser.accessibility import findings
from tests.browser.screenshots import take_screenshot
from tests.browser.test_page import say
from tests.browser.test_reminders import pass_time
from tests.browser.test_taps import RunningStack

HEIGHT: Final = 1_000
_CUT_TEXTS: Final = """() => [document.documentElement, ...document.querySelectorAll(".row, .bubble, .flex-text")]
  .filter((node) => node.scrollWidth > node.clientWidth + 1)
  .map((node) => node.textContent.trim().slice(0, 80))"""
_SMALL_BUTTONS: Final = """() => [...document.querySelectorAll(".row .flex-taps")]
  .map((node) => [node.getBoundingClientRect(), node.textContent])
  .filter(([box]) => Math.min(box.width, box.height) < 24)
  .map(([, text]) => text)"""
"""Source: WCAG 2.2, "Target Size (Minimum)": 24 by 24 CSS pixels."""
REPLY: Final = re.compile("リプライ|Reply")


@dataclass(kw_only=True)
class Phone:
    """The chat as a member sees it.  `problems`: what the page complained about."""

    page: Page
    name: str
    problems: list[str] = field(default_factory=list)

    def fails(self, error: Error) -> None:
        """A script of the page ended with an error."""
        self.problems.append(str(error))

    def logs(self, line: ConsoleMessage) -> None:
        """The page wrote to its console."""
        if line.type == "error":
            self.problems.append(line.text)

    def enters(self, chat_id: str) -> None:
        """Open the chat as this member."""
        expect(self.page.locator("#text")).to_be_enabled()
        self.page.locator("#chat-choice").select_option(value=chat_id)
        if self.page.locator("#person-choice").is_visible():  # hidden where one person is alone with the bot
            self.page.locator("#person-choice").select_option(label=self.name)

    def own_chat(self, running: RunningStack) -> str:
        """Return the id of the member's 1:1 chat with the bot."""
        people = running.stack.line.people.values()
        return next(person.user_id for person in people if person.display_name == self.name)

    def says(self, text: str) -> None:
        """Send the text; one that begins with an at sign mentions the bot."""
        if text.startswith("@"):
            self.page.locator("#text").press_sequentially("@")
            self.page.keyboard.press("Enter")
            self.page.keyboard.insert_text(text.removeprefix("@"))
            self.page.keyboard.press("Enter")
        else:
            say(self.page, text)
        expect(self.page.locator(".row.mine .bubble", has_text=text.removeprefix("@")).last).to_be_visible()

    def sends_picture(self, png: bytes) -> None:
        """Send a picture, as the tray's button for files does."""
        pictures = self.page.locator(".row.mine .photo")
        before = pictures.count()
        self.page.locator("#file").set_input_files({"name": "p.png", "mimeType": "image/png", "buffer": png})
        expect(pictures).to_have_count(before + 1)

    def quotes_newest_picture(self) -> None:
        """Reply to the newest own picture with what is said next."""
        self.page.locator(".row.mine .photo").last.click(button="right")
        self.page.locator("#menu [role=menuitem]", has_text=REPLY).click()

    @property
    def bubbles(self) -> Locator:
        """The bubbles of the others, and of the bot."""
        return self.page.locator(".row.theirs .bubble:not(.dots)")

    def sees(self, *texts: str | re.Pattern[str]) -> None:
        """A bubble of the bot with all the texts shows."""
        bubbles = self.bubbles
        for text in texts:
            bubbles = bubbles.filter(has_text=text)
        expect(bubbles.last).to_be_visible()

    def button(self, label: str) -> Locator:
        """Return the newest button with the label."""
        return self.page.locator(".row.theirs").get_by_role("button", name=label, exact=True).last

    def presses(self, label: str) -> None:
        """Press the newest button with the label."""
        self.button(label).click()

    def chooses(self, option: str) -> None:
        """Press the button beside the option on the newest card that asks."""
        rows = self.page.locator(".flex-bubble .flex-horizontal", has_text=option)
        rows.get_by_text(option, exact=True).last.locator("xpath=../..").get_by_role("button").click()
        expect(self.page.locator(".row.mine .bubble", has_text=option).last).to_be_visible()

    def lets_time_pass(self, label: str) -> None:
        """Move the clock of the stack by the button with the label, in the drawer of what the bot keeps."""
        self.page.locator("#filed-button").click()
        pass_time(self.page, label)
        self.page.locator("#filed-close").click()

    def takes_picture(self, name: str, folder: Path) -> None:
        """Keep a picture of the newest messages; nothing is cut, and every button is large enough for a finger."""
        for faults in map(self.page.evaluate, (_CUT_TEXTS, _SMALL_BUTTONS)):
            assert faults == [], faults
        self.page.locator(".scroller").evaluate("node => node.scrollTo(0, node.scrollHeight)")
        take_screenshot(self.page, name, folder)


@contextmanager
def phones_of(browser: Browser, running: RunningStack, languages: Mapping[str, str]) -> Iterator[list[Phone]]:
    """Give each new person a phone; `languages` are those of the pages: `{"ケン": "ja-JP"}`.

    At the end, no page has complained, and axe finds nothing on any.
    """
    phones = []
    for name, language in languages.items():
        page = browser.new_page(
            viewport={"width": 390, "height": HEIGHT},
            locale=language,
            timezone_id="Asia/Tokyo",
            base_url=running.stack.url,
        )
        phone = Phone(page=page, name=name)
        page.on("pageerror", phone.fails)
        page.on("console", phone.logs)
        page.goto("/")
        phones.append(phone)
    yield phones
    for phone in phones:
        assert phone.problems == [], phone.problems
        assert (found := findings(phone.page)) == [], found
        phone.page.close()
