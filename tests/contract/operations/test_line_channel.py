"""The settings of the channel through LINE's own SDK, and without it, on the wire to LINE's stand-in."""

from collections.abc import Iterator

import pytest

from operations.adapters.line_channel import SdkLineChannel
from operations.line_webhook import register
from selfhost.line_channel import HttpLineChannel
from shared.errors import LineRefusedError, TransientError
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


Channel = SdkLineChannel | HttpLineChannel


@pytest.fixture(params=[SdkLineChannel, HttpLineChannel], ids=["sdk", "http"])
def kind(request: pytest.FixtureRequest) -> type[Channel]:
    chosen: type[Channel] = request.param
    return chosen


@pytest.fixture
def channel(running: Served, kind: type[Channel]) -> Channel:
    return kind(channel_access_token=ACCESS_TOKEN, base_url=running.url)


def test_a_webhook_address_is_set_and_active(channel: Channel, line: LineHarness) -> None:
    channel.set_webhook(URL)

    assert channel.webhook().url == URL
    assert channel.webhook().is_active
    assert line.platform.courier.webhook_url == URL


def test_registration_of_an_answering_webhook_succeeds(channel: Channel) -> None:
    assert register(channel, WEBHOOK_URL).works


def test_a_refused_signature_fails_the_webhook_test(channel: Channel, line: LineHarness) -> None:
    line.webhook.answers.append(401)

    tested = channel.test_webhook()

    assert (tested.success, tested.status_code) == (False, 401)


def test_the_chat_switch_is_read(channel: Channel, line: LineHarness) -> None:
    assert channel.chat_is_on() == (line.platform.account.chat_mode == "chat")


def test_an_invalid_address_is_one_clear_error(channel: Channel) -> None:
    with pytest.raises(LineRefusedError, match="begin with https://"):
        channel.set_webhook("ftp://example.com")


def test_a_wrong_token_is_one_clear_error(running: Served, kind: type[Channel]) -> None:
    channel = kind(channel_access_token="another", base_url=running.url)

    with pytest.raises(LineRefusedError, match="LINE_CHANNEL_ACCESS_TOKEN"):
        channel.webhook()


def test_an_unavailable_line_is_one_clear_error(
    channel: Channel, kind: type[Channel], running: Served, line: LineHarness
) -> None:
    running.do(lambda: line.platform.faults.add(Fault(path="/v2/bot/channel/webhook", error_status=500)))

    with pytest.raises(TransientError, match="LINE answers 500"):
        channel.webhook()
    with pytest.raises(TransientError, match="cannot be reached"):
        kind(channel_access_token=ACCESS_TOKEN, base_url="http://127.0.0.1:9").webhook()


def test_the_id_of_the_account_is_read(channel: Channel, line: LineHarness) -> None:
    assert channel.basic_id() == line.platform.account.basic_id
