"""The product's calls of the Messaging API, with the models of LINE's SDK.

The SDK's client and its list of calls, `MessagingApi`, are not used (docs/adr/20261126-sdks.md).
Source: line-bot-sdk 3.27, `MessagingApi` (paths, headers and types of answers).
"""

import json
from typing import Any, Final
from urllib.parse import quote

from shared.adapters.line_client import LineClient, UnreadableAnswerError
from shared.adapters.line_sdk import (
    GetWebhookEndpointResponse,
    GroupMemberCountResponse,
    GroupSummaryResponse,
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

_JSON: Final = "application/json"


class LineCalls:
    """Calls LINE; safe to share between threads.  Raises: line_client.FAILURES."""

    def __init__(self, client: LineClient) -> None:
        self._client = client

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

    def group_summary(self, group_id: str) -> GroupSummaryResponse:
        return self._get(f"/v2/bot/group/{_quoted(group_id)}/summary", GroupSummaryResponse)

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
        return _read(self._client.ask("GET", path, headers={"accept": _JSON}).data, answer)

    def _post(
        self,
        path: str,
        request: Any = None,  # noqa: ANN401 - a model
        answer: type | None = None,
        *,
        headers: dict[str, str] | None = None,
    ) -> Any:  # noqa: ANN401 - the answer
        body = json.dumps(request.to_dict()).encode() if request is not None else None
        written = {"content-type": _JSON} if request is not None else {}
        response = self._client.ask("POST", path, body=body, headers={"accept": _JSON, **written, **(headers or {})})
        return _read(response.data, answer) if answer is not None else None


def _read(data: bytes, answer: Any) -> Any:  # noqa: ANN401 - a model of the SDK, and one of its values
    """Return the answer as the SDK's model.  Raises: UnreadableAnswerError."""
    try:
        return answer.from_dict(json.loads(data))
    except (ValueError, RecursionError) as cause:  # pydantic's ValidationError is a ValueError
        raise UnreadableAnswerError("LINE's answer lacks what LINE documents") from cause


def _quoted(conversation_or_user_id: str) -> str:
    return quote(conversation_or_user_id, safe="")
