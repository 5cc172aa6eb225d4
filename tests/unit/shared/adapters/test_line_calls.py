import json
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from linebot.v3.messaging import ApiClient, MessagingApi

from shared.adapters import line_sdk
from shared.adapters.line_calls import LineCalls
from shared.adapters.line_client import TIMEOUT_S, line_client
from shared.settings.secret import FixedSecret

GROUP, ROOM, USER = "C" + "0" * 32, "R/../" + "0" * 3, "U" + "0" * 32
REPLY = line_sdk.ReplyMessageRequest(replyToken="token", messages=[line_sdk.TextMessage(text="はい")])
PUSH = line_sdk.PushMessageRequest(to=USER, messages=[line_sdk.TextMessage(text="はい")])
LOADING = line_sdk.ShowLoadingAnimationRequest(chatId=USER, loadingSeconds=20)
READ = line_sdk.MarkMessagesAsReadByTokenRequest(markAsReadToken="token")
TEST = line_sdk.TestWebhookEndpointRequest()
KEY = "00000000-0000-4000-8000-000000000000"
ANSWER = {
    "sentMessages": [{"id": "1"}],
    "type": "limited",
    "value": 5,
    "totalUsage": 1,
    "count": 3,
    "displayName": "A",
    "userId": USER,
    "endpoint": "https://a.example/",
    "active": True,
    "success": True,
    "timestamp": "2026-01-01T00:00:00Z",
    "statusCode": 200,
    "reason": "OK",
    "detail": "200",
}
Call = Callable[[LineCalls], object]
SdkCall = Callable[[MessagingApi], object]
CALLS: dict[str, tuple[Call, SdkCall]] = {
    "reply": (lambda it: it.reply(REPLY), lambda it: it.reply_message(REPLY)),
    "push": (lambda it: it.push(PUSH, retry_key=KEY), lambda it: it.push_message(PUSH, x_line_retry_key=KEY)),
    "quota": (lambda it: it.quota(), lambda it: it.get_message_quota()),
    "consumption": (lambda it: it.quota_consumption(), lambda it: it.get_message_quota_consumption()),
    "loading": (lambda it: it.show_loading(LOADING), lambda it: it.show_loading_animation(LOADING)),
    "read": (lambda it: it.mark_as_read(READ), lambda it: it.mark_messages_as_read_by_token(READ)),
    "group count": (lambda it: it.group_member_count(GROUP), lambda it: it.get_group_member_count(GROUP)),
    "room count": (lambda it: it.room_member_count(ROOM), lambda it: it.get_room_member_count(ROOM)),
    "leave group": (lambda it: it.leave_group(GROUP), lambda it: it.leave_group(GROUP)),
    "leave room": (lambda it: it.leave_room(ROOM), lambda it: it.leave_room(ROOM)),
    "profile": (lambda it: it.profile(USER), lambda it: it.get_profile(USER)),
    "in group": (lambda it: it.group_member_profile(GROUP, USER), lambda it: it.get_group_member_profile(GROUP, USER)),
    "in room": (lambda it: it.room_member_profile(ROOM, USER), lambda it: it.get_room_member_profile(ROOM, USER)),
    "endpoint": (lambda it: it.webhook_endpoint(), lambda it: it.get_webhook_endpoint()),
    "test": (lambda it: it.test_webhook_endpoint(TEST), lambda it: it.test_webhook_endpoint(TEST)),
}


class Wire:
    """The transport of a client; it keeps the one request, and answers it."""

    def __init__(self, client: ApiClient) -> None:
        client.request = self._request
        self.asked: dict[str, object] = {}

    def _request(self, method: str, url: str, **asked: Any) -> SimpleNamespace:  # noqa: ANN401 - the SDK's signature
        headers = {name: value for name, value in asked["headers"].items() if name != "Accept"}
        self.asked = {"method": method, "url": url, "headers": headers, "body": asked["body"]}
        self.asked["timeout"] = asked["_request_timeout"]
        body = json.dumps(ANSWER).encode()
        return SimpleNamespace(status=200, data=body, getheader=lambda _: "application/json", getheaders=dict)


@pytest.mark.parametrize("name", CALLS)
def test_a_call_sends_and_reads_what_the_sdk_does(name: str) -> None:
    client = line_client(channel_access_token=FixedSecret("any"), base_url=None)
    wire = Wire(client)
    ours, of_sdk = CALLS[name]
    expected = of_sdk(MessagingApi(client))
    asked = wire.asked

    answer = ours(LineCalls(client))

    assert wire.asked == {**asked, "timeout": TIMEOUT_S}
    assert answer in (expected, None)
    assert (answer is None) == (name in {"loading", "read", "leave group", "leave room"})
