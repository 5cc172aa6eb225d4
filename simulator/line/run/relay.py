"""The relay of a namespace: from a Unix socket to the port of 127.0.0.1 in the request's `Host`.

For example, a request with `Host: 127.0.0.1:8000` goes to port 8000 inside the namespace.
"""

import asyncio
import re
import signal
import socket
from contextlib import suppress
from typing import Final

HEAD_BYTES: Final = 64 * 1024
CHUNK_BYTES: Final = 64 * 1024
_HOST: Final = re.compile(rb"\r\nhost:[ \t]*[^\r\n]*?(?::([0-9]{1,5}))?[ \t]*\r\n", re.IGNORECASE)
_HTTP_PORT: Final = 80


def relay(inlet: socket.socket, control: socket.socket) -> None:
    """Serve the inlet until the other end of the control socket is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the bot; the relay ends with the simulator
    asyncio.run(_serve(inlet, control))


async def _serve(inlet: socket.socket, control: socket.socket) -> None:
    control.setblocking(False)  # noqa: FBT003 - the argument of sockets
    async with await asyncio.start_unix_server(_carry, sock=inlet):
        with suppress(OSError):
            await asyncio.get_running_loop().sock_recv(control, 1)


async def _carry(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        head = await reader.readuntil(b"\r\n\r\n")
        host = _HOST.search(head)
        port = int(host[1]) if host and host[1] else _HTTP_PORT
        onward_reader, onward_writer = await asyncio.open_connection("127.0.0.1", port)
    except (OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
        writer.close()
        return
    onward_writer.write(head)
    await join(reader, onward_writer, onward_reader, writer)


async def join(
    reader: asyncio.StreamReader,
    onward_writer: asyncio.StreamWriter,
    onward_reader: asyncio.StreamReader,
    writer: asyncio.StreamWriter,
) -> None:
    """Carry bytes both ways until both ends are closed."""
    await asyncio.gather(_pipe(reader, onward_writer), _pipe(onward_reader, writer))
    for end in (writer, onward_writer):
        end.close()


async def _pipe(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(OSError):
        while chunk := await reader.read(CHUNK_BYTES):
            writer.write(chunk)
            await writer.drain()
    with suppress(OSError):
        if writer.can_write_eof():
            writer.write_eof()
