"""The operations that are not modelled: the body is checked, then the answer is 501 with `x-line-simulator: not-modelled`.

Thus a bot learns that the stand-in lacks the operation. Bounds and required properties come from the models of line-bot-sdk 3.27.0.
Source: manage-audience.yml, messaging-api.yml, module.yml, module-attach.yml and shop.yml of line-openapi.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from http import HTTPStatus
from typing import Final
from urllib.parse import parse_qs

from .calls import Answer, Call
from .channel import Channel
from .errors import LineError, bad_request, invalid_property
from .message_endpoints import TO_MANY
from .message_rules import check_messages
from .messages import JsonObject
from .problems import Problems

MARK: Final = {"x-line-simulator": "not-modelled"}
AUDIENCE_NAME: Final = 120
AUDIENCES: Final = 10_000
_PHONE_HASH: Final = re.compile(r"[0-9a-f]{64}")
_FORM_FIELDS: Final = 50
_COUPON_TIMES: Final = ("startTimestamp", "endTimestamp")
_LAST_SECOND: Final = 2**53

Check = Callable[[Call], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """An operation, e.g. `POST /v2/bot/coupon`, with the name of the feature and the check of the request."""

    operation: str
    feature: str
    check: Check
    is_open: bool = False

    async def __call__(self, _channel: Channel, call: Call) -> Answer:
        """Raise LineError: 400 where LINE would refuse the request, else 501."""
        self.check(call)
        raise LineError(
            status=HTTPStatus.NOT_IMPLEMENTED,
            message=f"This simulator does not model {self.feature}. LINE would have carried out this request.",
            headers=MARK,
        )


def _nothing(_call: Call) -> None:
    """Accept a request without a body."""


def _json(check: Callable[[JsonObject, Problems], None]) -> Check:
    def check_call(call: Call) -> None:
        problems = Problems()
        check(call.json(), problems)
        problems.raise_any()

    return check_call


def _audience(body: JsonObject, problems: Problems) -> None:
    problems.text(body, "description", "", most=AUDIENCE_NAME)
    problems.flag(body, "isIfaAudience", "", required=False)
    _audience_ids(body, problems, least=0)


def _more_ids(body: JsonObject, problems: Problems) -> None:
    problems.number(body, "audienceGroupId", "", least=1, most=_LAST_SECOND)
    _audience_ids(body, problems, least=1)


def _audience_ids(body: JsonObject, problems: Problems, *, least: int) -> None:
    for index, audience in enumerate(problems.items(body, "audiences", "", least=least, most=AUDIENCES)):
        problems.text(audience, "id", f"audiences[{index}]", most=100)


def _clicks(body: JsonObject, problems: Problems) -> None:
    _impressions(body, problems)
    problems.text(body, "clickUrl", "", most=2_000, required=False)


def _impressions(body: JsonObject, problems: Problems) -> None:
    _description(body, problems)
    problems.text(body, "requestId", "", most=100)


def _description(body: JsonObject, problems: Problems) -> None:
    problems.text(body, "description", "", most=AUDIENCE_NAME)


def _coupon(body: JsonObject, problems: Problems) -> None:
    problems.text(body, "title", "", most=60)
    problems.text(body, "timezone", "", most=50)
    problems.choice(body, "visibility", "", of=("UNLISTED", "PUBLIC"))
    problems.object(body, "acquisitionCondition", "")
    problems.number(body, "maxUseCountPerTicket", "", least=-1, most=1)
    for name in _COUPON_TIMES:
        problems.number(body, name, "", least=0, most=_LAST_SECOND)


def _check_template_push(body: JsonObject, problems: Problems) -> None:
    _phone(body)
    problems.text(body, "templateKey", "", most=100)
    problems.object(body, "body", "")


def _phone(body: JsonObject) -> None:
    to = body.get("to")
    if not isinstance(to, str) or not _PHONE_HASH.fullmatch(to):
        raise invalid_property("to")


def _by_phone(call: Call) -> None:
    check_messages(call.json(), TO_MANY)
    _phone(call.json())


def _control(call: Call) -> None:
    if not call.body:
        return
    body, problems = call.json(), Problems()
    problems.flag(body, "expired", "", required=False)
    if body.get("ttl") is not None:
        problems.number(body, "ttl", "", least=1, most=365 * 24 * 60 * 60)
    problems.raise_any()


def _detachment(body: JsonObject, problems: Problems) -> None:
    problems.text(body, "botId", "", most=100)


def _sticker(body: JsonObject, problems: Problems) -> None:
    for name in ("to", "productId", "productType"):
        problems.text(body, name, "", most=100)
    problems.flag(body, "sendPresentMessage", "")


def _file(call: Call) -> None:
    content_type = call.headers.get("content-type", "")
    if content_type.partition(";")[0].strip().lower() != "multipart/form-data":
        message = f"The content type, {content_type}, is not supported"
        raise LineError(status=HTTPStatus.UNSUPPORTED_MEDIA_TYPE, message=message)


def _attachment(call: Call) -> None:
    try:
        form = parse_qs(call.body.decode(), max_num_fields=_FORM_FIELDS)
    except ValueError as error:
        raise bad_request("the form cannot be read") from error
    for name in ("grant_type", "code", "redirect_uri"):
        if name not in form:
            raise bad_request(f"{name} must be specified")


def _day(call: Call) -> None:
    if not re.fullmatch(r"[0-9]{8}", call.query.get("date", "")):
        raise bad_request("The value for the 'date' parameter is invalid")


def _refusals(feature: str, operations: dict[str, Check], *, is_open: bool = False) -> tuple[Refusal, ...]:
    return tuple(
        Refusal(operation=operation, feature=feature, check=check, is_open=is_open)
        for operation, check in operations.items()
    )


REFUSALS: Final = (
    *_refusals(
        "audiences",
        {
            "POST /v2/bot/audienceGroup/upload": _json(_audience),
            "PUT /v2/bot/audienceGroup/upload": _json(_more_ids),
            "POST /v2/bot/audienceGroup/upload/byFile": _file,
            "PUT /v2/bot/audienceGroup/upload/byFile": _file,
            "POST /v2/bot/audienceGroup/click": _json(_clicks),
            "POST /v2/bot/audienceGroup/imp": _json(_impressions),
            "GET /v2/bot/audienceGroup/list": _nothing,
            "GET /v2/bot/audienceGroup/shared/list": _nothing,
            "GET /v2/bot/audienceGroup/shared/{audience_group_id}": _nothing,
            "GET /v2/bot/audienceGroup/{audience_group_id}": _nothing,
            "DELETE /v2/bot/audienceGroup/{audience_group_id}": _nothing,
            "PUT /v2/bot/audienceGroup/{audience_group_id}/updateDescription": _json(_description),
        },
    ),
    *_refusals(
        "coupons",
        {
            "POST /v2/bot/coupon": _json(_coupon),
            "GET /v2/bot/coupon": _nothing,
            "GET /v2/bot/coupon/{coupon_id}": _nothing,
            "PUT /v2/bot/coupon/{coupon_id}/close": _nothing,
        },
    ),
    *_refusals(
        "memberships",
        {
            "GET /v2/bot/membership/list": _nothing,
            "GET /v2/bot/membership/subscription/{user_id}": _nothing,
            "GET /v2/bot/membership/{membership_id}/users/ids": _nothing,
        },
    ),
    *_refusals(
        "LINE notification messages",
        {
            "POST /bot/pnp/push": _by_phone,
            "POST /v2/bot/message/pnp/templated/push": _json(_check_template_push),
            "GET /v2/bot/message/delivery/pnp": _day,
            "GET /v2/bot/message/delivery/pnp/templated": _day,
        },
    ),
    *_refusals(
        "module channels",
        {
            "POST /v2/bot/chat/{chat_id}/control/acquire": _control,
            "POST /v2/bot/chat/{chat_id}/control/release": _nothing,
            "POST /v2/bot/channel/detach": _json(_detachment),
            "GET /v2/bot/list": _nothing,
        },
    ),
    *_refusals("module channels", {"POST /module/auth/v1/token": _attachment}, is_open=True),
    *_refusals("mission stickers", {"POST /shop/v3/mission": _json(_sticker)}),
)
