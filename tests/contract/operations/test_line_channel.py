"""The channel's settings through LINE's own SDK, on the wire to a LINE platform."""

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


def test_an_address_that_was_set_is_the_one_that_is_tested(channel: SdkLineChannel, line: LineHarness) -> None:
    channel.set_webhook(URL)

    assert channel.webhook().url == URL
    assert channel.webhook().is_active
    assert line.platform.courier.webhook_url == URL


def test_a_webhook_that_answers_works(channel: SdkLineChannel) -> None:
    assert register(channel, WEBHOOK_URL).works


def test_a_webhook_that_refuses_the_signature_is_told(channel: SdkLineChannel, line: LineHarness) -> None:
    line.webhook.answers.append(401)

    tested = channel.test_webhook()

    assert (tested.success, tested.status_code) == (False, 401)


def test_the_chat_switch_is_read(channel: SdkLineChannel, line: LineHarness) -> None:
    assert channel.chat_is_on() == (line.platform.account.chat_mode == "chat")


def test_an_address_that_line_does_not_take_is_one_clear_error(channel: SdkLineChannel) -> None:
    with pytest.raises(LineRefusedError, match="begin with https://"):
        channel.set_webhook("ftp://example.com")


def test_a_wrong_token_is_one_clear_error(running: Served) -> None:
    channel = SdkLineChannel(channel_access_token="another", base_url=running.url)

    with pytest.raises(LineRefusedError, match="LINE_CHANNEL_ACCESS_TOKEN"):
        channel.webhook()


def test_a_line_that_is_down_is_one_clear_error(channel: SdkLineChannel, running: Served, line: LineHarness) -> None:
    running.do(lambda: line.platform.faults.add(Fault(path="/v2/bot/channel/webhook", error_status=500)))

    with pytest.raises(LineUnavailableError, match="LINE answers 500"):
        channel.webhook()
    with pytest.raises(LineUnavailableError, match="cannot be reached"):
        SdkLineChannel(channel_access_token=ACCESS_TOKEN, base_url="http://127.0.0.1:9").webhook()
