from dataclasses import dataclass, field

from operations.line_webhook import WebhookSetting, WebhookTest, register

URL = "https://webhook.example.run.app"


@dataclass
class MemoryLineChannel:
    """A channel whose switches can be set; the test answers what the webhook would."""

    is_active: bool = True
    chat: bool = True
    answers: int = 200
    addresses: list[str] = field(default_factory=list)

    def set_webhook(self, url: str) -> None:
        self.addresses.append(url)

    def webhook(self) -> WebhookSetting:
        return WebhookSetting(url=self.addresses[-1], is_active=self.is_active)

    def test_webhook(self) -> WebhookTest:
        is_ok = self.answers == 200
        return WebhookTest(success=is_ok, status_code=self.answers, reason="OK" if is_ok else "ERROR", detail="")

    def chat_is_on(self) -> bool:
        return self.chat


def test_working_webhook_is_registered() -> None:
    channel = MemoryLineChannel()

    registration = register(channel, URL)

    assert channel.addresses == [URL]
    assert registration.works
    assert not [line for line in registration.lines if "WARNING" in line or "FAILED" in line]


def test_settings_that_the_api_does_not_show_are_always_listed() -> None:
    lines = "\n".join(register(MemoryLineChannel(), URL).lines)

    assert "Webhook redelivery must be ON" in lines
    assert "greeting messages must be OFF" in lines
    assert "join group chats" in lines


def test_webhook_that_is_switched_off_does_not_work() -> None:
    registration = register(MemoryLineChannel(is_active=False), URL)

    assert not registration.works
    assert any("Use webhook is OFF" in line for line in registration.lines)


def test_chat_that_is_off_is_only_a_warning() -> None:
    registration = register(MemoryLineChannel(chat=False), URL)

    assert registration.works
    assert any("Chat is OFF" in line for line in registration.lines)


def test_webhook_that_rejects_the_signature_points_at_the_secret() -> None:
    registration = register(MemoryLineChannel(answers=401), URL)

    assert not registration.works
    assert any("FAILED" in line and "LINE_CHANNEL_SECRET" in line for line in registration.lines)


def test_webhook_without_an_answer_is_reported() -> None:
    assert any("got no answer" in line for line in register(MemoryLineChannel(answers=0), URL).lines)
