"""The whole way of `make serve` with a real browser: page, LINE platform, the tunnel's address, the process, and back to the page."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from simulator.gemini.app import GeminiStandIn
from simulator.line.servers import HttpServer
from simulator.line.standalone import Standalone, StandaloneSettings
from simulator.processes import HOST, free_port, listening_socket, release_port
from tests.support.dying_network import dying_network
from tests.support.loop import LoopThread
from tests.support.self_hosted import SelfHosted, environment
from tests.support.serving import plain_http

PATIENCE_MS = 120_000


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[SelfHosted]:
    """A process behind a tunnel, which is not started, and LINE with its page."""
    settings = StandaloneSettings(port=0, webhook_url=f"http://{HOST}:9/")
    with ExitStack() as stack:
        port, admin_port = free_port(), free_port()
        for held in (port, admin_port):
            stack.callback(release_port, held)
        loop = stack.enter_context(LoopThread())
        line = loop.run(Standalone(settings).__aenter__())
        stack.callback(lambda: loop.run(line.__aexit__(None, None, None)))
        gemini = HttpServer(app=GeminiStandIn().app, sock=listening_socket(0))
        loop.run(gemini.start())
        stack.callback(lambda: loop.run(gemini.stop()))
        tunnel = stack.enter_context(dying_network(port))
        env = environment(
            secret=settings.channel_secret,
            token=settings.channel_access_token,
            line_url=line.url,
            gemini_url=f"http://{HOST}:{gemini.port}",
            ports=(port, admin_port),
            public_url=f"http://{HOST}:{tunnel.port}",
        )
        machine = SelfHosted(loop=loop, line=line.platform, folder=tmp_path, env=env, port=port, admin_port=admin_port)
        stack.callback(machine.kill)
        yield machine


@pytest.fixture
def page(browser: Browser, machine: SelfHosted) -> Iterator[Page]:
    opened = browser.new_page(viewport={"width": 1280, "height": 820}, locale="en-US")
    problems: list[str] = []
    opened.on("pageerror", lambda error: problems.append(str(error)))
    machine.start()
    opened.goto(machine.env["LINE_API_BASE_URL"])
    expect(opened.locator("#text")).to_be_enabled()
    yield opened
    opened.close()
    assert problems == []


def say(page: Page, text: str) -> None:
    page.locator("#text").fill(text)
    page.keyboard.press("Enter")


def test_what_is_written_on_the_page_is_answered_through_the_tunnel(page: Page, machine: SelfHosted) -> None:
    machine.wait_until(lambda: "ok: LINE tried it and got 200" in machine.printed.read_text(encoding="utf-8"))
    answers = page.locator(".row.theirs .bubble:not(.dots)")

    say(page, "My name is Momoko.")
    expect(answers).to_have_count(1, timeout=PATIENCE_MS)
    say(page, "What is my name?")

    expect(answers).to_have_count(2, timeout=PATIENCE_MS)
    expect(answers.last).to_contain_text("Momoko")
    assert f"ok: LINE has the address {machine.env['PUBLIC_URL']}/" in machine.printed.read_text(encoding="utf-8")


def test_the_operators_page_is_shown_on_this_machine_and_not_through_the_tunnel(
    browser: Browser, page: Page, machine: SelfHosted
) -> None:
    machine.wait_until(lambda: "ok: LINE tried it and got 200" in machine.printed.read_text(encoding="utf-8"))
    say(page, "hello")
    expect(page.locator(".row.theirs .bubble:not(.dots)")).to_have_count(1, timeout=PATIENCE_MS)

    status = browser.new_page()
    status.goto(f"http://{HOST}:{machine.admin_port}/")

    expect(status.locator("th")).to_have_text(["LINE", "webhook", "Gemini", "storage", "last message", "due", "budget"])
    for fact in ("LINE", "webhook", "last message", "budget"):
        expect(status.locator("tr.good th", has_text=fact)).to_be_visible()
    status.close()
    with plain_http() as http:
        for path in ("/", "/status", "/admin"):
            assert http.get(f"{machine.env['PUBLIC_URL']}{path}").status_code == 404
