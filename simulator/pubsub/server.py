"""The port: a `Broker` that real clients reach over gRPC and that pushes over HTTP."""

import errno
import socket

import grpc

from simulator.pubsub.broker import Broker
from simulator.pubsub.errors import PortTakenError
from simulator.pubsub.grpc_api import handlers
from simulator.pubsub.push import Pusher

_OPTIONS = (
    ("grpc.so_reuseport", 0),  # two servers on one port would share its requests
    ("grpc.max_receive_message_length", -1),  # what is too long is refused by Pub/Sub's rule, not by gRPC's
)


class PubSubServer(Broker):
    """A Pub/Sub on a port. Topics and subscriptions may be made before `start`; messages move after it."""

    _grpc: grpc.aio.Server | None = None
    _pusher: Pusher | None = None

    async def start(self, host: str = "127.0.0.1", port: int = 0) -> int:
        """The server answers on the port that is returned; port 0 takes a free one.

        Raises: PortTakenError, when something else listens there.
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
        """Pushes in flight are cut off, and the port is free. Repeated: does nothing."""
        if self._grpc is None or self._pusher is None:
            return
        server, pusher, self._grpc, self._pusher = self._grpc, self._pusher, None, None
        await server.stop(grace=None)
        await self.close()
        await pusher.close()


def _check_free(host: str, port: int) -> None:
    """The port can be had. gRPC would find out too, but say it on stderr and in its own words."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            if error.errno != errno.EADDRINUSE:
                raise
            raise PortTakenError(error.errno, f"port {port} of {host} is taken; stop what listens there") from error
