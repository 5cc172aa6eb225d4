"""The registration of the webhook at LINE: again until its test succeeds; then the link and its code."""

import threading

import pytest

from operations.line_webhook import WebhookSetting, WebhookTest
from selfhost.registration import Registration, Registrations, RegistrationState, add_friend_link, qr_code
from shared.errors import LineUnavailableError

PATIENCE_S = 30.0


class FakeChannel:
    """A channel whose tests of the webhook have these status codes, the last of which stays; 0: LINE cannot be reached."""

    def __init__(self, *statuses: int) -> None:
        self.statuses = list(statuses)
        self.url = ""

    def set_webhook(self, url: str) -> None:
        self.url = url

    def webhook(self) -> WebhookSetting:
        return WebhookSetting(url=self.url, is_active=True)

    def test_webhook(self) -> WebhookTest:
        status = self.statuses.pop(0) if len(self.statuses) > 1 else self.statuses[0]
        if status == 0:
            raise LineUnavailableError("LINE cannot be reached")
        return WebhookTest(success=status == 200, status_code=status, reason="r", detail="d")

    def chat_is_on(self) -> bool:
        return True

    def basic_id(self) -> str:
        return "@aizuchi"


@pytest.mark.parametrize(
    ("statuses", "first"), [((200,), "ok: LINE has"), ((0, 200), "FAILED: LINE cannot"), ((530, 200), "ok: LINE has")]
)
def test_the_link_is_reported_once_the_webhook_works(statuses: tuple[int, ...], first: str) -> None:
    reported: list[str] = []
    done = threading.Event()

    def report(text: str) -> None:
        reported.append(text)
        if "line.me" in text:
            done.set()

    channel = FakeChannel(*statuses)
    registration = Registration(channel, "https://bot.example.com/", report=report, pauses_s=(0.0,))
    registration.start()

    assert done.wait(PATIENCE_S)
    registration.stop()
    assert channel.url == "https://bot.example.com/"
    assert reported[0].startswith(first)
    assert registration.state.works


def test_another_address_takes_the_place_of_the_one_before() -> None:
    links = threading.Semaphore(0)
    channel = FakeChannel(200)
    registrations = Registrations(channel, report=lambda text: links.release() if "line.me" in text else None)
    assert registrations.state == RegistrationState()

    for url in ("https://one.example.com", "https://two.example.com"):
        registrations.register(url)
        assert links.acquire(timeout=PATIENCE_S)
        assert channel.url == f"{url}/"
    registrations.stop()

    assert registrations.state.works


def test_the_link_names_the_account() -> None:
    assert add_friend_link("@aizuchi") == "https://line.me/R/ti/p/%40aizuchi"


def test_the_code_fits_into_a_terminal() -> None:
    lines = qr_code(add_friend_link("@aizuchi")).splitlines()

    assert 10 < len(lines) < 24
