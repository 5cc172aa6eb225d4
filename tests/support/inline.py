"""An executor that runs each call at once, in the caller's thread."""

from collections.abc import Callable
from concurrent.futures import Executor, Future
from typing import Any


class InlineExecutor(Executor):
    """Runs each call inside `submit`; the future holds the result or the exception of the call."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:  # noqa: ANN401 - as in Executor
        future: Future[Any] = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except Exception as cause:  # noqa: BLE001 - any exception belongs to the future
            future.set_exception(cause)
        return future
