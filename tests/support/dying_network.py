"""A TCP proxy on a free port, whose connections die as a network lets them die while an instance is idle or frozen."""

import selectors
import socket
import struct
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from typing import Final, Literal

Death = Literal["silent", "reset"]
"""`silent`: what is sent is taken and never answered. `reset`: the next bytes are answered with a reset."""
DEATHS: Final[tuple[Death, ...]] = ("silent", "reset")
_PIECE_BYTES: Final = 65_536
_RESETS: Final = struct.pack("ii", 1, 0)  # SO_LINGER: closing sends a reset


@dataclass(slots=True, eq=False)
class _Connection:
    """A connection of a client, and the one that was opened for it; `death` is how it is dead."""

    client: socket.socket
    server: socket.socket
    death: Death | None = None


class DyingProxy:
    """Passes bytes on until its connections are let die; connections that are opened later live, unless `accepts_silently`."""

    def __init__(self, port: int) -> None:
        """`port` is that of a server on this machine."""
        self.connections = 0
        self.accepts_silently = False
        self._target = ("127.0.0.1", port)
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.port: int = self._listener.getsockname()[1]
        self._open: list[_Connection] = []
        self._changing = threading.Lock()
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._listener, selectors.EVENT_READ)
        self._is_over = False

    def kill(self, death: Death) -> int:
        """Let every open connection die; return how many that are."""
        with self._changing:
            for connection in self._open:
                connection.death = death
            return len(self._open)

    def run(self) -> None:
        """Pass bytes on until `stop`."""
        while not self._is_over:
            for key, _ in self._selector.select(0.02):
                with self._changing:
                    if key.fileobj is self._listener:
                        self._accept()
                    else:
                        self._pass_on(key.fileobj, key.data)  # type: ignore[arg-type]  # only sockets are registered

    def stop(self) -> None:
        """End `run`, which another thread runs."""
        self._is_over = True

    def close(self) -> None:
        """Close every connection."""
        for connection in self._open:
            connection.client.close()
            connection.server.close()
        self._listener.close()
        self._selector.close()

    def _accept(self) -> None:
        client, _ = self._listener.accept()
        connection = _Connection(client, socket.create_connection(self._target))
        if self.accepts_silently:
            connection.death = "silent"
        self.connections += 1
        self._open.append(connection)
        self._selector.register(connection.client, selectors.EVENT_READ, connection)
        self._selector.register(connection.server, selectors.EVENT_READ, connection)

    def _pass_on(self, source: socket.socket, connection: _Connection) -> None:
        if connection not in self._open:  # its other side, which was ready in the same moment, has ended it
            return
        is_of_client = source is connection.client
        try:
            piece = source.recv(_PIECE_BYTES)
        except OSError:
            piece = b""
        if piece and connection.death == "silent":
            return
        if not piece or (connection.death == "reset" and is_of_client):
            self._end(connection, is_reset=bool(piece))
        elif connection.death is None:
            target = connection.server if is_of_client else connection.client
            with suppress(OSError):
                target.sendall(piece)

    def _end(self, connection: _Connection, *, is_reset: bool) -> None:
        for side in (connection.client, connection.server):
            self._selector.unregister(side)
            if is_reset:
                side.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESETS)
            side.close()
        self._open.remove(connection)


@contextmanager
def dying_network(port: int) -> Iterator[DyingProxy]:
    """Run a proxy to the server on this port inside the block."""
    proxy = DyingProxy(port)
    thread = threading.Thread(target=proxy.run, name="dying-network")
    thread.start()
    try:
        yield proxy
    finally:
        proxy.stop()
        thread.join()
        proxy.close()


@contextmanager
def unreachable_port() -> Iterator[int]:
    """A port that answers no attempt to connect, as where packets are lost: its queue is full, and nobody accepts.

    Source: Linux, listen(2) and tcp(7): a SYN that finds the queue full is dropped.
    """
    with socket.create_server(("127.0.0.1", 0), backlog=0) as full, ExitStack() as waiting:
        for _ in range(4):
            filler = waiting.enter_context(socket.socket())
            filler.settimeout(0)
            filler.connect_ex(full.getsockname())
        yield full.getsockname()[1]
