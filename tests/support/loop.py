"""An event loop in a thread of its own, for stand-ins that live in one while the tests do not."""

import asyncio
import threading
from collections.abc import Coroutine
from types import TracebackType
from typing import Any, Self, TypeVar

_Result = TypeVar("_Result")


class LoopThread:
    """`with LoopThread() as loop: loop.run(coroutine)`."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.run(self._loop.shutdown_asyncgens())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def run(self, work: Coroutine[Any, Any, _Result], *, timeout_s: float = 120.0) -> _Result:
        """Run the coroutine in the loop and return its result."""
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(timeout_s)
