"""A running local stack, driven from the test's thread."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from simulator.stack import LocalStack, StackSettings
from tests.support.loop import LoopThread
from tests.support.warm_start import fork

# The variables that every process needs; no other variable of the machine reaches the functions.
BASE_ENV = {name: value for name, value in os.environ.items() if name in {"PATH", "HOME", "LANG", "VIRTUAL_ENV"}}  # noqa: TID251


@contextmanager
def running_stack(folder: Path, **settings: Any) -> Iterator[tuple[LoopThread, LocalStack]]:  # noqa: ANN401 - fields of StackSettings
    """Start a stack that keeps only its logs, and stop it at the end of the block.

    Leases are short, so that a killed worker's turn is soon free.  Ticks come by `LocalStack.tick` only.  Functions start warm;
    tests/e2e/test_launcher.py starts them cold.
    """
    settings = {"tick_s": 0.0, **settings}
    settings["more_env"] = {"LEASE_S": "5", **settings.get("more_env", {})}
    with LoopThread() as loop:

        async def start() -> LocalStack:
            return await LocalStack(
                StackSettings(folder=folder, base_env=BASE_ENV, keeps_data=False, launch=fork, **settings)
            ).__aenter__()

        stack = loop.run(start())
        try:
            yield loop, stack
        finally:
            loop.run(stack.__aexit__(None, None, None))
