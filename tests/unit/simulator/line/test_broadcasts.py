"""What is sent to many at once, and what is counted."""

from typing import Any

import pytest

from simulator.line.endpoints import ENDPOINTS, Endpoint
from simulator.line.harness import LineHarness
from simulator.line.people import Friendship

TEXT = [{"type": "text", "text": "hi"}]
NOBODY = "U" + "0" * 32


def post(line: LineHarness, path: str, **body: Any) -> Any:  # noqa: ANN401 - the answer
    return line.call("POST", f"/v2/bot/message/{path}", json={"messages": TEXT, **body})


def texts(line: LineHarness, user_id: str) -> list[str]:
    return [message.content["text"] for message in line.platform.chat(user_id).messages]


def test_a_broadcast_reaches_all_friends_and_counts_each(line: LineHarness) -> None:
    hana = line.platform.add_person("Hana").user_id
    blocked = line.platform.add_person("Taro", friendship=Friendship.BLOCKED).user_id

    assert post(line, "broadcast").json() == {}

    assert (texts(line, line.user_id), texts(line, hana), texts(line, blocked)) == (["hi"], ["hi"], [])
    assert line.call("GET", "/v2/bot/message/quota/consumption").json() == {"totalUsage": 2}


def test_a_narrowcast_tells_its_progress(line: LineHarness) -> None:
    line.platform.add_person("Hana")
    sent = post(line, "narrowcast", limit={"max": 1})
    request_id = sent.headers["x-line-request-id"]

    def progress() -> dict[str, Any]:
        return dict(line.call("GET", f"/v2/bot/message/progress/narrowcast?requestId={request_id}").json())

    phases = []
    for _ in range(3):
        phases.append(progress()["phase"])
        line.clock.advance(s=1)
    assert (sent.status_code, phases) == (202, ["waiting", "sending", "succeeded"])
    assert progress() | {"acceptedTime": "", "completedTime": ""} == {
        "phase": "succeeded",
        "acceptedTime": "",
        "completedTime": "",
        "targetCount": 1,
        "successCount": 1,
        "failureCount": 0,
    }
    assert line.call("GET", "/v2/bot/message/progress/narrowcast?requestId=other").status_code == 404


def test_a_narrowcast_without_recipients_fails_later(line: LineHarness) -> None:
    line.do(lambda: line.platform.unfollow(line.user_id))
    request_id = post(line, "narrowcast").headers["x-line-request-id"]
    line.clock.advance(s=5)

    told = line.call("GET", f"/v2/bot/message/progress/narrowcast?requestId={request_id}").json()

    assert (told["phase"], told["errorCode"]) == ("failed", 2)


@pytest.mark.parametrize("path", ["broadcast", "narrowcast", "multicast"])
def test_a_retry_key_makes_sending_to_many_idempotent(line: LineHarness, path: str) -> None:
    headers = {"X-Line-Retry-Key": "6f6b8f1e-55a5-4a2b-9e5c-5f0f6f1c0a01"}
    body = {"messages": TEXT, **({"to": [line.user_id]} if path == "multicast" else {})}

    first = line.call("POST", f"/v2/bot/message/{path}", json=body, headers=headers)
    again = line.call("POST", f"/v2/bot/message/{path}", json=body, headers=headers)

    assert (first.is_success, again.status_code) == (True, 409)
    assert again.headers["x-line-accepted-request-id"] == first.headers["x-line-request-id"]
    assert texts(line, line.user_id) == ["hi"]


def test_a_multicast_goes_to_users_only(line: LineHarness) -> None:
    group = line.platform.create_group("Lunch", (line.user_id,)).chat_id

    assert post(line, "multicast", to=[line.user_id]).status_code == 200
    assert post(line, "multicast", to=[NOBODY]).status_code == 200
    assert post(line, "multicast", to=[group]).status_code == 400


@pytest.mark.parametrize("path", ["multicast", "broadcast", "narrowcast", "validate/multicast", "validate/broadcast"])
def test_messages_to_many_have_no_mentions_and_no_quotes(line: LineHarness, path: str) -> None:
    line.receive_text()
    [said] = line.platform.chat(line.user_id).messages
    everybody = {
        "type": "textV2",
        "text": "{all}",
        "substitution": {"all": {"type": "mention", "mentionee": {"type": "all"}}},
    }

    for message in (everybody, {"type": "text", "text": "re", "quoteToken": said.quote_token}):
        assert post(line, path, to=[line.user_id], messages=[message]).status_code == 400


