"""The threads of a worker, all from one pool, for benchmarks that play it in this process."""

from concurrent.futures import Executor

from shared.handlers.ports import Threads
from shared.turns.background import ThreadBackground


def threads_on(pool: Executor) -> Threads:
    """Return the worker's threads."""
    return Threads(
        reads=pool,
        tools=pool,
        names=pool,
        media=pool,
        presence=pool,
        ticks=pool,
        background=ThreadBackground(threads=pool),
    )
