"""What is due on the page, and the switch that moves the local stack's clock."""

from playwright.sync_api import Page, expect

from tests.browser.test_page import bubbles_after_answer_to


def test_the_switch_of_the_clock_lets_time_pass_for_the_whole_stack(page: Page) -> None:
    page.locator("#filed-button").click()
    clock = page.locator("#clock")
    expect(clock).to_contain_text("シミュレーターだけの機能")
    began_ms = page.evaluate("fetch('/simulator/state').then((r) => r.json()).then((s) => s.now_ms)")

    clock.get_by_role("button", name="1時間進める").click()

    expect(clock.get_by_role("status")).to_contain_text("この中では")
    expect(clock.get_by_role("button", name="1時間進める")).to_be_enabled()
    assert (
        page.evaluate("fetch('/simulator/state').then((r) => r.json()).then((s) => s.now_ms)") >= began_ms + 3_600_000
    )
    page.locator("#filed-close").click()
    bubbles_after_answer_to(page, "こんばんは")
