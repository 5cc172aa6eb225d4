"""One suite for the calls to LINE: in memory, and with LINE's own SDK on the wire to LINE's stand-in."""

import asyncio
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Final, Protocol
from uuid import UUID, uuid5

import pytest

from shared.adapters.line_api import LineApi
from shared.adapters.memory import MemoryLineApi
from shared.errors import LineRefusedError, LineUnavailableError
from shared.line.cards.card import Card, CardButton, CardRow
from shared.line.cards.questions import question_card
from shared.line.messaging import (
    LinkButton,
    Membership,
    OutgoingMessage,
    PostbackButton,
    PushApi,
    ReplyApi,
    ReplyToken,
    SayButton,
    is_sendable,
)
from shared.line.quota import Quota, QuotaApi
from shared.settings.secret import FixedSecret
from simulator.line.chats import ChatKind
from simulator.line.harness import ACCESS_TOKEN, LineHarness
from simulator.line.switches import Fault
from tests.support.buttons import actions_in
from tests.support.serving import served

BUTTON: Final = PostbackButton(label="見せて", data="late=01HX", display_text="見せて")
GROUP: Final = "C" + "3" * 32
LINK: Final = LinkButton(label="カレンダー", uri="https://example.com/?text=%E8%96%AC")
ONE_BUTTON: Final = OutgoingMessage(text="まだ考えています", button=BUTTON)


class Line(ReplyApi, PushApi, QuotaApi, Membership, Protocol):
    """The calls of LINE's Messaging API that change what people see in a chat."""


