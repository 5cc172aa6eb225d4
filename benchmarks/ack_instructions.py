"""`python -m benchmarks.ack_instructions`: instructions of user space that the webhook's worker executes for a delivery, against the floor.

A figure for machines that are too busy for times: it hardly depends on what else runs. valgrind has to be installed; the run takes about
eight minutes. The kernel's work, which is the same on both sides, is not counted, so the ratio is above that of times.
"""

import asyncio
import os
import re
import shutil
import signal
import sys
import tempfile
from collections.abc import Iterable
from dataclasses import replace
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Final

from benchmarks import ack, wire
from benchmarks.processes import INHERITED_VARIABLES, Processes
from simulator.processes import Child

_COUNTS: Final = (30, 230)
_RUNS: Final = 2
"""Of each count, the run with the fewest instructions counts: a start with more retries only adds to them."""
_WARM_UP: Final = 20
_START_S: Final = 300.0
_VALGRIND: Final = ("valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null")
_REFERENCES: Final = re.compile(r"I\s+refs:\s+([\d,]+)")


def instructions_in(logs: Iterable[str]) -> int:
    """Return the worker's instructions.  Arbiter and worker write a log each; the worker's count begins with the arbiter's at the fork.

    For example, logs with `I refs: 1,140` and `I refs: 1,237` give 1237. Raises: ValueError, if no log has a count.
    """
    return max(int(match[1].replace(",", "")) for log in logs for match in _REFERENCES.finditer(log))


def a_request(counted: Iterable[tuple[int, int]]) -> float:
    """Return the instructions for one request, from two runs as requests and instructions: `[(30, 1_000), (230, 3_000)]` gives 10."""
    (few, instructions), (many, more_instructions) = sorted(counted)
    return (more_instructions - instructions) / (many - few)


async def _count(child: Child, folder: Path, requests: int, *, run_number: int) -> tuple[int, int]:
    """Return how many requests were counted, and the instructions of the worker up to its end."""
    name = f"{child.name}-{requests}-{run_number}"
    command = (*_VALGRIND, f"--log-file={folder / name}.%p.valgrind", *child.command)
    counted = replace(child, command=command, env={**child.env, "PYTHONHASHSEED": "0"}, log_path=folder / f"{name}.log")
    try:
        await counted.start(timeout_s=_START_S)
        body = wire.delivery()
        for number in range(_WARM_UP + requests):  # the first call connects to Pub/Sub, and may exceed its deadline
            await asyncio.to_thread(
                wire.send, counted.port, body=body, headers=wire.signed_headers(body), any_status=number < _WARM_UP
            )
        os.kill(counted.pid, signal.SIGTERM)
        await counted.ended()
    finally:
        await counted.stop()
    return requests, instructions_in(_logs(folder, name))


def _logs(folder: Path, name: str) -> list[str]:
    return [log.read_text() for log in folder.glob(f"{name}.*.valgrind")]


async def run() -> None:
    """Print the instructions of webhook and floor, and their ratio."""
    env = {name: os.environ[name] for name in INHERITED_VARIABLES if name in os.environ}  # noqa: TID251 - for the children
    with tempfile.TemporaryDirectory() as folder_name:
        folder = Path(folder_name)
        async with Processes(folder=folder, env=env) as processes:
            pubsub = await processes.stand_in("pubsub")
            counts: dict[str, float] = {}
            for name in ("webhook", "floor"):
                counted = [
                    await _count(ack.functions_to_start(processes, pubsub)[name], folder, requests, run_number=number)
                    for requests in _COUNTS
                    for number in range(_RUNS)
                ]
                counts[name] = a_request([min(runs) for _, runs in groupby(counted, key=itemgetter(0))])
    print(
        f"webhook {counts['webhook']:,.0f} instructions a request, floor {counts['floor']:,.0f}: "
        f"{counts['webhook'] / counts['floor']:.3f}"
    )


def main() -> int:
    """Count, or say what is missing."""
    if shutil.which(_VALGRIND[0]) is None:
        print("valgrind is not installed")
        return 1
    asyncio.run(run())
    return 0


if __name__ == "__main__":
    sys.exit(main())
