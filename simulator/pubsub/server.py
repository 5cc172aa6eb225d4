"""The server: a `Broker` with gRPC for real clients and pushes over HTTP."""

import errno
import socket

import grpc

from simulator.pubsub.broker import Broker
from simulator.pubsub.errors import PortTakenError
from simulator.pubsub.grpc_api import handlers
from simulator.pubsub.push import Pusher

_OPTIONS = (
    ("grpc.so_reuseport", 0),  # two servers on one port would share the requests
    ("grpc.max_receive_message_length", -1),  # the limit is Pub/Sub's, not gRPC's
)


class PubSubServer(Broker):
    """A Pub/Sub on a port. Topics and subscriptions can be created at any time; deliveries begin with `start`."""

    _grpc: grpc.aio.Server | None = None
    _pusher: Pusher | None = None

    async def start(self, host: str = "127.0.0.1", port: int = 0) -> int:
        """Serve on the port, and return the port; 0 takes a free port.

        Raises: PortTakenError, if another process listens there.
        """
        _check_free(host, port)
        server = grpc.aio.server(options=_OPTIONS)
        server.add_generic_rpc_handlers(handlers(self))
        bound = server.add_insecure_port(f"{host}:{port}")
        await server.start()
        self._grpc, self._pusher = server, Pusher()
        self.open(self._pusher)
        return bound

    async def stop(self) -> None:
        """Cancel the pushes in flight, and free the port.  Repeated: does nothing."""
        if self._grpc is None or self._pusher is None:
            return
        server, pusher, self._grpc, self._pusher = self._grpc, self._pusher, None, None
        await server.stop(grace=None)
        await self.close()
        await pusher.close()


def _check_free(host: str, port: int) -> None:
    """Check for a free port, because gRPC reports a taken port only on stderr.  Raises: PortTakenError."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            if error.errno != errno.EADDRINUSE:
                raise
            raise PortTakenError(
                error.errno, f"port {port} of {host} is taken; stop the process that listens there"
            ) from error
