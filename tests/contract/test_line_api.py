"""One suite for the calls to LINE: in memory, and with LINE's own SDK on the wire to a LINE platform."""

import asyncio
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import pytest

from shared.adapters.line_api import LineApi
from shared.adapters.memory import MemoryLineApi
from shared.errors import LineRefusedError
from shared.line.replies import ReplyApi
from simulator.line.rehearsal import ACCESS_TOKEN, Rehearsal
from simulator.line.switches import Fault
from tests.support.serving import served


@dataclass(frozen=True, slots=True, kw_only=True)
class Backend:
    """A LINE with one person. `token` makes a fresh reply token; `said` is what the person saw of the bot."""

    api: ReplyApi
    token: Callable[[], str]
    said: Callable[[], list[str]]
    loses_next_answer: Callable[[], None]
    answers_next_with: Callable[[int], None] = field(default=lambda _: None)


@pytest.fixture
def line() -> Iterator[Rehearsal]:
    with Rehearsal() as rehearsal:
        yield rehearsal


@pytest.fixture
def sdk(line: Rehearsal) -> Iterator[tuple[LineApi, Backend]]:
    with served(line.platform.app) as running:
        api = LineApi(channel_access_token=ACCESS_TOKEN, base_url=running.url)

        def token() -> str:
            said = running.do(lambda: line.platform.say(line.user_id, line.user_id, "hi"))
            asyncio.run_coroutine_threadsafe(line.platform.settled(), running.loop).result()
            assert said.reply_token is not None
            return said.reply_token

        def said() -> list[str]:
            messages = running.do(lambda: list(line.platform.chat(line.user_id).messages))
            return [str(one.content["text"]) for one in messages if one.sender_id != line.user_id]

        def fault(found: Fault) -> None:
            running.do(lambda: line.platform.faults.add(found))

        path = "/v2/bot/message/reply"
        yield (
            api,
            Backend(
                api=api,
                token=token,
                said=said,
                loses_next_answer=lambda: fault(Fault(path=path, nth=1, answer="cut")),
                answers_next_with=lambda status: fault(Fault(path=path, nth=1, error_status=status)),
            ),
        )


@pytest.fixture(params=["memory", "sdk"])
def backend(request: pytest.FixtureRequest) -> Backend:
    if request.param == "sdk":
        found: tuple[LineApi, Backend] = request.getfixturevalue("sdk")
        return found[1]
    memory = MemoryLineApi()
    tokens = iter(f"token-{number}" for number in range(10))
    return Backend(
        api=memory,
        token=lambda: next(tokens),
        said=lambda: [text for texts in memory.replies.values() for text in texts],
        loses_next_answer=lambda: memory.fates.append("unknown"),
        answers_next_with=lambda status: memory.fates.append("not_sent" if status == 429 else "unknown, not sent"),
    )


def test_an_accepted_reply_is_seen_and_its_bubbles_have_ids(backend: Backend) -> None:
    fate = backend.api.reply(backend.token(), ["one", "二つ 😀"])

    assert fate.kind == "accepted"
    assert len(set(fate.sent_message_ids)) == 2
    assert backend.said() == ["one", "二つ 😀"]


def test_a_token_works_once(backend: Backend) -> None:
    token = backend.token()
    backend.api.reply(token, ["one"])

    assert backend.api.reply(token, ["two"]).kind == "refused"
    assert backend.said() == ["one"]


def test_an_answer_that_is_lost_leaves_an_unknown_fate_and_the_text_sent(backend: Backend) -> None:
    token = backend.token()
    backend.loses_next_answer()

    assert backend.api.reply(token, ["one"]).kind == "unknown"
    assert backend.said() == ["one"]
    assert backend.api.reply(token, ["one"]).kind == "refused"


@pytest.mark.parametrize(("status", "kind"), [(500, "unknown"), (503, "unknown"), (429, "not_sent")])
def test_an_error_of_line_tells_whether_anything_can_have_been_sent(backend: Backend, status: int, kind: str) -> None:
    backend.answers_next_with(status)

    assert backend.api.reply(backend.token(), ["one"]).kind == kind
    assert backend.said() == []


def test_a_token_that_was_never_given_is_refused(sdk: tuple[LineApi, Backend]) -> None:
    assert sdk[0].reply("0" * 32, ["one"]).kind == "refused"


def test_a_token_dies_after_a_minute(line: Rehearsal, sdk: tuple[LineApi, Backend]) -> None:
    token = sdk[1].token()
    line.clock.advance(s=61)

    assert sdk[0].reply(token, ["one"]).kind == "refused"


def test_a_wrong_access_token_is_told_as_such(line: Rehearsal) -> None:
    with served(line.platform.app) as running:
        api = LineApi(channel_access_token="wrong", base_url=running.url)

        with pytest.raises(LineRefusedError, match="LINE_CHANNEL_ACCESS_TOKEN"):
            api.reply("0" * 32, ["one"])


def test_a_line_that_cannot_be_reached_has_sent_nothing() -> None:
    api = LineApi(channel_access_token="any", base_url="http://127.0.0.1:9")

    assert api.reply("0" * 32, ["one"]).kind == "not_sent"
    assert api.display_name() is None


def test_the_accounts_name_is_read_once(line: Rehearsal, sdk: tuple[LineApi, Backend]) -> None:
    assert [sdk[0].display_name() for _ in range(3)] == ["Aizuchi"] * 3
    assert [request.path for request in line.platform.requests].count("/v2/bot/info") == 1


def test_presence_is_shown_and_its_failures_are_forgotten(line: Rehearsal, sdk: tuple[LineApi, Backend]) -> None:
    api, _ = sdk

    api.show_loading(line.user_id)
    api.show_loading("C" + "0" * 32)
    api.mark_as_read("no such token")

    statuses = [(request.path, request.status) for request in line.platform.requests]
    assert statuses == [
        ("/v2/bot/chat/loading/start", 202),
        ("/v2/bot/chat/loading/start", 400),
        ("/v2/bot/chat/markAsRead", 400),
    ]
