"""The settings of the channel through LINE's own SDK, on the wire to LINE's stand-in."""

from collections.abc import Iterator

import pytest

from operations.adapters.line_channel import LineUnavailableError, SdkLineChannel
from operations.line_webhook import register
from shared.errors import LineRefusedError
from simulator.line.harness import ACCESS_TOKEN, WEBHOOK_URL, LineHarness
from simulator.line.switches import Fault
from tests.support.serving import Served, served

URL = "https://webhook.example.run.app/"


@pytest.fixture
def line() -> Iterator[LineHarness]:
    with LineHarness() as rehearsal:
        yield rehearsal


@pytest.fixture
def running(line: LineHarness) -> Iterator[Served]:
    with served(line.platform.app) as running:
        yield running


@pytest.fixture
def channel(running: Served) -> SdkLineChannel:
    return SdkLineChannel(channel_access_token=ACCESS_TOKEN, base_url=running.url)


def test_a_webhook_address_is_set_and_active(channel: SdkLineChannel, line: LineHarness) -> None:
    channel.set_webhook(URL)

    assert channel.webhook().url == URL
    assert channel.webhook().is_active
    assert line.platform.courier.webhook_url == URL


def test_registration_of_an_answering_webhook_succeeds(channel: SdkLineChannel) -> None:
    assert register(channel, WEBHOOK_URL).works


def test_a_refused_signature_fails_the_webhook_test(channel: SdkLineChannel, line: LineHarness) -> None:
    line.webhook.answers.append(401)

    tested = channel.test_webhook()

    assert (tested.success, tested.status_code) == (False, 401)


def test_the_chat_switch_is_read(channel: SdkLineChannel, line: LineHarness) -> None:
    assert channel.chat_is_on() == (line.platform.account.chat_mode == "chat")


def test_an_invalid_address_is_one_clear_error(channel: SdkLineChannel) -> None:
    with pytest.raises(LineRefusedError, match="begin with https://"):
        channel.set_webhook("ftp://example.com")


def test_a_wrong_token_is_one_clear_error(running: Served) -> None:
    channel = SdkLineChannel(channel_access_token="another", base_url=running.url)

    with pytest.raises(LineRefusedError, match="LINE_CHANNEL_ACCESS_TOKEN"):
        channel.webhook()


def test_an_unavailable_line_is_one_clear_error(channel: SdkLineChannel, running: Served, line: LineHarness) -> None:
    running.do(lambda: line.platform.faults.add(Fault(path="/v2/bot/channel/webhook", error_status=500)))

    with pytest.raises(LineUnavailableError, match="LINE answers 500"):
        channel.webhook()
    with pytest.raises(LineUnavailableError, match="cannot be reached"):
        SdkLineChannel(channel_access_token=ACCESS_TOKEN, base_url="http://127.0.0.1:9").webhook()