INVENTED = ReplyToken(value="0" * 32, received_ms=0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Backend:
    """A LINE with one person.  `token` returns a new reply token; `said` returns the texts of the bot that the person saw."""

    api: Line
    user_id: str
    token: Callable[[], ReplyToken]
    said: Callable[[], list[str]]
    lose_next_answer: Callable[[], None]
    spend_quota: Callable[[], None]
    lift_quota: Callable[[], None]
    lose_quota: Callable[[], None]
    group_id: Callable[[], str]
    fail_next_call_with: Callable[[int], None] = field(default=lambda _: None)

    def reply(self, token: ReplyToken, *texts: str) -> str:
        return self.api.reply(token, messages(*texts)).kind


def messages(*texts: str) -> list[OutgoingMessage]:
    return [OutgoingMessage(text=text) for text in texts]


def retry_key(name: str) -> str:
    return str(uuid5(UUID(int=0), name))


@pytest.fixture
def line() -> Iterator[LineHarness]:
    with LineHarness() as harness:
        yield harness


@pytest.fixture
def sdk(line: LineHarness) -> Iterator[tuple[LineApi, Backend]]:
    with served(line.platform.app) as running:
        api = LineApi(channel_access_token=FixedSecret(ACCESS_TOKEN), base_url=running.url)

        def token() -> ReplyToken:
            said = running.do(lambda: line.platform.say(line.user_id, line.user_id, "hi"))
            asyncio.run_coroutine_threadsafe(line.platform.wait_until_settled(), running.loop).result()
            assert said.reply_token is not None
            return ReplyToken(value=said.reply_token, received_ms=0)

        def said() -> list[str]:
            messages = running.do(lambda: list(line.platform.chat(line.user_id).messages))
            contents = [one.content for one in messages if one.sender_id != line.user_id]
            return [_read_out(content) for content in contents]

        def fault(found: Fault) -> None:
            running.do(lambda: line.platform.faults.add(found))

        def use_up_quota() -> None:
            running.do(lambda: line.platform.quota.count(200, at_ms=line.clock.now_ms()))

        def group_of_three() -> str:
            def gather() -> str:
                others = (line.platform.add_person(name).user_id for name in ("Ken", "Aya"))
                group = line.platform.create_group("Three", (line.user_id, *others))
                line.platform.join(group.chat_id)
                return group.chat_id

            return running.do(gather)

        path = "/v2/bot/message/"
        yield (
            api,
            Backend(
                api=api,
                user_id=line.user_id,
                token=token,
                said=said,
                spend_quota=use_up_quota,
                lift_quota=lambda: running.do(lambda: setattr(line.platform.quota, "limit", None)),
                lose_quota=lambda: fault(Fault(path=f"{path}quota", nth=1, error_status=500)),
                group_id=group_of_three,
                lose_next_answer=lambda: fault(Fault(path=path, nth=1, answer="cut")),
                fail_next_call_with=lambda status: fault(Fault(path=path, nth=1, error_status=status)),
            ),
        )


def _read_out(content: dict[str, Any]) -> str:
    """Return the words of a message as a screen reader reads them."""
    return str(content["altText"] if content["type"] == "flex" else content.get("template", content)["text"])


@pytest.fixture(params=["memory", "sdk"])
def backend(request: pytest.FixtureRequest) -> Backend:
    if request.param == "sdk":
        found: tuple[LineApi, Backend] = request.getfixturevalue("sdk")
        return found[1]
    memory = MemoryLineApi(push_quota=200)
    memory.members[GROUP] = 3
    tokens = iter(ReplyToken(value=f"token-{number}", received_ms=0) for number in range(10))
    return Backend(
        api=memory,
        user_id="U" + "0" * 32,
        token=lambda: next(tokens),
        said=lambda: [text for texts in (*memory.replies.values(), *dict(memory.pushes).values()) for text in texts],
        lose_next_answer=lambda: memory.fates.append("unknown"),
        spend_quota=lambda: setattr(memory, "push_quota_left", 0),
        lift_quota=lambda: setattr(memory, "push_quota_left", None),
        lose_quota=lambda: setattr(memory, "tells_quota", False),
        group_id=lambda: GROUP,
        fail_next_call_with=lambda status: memory.fates.append("not_sent" if status == 429 else "unknown, not sent"),
    )


def test_an_accepted_reply_is_shown_and_its_bubbles_have_ids(backend: Backend) -> None:
    fate = backend.api.reply(backend.token(), messages("one", "二つ 😀"))

    assert fate.kind == "accepted"
    assert len(set(fate.sent_message_ids)) == 2
    assert backend.said() == ["one", "二つ 😀"]


def test_a_text_with_a_button_is_shown(backend: Backend) -> None:
    fate = backend.api.reply(backend.token(), [ONE_BUTTON])

    assert fate.kind == "accepted"
    assert backend.said() == ["まだ考えています"]


def test_a_card_with_each_kind_of_button_and_quick_replies_is_shown(backend: Backend) -> None:
    buttons = (
        CardButton(label="済み", value="remind:done:r1:1"),
        CardButton(label="コピー", value="4711", action="copy"),
        CardButton(label="開く", value="https://example.com/", action="open"),
    )
    card = Card(
        title="リマインダー",
        rows=(CardRow(text="11月", is_heading=True), CardRow(text="薬", detail="明日 09:00", buttons=buttons)),
        buttons=buttons,
    )
    message = OutgoingMessage(text="リマインダー：薬", card=card, quick_replies=(SayButton(text="明日は？"), BUTTON))

    fate = backend.api.reply(backend.token(), [message])

    assert is_sendable([message])
    assert fate.kind == "accepted"
    assert backend.said() == ["リマインダー：薬"]


def test_a_token_works_once(backend: Backend) -> None:
    token = backend.token()
    backend.reply(token, "one")

    assert backend.reply(token, "two") == "refused"
    assert backend.said() == ["one"]


def test_a_lost_answer_leaves_an_unknown_fate_and_the_text_sent(backend: Backend) -> None:
    token = backend.token()
    backend.lose_next_answer()

    assert backend.reply(token, "one") == "unknown"
    assert backend.said() == ["one"]
    assert backend.reply(token, "one") == "refused"


@pytest.mark.parametrize(
    "refused",
    [
        OutgoingMessage(text=""),
        OutgoingMessage(text="x" * 5_001),
        OutgoingMessage(text="😀" * 2_501),
        OutgoingMessage(text="x" * 161, button=BUTTON),
        OutgoingMessage(text="x", button=PostbackButton(label="x" * 21, data="x")),
        OutgoingMessage(text="x", button=PostbackButton(label="x", data="x" * 301)),
        OutgoingMessage(text="x", button=PostbackButton(label="x", data="")),
        OutgoingMessage(text="x", button=PostbackButton(label="x", data="x", display_text="x" * 301)),
        OutgoingMessage(text="x" * 161, links=(LINK,)),
        OutgoingMessage(text="x", links=(LinkButton(label="x" * 21, uri=LINK.uri),)),
        OutgoingMessage(text="x", links=(LinkButton(label="x", uri="https://example.com/" + "x" * 981),)),
        OutgoingMessage(text="x", links=(LinkButton(label="x", uri="javascript:alert()"),)),
        OutgoingMessage(text="x", quick_replies=(BUTTON,) * 14),
        OutgoingMessage(text="x", quick_replies=(PostbackButton(label="x", data="x" * 301),)),
    ],
    ids=lambda message: f"{len(message.text)}, {len(message.quick_replies)}, {message.button or message.links}",
)
def test_an_unsendable_message_is_refused_and_spends_no_token(backend: Backend, refused: OutgoingMessage) -> None:
    token = backend.token()

    assert not is_sendable([refused])
    assert backend.api.reply(token, [*messages("one"), refused]).kind == "refused"
    assert backend.reply(token, "one") == "accepted"
    assert backend.said() == ["one"]


@pytest.mark.parametrize(
    "accepted",
    [
        OutgoingMessage(text="x" * 5_000),
        OutgoingMessage(text="x" * 160, button=PostbackButton(label="x" * 20, data="x" * 300, display_text="x" * 300)),
        OutgoingMessage(text="x" * 160, links=(LinkButton(label="x" * 20, uri="https://example.com/" + "x" * 980),)),
        OutgoingMessage(text="x", button=BUTTON, links=(LINK,), quick_replies=(BUTTON,) * 13),
    ],
    ids=["text", "button", "link", "quick replies"],
)
def test_a_message_at_the_limit_is_sent(backend: Backend, accepted: OutgoingMessage) -> None:
    assert is_sendable([accepted] * 5)
    assert backend.api.reply(backend.token(), [accepted] * 5).kind == "accepted"


def test_a_repeated_push_is_shown_once(backend: Backend) -> None:
    key = retry_key("one")
    first = backend.api.push(backend.user_id, messages("one", "two"), retry_key=key)
    again = backend.api.push(backend.user_id, messages("one", "two"), retry_key=key)

    assert (first.kind, again.kind) == ("accepted", "already_accepted")
    assert first.sent_message_ids == again.sent_message_ids
    assert len(set(first.sent_message_ids)) == 2
    assert backend.said() == ["one", "two"]


def test_a_repeated_push_reports_that_the_lost_one_was_accepted(backend: Backend) -> None:
    backend.lose_next_answer()

    assert backend.api.push(backend.user_id, messages("one"), retry_key=retry_key("one")).kind == "unknown"
    assert backend.api.push(backend.user_id, messages("one"), retry_key=retry_key("one")).kind == "already_accepted"
    assert backend.said() == ["one"]


def test_a_push_beyond_the_monthly_quota_has_its_own_fate(backend: Backend) -> None:
    backend.spend_quota()

    assert backend.api.push(backend.user_id, messages("one"), retry_key=retry_key("one")).kind == "quota_spent"
    assert backend.said() == []


def test_an_unsendable_push_is_refused(backend: Backend) -> None:
    assert backend.api.push(backend.user_id, messages(""), retry_key=retry_key("one")).kind == "refused"


@pytest.mark.parametrize(("status", "kind"), [(500, "unknown"), (429, "not_sent")])
def test_a_status_of_line_decides_the_fate_of_a_push(backend: Backend, status: int, kind: str) -> None:
    backend.fail_next_call_with(status)

    assert backend.api.push(backend.user_id, messages("one"), retry_key=retry_key("one")).kind == kind
    assert backend.said() == []


@pytest.mark.parametrize(("status", "kind"), [(500, "unknown"), (503, "unknown"), (429, "not_sent")])
def test_a_status_of_line_decides_the_fate_of_a_reply(backend: Backend, status: int, kind: str) -> None:
    backend.fail_next_call_with(status)

    assert backend.reply(backend.token(), "one") == kind
    assert backend.said() == []


def test_an_invented_token_is_refused(sdk: tuple[LineApi, Backend]) -> None:
    assert sdk[0].reply(INVENTED, messages("one")).kind == "refused"


def test_a_token_expires_after_a_minute(line: LineHarness, sdk: tuple[LineApi, Backend]) -> None:
    token = sdk[1].token()
    line.clock.advance(s=61)

    assert sdk[0].reply(token, messages("one")).kind == "refused"


def test_a_wrong_access_token_is_refused_with_the_setting_named(line: LineHarness) -> None:
    with served(line.platform.app) as running:
        api = LineApi(channel_access_token=FixedSecret("wrong"), base_url=running.url)

        with pytest.raises(LineRefusedError, match="LINE_CHANNEL_ACCESS_TOKEN"):
            api.reply(INVENTED, messages("one"))


def test_a_call_that_does_not_reach_line_was_not_sent() -> None:
    api = LineApi(channel_access_token=FixedSecret("any"), base_url="http://127.0.0.1:9")

    assert api.reply(INVENTED, messages("one")).kind == "not_sent"
    assert api.display_name() is None


def test_the_accounts_name_is_read_once(line: LineHarness, sdk: tuple[LineApi, Backend]) -> None:
    assert [sdk[0].display_name() for _ in range(3)] == ["Aizuchi"] * 3
    assert [request.path for request in line.platform.requests].count("/v2/bot/info") == 1


def test_presence_is_shown_and_its_failures_are_ignored(line: LineHarness, sdk: tuple[LineApi, Backend]) -> None:
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


def test_an_answer_quotes_its_question(line: LineHarness, sdk: tuple[LineApi, Backend]) -> None:
    token = sdk[1].token()
    quote_token = next(iter(line.platform.chat(line.user_id).messages)).quote_token

    fate = sdk[0].reply(token, [OutgoingMessage(text="one", quote_token=quote_token)])

    answer = line.platform.message(fate.sent_message_ids[0])
    assert answer is not None
    assert answer[1].content["quoteToken"] == quote_token


def test_a_reply_with_a_refused_quote_token_is_sent_without_the_quote(
    line: LineHarness, sdk: tuple[LineApi, Backend]
) -> None:
    quoting = OutgoingMessage(text="one", quote_token="of another chat")

    fate = sdk[0].reply(sdk[1].token(), [quoting, *messages("two")])

    assert fate.kind == "accepted"
    assert sdk[1].said() == ["one", "two"]
    replies = [request.status for request in line.platform.requests if request.path == "/v2/bot/message/reply"]
    assert replies == [400, 200]


def test_a_quote_is_kept_where_line_refuses_another_property(line: LineHarness, sdk: tuple[LineApi, Backend]) -> None:
    quoting = OutgoingMessage(text="one", quote_token="of another chat")

    fate = sdk[0].reply(sdk[1].token(), [quoting, OutgoingMessage(text="x" * 5_001)])

    assert fate.kind == "refused"
    assert [request.path for request in line.platform.requests].count("/v2/bot/message/reply") == 1


def test_a_spent_token_is_refused_once_whatever_the_message_quotes(
    line: LineHarness, sdk: tuple[LineApi, Backend]
) -> None:
    api, backend = sdk
    token = backend.token()
    quote_token = next(iter(line.platform.chat(line.user_id).messages)).quote_token
    backend.reply(token, "one")

    assert api.reply(token, [OutgoingMessage(text="two", quote_token=quote_token)]).kind == "refused"
    assert [request.path for request in line.platform.requests].count("/v2/bot/message/reply") == 2


def test_more_messages_than_a_call_takes_are_refused(backend: Backend) -> None:
    assert not is_sendable(messages(*"abcdef"))
    assert backend.reply(backend.token(), *"abcdef") == "refused"
    assert backend.api.push(backend.user_id, messages(*"abcdef"), retry_key=retry_key("one")).kind == "refused"


def test_a_button_is_shown_as_a_postback_action(line: LineHarness, sdk: tuple[LineApi, Backend]) -> None:
    fate = sdk[0].reply(sdk[1].token(), [ONE_BUTTON])

    found = line.platform.message(fate.sent_message_ids[0])
    assert found is not None
    assert found[1].content["altText"] == "まだ考えています"
    action = found[1].content["template"]["actions"][0]
    assert action == {"type": "postback", "label": "見せて", "data": "late=01HX", "displayText": "見せて"}


def test_the_buttons_of_a_question_stand_on_its_card(line: LineHarness, sdk: tuple[LineApi, Backend]) -> None:
    decline = PostbackButton(label="やめる", data="no:01HX")
    asked = OutgoingMessage(text="消す？", card=question_card("消す？"), button=BUTTON, decline=decline, links=(LINK,))

    fate = sdk[0].reply(sdk[1].token(), [asked])

    message = line.platform.message(fate.sent_message_ids[0])
    assert message is not None
    assert (message[1].content["type"], message[1].content["altText"]) == ("flex", "消す？")
    accept, declines, link = actions_in(message[1].content)
    assert accept == {"type": "postback", "label": "見せて", "data": "late=01HX", "displayText": "見せて"}
    assert (declines["data"], link["uri"]) == ("no:01HX", LINK.uri)


def test_a_link_and_quick_replies_go_on_the_wire(line: LineHarness, sdk: tuple[LineApi, Backend]) -> None:
    linked = OutgoingMessage(text="薬", links=(LINK,))
    asked = OutgoingMessage(text="薬の時間です", quick_replies=(BUTTON,))

    fate = sdk[0].push(sdk[1].user_id, [linked, asked], retry_key=retry_key("reminder"))

    template, text = (line.platform.message(one) for one in fate.sent_message_ids)
    assert template is not None
    assert text is not None
    (action,) = template[1].content["template"]["actions"]
    assert action == {"type": "uri", "label": "カレンダー", "uri": "https://example.com/?text=%E8%96%AC"}
    (item,) = text[1].content["quickReply"]["items"]
    assert item["action"] == {"type": "postback", "label": "見せて", "data": "late=01HX", "displayText": "見せて"}


@pytest.mark.parametrize("kind", [ChatKind.GROUP, ChatKind.ROOM])
def test_leaving_a_chat_twice_does_nothing_more(
    line: LineHarness, sdk: tuple[LineApi, Backend], kind: ChatKind
) -> None:
    people = (line.user_id,)
    chat = line.platform.create_room(people) if kind is ChatKind.ROOM else line.platform.create_group("all", people)
    chat.bot_is_member = True

    sdk[0].leave(chat.chat_id)
    sdk[0].leave(chat.chat_id)

    assert not chat.bot_is_member


def test_a_failed_leave_is_a_transient_error(line: LineHarness, sdk: tuple[LineApi, Backend]) -> None:
    line.platform.faults.add(Fault(path="/v2/bot/group/", nth=1, error_status=500))

    with pytest.raises(LineUnavailableError, match="leave"):
        sdk[0].leave("C" + "0" * 32)


def test_the_quota_tells_what_was_pushed(backend: Backend) -> None:
    assert backend.api.push_quota() == Quota(limit=200, used=0)

    backend.api.push(backend.user_id, messages("one", "two"), retry_key=retry_key("a"))
    backend.api.push(backend.user_id, messages("one", "two"), retry_key=retry_key("a"))

    assert backend.api.push_quota() == Quota(limit=200, used=1)


def test_an_account_without_a_limit_has_none(backend: Backend) -> None:
    backend.lift_quota()

    assert backend.api.push_quota() == Quota(limit=None)


def test_a_quota_that_line_does_not_tell_is_unknown(backend: Backend) -> None:
    backend.lose_quota()

    assert backend.api.push_quota() is None


def test_a_group_counts_its_members_and_an_unknown_one_is_unknown(backend: Backend) -> None:
    assert backend.api.member_count(backend.group_id()) == 3
    assert backend.api.member_count("C" + "9" * 32) is None
