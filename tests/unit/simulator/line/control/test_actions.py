"""The control API: every action over HTTP, as tests of other people's bots use it."""

import base64
from typing import Any

import pytest

from simulator.line.control.catalog import ACTIONS
from simulator.line.harness import LineHarness
from tests.unit.simulator.line.page.requests import act, ask

PHOTO = base64.b64encode(b"a photo").decode()


def control(line: LineHarness, action: str, **body: object) -> dict[str, Any]:
    answer = ask(line, "POST", f"/simulator/{action}", json=body)
    assert answer.status_code == 200, answer.text
    return dict(answer.json())


def contents(line: LineHarness) -> list[dict[str, Any]]:
    return [event["message"] for event in line.webhook.events if event["type"] == "message"]


@pytest.mark.parametrize(
    ("action", "body", "kind"),
    [
        ("say", {"text": "hi"}, "text"), ("sticker", {}, "sticker"), ("image", {}, "image"), ("video", {}, "video"),
        ("audio", {"duration_ms": 90}, "audio"), ("file", {"file_name": "a.pdf"}, "file"),
        ("location", {"latitude": 1, "longitude": 2.5}, "location"),
    ],
)  # fmt: skip
def test_every_kind_of_message_is_sent(line: LineHarness, action: str, body: dict[str, Any], kind: str) -> None:
    sent = act(line, action, **body).json()

    [message] = contents(line)
    assert (message["type"], message["id"]) == (kind, sent["line_message_id"])


def test_content_is_what_was_given(line: LineHarness) -> None:
    sent = act(line, "image", content_base64=PHOTO, content_type="image/jpeg", prepared_after_s=5).json()
    path = f"/v2/bot/message/{sent['line_message_id']}/content"

    assert line.call("GET", path).status_code == 202
    control(line, "advance_clock", seconds=5)
    assert line.call("GET", path).content == b"a photo"


def test_an_image_set_is_several_events(line: LineHarness) -> None:
    act(line, "image_set", count=3)

    sets = [message["imageSet"] for message in contents(line)]
    assert [(one["index"], one["total"]) for one in sets] == [(1, 3), (2, 3), (3, 3)]
    assert len({one["id"] for one in sets}) == 1


@pytest.mark.parametrize(
    ("action", "body", "event"),
    [
        ("beacon", {"hwid": "d41d8cd98f", "type": "stay", "dm": "beef"}, {"beacon": {"hwid": "d41d8cd98f", "type": "stay", "dm": "beef"}}),
        ("account_link", {"nonce": "n", "result": "failed"}, {"link": {"result": "failed", "nonce": "n"}}),
        ("membership", {"membership_id": 7, "type": "renewed"}, {"membership": {"type": "renewed", "membershipId": 7}}),
        ("raw_event", {"event": {"type": "telepathy", "link": "x"}}, {"type": "telepathy"}),
        ("raw_event", {"event": {"type": "accountLink", "link": "x"}}, {"type": "accountLink", "link": "x"}),
    ],
)  # fmt: skip
def test_events_that_no_message_causes(
    line: LineHarness, action: str, body: dict[str, Any], event: dict[str, Any]
) -> None:
    act(line, action, **body)

    [sent] = line.webhook.events
    assert {name: sent[name] for name in event} == event


def test_a_raw_delivery_has_any_body_and_signature(line: LineHarness) -> None:
    control(line, "raw_delivery", body="{not json", signature="forged")
    control(line, "raw_delivery", body="{}")

    forged, right = line.webhook.headers
    assert (line.webhook.bodies[0], forged["x-line-signature"]) == (b"{not json", "forged")
    assert len(base64.b64decode(right["x-line-signature"])) == 32


def test_reply_tokens_expire_on_command(line: LineHarness) -> None:
    token = line.receive_text()

    control(line, "advance_clock", seconds=61)

    assert line.reply(token, "late").json() == {"message": "Invalid reply token"}


def test_an_event_is_redelivered_on_command(line: LineHarness) -> None:
    said = act(line, "say", text="hi").json()

    control(line, "redeliver", webhook_event_id=said["webhook_event_id"])

    first, again = line.webhook.events
    assert [first["deliveryContext"]["isRedelivery"], again["deliveryContext"]["isRedelivery"]] == [False, True]
    assert ask(line, "POST", "/simulator/redeliver", json={"webhook_event_id": "other"}).status_code == 409


