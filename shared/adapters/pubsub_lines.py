"""The channels of the event bus: the newest channel takes every new call; an older channel is closed at the end of its calls."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final

import grpc

from shared.adapters.pubsub_messages import Request, Response

_METHOD: Final = "/google.pubsub.v1.Publisher/Publish"


class Line:
    """A channel and its call `Publish`.  `answered_s`: the time of the last confirmation, by the caller's clock."""

    def __init__(self, channel: grpc.Channel) -> None:
        self.channel = channel
        self.publish: grpc.UnaryUnaryMultiCallable[Any, Any] = channel.unary_unary(
            _METHOD, request_serializer=Request.SerializeToString, response_deserializer=Response.FromString
        )
        self.answered_s = float("-inf")
        self.users = 0


class Lines:
    """Opens channels, and closes them; safe to share between threads."""

    def __init__(self, open_channel: Callable[[], grpc.Channel]) -> None:
        """Open the first channel, which connects at its first use."""
        self._open_channel = open_channel
        self._changing = threading.Lock()
        self._newest = Line(open_channel())

    @contextmanager
    def newest(self) -> Iterator[Line]:
        """Hold the newest line open inside the block."""
        with self._changing:
            line = self._newest
            line.users += 1
        try:
            yield line
        finally:
            with self._changing:
                line.users -= 1
                is_over = not line.users and line is not self._newest
            if is_over:
                line.channel.close()

    def replace(self, line: Line) -> None:
        """Open a new line if this line is the newest; the caller holds this line.

        Deliveries that wait on the same line share its successor.
        """
        with self._changing:
            if line is self._newest:
                self._newest = Line(self._open_channel())

    def close(self) -> None:
        """Close the newest line."""
        self._newest.channel.close()
