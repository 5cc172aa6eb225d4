"""Every operation of LINE's OpenAPI documents, with host and rate limit; the operations of `refused_endpoints` answer 501.

Source: Messaging API reference, "Domain name" and "Rate limits"; line-openapi, by the API classes of line-bot-sdk 3.27.0.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Final, Literal

from . import (
    account_endpoints,
    broadcast_endpoints,
    chat_endpoints,
    insight_endpoints,
    liff_endpoints,
    message_endpoints,
    refused_endpoints,
    rich_menu_batch_endpoints,
    rich_menu_endpoints,
    rich_menu_insight_endpoints,
    token_endpoints,
)
from .calls import Answer, Call

Handler = Callable[[Any, Call], Awaitable[Answer]]

Host = Literal["api.line.me", "api-data.line.me", "manager.line.biz"]

_SECOND_MS: Final = 1_000
_HOUR_MS: Final = 60 * 60_000
_RETRIABLE: Final = frozenset(f"/v2/bot/message/{kind}" for kind in ("push", "multicast", "narrowcast", "broadcast"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """An endpoint. `rate`: the number of allowed requests in a window, and the window in milliseconds. `is_open`: no token is needed.

    For example, `rate=(60, 3_600_000)` allows 60 requests an hour.
    """

    method: str
    path: str
    handler: Handler
    rate: tuple[int, int] = (2_000, _SECOND_MS)
    is_open: bool = False
    host: Host = "api.line.me"

    @property
    def is_modelled(self) -> bool:
        """Whether the endpoint behaves like LINE's. The others check the body, and answer 501."""
        return not isinstance(self.handler, refused_endpoints.Refusal)

    @property
    def is_retriable(self) -> bool:
        """Whether a request may have a retry key.  Source: docs/messaging-api/retrying-api-request."""
        return self.path in _RETRIABLE


def _endpoint(
    request: str,
    handler: Handler,
    *,
    rate: tuple[int, int] = (2_000, _SECOND_MS),
    is_open: bool = False,
    host: Host = "api.line.me",
) -> Endpoint:
    method, path = request.split(" ")
    return Endpoint(method=method, path=path, handler=handler, rate=rate, is_open=is_open, host=host)


def _bot(
    method: Literal["GET", "POST", "PUT", "DELETE"],
    path: str,
    handler: Handler,
    *,
    rate: tuple[int, int] = (2_000, _SECOND_MS),
    host: Host = "api.line.me",
) -> Endpoint:
    return _endpoint(f"{method} /v2/bot{path}", handler, rate=rate, host=host)


_HOURLY: Final = (60, _HOUR_MS)
_BATCH: Final = (3, _HOUR_MS)
_DATA: Final = "api-data.line.me"

