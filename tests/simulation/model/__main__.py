"""Play seeded schedules: python -m tests.simulation.model [SEEDS] [--from SEED] [--without GUARD | --each]."""

import argparse
import sys
from collections.abc import Iterable

from tests.simulation.model.guards import NAMES, Guards
from tests.simulation.model.schedule import play


def main() -> int:
    """Print what broke, with the seed that breaks it again."""
    parser = argparse.ArgumentParser(prog="python -m tests.simulation.model", description=__doc__)
    parser.add_argument("seeds", nargs="?", type=int, default=2_000, help="how many seeds to play")
    parser.add_argument("--from", dest="first", type=int, default=0, help="the first seed")
    parser.add_argument("--without", choices=NAMES, help="switch this guard off, and stop at the first violation")
    parser.add_argument("--each", action="store_true", help="the same for every guard, one after the other")
    options = parser.parse_args()
    seeds = range(options.first, options.first + options.seeds)
    for guard in NAMES if options.each else filter(None, [options.without]):
        _tell(f"{guard}: {_first_broken(seeds, Guards().without(guard))}")
    if options.each or options.without:
        return 0
    broken = [seed for seed in seeds if _broken(seed)]
    _tell(f"{options.seeds} seeds, {len(broken)} broken")
    return 1 if broken else 0


def _broken(seed: int) -> bool:
    found = play(seed).violations
    for violation in found:
        _tell(f"seed {seed}: {violation}")
    return bool(found)


def _first_broken(seeds: Iterable[int], guards: Guards) -> str:
    for seed in seeds:
        found = play(seed, guards).violations
        if found:
            return f"seed {seed}: {found[0]}"
    return "not found"


def _tell(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
