"""The channels of the event bus: the newest channel takes every new call; an older channel is closed at the end of its calls."""

import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
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

    def newest(self) -> AbstractContextManager[Line]:
        """Hold the newest line open inside the block."""
        return _Use(self)

    def begin_use(self) -> Line:
        """Return the newest line, which stays open until `end_use`."""
        with self._changing:
            line = self._newest
            line.users += 1
        return line

    def end_use(self, line: Line) -> None:
        """Close the line if nothing else uses it and a newer line has replaced it."""
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


class _Use:
    """The block of `Lines.newest`.  Not a generator's context manager, because the webhook enters a block for each delivery."""

    __slots__ = ("_line", "_lines")

    def __init__(self, lines: Lines) -> None:
        self._lines = lines

    def __enter__(self) -> Line:
        self._line = self._lines.begin_use()
        return self._line

    def __exit__(self, *_: object) -> None:
        self._lines.end_use(self._line)
