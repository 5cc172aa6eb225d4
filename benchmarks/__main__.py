"""`python -m benchmarks`: one table of ratios.  The exit status reports whether the measurement succeeded, not whether targets were met."""

import argparse
import asyncio
import json
import os
import signal
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Final

from benchmarks import ack, calls, cold_start, growth, machine, medians, memory, picture, turn, waits
from benchmarks.plan import FULL, QUICK, Plan
from benchmarks.processes import INHERITED_VARIABLES, Processes
from benchmarks.table import Section, render
from benchmarks.wire import UnexpectedAnswerError
from shared.clock import SystemClock
from simulator.processes import StackError

_INTERRUPTED: Final = 130  # 128 + SIGINT, as in shells


def main(arguments: Sequence[str], env: Mapping[str, str]) -> int:
    """Measure and print.  Returns the exit status."""
    options = _parser().parse_args(arguments)
    if options.medians:
        print(medians.markdown([json.loads(one.read_text(encoding="utf-8")) for one in options.medians]))
        return 0
    base_env = {name: env[name] for name in INHERITED_VARIABLES if name in env}
    header = f"Aizuchi benchmarks: {machine.header_line(SystemClock())}"
    try:
        sections = asyncio.run(_measure_all(QUICK if options.quick else FULL, base_env))
    except (StackError, UnexpectedAnswerError) as error:
        sys.stderr.write(f"{error}\n")
        return 1
    except asyncio.CancelledError:
        return _INTERRUPTED
    print(f"{header}\n\n{render(sections)}\n\n{_LEGEND}")
    if options.json is not None:
        figures = {"machine": header, "sections": [asdict(section) for section in sections]}
        options.json.write_text(json.dumps(figures, indent=1), encoding="utf-8")
    return 0


async def _measure_all(plan: Plan, base_env: Mapping[str, str]) -> list[Section]:
    task = asyncio.current_task()
    assert task is not None  # noqa: S101 - a coroutine always runs in a task
    for stop_signal in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(stop_signal, task.cancel)
    with tempfile.TemporaryDirectory(prefix="aizuchi-bench-") as folder:
        async with Processes(folder=Path(folder), env=base_env) as processes:
            pubsub = await processes.stand_in("pubsub")
            _print_progress("single calls")
            single = await calls.measure(processes, plan)
            _print_progress("the webhook's ack")
            acks, held_by_webhook = await ack.measure(processes, pubsub, plan)
            _print_progress("cold starts")
            starts = await cold_start.measure(processes, pubsub, plan)
            await processes.stop(pubsub)
            _print_progress("turns of the agent worker")
            turns, held_by_workers = await turn.measure(processes, plan)
            _print_progress("turns in grown chats")
            grown = await growth.measure(processes, plan)
            _print_progress("a large picture")
            large = await picture.measure(processes, plan)
    _print_progress("what a person waits for")
    return [
        *waits.sections(),
        acks,
        starts,
        single,
        *turns,
        *grown,
        large,
        memory.section({**held_by_webhook, **held_by_workers}),
    ]


def _print_progress(section: str) -> None:
    sys.stderr.write(f"measuring {section} ...\n")


_LEGEND: Final = """\
Figures are medians over interleaved rounds; a ratio is the median of the rounds' own ratios, and half of them lie in its middle half.
A goal `x 1.1` is for the ratio, `<= 12` and `>= 40` are for the figure.
floor: a function that checks the signature, parses once, and publishes the same bytes. empty: a function that only answers."""


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks",
        description="Measure the functions against the least that could be done, all in one run on this machine.",
        epilog="Ratios can be compared between machines and days; milliseconds cannot.",
    )
    parser.add_argument("--quick", action="store_true", help="less than a minute, as a check of the benchmarks")
    parser.add_argument(
        "--medians",
        type=Path,
        metavar="FILE",
        nargs="+",
        help="measure nothing; print the medians of runs written by --json",
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the raw figures to FILE")
    return parser


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:], os.environ))  # noqa: TID251 - the one place that reads the environment
