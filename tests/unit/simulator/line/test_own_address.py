"""A bot of this machine: its media, its webhook, and an account that is verified."""

from typing import Any

import pytest

from simulator.line.harness import WEBHOOK_URL, LineHarness
from tests.unit.simulator.line.page.requests import act

LOCAL = "http://127.0.0.1:9000/a.png"


def image(url: str) -> dict[str, Any]:
    return {"type": "image", "originalContentUrl": url, "previewImageUrl": url}


def push(line: LineHarness, message: dict[str, Any]) -> Any:  # noqa: ANN401 - an answer of httpx2
    return line.call("POST", "/v2/bot/message/push", json={"to": line.user_id, "messages": [message]})


def flex(url: str) -> dict[str, Any]:
    hero = {"type": "image", "url": url}
    return {"type": "flex", "altText": "card", "contents": {"type": "bubble", "hero": hero}}


@pytest.mark.parametrize("message", [image(LOCAL), flex("http://localhost/a.png"), image("http://[::1]:80/a.png")])
def test_media_of_this_machine_are_accepted_and_marked(message: dict[str, Any]) -> None:
    with LineHarness(is_strict=False) as line:
        answer = push(line, message)

        assert (answer.status_code, answer.headers["x-line-simulator"]) == (200, "local-media")
        assert list(line.platform.chats[line.user_id].messages)[-1].content == message


@pytest.mark.parametrize("url", ["http://example.com/a.png", "http://127.0.0.1.example.com/a.png", "http://10.0.0.1/a"])
def test_other_media_without_https_are_refused(url: str) -> None:
    with LineHarness(is_strict=False) as line:
        answer = push(line, image(url))

        assert (answer.status_code, "x-line-simulator" in answer.headers) == (400, False)


def test_a_strict_channel_refuses_media_and_webhooks_of_this_machine(line: LineHarness) -> None:
    webhook = line.call("PUT", "/v2/bot/channel/webhook/endpoint", json={"endpoint": "http://127.0.0.1:9/"})

    assert (push(line, image(LOCAL)).status_code, webhook.status_code) == (400, 400)


def test_a_local_url_in_a_text_is_no_media() -> None:
    with LineHarness(is_strict=False) as line:
        answer = push(line, {"type": "text", "text": LOCAL})

        assert "x-line-simulator" not in answer.headers


def test_a_kept_webhook_goes_on_while_the_bot_believes_in_its_own() -> None:
    with LineHarness(keeps_webhook=True) as line:
        other = "https://bot.example/line"
        accepted = line.call("PUT", "/v2/bot/channel/webhook/endpoint", json={"endpoint": other})
        told = line.call("GET", "/v2/bot/channel/webhook/endpoint").json()
        tested = line.call("POST", "/v2/bot/channel/webhook/test", json={"endpoint": other}).json()
        line.receive_text()

        assert (accepted.status_code, told["endpoint"], tested["success"]) == (200, other, True)
        assert line.platform.courier.webhook_url == WEBHOOK_URL
        assert len(line.webhook.bodies) == 2


def pages(line: LineHarness, path: str, name: str, **query: str) -> list[list[str]]:
    found, start = [], ""
    while True:
        told = line.call("GET", path, params={**query, **({"start": start} if start else {})}).json()
        found.append(told[name])
        start = told.get("next", "")
        if not start:
            return found


def test_a_verified_account_lists_its_followers_page_by_page() -> None:
    with LineHarness(is_verified=True) as line:
        act(line, "add_people", count=449)
        act(line, "add_people", count=2, friendship="stranger")
        line.platform.add_person("Hana", has_consented=False)

        by_default = pages(line, "/v2/bot/followers/ids", "userIds")
        at_once = pages(line, "/v2/bot/followers/ids", "userIds", limit="1000")

        assert [len(page) for page in by_default] == [300, 150]
        assert at_once == [[*by_default[0], *by_default[1]]]
        assert line.call("GET", "/v2/bot/followers/ids", params={"limit": "1001"}).status_code == 400
        assert line.call("GET", "/v2/bot/followers/ids", params={"start": "U0"}).status_code == 400


def test_a_verified_account_lists_the_members_of_a_group_page_by_page() -> None:
    with LineHarness(is_verified=True) as line:
        group = line.platform.create_group("Lunch", (line.user_id,)).chat_id
        line.do(lambda: line.platform.join(group))
        act(line, "add_people", count=120, group_id=group)

        assert [len(page) for page in pages(line, f"/v2/bot/group/{group}/members/ids", "memberIds")] == [100, 21]
        assert line.call("GET", f"/v2/bot/room/{group}/members/ids").status_code == 404


def test_a_verified_account_marks_a_chat_as_read() -> None:
    with LineHarness(is_verified=True) as line:
        line.receive_text()

        marked = line.call("POST", "/v2/bot/message/markAsRead", json={"chat": {"userId": line.user_id}})
        unknown = line.call("POST", "/v2/bot/message/markAsRead", json={"chat": {"userId": "U0"}})

        assert marked.status_code == 200
        assert all(message.is_read for message in line.platform.chats[line.user_id].messages)
        assert unknown.json()["message"].startswith("The property, 'chat.userId',")


def test_nobody_can_be_added_to_a_chat_of_two(line: LineHarness) -> None:
    assert act(line, "add_people", count=1, group_id=line.user_id).status_code == 409


@pytest.mark.parametrize("limit", ["", "0", "-1", "1e2", "9" * 5_000, "\u0663"])
def test_a_wrong_limit_of_followers_is_refused(limit: str) -> None:
    with LineHarness(is_verified=True) as line:
        assert line.call("GET", "/v2/bot/followers/ids", params={"limit": limit}).status_code == 400
