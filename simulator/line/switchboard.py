"""Several channels behind one address: a request to LINE's API goes to the token's channel, any other request to the first channel.

A request for a token names the channel by `client_id`, or by the issuer of the JWT. For example, `client_id=1001` leads to channel 1001.
"""

import base64
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import parse_qs

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from .calls import BODY_BYTES
from .json_body import parse_json
from .platform import LinePlatform

_OAUTH: Final = ("/v2/oauth/", "/oauth2/")


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A channel with its application."""

    platform: LinePlatform
    app: ASGIApp

    def owns(self, token: str) -> bool:
        """Whether the token is the channel's long-lived token, or issued by the channel."""
        platform = self.platform
        if token == platform.channel_access_token:
            return True
        return platform.access_tokens.find(token, at_ms=platform.now_ms()) is not None


@dataclass(frozen=True, slots=True)
class Switchboard:
    """An ASGI application for several channels."""

    lines: Sequence[Line]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on to the right channel."""
        if scope["type"] != "http":
            await self.lines[0].app(scope, receive, send)
            return
        token = Headers(scope=scope).get("authorization", "").removeprefix("Bearer ")
        if token:
            line = next((line for line in self.lines if line.owns(token)), self.lines[0])
            await line.app(scope, receive, send)
        elif scope["path"].startswith(_OAUTH):
            body = await _read(receive)
            line = self._line_of(parse_qs(body.decode(errors="replace")) | parse_qs(scope["query_string"].decode()))
            await line.app(scope, _receive_of(body), send)
        else:
            await self.lines[0].app(scope, receive, send)

    def _line_of(self, form: dict[str, list[str]]) -> Line:
        """Return the channel named by the form, or the owner of the form's token."""
        channel_id = form.get("client_id", [""])[0] or _issuer(form.get("client_assertion", [""])[0])
        token = form.get("access_token", [""])[0]
        for line in self.lines:
            if channel_id == line.platform.channel_id or (token and line.owns(token)):
                return line
        return self.lines[0]


async def _read(receive: Receive) -> bytes:
    parts: list[bytes] = []
    while sum(map(len, parts)) <= BODY_BYTES:
        message = await receive()
        parts.append(message.get("body", b""))
        if not message.get("more_body"):
            break
    return b"".join(parts)


def _receive_of(body: bytes) -> Receive:
    """Return an ASGI `receive` that yields the body, which was read before, and then the end of the connection."""
    messages: list[Message] = [
        {"type": "http.disconnect"},
        {"type": "http.request", "body": body, "more_body": False},
    ]

    async def receive() -> Message:
        return messages.pop() if len(messages) > 1 else messages[0]

    return receive


def _issuer(assertion: str) -> str:
    part = assertion.partition(".")[2].partition(".")[0]
    try:
        claims: Any = parse_json(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)))
    except ValueError:
        return ""
    return str(claims.get("iss", "")) if isinstance(claims, dict) else ""
