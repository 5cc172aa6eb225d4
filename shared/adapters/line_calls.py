"""The product's calls of the Messaging API, with the client, the message types and the answer types of LINE's SDK.

The SDK's own list of calls, `MessagingApi`, wraps two hundred calls into validators during its import: 8 MB and 0.2 s of CPU time.
Source: line-bot-sdk 3.27, `MessagingApi` (paths, headers and types of answers), `ApiClient.call_api`.
"""

from typing import Any, Final
from urllib.parse import quote

from shared.adapters.line_client import TIMEOUT_S
from shared.adapters.line_sdk import (
    ApiClient,
    GetWebhookEndpointResponse,
    GroupMemberCountResponse,
    GroupUserProfileResponse,
    MarkMessagesAsReadByTokenRequest,
    MessageQuotaResponse,
    PushMessageRequest,
    PushMessageResponse,
    QuotaConsumptionResponse,
    ReplyMessageRequest,
    ReplyMessageResponse,
    RoomMemberCountResponse,
    RoomUserProfileResponse,
    ShowLoadingAnimationRequest,
    TestWebhookEndpointRequest,
    TestWebhookEndpointResponse,
    UserProfileResponse,
)

_HOST: Final = "https://api.line.me"
_JSON: Final = "application/json"


class LineCalls:
    """Calls LINE; safe to share between threads.  Raises: line_client.FAILURES."""

    def __init__(self, client: ApiClient, *, timeout_s: tuple[float, float] = TIMEOUT_S) -> None:
        """`timeout_s`: seconds to connect and to answer, for example `(2.0, 5.0)`."""
        self._client = client
        self._timeout_s = timeout_s

    def reply(self, request: ReplyMessageRequest) -> ReplyMessageResponse:
        return self._post("/v2/bot/message/reply", request, ReplyMessageResponse)

    def push(self, request: PushMessageRequest, *, retry_key: str) -> PushMessageResponse:
        headers = {"X-Line-Retry-Key": retry_key}
        return self._post("/v2/bot/message/push", request, PushMessageResponse, headers=headers)

    def quota(self) -> MessageQuotaResponse:
        return self._get("/v2/bot/message/quota", MessageQuotaResponse)

    def quota_consumption(self) -> QuotaConsumptionResponse:
        return self._get("/v2/bot/message/quota/consumption", QuotaConsumptionResponse)

    def show_loading(self, request: ShowLoadingAnimationRequest) -> None:
        self._post("/v2/bot/chat/loading/start", request)

    def mark_as_read(self, request: MarkMessagesAsReadByTokenRequest) -> None:
        self._post("/v2/bot/chat/markAsRead", request)

    def group_member_count(self, group_id: str) -> GroupMemberCountResponse:
        return self._get(f"/v2/bot/group/{_quoted(group_id)}/members/count", GroupMemberCountResponse)

    def room_member_count(self, room_id: str) -> RoomMemberCountResponse:
        return self._get(f"/v2/bot/room/{_quoted(room_id)}/members/count", RoomMemberCountResponse)

    def leave_group(self, group_id: str) -> None:
        self._post(f"/v2/bot/group/{_quoted(group_id)}/leave")

    def leave_room(self, room_id: str) -> None:
        self._post(f"/v2/bot/room/{_quoted(room_id)}/leave")

    def profile(self, user_id: str) -> UserProfileResponse:
        return self._get(f"/v2/bot/profile/{_quoted(user_id)}", UserProfileResponse)

    def group_member_profile(self, group_id: str, user_id: str) -> GroupUserProfileResponse:
        path = f"/v2/bot/group/{_quoted(group_id)}/member/{_quoted(user_id)}"
        return self._get(path, GroupUserProfileResponse)

    def room_member_profile(self, room_id: str, user_id: str) -> RoomUserProfileResponse:
        path = f"/v2/bot/room/{_quoted(room_id)}/member/{_quoted(user_id)}"
        return self._get(path, RoomUserProfileResponse)

    def webhook_endpoint(self) -> GetWebhookEndpointResponse:
        return self._get("/v2/bot/channel/webhook/endpoint", GetWebhookEndpointResponse)

    def test_webhook_endpoint(self, request: TestWebhookEndpointRequest) -> TestWebhookEndpointResponse:
        return self._post("/v2/bot/channel/webhook/test", request, TestWebhookEndpointResponse)

    def _get(self, path: str, answer: type) -> Any:  # noqa: ANN401 - the answer
        return self._call("GET", path, answer)

    def _post(
        self, path: str, body: object = None, answer: type | None = None, *, headers: dict[str, str] | None = None
    ) -> Any:  # noqa: ANN401 - the answer
        written = {"Content-Type": _JSON} if body is not None else {}
        return self._call("POST", path, answer, body=body, headers={**written, **(headers or {})})

    def _call(
        self,
        method: str,
        path: str,
        answer: type | None,
        *,
        body: object = None,
        headers: dict[str, str] | None = None,
    ) -> Any:  # noqa: ANN401 - the answer
        return self._client.call_api(
            path,
            method,
            header_params={"Accept": _JSON, **(headers or {})},
            body=body,
            response_types_map={"200": answer} if answer is not None else {},
            auth_settings=["Bearer"],
            _return_http_data_only=True,
            _request_timeout=self._timeout_s,
            _host=_HOST,
        )


def _quoted(conversation_or_user_id: str) -> str:
    return quote(conversation_or_user_id, safe="")