@pytest.mark.parametrize("path", ["reply", "push", "multicast", "narrowcast", "broadcast"])
def test_messages_can_be_validated(line: LineHarness, path: str) -> None:
    assert post(line, f"validate/{path}").status_code == 200
    assert post(line, f"validate/{path}", messages=[]).status_code == 400


def test_sent_messages_are_counted_from_the_next_day_on(line: LineHarness) -> None:
    line.reply(line.receive_text(), "one", "two")
    post(line, "push", to=line.user_id)
    today = "20260101"

    assert line.call("GET", f"/v2/bot/message/delivery/reply?date={today}").json() == {"status": "unready"}
    line.clock.advance(s=24 * 3_600)
    counted = {
        way: line.call("GET", f"/v2/bot/message/delivery/{way}?date={today}").json()["success"]
        for way in ("reply", "push", "multicast", "broadcast")
    }
    assert counted == {"reply": 2, "push": 1, "multicast": 0, "broadcast": 0}
    assert line.call("GET", "/v2/bot/message/delivery/push?date=soon").status_code == 400


def test_aggregation_units_are_named_once_a_month(line: LineHarness) -> None:
    post(line, "push", to=line.user_id, customAggregationUnits=["spring"])
    post(line, "multicast", to=[line.user_id], customAggregationUnits=["sale_a"])

    assert line.call("GET", "/v2/bot/message/aggregation/info").json() == {"numOfCustomAggregationUnits": 2}
    listed = line.call("GET", "/v2/bot/message/aggregation/list?limit=1").json()
    assert listed == {"customAggregationUnits": ["sale_a"], "next": "1"}
    assert line.call("GET", "/v2/bot/message/aggregation/list?limit=1&start=1").json()["customAggregationUnits"] == [
        "spring"
    ]
    assert post(line, "push", to=line.user_id, customAggregationUnits=["a", "b"]).status_code == 400
    assert post(line, "push", to=line.user_id, customAggregationUnits=["no spaces"]).status_code == 400


def test_insight_is_plausible_and_marked(line: LineHarness) -> None:
    request_id = post(line, "narrowcast").headers["x-line-request-id"]
    line.clock.advance(s=2 * 24 * 3_600)
    paths = (
        "followers?date=20260101",
        "message/delivery?date=20260101",
        "demographic",
        f"message/event?requestId={request_id}",
        "message/event/aggregation?customAggregationUnit=spring&from=20260101&to=20260102",
    )
    answers = [line.call("GET", f"/v2/bot/insight/{path}") for path in paths]

    assert {answer.headers["x-line-simulator"] for answer in answers} == {"plausible"}
    followers, deliveries, demographic, event, unit = [answer.json() for answer in answers]
    assert followers == {"status": "ready", "followers": 1, "targetedReaches": 1, "blocks": 0}
    assert (deliveries["status"], deliveries["apiNarrowcast"]) == ("ready", 1)
    assert sum(tile["percentage"] for tile in demographic["ages"]) == 100
    assert (event["overview"]["delivered"], event["overview"]["uniqueImpression"]) == (1, None)
    assert unit["overview"]["uniqueClick"] is None


INSIGHT = [endpoint for endpoint in ENDPOINTS if endpoint.path.startswith("/v2/bot/insight/")]


@pytest.mark.parametrize("endpoint", INSIGHT, ids=lambda endpoint: endpoint.path)
def test_insight_is_asked_for_sixty_times_an_hour(line: LineHarness, endpoint: Endpoint) -> None:
    path = endpoint.path.replace("{rich_menu_id}", "richmenu-none")
    statuses = [line.call("GET", path).status_code for _ in range(61)]
    line.clock.advance(s=3_600)

    assert [index for index, status in enumerate(statuses) if status == 429] == [60]
    assert line.call("GET", path).status_code != 429


def test_a_link_token_is_issued(line: LineHarness) -> None:
    issued = line.call("POST", f"/v2/bot/user/{line.user_id}/linkToken").json()

    assert len(issued["linkToken"]) == 32
