import pytest

from simulator.line.harness import LineHarness
from simulator.line.line_hosts import LINE_HOSTS
from simulator.line.media import Media
from simulator.line.people import Bot
from simulator.line.platform import LinePlatform
from simulator.line.switches import Fault

TEXT = [{"type": "text", "text": "hi"}]


def group_with_bot(line: LineHarness) -> str:
    group = line.platform.create_group("Lunch", (line.user_id,))
    line.do(lambda: line.platform.join(group.chat_id))
    return group.chat_id


@pytest.mark.parametrize("authorization", ["", "Bearer wrong", "Basic harness-token"])
def test_a_request_without_the_token_is_refused(line: LineHarness, authorization: str) -> None:
    token = line.receive_text()
    body = {"replyToken": token, "messages": TEXT}

    refused = line.call("POST", "/v2/bot/message/reply", json=body, headers={"Authorization": authorization})

    assert refused.status_code == 401
    assert refused.json()["message"].startswith("Authentication failed")
    assert line.reply(token, "hi").status_code == 200


@pytest.mark.parametrize(
    "request_line",
    [
        "POST /v2/bot/message/reply",
        "POST /v2/bot/message/validate/push",
        "POST /v2/bot/chat/loading/start",
        "GET /v2/bot/info",
    ],
)
def test_a_retry_key_is_refused_wherever_nothing_can_be_retried(line: LineHarness, request_line: str) -> None:
    method, path = request_line.split()
    headers = {"X-Line-Retry-Key": "123e4567-e89b-12d3-a456-426655440000"}
    body = {"chatId": line.user_id, "messages": TEXT}

    refused = line.call(method, path, headers=headers, **({"json": body} if method == "POST" else {}))

    assert refused.status_code == 400
    assert refused.json() == {"message": "X-Line-Retry-Key is not supported for this API"}


@pytest.mark.parametrize("path", ["/v2/bot/fortune", "/v2/nothing", "/elsewhere"])
def test_an_unknown_path_is_not_found(line: LineHarness, path: str) -> None:
    answer = line.call("GET", path)

    assert (answer.status_code, answer.json()) == (404, {"message": "Not found"})


def test_a_body_is_json_of_at_most_two_megabytes(line: LineHarness) -> None:
    def post(content: bytes, content_type: str = "application/json") -> int:
        headers = {"Content-Type": content_type}
        return line.call("POST", "/v2/bot/message/reply", content=content, headers=headers).status_code

    assert post(b"{") == 400
    assert post(b"[]") == 400
    assert post(b"\xff") == 400
    assert post(b"{}", "text/plain") == 415
    assert post(b" " * (2 * 1024 * 1024 + 1)) == 413


@pytest.mark.parametrize(
    ("seconds", "messages"),
    [
        (5, []),
        (60, []),
        (0, ["Must be between 5 and 60"]),
        (7, ["must be a multiple of five"]),
        (63, ["Must be between 5 and 60", "must be a multiple of five"]),
    ],
)
def test_the_loading_animation_runs_in_steps_of_five_seconds(
    line: LineHarness, seconds: int, messages: list[str]
) -> None:
    answer = line.call("POST", "/v2/bot/chat/loading/start", json={"chatId": line.user_id, "loadingSeconds": seconds})

    assert answer.status_code == (400 if messages else 202)
    assert [detail["message"] for detail in answer.json().get("details", [])] == messages


def test_the_loading_animation_is_for_people_only(line: LineHarness) -> None:
    answer = line.call("POST", "/v2/bot/chat/loading/start", json={"chatId": group_with_bot(line)})

    assert answer.status_code == 400
    assert answer.json()["details"][0]["message"].startswith("Only user id is acceptable")


def test_a_method_that_the_path_does_not_have_is_not_supported(line: LineHarness) -> None:
    line.platform.allowed_hosts = LINE_HOSTS
    here = line.call("DELETE", "/v2/bot/message/push", headers={"Host": "api.line.me"})
    elsewhere = line.call("DELETE", "/v2/bot/message/push", headers={"Host": "api-data.line.me"})

    assert (here.status_code, here.json()) == (405, {"message": "The request method, 'DELETE', is not supported"})
    assert (elsewhere.status_code, elsewhere.json()) == (404, {"message": "Not found"})


def test_the_101st_loading_call_of_a_second_is_refused(line: LineHarness) -> None:
    body = {"chatId": line.user_id}
    statuses = [line.call("POST", "/v2/bot/chat/loading/start", json=body).status_code for _ in range(101)]
    line.clock.advance(s=1)

    assert statuses == [202] * 100 + [429]
    assert line.call("POST", "/v2/bot/chat/loading/start", json=body).status_code == 202


def test_a_profile_is_shown_to_a_friend_only(line: LineHarness) -> None:
    shown = line.call("GET", f"/v2/bot/profile/{line.user_id}")
    line.do(lambda: line.platform.unfollow(line.user_id))
    hidden = line.call("GET", f"/v2/bot/profile/{line.user_id}")

    assert shown.json() == {"userId": line.user_id, "displayName": "あなた", "language": "ja"}
    assert (hidden.status_code, hidden.json()) == (404, {"message": "Not found"})


def test_a_group_is_readable_while_the_account_is_a_member(line: LineHarness) -> None:
    group_id = group_with_bot(line)
    paths = ["summary", "members/count", f"member/{line.user_id}"]

    answers = [line.call("GET", f"/v2/bot/group/{group_id}/{path}").json() for path in paths]
    stranger = line.call("GET", f"/v2/bot/group/{group_id}/member/U{'0' * 32}")
    ids = line.call("GET", f"/v2/bot/group/{group_id}/members/ids")
    left = line.call("POST", f"/v2/bot/group/{group_id}/leave")
    after = [line.call("GET", f"/v2/bot/group/{group_id}/{path}").status_code for path in paths]

    assert answers == [
        {"groupId": group_id, "groupName": "Lunch"},
        {"count": 1},
        {"userId": line.user_id, "displayName": "あなた"},
    ]
    assert (stranger.status_code, ids.status_code, left.status_code) == (404, 403, 200)
    assert line.webhook.events[-1]["type"] == "leave"
    assert after == [404, 404, 404]
    assert line.call("POST", f"/v2/bot/group/{group_id}/leave").status_code == 404