def test_faults_begin_and_end(line: LineHarness) -> None:
    control(line, "add_fault", path="/v2/bot/info", error_status=503)
    assert line.call("GET", "/v2/bot/info").status_code == 503
    control(line, "clear_faults")
    assert line.call("GET", "/v2/bot/info").status_code == 200
    control(line, "add_fault", path="/v2/bot/info", error_status=429, nth=2)
    assert [line.call("GET", "/v2/bot/info").status_code for _ in range(3)] == [200, 429, 200]


def test_held_deliveries_wait_for_their_release(line: LineHarness) -> None:
    control(line, "switches", holds=True)
    first, second = (act(line, "say", text=text).json()["webhook_event_id"] for text in ("one", "two"))
    assert line.webhook.events == []

    control(line, "release", webhook_event_ids=[second, first])

    assert [message["text"] for message in contents(line)] == ["two", "one"]


def test_consent_quota_and_webhook_are_set(line: LineHarness) -> None:
    control(line, "set_consent", user_id=line.user_id, has_consented=False)
    control(line, "set_quota", limit=0)
    control(line, "set_webhook", url="http://other.test/hook")

    assert line.call("GET", f"/v2/bot/profile/{line.user_id}").status_code == 404
    pushed = {"to": line.user_id, "messages": [{"type": "text", "text": "hi"}]}
    assert line.call("POST", "/v2/bot/message/push", json=pushed).status_code == 429
    assert line.call("GET", "/v2/bot/channel/webhook/endpoint").json()["endpoint"] == "http://other.test/hook"


def test_a_reset_forgets_everything(line: LineHarness) -> None:
    act(line, "say", text="hi")
    control(line, "add_fault", path="/", error_status=500)

    user_id = control(line, "reset")["user_id"]

    state = ask(line, "GET", "/simulator/state").json()
    assert [person["user_id"] for person in state["people"]] == [user_id]
    assert state["chats"][0]["entries"] == state["facts"] == []
    assert line.call("GET", "/v2/bot/info").status_code == 200


def test_the_bots_messages_are_waited_for(line: LineHarness) -> None:
    token = line.receive_text()
    [asked] = line.platform.chat(line.user_id).messages
    line.reply(token, "one", "two")

    query = f"chat_id={line.user_id}&after={asked.line_message_id}&count=2&wait_s=1"
    said = ask(line, "GET", f"/simulator/bot_messages?{query}").json()["messages"]
    none = ask(line, "GET", f"/simulator/bot_messages?chat_id={line.user_id}&count=3&wait_s=0").json()["messages"]

    assert [one["content"]["text"] for one in said] == ["one", "two"]
    assert len(none) == 2
    assert ask(line, "GET", "/simulator/bot_messages?chat_id=U&count=x").status_code == 400
    assert ask(line, "GET", f"/simulator/bot_messages?chat_id={line.user_id}&wait_s=nan").status_code == 400


def test_requests_and_deliveries_can_be_read(line: LineHarness) -> None:
    line.reply(line.receive_text("hello"), "hi")

    [request] = ask(line, "GET", "/simulator/requests").json()["requests"]
    [delivery] = ask(line, "GET", "/simulator/deliveries").json()["deliveries"]

    assert (request["path"], request["body"]["messages"][0]["text"]) == ("/v2/bot/message/reply", "hi")
    assert "hello" in delivery["body"]
    assert (delivery["status"], delivery["is_accepted"], len(delivery["signature"])) == (200, True, 44)
    assert ask(line, "POST", "/simulator/wait", json={"timeout_s": 1}).json() == {"is_settled": True}


@pytest.mark.parametrize("name", sorted(ACTIONS))
def test_every_action_refuses_fields_of_the_wrong_type(line: LineHarness, name: str) -> None:
    action = ACTIONS[name]
    wrongs: tuple[object, ...] = (None, 7, "x", [], {}, True, 1e300, ["\x00"])
    for wrong in wrongs:
        body = dict.fromkeys(action.fields, wrong)
        assert ask(line, "POST", f"/simulator/{name}", json=body).status_code in {200, 400, 409}
    assert ask(line, "POST", f"/simulator/{name}", json={"no such": 1}).status_code == 400
    assert (
        ask(
            line, "POST", f"/simulator/{name}", content=b"[1]", headers={"Content-Type": "application/json"}
        ).status_code
        == 400
    )
    assert ask(line, "GET", "/simulator/state").status_code == 200
