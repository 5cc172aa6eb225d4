"""Foreign web pages neither read the chats nor act in them."""

import pytest

from simulator.line.browser_guard import is_safe_host
from simulator.line.harness import LineHarness
from tests.unit.simulator.line.page.requests import ask


@pytest.mark.parametrize(
    ("host", "is_safe"),
    [
        ("127.0.0.1:8080", True), ("[::1]:8080", True), ("localhost", True), ("line:8080", True), ("bot.localhost", True),
        ("host.docker.internal:8080", True), ("192.168.1.7", True), ("", True),
        ("evil.com", False), ("127.0.0.1.nip.io", False), ("localhost.evil.com:8080", False), ("evil.com.", False),
        ("line.localhost.attacker.dev", False), ("[::1", False), ("evil.com:x", False),
    ],
)  # fmt: skip
def test_only_names_that_nobody_can_register_are_served(host: str, is_safe: bool) -> None:
    assert is_safe_host(host) is is_safe


def test_a_further_name_can_be_allowed() -> None:
    assert is_safe_host("bots.dev:8080", ("bots.dev",))
    assert not is_safe_host("other.bots.dev:8080", ("bots.dev",))


@pytest.mark.parametrize("path", ["/", "/simulator/state", "/simulator/deliveries", "/v2/bot/info", "/static/app.js"])
def test_a_rebound_name_reads_nothing(line: LineHarness, path: str) -> None:
    assert ask(line, "GET", path, headers={"Host": "evil.com"}).status_code == 403


@pytest.mark.parametrize("origin", ["https://evil.com", "null", "http://page.test:81", "http://[", ""])
def test_a_foreign_origin_is_refused(line: LineHarness, origin: str) -> None:
    body = {"user_id": line.user_id, "chat_id": line.user_id, "text": "hi"}

    refused = ask(line, "POST", "/simulator/say", json=body, headers={"Origin": origin})

    assert refused.status_code == 403
    assert line.webhook.events == []


def test_the_pages_own_origin_acts(line: LineHarness) -> None:
    body = {"user_id": line.user_id, "chat_id": line.user_id, "text": "hi"}

    assert ask(line, "POST", "/simulator/say", json=body, headers={"Origin": "http://page.test"}).status_code == 200
