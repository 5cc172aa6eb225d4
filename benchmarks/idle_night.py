"""`python -m benchmarks.idle_night`: the first answer after an idle night, without a warm instance.

Each night the webhook starts, publishes one delivery, and answers LINE; then the worker starts, and its first turn ends. The stand-in of
the model answers at once: what is left of the goal is for the model, and for the start of the platform's two containers, which cannot be
measured here.
"""

import argparse
import asyncio
import os
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from benchmarks import cold_start, machine
from benchmarks.processes import INHERITED_VARIABLES, Processes
from benchmarks.samples import percentile
from operations.cost import load
from shared.clock import SystemClock

GOAL_S: Final = 12.0
NIGHTS: Final = 40


def report(nights: Sequence[tuple[float, float]], *, model_s: float) -> str:
    """Return a line for each figure.  Example: of 1.6 s and a model of 4 s, 6.4 s are left for the two containers."""
    sums = [webhook_s + worker_s for webhook_s, worker_s in nights]
    p95_s = percentile(sums, 95)
    left_s = GOAL_S - p95_s - model_s
    figures = {
        "the webhook's 200, p95": percentile([webhook_s for webhook_s, _ in nights], 95),
        "the worker's first turn, p95": percentile([worker_s for _, worker_s in nights], 95),
        "both, median": percentile(sums, 50),
        "both, p95": p95_s,
        "the model, assumed (operations/measured.toml)": model_s,
        f"left of {GOAL_S:g} s for the starts of two containers": left_s,
    }
    verdict = "met" if left_s > 0 else "not met"
    return "\n".join([*(f"{name:<52}{value:>7.2f} s" for name, value in figures.items()), f"goal: {verdict}"])


async def _measure(nights: int, env: Mapping[str, str]) -> list[tuple[float, float]]:
    with tempfile.TemporaryDirectory(prefix="aizuchi-bench-") as folder:
        async with Processes(folder=Path(folder), env=env) as processes:
            return await cold_start.first_answers(processes, await processes.stand_in("pubsub"), nights)


def main(arguments: Sequence[str], env: Mapping[str, str]) -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.idle_night", description=__doc__)
    parser.add_argument("--nights", type=int, default=NIGHTS, help="how often both functions start")
    options = parser.parse_args(arguments)
    base_env = {name: env[name] for name in INHERITED_VARIABLES if name in env}
    nights = asyncio.run(_measure(options.nights, base_env))
    print(f"{machine.header_line(SystemClock())}\n{report(nights, model_s=load('measured')['seconds']['turn'])}")


if __name__ == "__main__":
    main(sys.argv[1:], os.environ)  # noqa: TID251 - the entry point reads the environment