def test_leaving_a_room_without_the_account_is_accepted(line: LineHarness) -> None:
    assert line.call("POST", f"/v2/bot/room/R{'0' * 32}/leave").status_code == 200


def test_bot_info_has_the_mark_as_read_mode() -> None:
    with LineHarness(bot=Bot(user_id=f"U{'b' * 32}", chat_mode="bot")) as line:
        line.receive_text()
        info = line.call("GET", "/v2/bot/info").json()
        [message] = line.platform.chat(line.user_id).messages

    assert info == {
        "userId": f"U{'b' * 32}",
        "basicId": "@aizuchi",
        "displayName": "Aizuchi",
        "chatMode": "bot",
        "markAsReadMode": "auto",
    }
    assert message.is_read


def test_content_is_served_once_it_is_prepared_and_until_it_is_unsent(line: LineHarness) -> None:
    prepared_at_ms = line.clock.now_ms() + 5_000
    video = Media(content=b"moving", content_type="video/mp4", prepared_at_ms=prepared_at_ms)
    sent = line.do(lambda: line.platform.send_video(line.user_id, line.user_id, video, duration_ms=1_000))
    path = f"/v2/bot/message/{sent.line_message_id}/content"

    early, early_status = line.call("GET", path), line.call("GET", f"{path}/transcoding").json()
    line.clock.advance(s=5)
    ready, ready_status = line.call("GET", path), line.call("GET", f"{path}/transcoding").json()
    line.do(lambda: line.platform.unsend(line.user_id, str(sent.line_message_id)))
    gone = line.call("GET", path)

    assert (early.status_code, early_status) == (202, {"status": "processing"})
    assert (ready.status_code, ready.content, ready.headers["content-type"]) == (200, b"moving", "video/mp4")
    assert ready_status == {"status": "succeeded"}
    assert gone.status_code == 410


def test_a_text_has_no_content(line: LineHarness) -> None:
    sent = line.do(lambda: line.platform.say(line.user_id, line.user_id, "hi"))

    assert line.call("GET", f"/v2/bot/message/{sent.line_message_id}/content").status_code == 404
    assert line.call("GET", "/v2/bot/message/1/content").status_code == 404


def test_the_webhook_can_be_read_set_and_tested(line: LineHarness) -> None:
    line.call("PUT", "/v2/bot/channel/webhook/endpoint", json={"endpoint": "https://bot.test/other"})
    endpoint = line.call("GET", "/v2/bot/channel/webhook/endpoint").json()
    line.webhook.answers = [200, 503, "refuse"]
    fine, failed, refused = (line.call("POST", "/v2/bot/channel/webhook/test", json={}).json() for _ in range(3))

    assert endpoint == {"endpoint": "https://bot.test/other", "active": True}
    assert (fine["success"], fine["statusCode"], fine["reason"]) == (True, 200, "OK")
    assert (failed["success"], failed["statusCode"], failed["reason"]) == (False, 503, "ERROR_STATUS_CODE")
    assert (refused["statusCode"], refused["reason"]) == (0, "COULD_NOT_CONNECT")
    assert line.webhook.payloads[0] == {"destination": line.platform.account.user_id, "events": []}


def test_a_fault_before_the_effect_leaves_the_token_unspent(line: LineHarness) -> None:
    line.platform.faults.add(Fault(path="/v2/bot/message/reply", nth=1, error_status=500))
    token = line.receive_text()

    assert line.reply(token, "one").status_code == 500
    assert line.reply(token, "two").status_code == 200
    assert line.platform.replies_with_effect == 1


def test_faults_apply_at_their_number_and_call_back_around_the_effect(line: LineHarness) -> None:
    told: list[tuple[str, int]] = []
    line.platform.faults.add(
        Fault(
            path="/v2/bot/message/reply",
            nth=2,
            delay_s=3,
            arrived=lambda: told.append(("arrived", line.platform.replies_with_effect)),
            took_effect=lambda: told.append(("took effect", line.platform.replies_with_effect)),
        )
    )
    line.reply(line.receive_text(), "one")
    before_ms = line.clock.now_ms()

    line.reply(line.receive_text(), "two")

    assert told == [("arrived", 1), ("took effect", 2)]
    assert line.clock.now_ms() - before_ms == 3_000


def test_the_log_keeps_requests_without_the_token(line: LineHarness) -> None:
    line.reply(line.receive_text(), "hi")

    [request] = line.platform.requests
    assert (request.method, request.path, request.status, request.has_effect) == (
        "POST",
        "/v2/bot/message/reply",
        200,
        True,
    )
    assert request.body["messages"] == TEXT
    assert "authorization" not in request.headers
    assert "harness-token" not in repr(line.platform)


def test_secrets_are_not_in_the_representation(line: LineHarness) -> None:
    assert isinstance(line.platform, LinePlatform)
    assert line.platform.channel_secret not in repr(line.platform)


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "group/C1/members/ids"),
        ("GET", "room/R1/members/ids"),
        ("GET", "followers/ids"),
        ("POST", "message/markAsRead"),
    ],
)
def test_ids_of_members_and_followers_are_for_verified_accounts(line: LineHarness, method: str, path: str) -> None:
    assert line.call(method, f"/v2/bot/{path}").status_code == 403
