"""What runs inside `async with`: what was started is stopped in reverse order, also when a later part does not start."""

from abc import ABC, abstractmethod
from contextlib import AsyncExitStack
from types import TracebackType
from typing import Self


class Running(ABC):
    """Parts that run together in one event loop; each that `_start` starts is put on `_running`, with how it stops."""

    def __init__(self) -> None:
        self._running = AsyncExitStack()

    async def __aenter__(self) -> Self:
        try:
            await self._start()
        except BaseException:
            await self._running.aclose()
            raise
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._running.aclose()

    @abstractmethod
    async def _start(self) -> None: ...
