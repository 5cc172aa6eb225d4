"""The endpoints for issuing, verifying and revoking channel access tokens. Requests are forms, without an access token.

The claims of a JWT assertion are checked; the signature is not, because the stand-in has no public key of the channel.
Source: Messaging API reference, "Channel access token"; channel-access-token.yml of line-openapi.
"""

import base64
import binascii
from collections.abc import Mapping
from hmac import compare_digest
from http import HTTPStatus
from typing import Final
from urllib.parse import parse_qs

from .access_tokens import SHORT_LIVED_S, STATELESS_S, AccessToken, Kind
from .calls import Answer, Call
from .channel import Channel
from .errors import LineError
from .json_body import MalformedJsonError, parse_json
from .messages import JsonObject
from .problems import is_number

ASSERTION_TYPE: Final = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
_AUDIENCE: Final = "https://api.line.me/"
_JWT_PARTS: Final = 3
_ASSERTION_S: Final = 30 * 60
_FIELDS: Final = 50


async def issue_short_lived(channel: Channel, call: Call) -> Answer:
    """Issue a token for 30 days, for the channel's id and secret."""
    form = _form(call)
    _check_grant(form)
    _check_secret(channel, form)
    return Answer(body=_issue(channel, call, "short", SHORT_LIVED_S))


async def issue_v2_1(channel: Channel, call: Call) -> Answer:
    """Issue a token with a key id, for a JWT; the claim `token_exp` is the lifetime in seconds."""
    form = _form(call)
    _check_grant(form)
    claims = _assertion(channel, form, call.at_ms)
    lifetime_s = claims.get("token_exp")
    if not isinstance(lifetime_s, int) or isinstance(lifetime_s, bool) or not 0 < lifetime_s <= SHORT_LIVED_S:
        raise _refusal("invalid_client", "Invalid token_exp")
    return Answer(body=_issue(channel, call, "v2.1", lifetime_s))


async def issue_stateless(channel: Channel, call: Call) -> Answer:
    """Issue a token for 15 minutes, for a JWT or for the channel's id and secret."""
    form = _form(call)
    _check_grant(form)
    if "client_assertion" in form:
        _assertion(channel, form, call.at_ms)
    else:
        _check_secret(channel, form)
    return Answer(body=_issue(channel, call, "stateless", STATELESS_S))


async def verify_by_query(channel: Channel, call: Call) -> Answer:
    """Return the channel and the remaining seconds."""
    return _verify(channel, call, call.query.get("access_token", ""))


async def verify_by_form(channel: Channel, call: Call) -> Answer:
    """Return the channel and the remaining seconds."""
    return _verify(channel, call, _form(call).get("access_token", ""))


async def revoke(channel: Channel, call: Call) -> Answer:
    """Make the token invalid.  Repeated: 200."""
    channel.access_tokens.revoke(_form(call).get("access_token", ""))
    return Answer()


async def revoke_v2_1(channel: Channel, call: Call) -> Answer:
    """Make the token invalid, for the channel's id and secret.  Repeated: 200."""
    form = _form(call)
    _check_secret(channel, form)
    channel.access_tokens.revoke(form.get("access_token", ""))
    return Answer()


async def key_ids(channel: Channel, call: Call) -> Answer:
    """Return the key ids of the valid v2.1 tokens."""
    _assertion(channel, call.query, call.at_ms)
    return Answer(body={"kids": channel.access_tokens.key_ids(at_ms=call.at_ms)})


def _issue(channel: Channel, call: Call, kind: Kind, lifetime_s: int) -> JsonObject:
    token = channel.access_tokens.issue(kind, channel.ids, at_ms=call.at_ms, lifetime_s=lifetime_s)
    body = {"access_token": token.value, "expires_in": lifetime_s, "token_type": "Bearer"}
    return body if token.key_id is None else body | {"key_id": token.key_id}


def _verify(channel: Channel, call: Call, value: str) -> Answer:
    token: AccessToken | None = channel.access_tokens.find(value, at_ms=call.at_ms)
    if token is None and value != channel.channel_access_token:
        raise _refusal("invalid_request", "access token expired")
    left_s = 0 if token is None else (token.expires_ms - call.at_ms) // 1_000  # a long-lived token does not expire
    return Answer(body={"client_id": channel.channel_id, "expires_in": left_s, "scope": "P CM"})


def _form(call: Call) -> Mapping[str, str]:
    content_type = call.headers.get("content-type", "").partition(";")[0].strip().lower()
    if content_type != "application/x-www-form-urlencoded":
        raise LineError(
            status=HTTPStatus.UNSUPPORTED_MEDIA_TYPE, message=f"The content type, {content_type}, is not supported"
        )
    try:
        fields = parse_qs(call.body.decode(), keep_blank_values=True, max_num_fields=_FIELDS)
    except ValueError as cause:
        raise _refusal("invalid_request", "the form cannot be read") from cause
    return {name: values[0] for name, values in fields.items()}


def _check_grant(form: Mapping[str, str]) -> None:
    if form.get("grant_type") != "client_credentials":
        raise _refusal("unsupported_grant_type", "unsupported grant_type")


def _check_secret(channel: Channel, form: Mapping[str, str]) -> None:
    is_right = compare_digest(form.get("client_secret", "").encode(), channel.channel_secret.encode())
    if form.get("client_id") != channel.channel_id or not is_right:
        raise _refusal("invalid_client", "invalid client_id or client_secret")


def _assertion(channel: Channel, form: Mapping[str, str], at_ms: int) -> JsonObject:
    """Return the claims: issued by and for the channel, for LINE, and alive for at most 30 minutes."""
    if form.get("client_assertion_type") != ASSERTION_TYPE:
        raise _refusal("invalid_request", "invalid client_assertion_type")
    parts = form.get("client_assertion", "").split(".")
    if len(parts) != _JWT_PARTS:
        raise _refusal("invalid_client", "Invalid client_assertion")
    header, claims = _decode(parts[0]), _decode(parts[1])
    if header.get("alg") != "RS256" or not isinstance(header.get("kid"), str):
        raise _refusal("invalid_client", "Invalid header of client_assertion")
    expires_s = claims.get("exp", 0)
    is_ours = claims.get("iss") == channel.channel_id == claims.get("sub") and claims.get("aud") == _AUDIENCE
    if not is_ours or not is_number(expires_s) or not 0 < expires_s - at_ms / 1_000 <= _ASSERTION_S:
        raise _refusal("invalid_client", "Invalid claims of client_assertion")
    return claims


def _decode(part: str) -> JsonObject:
    try:
        value = parse_json(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)))
    except (binascii.Error, ValueError, MalformedJsonError) as cause:
        raise _refusal("invalid_client", "Invalid client_assertion") from cause
    if not isinstance(value, dict):
        raise _refusal("invalid_client", "Invalid client_assertion")
    return value


def _refusal(error: str, description: str) -> LineError:
    return LineError(
        status=HTTPStatus.BAD_REQUEST, message="", fields={"error": error, "error_description": description}
    )
