"""No body gives 500, and none poisons the page.  `make fuzz` tries 20,000 bodies, `make test` some hundreds."""

import json
import re
from collections.abc import Iterator
from typing import Any, Final
from urllib.parse import quote, urlencode

import linebot.v3.audience.models as audience_models
import linebot.v3.liff.models as liff_models
import linebot.v3.messaging.models as line_models
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from simulator.line import endpoints
from simulator.line.control.catalog import ACTIONS
from simulator.line.errors import ImpossibleActionError
from simulator.line.harness import LineHarness
from tests.contract.simulator.line.bodies import TEXTS, WILD, bodies
from tests.unit.simulator.line.page.requests import ask

ENDPOINTS: Final = {
    "message/reply": line_models.ReplyMessageRequest,
    "message/push": line_models.PushMessageRequest,
    "message/multicast": line_models.MulticastRequest,
    "message/narrowcast": line_models.NarrowcastRequest,
    "message/broadcast": line_models.BroadcastRequest,
    "message/validate/push": line_models.ValidateMessageRequest,
    "chat/loading/start": line_models.ShowLoadingAnimationRequest,
    "chat/markAsRead": line_models.MarkMessagesAsReadByTokenRequest,
    "richmenu": line_models.RichMenuRequest,
    "richmenu/alias": line_models.CreateRichMenuAliasRequest,
    "richmenu/bulk/link": line_models.RichMenuBulkLinkRequest,
    "richmenu/bulk/unlink": line_models.RichMenuBulkUnlinkRequest,
    "richmenu/batch": line_models.RichMenuBatchRequest,
    "richmenu/validate/batch": line_models.RichMenuBatchRequest,
    "coupon": line_models.CouponCreateRequest,
    "message/pnp/templated/push": line_models.PnpTemplatedMessageRequest,
    "audienceGroup/upload": audience_models.CreateAudienceGroupRequest,
    "audienceGroup/click": audience_models.CreateClickBasedAudienceGroupRequest,
    "/liff/v1/apps": liff_models.AddLiffAppRequest,
    "channel/webhook/endpoint": line_models.SetWebhookEndpointRequest,
    "channel/webhook/test": line_models.TestWebhookEndpointRequest,
}
SHORT: Final = settings(max_examples=20, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
LONG: Final = settings(
    max_examples=1_250,
    deadline=None,
    phases=[Phase.generate],
    report_multiple_bugs=False,
    suppress_health_check=list(HealthCheck),
)
CHECKED_EVERY: Final = 25


class Target:
    """A platform that takes bodies, and is looked at from time to time."""

    def __init__(self, line: LineHarness) -> None:
        self.line = line
        self.count = 0

    def post(self, path: str, body: Any) -> None:  # noqa: ANN401 - any JSON
        self.line.clock.advance(s=3_600)
        if isinstance(body, dict):
            body = {**body, **self._valid(path, body)}
        method = "PUT" if path == "channel/webhook/endpoint" else "POST"
        content = json.dumps(body).encode()
        headers = {"Content-Type": "application/json"}
        full_path = path if path.startswith("/") else f"/v2/bot/{path}"
        answer = self.line.call(method, full_path, content=content, headers=headers)
        assert answer.status_code in {200, 202, 400, 403, 404, 409, 413, 415, 429, 501}, answer.text
        self._look()

    def act(self, name: str, body: Any) -> None:  # noqa: ANN401 - any JSON
        content, headers = json.dumps(body).encode(), {"Content-Type": "application/json"}
        answer = ask(self.line, "POST", f"/simulator/{name}", content=content, headers=headers)
        assert answer.status_code in {200, 400, 409}, answer.text
        self._look()

    def _valid(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        """Most requests name somebody who is there, so that their messages are checked and shown."""
        user_id = next(iter(self.line.platform.people))
        if path == "message/reply" and body.get("replyToken") in TEXTS[:20]:
            return {"replyToken": self._token(user_id)}
        if path in {"message/push", "chat/loading/start"}:
            return {name: user_id for name in ("to", "chatId") if body.get(name) in TEXTS}
        if path == "message/multicast" and len(str(body.get("to"))) % 2:
            return {"to": [user_id]}
        return {}

    def _token(self, user_id: str) -> str | None:
        try:
            return self.line.do(lambda: self.line.platform.say(user_id, user_id, "hi")).reply_token
        except ImpossibleActionError:  # the person blocked the account
            return None

    def _look(self) -> None:
        self.count += 1
        if self.count % CHECKED_EVERY:
            return
        assert ask(self.line, "GET", "/simulator/state").status_code == 200
        assert ask(self.line, "GET", "/simulator/requests").status_code == 200
        assert ask(self.line, "GET", "/simulator/deliveries").status_code == 200
        assert ask(self.line, "GET", "/simulator/recording").status_code == 200
        self.line.do(self.line.platform.reset)
        self.line.platform.courier.webhook_url = "https://bot.test/webhook"
        self.line.webhook.bodies.clear()
        self.line.webhook.headers.clear()


@pytest.fixture(scope="module")
def target() -> Iterator[Target]:
    with LineHarness(monthly_quota=None) as line:
        yield Target(line)


def requests() -> st.SearchStrategy[tuple[str, Any]]:
    """Bodies for every endpoint; those that send messages come more often."""
    paths = [path for path in ENDPOINTS for _ in range(6 if path.startswith("message/") else 1)]
    return st.sampled_from(paths).flatmap(lambda path: st.tuples(st.just(path), bodies(ENDPOINTS[path]) | WILD))


def actions(user_id: str) -> st.SearchStrategy[tuple[str, Any]]:
    """Bodies for every action but those that change the clock or wait."""
    names = sorted(ACTIONS.keys() - {"advance_clock", "switches", "add_fault"})
    return st.sampled_from(names).flatmap(
        lambda name: st.tuples(
            st.just(name),
            st.fixed_dictionaries(
                {}, optional={field: st.sampled_from([user_id, *TEXTS]) | WILD for field in ACTIONS[name].fields}
            )
            | WILD,
        )
    )


def test_no_body_of_a_bot_gives_500(target: Target) -> None:
    @SHORT
    @given(st.lists(requests(), min_size=10, max_size=20))
    def send(found: list[tuple[str, Any]]) -> None:
        for path, body in found:
            target.post(path, body)

    send()


def test_no_body_of_the_control_api_gives_500(target: Target) -> None:
    user_id = next(iter(target.line.platform.people))

    @SHORT
    @given(st.lists(actions(user_id), min_size=10, max_size=20))
    def send(found: list[tuple[str, Any]]) -> None:
        for name, body in found:
            target.act(name, body)

    send()


@pytest.mark.parametrize("name", ["switches", "add_fault", "advance_clock"])
@given(body=WILD)
@settings(max_examples=20, deadline=None, suppress_health_check=list(HealthCheck))
def test_no_value_of_a_switch_or_fault_gives_500(target: Target, name: str, body: object) -> None:
    for field in ACTIONS[name].fields:
        target.act(name, {field: body})
    target.act("reset", {})


@pytest.mark.fuzz
def test_twenty_thousand_bodies_give_no_500(target: Target) -> None:
    user_id = next(iter(target.line.platform.people))
    before, statuses = target.count, dict[int, int]()

    @LONG
    @given(st.lists(requests(), min_size=12, max_size=12), st.lists(actions(user_id), min_size=4, max_size=4))
    def send(found: list[tuple[str, Any]], acted: list[tuple[str, Any]]) -> None:
        for path, body in found:
            target.post(path, body)
            status = target.line.platform.requests[-1].status if target.line.platform.requests else 0
            statuses[status] = statuses.get(status, 0) + 1
        for name, body in acted:
            target.act(name, body)

    send()
    print(f"{target.count - before} bodies; answers to the bot: {sorted(statuses.items())}")  # noqa: T201 - shown by `make fuzz`
    assert target.count - before >= 20_000


ODD = st.text(st.sampled_from("a0-._~%:@!$'()*+,;=U\x00\x7f\ud7ff\u3042\U0001f600 /"), max_size=12)
READS = sorted({(endpoint.method, endpoint.path) for endpoint in endpoints.ENDPOINTS})


@given(
    read=st.sampled_from(READS),
    parts=st.lists(ODD, min_size=2, max_size=2),
    query=st.dictionaries(ODD, ODD, max_size=3),
)
@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
def test_no_path_and_no_query_gives_500(
    target: Target, read: tuple[str, str], parts: list[str], query: dict[str, str]
) -> None:
    method, path = read
    for part in parts:
        path = re.sub(r"\{\w+\}", quote(part, safe=""), path, count=1)
    dated = {"date": "20260101", "limit": "5", "requestId": "x", **query}
    target.line.clock.advance(s=3_600)

    answer = target.line.call(method, f"{path}?{urlencode(dated)}", content=b"\xff")

    assert answer.status_code < 500 or answer.headers.get("x-line-simulator") == "not-modelled", answer.text
