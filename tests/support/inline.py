"""An executor that runs what it is given at once, in the caller's thread."""

from collections.abc import Callable
from concurrent.futures import Executor, Future
from typing import Any


class InlineExecutor(Executor):
    """For tests where the order in time does not matter."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:  # noqa: ANN401 - as its base class
        future: Future[Any] = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except Exception as cause:  # noqa: BLE001 - as an executor does
            future.set_exception(cause)
        return future
