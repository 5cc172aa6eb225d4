from concurrent.futures import ThreadPoolExecutor

import pytest

from shared.adapters.line_bot_info import BotInfo, CachedBotInfo
from shared.adapters.line_on_demand import LateLineApi, SdkOnDemand
from shared.adapters.memory import FixedClock
from shared.line.messaging import OutgoingMessage, ReplyToken
from shared.settings.secret import FixedSecret


@pytest.fixture
def sdk(clock: FixedClock) -> SdkOnDemand:
    return SdkOnDemand(channel_access_token=FixedSecret("t"), base_url="http://127.0.0.1:9", clock=clock)


def test_the_sdk_is_built_once_whoever_asks(sdk: SdkOnDemand) -> None:
    with ThreadPoolExecutor(8) as pool:
        built = list(pool.map(lambda _: sdk.get(), range(8)))

    assert len({id(one) for one in built}) == 1


def test_a_call_reaches_line_through_the_sdk(sdk: SdkOnDemand) -> None:
    fate = LateLineApi(sdk).reply(ReplyToken(value="token", received_ms=0), [OutgoingMessage(text="hi")])

    assert fate.kind == "not_sent"


def test_who_the_bot_is_is_known_without_the_sdk(
    sdk: SdkOnDemand, clock: FixedClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse() -> None:
        raise AssertionError("the SDK was built")

    monkeypatch.setattr(sdk, "_build", refuse)
    sdk.bot_info = CachedBotInfo(lambda: BotInfo(display_name="Aizuchi", mark_as_read_mode="manual"), clock)
    api = LateLineApi(sdk)

    assert (api.display_name(), api.marks_reads_by_hand()) == ("Aizuchi", True)
