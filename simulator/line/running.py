"""Parts inside `async with`: started parts are stopped in reverse order, even if a later part does not start."""

from abc import ABC, abstractmethod
from contextlib import AsyncExitStack
from types import TracebackType
from typing import Self


class Running(ABC):
    """Parts running together in one event loop. `_start` puts each started part on `_running`, with a way to stop the part."""

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
