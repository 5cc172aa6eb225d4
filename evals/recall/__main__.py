"""`python -m evals.recall`: recall at five of facts said long ago in a group of 10,000 messages, for some seeds."""

import argparse
import sys

from evals.recall.benchmark import TARGET, TARGET_MS, measure
from evals.recall.group import MESSAGES, WINDOW, make_group
from evals.recall.questions import LANGUAGES, TARGETS, measure_questions, questions


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
    is_met = _print_questions(options.seeds)
    return 0 if is_met and worst >= TARGET and slowest_ms < TARGET_MS else 1


def _print_questions(seeds: int) -> bool:
    """Print recall at five of questions as people ask, without and with alternatives; return whether the targets are met."""
    print("\n| seed | questions | alternatives | recall@5 | en | ja | zh-TW | th |\n|---|---|---|---|---|---|---|---|")
    is_met = True
    for seed in range(seeds):
        for kind, shares in measure_questions(seed=seed).items():
            for label, of_languages in (("without", shares.without), ("with", shares.with_alternatives)):
                cells = " | ".join(f"{of_languages[key]:.2f}" for key in ("all", *LANGUAGES))
                print(f"| {seed} | {len(questions().of(kind))} {kind} | {label} | {cells} |")
            print(f"missed: {', '.join(shares.missed) or 'none'}", file=sys.stderr)
            is_met = is_met and shares.with_alternatives["all"] >= TARGETS[kind]
    print(f"\nTargets with alternatives: {TARGETS['natural']} natural, {TARGETS['paraphrases']} paraphrases.")
    return is_met


if __name__ == "__main__":
    sys.exit(main())
