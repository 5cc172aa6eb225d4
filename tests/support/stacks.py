"""A running local stack, driven from the test's thread."""

import datetime as dt
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final
from zoneinfo import ZoneInfo

from simulator.stack import LocalStack, StackSettings
from tests.support.loop import LoopThread
from tests.support.warm_start import fork

# The variables that every process needs; no other variable of the machine reaches the functions.
BASE_ENV = {name: value for name, value in os.environ.items() if name in {"PATH", "HOME", "LANG", "VIRTUAL_ENV"}}  # noqa: TID251
_BEGINS_AT: Final = dt.time(10, 0, tzinfo=ZoneInfo("Asia/Tokyo"))


@contextmanager
def running_stack(folder: Path, **settings: Any) -> Iterator[tuple[LoopThread, LocalStack]]:  # noqa: ANN401 - fields of StackSettings
    """Start a stack that keeps only its logs, and stop it at the end of the block.

    Its clock begins at 10:00 in Japan, so that "tomorrow" and "every day at 8" mean the same whenever the tests run.
    Leases are short, so that a killed worker's turn is soon free.  Ticks come by `LocalStack.tick` only.  Functions start warm;
    tests/e2e/test_launcher.py starts them cold.
    """
    settings = {"tick_s": 0.0, **settings}
    settings["more_env"] = {"LEASE_S": "5", **settings.get("more_env", {})}
    with LoopThread() as loop:

        async def start() -> LocalStack:
            stack = LocalStack(
                StackSettings(folder=folder, base_env=BASE_ENV, keeps_data=False, launch=fork, **settings)
            )
            stack.clock.move(ms=_ms_until_beginning(stack.clock.now()))
            return await stack.__aenter__()

        stack = loop.run(start())
        try:
            yield loop, stack
        finally:
            loop.run(stack.__aexit__(None, None, None))


def _ms_until_beginning(now: dt.datetime) -> int:
    here = now.astimezone(_BEGINS_AT.tzinfo)
    beginning = dt.datetime.combine(here.date(), _BEGINS_AT)
    return (beginning - here) % dt.timedelta(days=1) // dt.timedelta(milliseconds=1)
