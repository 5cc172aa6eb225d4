"""Play seeded schedules of the product: python -m tests.simulation.product [SEEDS] [--from SEED] [--trace] [--without GUARD | --each]."""

import argparse
import sys
from collections.abc import Iterable, Iterator
from typing import Final

from tests.simulation.product import table
from tests.simulation.product.mutations import MUTATIONS
from tests.simulation.product.schedule import play

_STEPS_PRINTED: Final = 12


def main() -> int:
    """Print each violation, the command that replays its seed, and the last steps of the schedule."""
    parser = argparse.ArgumentParser(prog="python -m tests.simulation.product", description=__doc__)
    parser.add_argument("seeds", nargs="?", type=int, default=2_000, help="how many seeds to play")
    parser.add_argument("--from", dest="first", type=int, default=0, help="the first seed")
    parser.add_argument("--trace", action="store_true", help="print every step")
    parser.add_argument(
        "--without", metavar="GUARD", choices=MUTATIONS, help="apply its mutation, and stop at the first violation"
    )
    parser.add_argument(
        "--each", action="store_true", help="the same for every guard, and rewrite the table in the README"
    )
    options = parser.parse_args()
    seeds = range(options.first, options.first + options.seeds)
    if options.each:
        table.write(dict(_search(MUTATIONS, seeds)))
    elif options.without:
        dict(_search([options.without], seeds))
    if options.each or options.without:
        return 0
    broken = [seed for seed in seeds if _play_and_print(seed, trace=options.trace)]
    _print_lines(f"{options.seeds} seeds, {len(broken)} broken")
    return 1 if broken else 0


def _play_and_print(seed: int, *, trace: bool) -> bool:
    verdict = play(seed)
    if trace or verdict.violations:
        steps = verdict.last_steps if trace else verdict.last_steps[-_STEPS_PRINTED:]
        _print_lines(*steps, *(f"seed {seed}: {one}" for one in verdict.violations))
    if verdict.violations:
        _print_lines(f"play it again: python -m tests.simulation.product 1 --from {seed} --trace", "")
    return bool(verdict.violations)


def _search(names: Iterable[str], seeds: Iterable[int]) -> Iterator[tuple[str, tuple[int, str] | None]]:
    for name in names:
        broken = table.first_violation(name, seeds)
        _print_lines(f"{name}: seed {broken[0]}: {broken[1]}" if broken else f"{name}: not found")
        yield name, broken


def _print_lines(*lines: str) -> None:
    sys.stdout.writelines(f"{line}\n" for line in lines)
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
