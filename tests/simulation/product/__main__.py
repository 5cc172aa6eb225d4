"""Play seeded schedules of the product: python -m tests.simulation.product [SEEDS] [--from SEED] [--trace] [--without LINE | --each]."""

import argparse
import sys
from collections.abc import Iterable
from typing import Final

from tests.simulation.product.mutations import MUTATIONS
from tests.simulation.product.schedule import play

_SHOWN: Final = 12


def main() -> int:
    """Print what broke, how to play it again, and the last steps before it came to rest."""
    parser = argparse.ArgumentParser(prog="python -m tests.simulation.product", description=__doc__)
    parser.add_argument("seeds", nargs="?", type=int, default=2_000, help="how many seeds to play")
    parser.add_argument("--from", dest="first", type=int, default=0, help="the first seed")
    parser.add_argument("--trace", action="store_true", help="print every step")
    parser.add_argument("--without", choices=MUTATIONS, help="take this line out, and stop at the first violation")
    parser.add_argument("--each", action="store_true", help="the same for every line, one after the other")
    options = parser.parse_args()
    seeds = range(options.first, options.first + options.seeds)
    for name in MUTATIONS if options.each else filter(None, [options.without]):
        _tell(f"{name}: {_first_broken(name, seeds)}")
    if options.each or options.without:
        return 0
    broken = [seed for seed in seeds if _broken(seed, trace=options.trace)]
    _tell(f"{options.seeds} seeds, {len(broken)} broken")
    return 1 if broken else 0


def _broken(seed: int, *, trace: bool) -> bool:
    verdict = play(seed)
    if trace or verdict.violations:
        steps = verdict.last_steps if trace else verdict.last_steps[-_SHOWN:]
        _tell(*steps, *(f"seed {seed}: {one}" for one in verdict.violations))
    if verdict.violations:
        _tell(f"play it again: python -m tests.simulation.product 1 --from {seed} --trace", "")
    return bool(verdict.violations)


def _first_broken(name: str, seeds: Iterable[int]) -> str:
    with MUTATIONS[name].applied():
        for seed in seeds:
            found = play(seed).violations
            if found:
                return f"seed {seed}: {found[0]}"
    return "not found"


def _tell(*lines: str) -> None:
    sys.stdout.writelines(f"{line}\n" for line in lines)
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
