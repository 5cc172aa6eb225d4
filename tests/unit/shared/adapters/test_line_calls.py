import json
from collections.abc import Callable
from http.client import HTTPMessage
from types import SimpleNamespace
from typing import Any

import pytest
from linebot.v3.messaging import ApiClient, Configuration, MessagingApi

from shared.adapters import line_sdk
from shared.adapters.http_pool import Answer
from shared.adapters.line_calls import LineCalls
from shared.adapters.line_client import HOST, TIMEOUT_S, LineClient, UnreadableAnswerError
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


class OurWire(LineClient):
    """A client that keeps the one request of the product, and answers it."""

    def __init__(self) -> None:
        super().__init__(FixedSecret("any"), HOST, answer_s=TIMEOUT_S[1])
        self.asked: dict[str, object] = {}

    def ask(
        self, method: str, path: str, *, body: bytes | None = None, headers: dict[str, str] | None = None
    ) -> Answer:
        self.asked = _request(method, f"{HOST}{path}", headers or {}, json.loads(body) if body is not None else None)
        return Answer(status=200, data=json.dumps(ANSWER).encode(), headers=HTTPMessage())


class SdkWire:
    """The transport of the SDK's client; it keeps the one request, and answers it."""

    def __init__(self, client: ApiClient) -> None:
        client.request = self._answer
        self.asked: dict[str, object] = {}

    def _answer(self, method: str, url: str, **asked: Any) -> SimpleNamespace:  # noqa: ANN401 - the SDK's signature
        self.asked = _request(method, url, asked["headers"], asked["body"])
        body = json.dumps(ANSWER).encode()
        return SimpleNamespace(status=200, data=body, getheader=lambda _: "application/json", getheaders=dict)


def _request(method: str, url: str, headers: dict[str, str], body: object) -> dict[str, object]:
    """Return what is compared: not the headers that each client adds to all of its requests."""
    of_client = {"accept", "authorization", "user-agent"}
    lower = {name.lower(): value for name, value in headers.items()}
    return {"method": method, "url": url, "body": body, **{one: lower[one] for one in lower.keys() - of_client}}


@pytest.mark.parametrize("name", CALLS)
def test_a_call_sends_and_reads_what_the_sdk_does(name: str) -> None:
    client = ApiClient(Configuration(access_token="any"))
    of_sdk, ours = SdkWire(client), OurWire()
    our_call, sdk_call = CALLS[name]
    expected = sdk_call(MessagingApi(client))

    answer = our_call(LineCalls(ours))

    assert ours.asked == of_sdk.asked
    assert answer in (expected, None)
    assert (answer is None) == (name in {"loading", "read", "leave group", "leave room"})


@pytest.mark.parametrize("data", [b"", b"[]", b"{}", b"nonsense", b"[" * 100_000])
def test_an_accepted_call_with_an_unreadable_answer_says_so(data: bytes) -> None:
    class Odd(OurWire):
        def ask(self, *_: object, **__: object) -> Answer:
            return Answer(status=200, data=data, headers=HTTPMessage())

    with pytest.raises(UnreadableAnswerError):
        LineCalls(Odd()).reply(REPLY)
