"""The texts that the code writes around an answer, in four languages: the end of a cut answer, its button, and a question to erase."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import pytest
from playwright.sync_api import Browser, Page, expect

from shared.line.phrases import Phrase, phrase
from shared.locales import LOCALES
from simulator.gemini.script import call
from tests.browser.screenshots import take_screenshot
from tests.browser.test_manners import bot
from tests.browser.test_page import say
from tests.support.stacks import running_stack

Script = Callable[..., None]
QUESTIONS: Final = {
    "ja": "富士山の登り方を詳しく教えて",
    "en": "Tell me all about climbing Mount Fuji",
    "zh-TW": "請詳細告訴我怎麼爬富士山",
    "th": "เล่าเรื่องปีนภูเขาไฟฟูจิให้ฟังหน่อย",
}
SENTENCES: Final = {
    "ja": "山開きは7月から9月初めまでです。吉田口は初めての人にも歩きやすい道です。山小屋は早めに予約しましょう。",
    "en": "The season lasts from July to early September. The Yoshida trail suits beginners. Book a hut early. ",
    "zh-TW": "登山季從七月到九月初。吉田路線適合第一次去的人。山屋要早點預訂，晚上很冷，記得帶外套。",
    "th": "ฤดูปีนเขาเริ่มเดือนกรกฎาคมถึงต้นกันยายน เส้นทางโยชิดะเหมาะกับมือใหม่ ควรจองที่พักแต่เนิ่นๆ ",
}
REST: Final = {
    "ja": "下りは砂走りを通ると早く着きます。",
    "en": "On the way down, the sand run is the fastest.",
    "zh-TW": "下山走砂走道最快。",
    "th": "ขาลงใช้ทางทรายจะเร็วที่สุด",
}


@pytest.fixture(scope="module")
def stack_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Script]]:
    folder = tmp_path_factory.mktemp("texts")
    with running_stack(folder, more_env={"SETTLE_MS": "0"}) as (loop, stack):

        def script(**reply: Any) -> None:  # noqa: ANN401 - arguments of `reply`
            async def write() -> None:
                stack.gemini.script([call("reply", reply)])

            loop.run(write())

        yield stack.url, script


@pytest.fixture
def phone(browser: Browser, stack_url: tuple[str, Script]) -> Iterator[Page]:
    opened = browser.new_page(viewport={"width": 390, "height": 1000}, locale="ja-JP", timezone_id="Asia/Tokyo")
    opened.goto(stack_url[0])
    expect(opened.locator("#text")).to_be_enabled()
    yield opened
    opened.close()


@pytest.mark.parametrize("locale", LOCALES)
def test_a_cut_answer_and_a_question_to_erase_are_in_the_language_of_the_person(
    phone: Page, stack_url: tuple[str, Script], tmp_path: Path, locale: str
) -> None:
    _, script = stack_url

    def text(which: Phrase) -> str:
        return phrase(which, locale=locale, bot_name="")

    script(message=SENTENCES[locale] * 20)
    say(phone, QUESTIONS[locale])
    expect(bot(phone).last).to_contain_text(text(Phrase.GOES_ON))
    button = phone.locator("#quick-replies button", has_text=text(Phrase.GO_ON_BUTTON))
    expect(button).to_be_visible()
    script(message=REST[locale])
    button.click()
    expect(phone.locator(".row.mine .bubble").last).to_contain_text(text(Phrase.GO_ON_BUTTON))
    expect(bot(phone).last).to_contain_text(REST[locale])
    say(phone, "/forget")
    erase = phone.locator(".row.theirs").get_by_role("button", name=text(Phrase.FORGET_BUTTON))
    expect(erase.last).to_be_visible()
    take_screenshot(phone, f"texts-{locale}", tmp_path)
    erase.last.click()
    expect(bot(phone).last).to_contain_text(text(Phrase.FORGET_DONE))
