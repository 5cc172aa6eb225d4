"""Keeps foreign web pages out, by the Host and Origin headers of the browser's requests.

A foreign page may have its domain name resolve to this machine (DNS rebinding). For the browser, the page and the stand-in are then of
the same origin; only the name in `Host` differs. Addresses, names without a dot, and names below an unregistrable top-level domain are
safe: `127.0.0.1`, `localhost` and `bot.internal`, for example, but not `bot.example.com`.
Source: RFC 6761, "Special-Use Domain Names"; ICANN resolution 2024.07.29.06 for `.internal`.
"""

import ipaddress
from collections.abc import Collection
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

_RESERVED: Final = frozenset({"localhost", "test", "internal", "example", "invalid"})


@dataclass(frozen=True, slots=True)
class BrowserGuard:
    """An ASGI application: refuses requests of foreign pages (403), passes on all others. `hosts`: further names to accept."""

    app: ASGIApp
    hosts: Collection[str] = ()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, or answer 403."""
        if scope["type"] == "http":
            headers = Headers(scope=scope)
            host, origin = headers.get("host", ""), headers.get("origin")
            if not is_safe_host(host, self.hosts):
                return await _refuse("this name is not served; see --allow-host")(scope, receive, send)
            if origin is not None and _netloc(origin) != host.lower():
                return await _refuse("requests of other web pages are not served")(scope, receive, send)
        return await self.app(scope, receive, send)


def is_safe_host(host: str, hosts: Collection[str] = ()) -> bool:
    """Whether no foreign page can be behind the `Host`, as for `is_safe_host("localhost:8080")`.

    The empty string stands for a client without the header; every browser sends the header.
    """
    try:
        name = (urlsplit(f"//{host}").hostname or "").rstrip(".")
    except ValueError:
        return False
    if not name or name in hosts or "." not in name:
        return True
    return _is_address(name) or name.rpartition(".")[2] in _RESERVED


def _netloc(origin: str) -> str:
    """Return `host:port` of an origin; "" for `null` and anything else without a host."""
    try:
        return urlsplit(origin).netloc.lower()
    except ValueError:
        return ""


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def _refuse(message: str) -> JSONResponse:
    return JSONResponse({"message": message}, status_code=403)
