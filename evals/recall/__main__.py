"""`python -m evals.recall`: recall at five of facts said long ago in a group of 10,000 messages, for some seeds."""

import argparse
import sys

from evals.recall.benchmark import TARGET, TARGET_MS, measure
from evals.recall.group import MESSAGES, WINDOW, make_group


def main() -> int:
    """Measure and print; fails below the target."""
    parser = argparse.ArgumentParser(prog="python -m evals.recall", description=__doc__)
    parser.add_argument("--seeds", type=int, default=3)
    options = parser.parse_args()
    print(
        "| seed | facts | recall@5 | en | ja | th | first search, CPU ms | warm, CPU ms |\n|---|---|---|---|---|---|---|---|"
    )
    worst, slowest_ms = 1.0, 0.0
    for seed in range(options.seeds):
        group = make_group(seed=seed)
        figures = measure(group)
        shares = " | ".join(f"{figures.recall[kind]:.3f}" for kind in ("all", "en", "ja", "th"))
        print(f"| {seed} | {len(group.facts)} | {shares} | {figures.cold_ms:.0f} | {figures.warm_ms:.0f} |")
        print(f"missed: {', '.join(figures.missed) or 'none'}", file=sys.stderr)
        worst = min(worst, figures.recall["all"])
        slowest_ms = max(slowest_ms, figures.cold_ms)
    print(
        f"\n{MESSAGES:,} messages of six people; no fact is among the newest {WINDOW}. Targets: {TARGET}, {TARGET_MS} ms."
    )
    return 0 if worst >= TARGET and slowest_ms < TARGET_MS else 1


if __name__ == "__main__":
    sys.exit(main())