ENDPOINTS: Final = (
    _bot("POST", "/message/reply", message_endpoints.reply),
    _bot("POST", "/message/push", message_endpoints.push),
    _bot("POST", "/message/multicast", message_endpoints.multicast, rate=(200, _SECOND_MS)),
    _bot("POST", "/message/narrowcast", broadcast_endpoints.narrowcast, rate=_HOURLY),
    _bot("POST", "/message/broadcast", broadcast_endpoints.broadcast, rate=_HOURLY),
    _bot("GET", "/message/progress/narrowcast", broadcast_endpoints.narrowcast_progress),
    _bot("POST", "/message/validate/reply", message_endpoints.validate),
    _bot("POST", "/message/validate/push", message_endpoints.validate),
    _bot("POST", "/message/validate/multicast", message_endpoints.validate_to_many),
    _bot("POST", "/message/validate/narrowcast", message_endpoints.validate_to_many),
    _bot("POST", "/message/validate/broadcast", message_endpoints.validate_to_many),
    _bot("GET", "/message/quota", message_endpoints.quota),
    _bot("GET", "/message/quota/consumption", message_endpoints.consumption),
    _bot("GET", "/message/delivery/reply", broadcast_endpoints.sent_by_reply),
    _bot("GET", "/message/delivery/push", broadcast_endpoints.sent_by_push),
    _bot("GET", "/message/delivery/multicast", broadcast_endpoints.sent_by_multicast),
    _bot("GET", "/message/delivery/broadcast", broadcast_endpoints.sent_by_broadcast),
    _bot("GET", "/message/aggregation/info", broadcast_endpoints.unit_usage),
    _bot("GET", "/message/aggregation/list", broadcast_endpoints.unit_names),
    _bot("POST", "/message/markAsRead", chat_endpoints.mark_chat_as_read),
    _bot("POST", "/chat/loading/start", chat_endpoints.start_loading, rate=(100, _SECOND_MS)),
    _bot("POST", "/chat/markAsRead", chat_endpoints.mark_as_read),
    _bot("GET", "/profile/{user_id}", chat_endpoints.profile),
    _bot("GET", "/followers/ids", chat_endpoints.follower_ids),
    _bot("GET", "/group/{chat_id}/member/{user_id}", chat_endpoints.member),
    _bot("GET", "/group/{chat_id}/members/count", chat_endpoints.member_count),
    _bot("GET", "/group/{chat_id}/members/ids", chat_endpoints.member_ids),
    _bot("GET", "/group/{chat_id}/summary", chat_endpoints.group_summary),
    _bot("POST", "/group/{chat_id}/leave", chat_endpoints.leave),
    _bot("GET", "/room/{chat_id}/member/{user_id}", chat_endpoints.member),
    _bot("GET", "/room/{chat_id}/members/count", chat_endpoints.member_count),
    _bot("GET", "/room/{chat_id}/members/ids", chat_endpoints.member_ids),
    _bot("POST", "/room/{chat_id}/leave", chat_endpoints.leave),
    _bot("GET", "/info", account_endpoints.bot_info),
    _bot("GET", "/channel/webhook/endpoint", account_endpoints.get_webhook),
    _bot("PUT", "/channel/webhook/endpoint", account_endpoints.set_webhook),
    _bot("POST", "/channel/webhook/test", account_endpoints.test_webhook, rate=_HOURLY),
    _bot("GET", "/message/{line_message_id}/content", account_endpoints.content, host=_DATA),
    _bot("GET", "/message/{line_message_id}/content/preview", account_endpoints.preview, host=_DATA),
    _bot("GET", "/message/{line_message_id}/content/transcoding", account_endpoints.transcoding, host=_DATA),
    _bot("POST", "/user/{user_id}/linkToken", account_endpoints.link_token),
    _bot("POST", "/richmenu", rich_menu_endpoints.create, rate=(100, _HOUR_MS)),
    _bot("POST", "/richmenu/validate", rich_menu_endpoints.validate),
    _bot("GET", "/richmenu/list", rich_menu_endpoints.get_list),
    _bot("POST", "/richmenu/bulk/link", rich_menu_endpoints.link_in_bulk),
    _bot("POST", "/richmenu/bulk/unlink", rich_menu_endpoints.unlink_in_bulk),
    _bot("POST", "/richmenu/alias", rich_menu_endpoints.create_alias),
    _bot("GET", "/richmenu/alias/list", rich_menu_endpoints.get_aliases),
    _bot("GET", "/richmenu/alias/{alias_id}", rich_menu_endpoints.get_alias),
    _bot("POST", "/richmenu/alias/{alias_id}", rich_menu_endpoints.update_alias),
    _bot("DELETE", "/richmenu/alias/{alias_id}", rich_menu_endpoints.delete_alias),
    _bot("POST", "/richmenu/batch", rich_menu_batch_endpoints.start, rate=_BATCH),
    _bot("POST", "/richmenu/validate/batch", rich_menu_batch_endpoints.validate),
    _bot("GET", "/richmenu/progress/batch", rich_menu_batch_endpoints.progress),
    _bot("GET", "/richmenu/{rich_menu_id}", rich_menu_endpoints.get),
    _bot("DELETE", "/richmenu/{rich_menu_id}", rich_menu_endpoints.delete, rate=(100, _HOUR_MS)),
    _bot("POST", "/richmenu/{rich_menu_id}/content", rich_menu_endpoints.upload_image, host=_DATA),
    _bot("GET", "/richmenu/{rich_menu_id}/content", rich_menu_endpoints.download_image, host=_DATA),
    _bot("GET", "/user/all/richmenu", rich_menu_endpoints.get_default),
    _bot("DELETE", "/user/all/richmenu", rich_menu_endpoints.clear_default),
    _bot("POST", "/user/all/richmenu/{rich_menu_id}", rich_menu_endpoints.set_default),
    _bot("GET", "/user/{user_id}/richmenu", rich_menu_endpoints.get_linked),
    _bot("DELETE", "/user/{user_id}/richmenu", rich_menu_endpoints.unlink),
    _bot("POST", "/user/{user_id}/richmenu/{rich_menu_id}", rich_menu_endpoints.link),
    _bot("GET", "/insight/followers", insight_endpoints.followers, rate=_HOURLY),
    _bot("GET", "/insight/message/delivery", insight_endpoints.deliveries, rate=_HOURLY),
    _bot("GET", "/insight/demographic", insight_endpoints.demographic, rate=_HOURLY),
    _bot("GET", "/insight/message/event", insight_endpoints.message_event, rate=_HOURLY),
    _bot("GET", "/insight/message/event/aggregation", insight_endpoints.unit_event, rate=_HOURLY),
    _bot("GET", "/insight/richmenu/{rich_menu_id}/daily", rich_menu_insight_endpoints.daily, rate=_HOURLY),
    _bot("GET", "/insight/richmenu/{rich_menu_id}/summary", rich_menu_insight_endpoints.summary, rate=_HOURLY),
    _endpoint("GET /liff/v1/apps", liff_endpoints.get_all),
    _endpoint("POST /liff/v1/apps", liff_endpoints.add),
    _endpoint("PUT /liff/v1/apps/{liff_id}", liff_endpoints.update),
    _endpoint("DELETE /liff/v1/apps/{liff_id}", liff_endpoints.delete),
    _endpoint("POST /v2/oauth/accessToken", token_endpoints.issue_short_lived, is_open=True),
    _endpoint("POST /v2/oauth/verify", token_endpoints.verify_by_form, is_open=True),
    _endpoint("POST /v2/oauth/revoke", token_endpoints.revoke, is_open=True),
    _endpoint("POST /oauth2/v2.1/token", token_endpoints.issue_v2_1, is_open=True),
    _endpoint("GET /oauth2/v2.1/verify", token_endpoints.verify_by_query, is_open=True),
    _endpoint("POST /oauth2/v2.1/revoke", token_endpoints.revoke_v2_1, is_open=True),
    _endpoint("GET /oauth2/v2.1/tokens/kid", token_endpoints.key_ids, is_open=True),
    _endpoint("POST /oauth2/v3/token", token_endpoints.issue_stateless, is_open=True),
    *(
        _endpoint(
            refusal.operation,
            refusal,
            is_open=refusal.is_open,
            host="manager.line.biz" if refusal.is_open else _DATA if "byFile" in refusal.operation else "api.line.me",
        )
        for refusal in refused_endpoints.REFUSALS
    ),
)
