"""Play seeded schedules: python -m tests.simulation [SEEDS] [--from SEED] [--again ROLLS] [--processes N] [--without GUARD | --each].

A failing seed is debugged by --trace, --shrink and --break (docs/debugging-a-seed.md).
"""

import argparse
import contextlib
import gc
import json
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Final

from tests.simulation import debugging, table
from tests.simulation.cut import NOTHING, Cut
from tests.simulation.mutations import MUTATIONS
from tests.simulation.once_broken import ONCE_BROKEN
from tests.simulation.scenes import SCENES
from tests.simulation.schedule import Verdict, Watch, play
from tests.simulation.summary import Summary, add_up

_SEEDS_A_BATCH: Final = 50
_Play = tuple[int, Cut]


def main() -> int:
    """Print each violation, the command that replays its seed, and the last steps of the schedule; last, one line of JSON."""
    options = _parser().parse_args()
    if options.add:
        total = add_up(one.read_text(encoding="utf-8").splitlines()[-1] for one in options.add)
        _print_lines(total)
        return 1 if json.loads(total)["broken"] else 0
    seeds = range(options.first, options.first + options.seeds)
    if options.trace or options.shrink or options.break_at is not None or options.cut != NOTHING:
        mutation = MUTATIONS[options.without].active() if options.without else contextlib.nullcontext()
        with mutation:
            return debugging.debug(seeds, options)
    if options.each:
        table.write(dict(_search(MUTATIONS, seeds, options.processes)))
    elif options.without:
        broken_seed = table.first_violation(options.without, seeds)
        _print_lines(f"seed {broken_seed[0]}: {broken_seed[1]}" if broken_seed else "no seed")
    if options.each or options.without:
        return 0
    started_s = time.monotonic()
    summary = Summary()
    plays = again(options.again) if options.again else [(seed, NOTHING) for seed in seeds]
    for (seed, cut), verdict in _play_all(plays, options.processes):
        summary.add(seed, verdict)
        if verdict.violations and not options.summary:
            _print_lines(*debugging.lines_about(seed, play(seed, watch=Watch(steps=True), cut=cut), cut=cut))
    _print_lines(summary.line(time.monotonic() - started_s))
    return 1 if summary.broken else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.simulation", description=__doc__)
    parser.add_argument("seeds", nargs="?", type=int, default=2_000, help="how many seeds to play")
    parser.add_argument("--from", dest="first", type=int, default=0, help="the first seed")
    parser.add_argument(
        "--again", type=int, default=0, metavar="ROLLS", help="instead, play what once broke, each with so many rolls"
    )
    parser.add_argument("--processes", type=int, default=1, help="on how many processes")
    parser.add_argument("--summary", action="store_true", help="print only the line of JSON")
    parser.add_argument(
        "--without",
        metavar="GUARD",
        choices=MUTATIONS,
        help="apply its mutation, and stop at the first violation; with the options below, debug under the mutation",
    )
    parser.add_argument(
        "--each", action="store_true", help="the same for every guard, and rewrite the table in the README"
    )
    parser.add_argument(
        "--add", nargs="+", type=Path, metavar="FILE", help="add up the last lines of these files, and play nothing"
    )
    debugging.add_options(parser)
    return parser


def again(rolls: int) -> list[_Play]:
    """Return the seeds that once broke, each with the rolls 0 (its own chance) to `rolls` - 1 (see `Cut`)."""
    return [(seed, Cut(roll=roll)) for seed in ONCE_BROKEN for roll in range(rolls)]


def play_batch(plays: Sequence[_Play]) -> list[tuple[_Play, Verdict]]:
    """Play the schedules one after another."""
    gc.disable()  # nearly all of what a schedule makes goes without the collector; the rest, of fifty of them, takes no room to speak of
    played = [((seed, cut), play(seed, cut=cut)) for seed, cut in plays]
    gc.collect()
    return played


def _play_all(plays: Sequence[_Play], processes: int) -> Iterator[tuple[_Play, Verdict]]:
    batches = [plays[first : first + _SEEDS_A_BATCH] for first in range(0, len(plays), _SEEDS_A_BATCH)]
    if processes == 1:
        yield from chain.from_iterable(map(play_batch, batches))
        return
    with ProcessPoolExecutor(processes) as pool:
        yield from chain.from_iterable(pool.map(play_batch, batches))


def search(name: str, seeds: Sequence[int]) -> tuple[int, str] | None:
    """Return the first seed that breaks under the mutation; where a scene shows it, no seed is looked for."""
    return None if name in SCENES else table.first_violation(name, seeds)


def _search(names: Iterable[str], seeds: Sequence[int], processes: int) -> Iterator[tuple[str, tuple[int, str] | None]]:
    with ProcessPoolExecutor(processes) as pool:
        for name, broken in zip(names, pool.map(partial(search, seeds=seeds), names), strict=True):
            _print_lines(f"{name}: seed {broken[0]}: {broken[1]}" if broken else f"{name}: no seed")
            yield name, broken


def _print_lines(*lines: str) -> None:
    sys.stdout.writelines(f"{line}\n" for line in lines)
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
