"""A headless Chromium of the distribution, which shows the page of a running stack."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from tests.browser.screenshots import take_screenshot
from tests.support.stacks import running_stack

IN_CI = bool(os.environ.get("CI"))  # noqa: TID251
PATIENCE_MS = 30_000
CHROMIUM_OPTIONS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",  # a container may have 64 MB there, too little for several pages
)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if chromium is None:
        if IN_CI:
            pytest.fail("the browser tests need Chromium, and CI must run them: .ci/run installs it")
        pytest.skip("no Chromium on this machine; on Debian: apt-get install chromium fonts-noto-cjk")
    expect.set_options(timeout=PATIENCE_MS)
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=chromium, args=list(CHROMIUM_OPTIONS))
        yield opened
        opened.close()


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with running_stack(tmp_path_factory.mktemp("browser"), more_env={"SETTLE_MS": "0"}) as (_, stack):
        yield stack.url


@pytest.fixture
def page(browser: Browser, url: str, tmp_path: Path) -> Iterator[Page]:
    opened = browser.new_page(viewport={"width": 1180, "height": 800}, locale="ja-JP", base_url=url)
    problems: list[str] = []
    opened.on("pageerror", lambda error: problems.append(str(error)))
    opened.on("console", lambda said: problems.append(said.text) if said.type == "error" else None)
    opened.goto(url)
    yield opened
    take_screenshot(opened, "page", tmp_path)
    opened.close()
    assert problems == []
