"""The event bus in memory."""

from collections.abc import Sequence

from shared.bus.messages import BusMessage
from shared.errors import PublishFailedError


class MemoryEventBus:
    """Stores published messages in order; while `is_down`, confirms none."""

    def __init__(self) -> None:
        self.published: list[BusMessage] = []
        self.is_down = False

    def publish(self, messages: Sequence[BusMessage]) -> tuple[str, ...]:
        if self.is_down:
            raise PublishFailedError("the bus is down")
        start = len(self.published)
        self.published += messages
        return tuple(str(start + index + 1) for index in range(len(messages)))
