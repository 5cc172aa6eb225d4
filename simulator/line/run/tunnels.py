"""Ways out of the bot's surroundings: listeners for allowed hosts, and the proxy for runs without namespaces."""

import asyncio
import socket
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from ..line_hosts import LINE_HOSTS
from .allowances import HTTPS_PORT, Allowance
from .relay import join

_REFUSED: Final = (
    b"HTTP/1.1 403 Forbidden\r\ncontent-type: text/plain\r\nconnection: close\r\n\r\n"
    b"not allowed by line-simulator; see --allow\n"
)
_OPEN: Final = b"HTTP/1.1 200 Connection established\r\n\r\n"


async def serve_tunnel(sock: socket.socket, to: Allowance) -> asyncio.Server:
    """Lead every connection of the listening socket to the allowed host."""

    async def carry(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await _lead(reader, writer, to.host, to.port)

    return await asyncio.start_server(carry, sock=sock)


@dataclass(frozen=True, slots=True, kw_only=True)
class Proxy:
    """An HTTP proxy for `CONNECT`: LINE's hosts lead to `line_port`, allowed hosts out, other hosts nowhere."""

    line_port: int
    allowed: Sequence[Allowance]

    async def serve(self, sock: socket.socket) -> asyncio.Server:
        """Serve the listening socket."""
        return await asyncio.start_server(self._carry, sock=sock)

    async def _carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        target = await _target(reader)
        address = self._address(*target) if target is not None else None
        if address is None:
            with suppress(OSError):
                writer.write(_REFUSED)
                await writer.drain()
            writer.close()
            return
        await _lead(reader, writer, *address, greeting=_OPEN)

    def _address(self, host: str, port: int) -> tuple[str, int] | None:
        if host in LINE_HOSTS and port == HTTPS_PORT:
            return "127.0.0.1", self.line_port
        is_allowed = any((to.host, to.port) == (host, port) for to in self.allowed)
        return (host, port) if is_allowed else None


async def _target(reader: asyncio.StreamReader) -> tuple[str, int] | None:
    try:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    except (OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
        return None
    method, _, after_method = head.partition(" ")
    host, _, port = after_method.partition(" ")[0].rpartition(":")
    return (host.lower(), int(port)) if method == "CONNECT" and port.isascii() and port.isdecimal() else None


async def _lead(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, host: str, port: int, greeting: bytes = b""
) -> None:
    try:
        onward_reader, onward_writer = await asyncio.open_connection(host, port)
    except OSError:
        writer.close()
        return
    writer.write(greeting)
    await join(reader, onward_writer, onward_reader, writer)
