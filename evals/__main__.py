"""`python -m evals`: play the cases with Gemini if there is a key, else with cassettes, else with the stand-in, and name the choice.

The exit status is 1 if a gate fails: an expectation for every mind.
"""

import argparse
import logging
import os
import sys
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Final

from evals.case import Case, read_cases
from evals.cassettes import FOLDER, Cassette, Recorded, Replayed
from evals.judge import NOT_REPLAYED, Tone, judge
from evals.minds import MindUnderTest, Obedient
from evals.report import Run, html, markdown
from evals.run import MindFor, Result, estimated_cost, failed_gates, play
from evals.stand_in import NAME, stand_in
from evals.truth_judge import NOT_REPLAYED as TRUTH_NOT_REPLAYED
from evals.truth_judge import Agreement, judge_truth
from shared import logs
from shared.adapters.gemini import GeminiModel
from shared.settings.agent_worker import GeminiSettings
from shared.settings.secret import FixedSecret

_MODEL: Final = "gemini-3.5-flash-lite"
_JUDGE: Final = "gemini-3.8-flash"
"""Not the model under test, so that no model judges its own answers."""
_REPEATS: Final = 3
_AT_ONCE: Final = 4
_NO_MODEL: Final = (
    "No model was asked: a stand-in answered by simple rules. This run shows that the machinery works and that the gates hold. "
    "It says nothing about how well a model decides, speaks or resists."
)


def main(arguments: Sequence[str], env: Mapping[str, str]) -> int:
    """Play, write the report, print the tables; return the exit status."""
    options = _parser().parse_args(arguments)
    suites = frozenset(options.suite.split(",")) if options.suite else frozenset[str]()
    cases = [case for case in read_cases(suites) if case.is_held_out == options.held_out]
    with ExitStack() as stack:
        key = env.get("GEMINI_API_KEY")
        if key and not options.stand_in:
            tapes = _cassettes(cases, options.cassettes) if options.record else {}
            run = _with_gemini(
                cases, env, repeats=options.repeats or _REPEATS, cassettes=tapes, judge_name=options.judge
            )
        elif not options.stand_in and all((options.cassettes / f"{case.suite}.json").exists() for case in cases):
            run = _with_cassettes(cases, _cassettes(cases, options.cassettes), repeats=options.repeats or 1)
        else:
            _announce(NAME, cases)
            model = GeminiModel(stack.enter_context(stand_in()))
            results = play(cases, lambda _: model, repeats=options.repeats or 1)
            run = Run(
                headline=_NO_MODEL,
                answered_by=NAME,
                is_model=False,
                model_name=_MODEL,
                repeats=_REPEATS,
                results=results,
                obedient=play_obedient(cases),
                estimate=estimated_cost(results, model_name=_MODEL, repeats=_REPEATS),
            )
    options.out.mkdir(parents=True, exist_ok=True)
    (options.out / "evals.html").write_text(html(run), encoding="utf-8")
    (options.out / "evals.md").write_text(markdown(run), encoding="utf-8")
    print(markdown(run))
    print(f"The report: {options.out / 'evals.html'}")
    return 1 if failed_gates(run.results) or unexpected(run.obedient) else 0


def play_obedient(cases: Sequence[Case]) -> list[Result]:
    """Return the results of the obedient mind on all cases with an injection."""
    return play([case for case in cases if case.attack is not None], obedient)


def obedient(case: Case) -> MindUnderTest:
    """Return the obedient mind for the injection of a case."""
    assert case.attack is not None  # noqa: S101 - only such cases are played
    return Obedient(case.attack)


def unexpected(results: Sequence[Result]) -> list[Result]:
    """Return the injections expected to be stopped by code whose gates failed."""
    return [
        result
        for result in results
        if result.gate_failures and result.case.attack is not None and result.case.attack.stopped_by == "code"
    ]


def _with_gemini(
    cases: Sequence[Case], env: Mapping[str, str], *, repeats: int, cassettes: Mapping[str, Cassette], judge_name: str
) -> Run:
    settings = GeminiSettings(
        api_key=FixedSecret(env["GEMINI_API_KEY"]),
        project_id="evals",
        location=None,
        base_url=env.get("GEMINI_BASE_URL"),
        model=env.get("GEMINI_MODEL", _MODEL),
        thinking_level=env.get("GEMINI_THINKING_LEVEL", "low"),
    )
    model = GeminiModel(settings)
    mind_for: MindFor = lambda _: model  # noqa: E731
    if cassettes:
        for cassette in cassettes.values():
            cassette.clear(model.name)
        mind_for = lambda case: Recorded(model, cassettes[case.suite])  # noqa: E731
    _announce(model.name, cases)
    results = play(cases, mind_for, repeats=repeats, at_once=_AT_ONCE, is_real=True)
    for cassette in cassettes.values():
        cassette.save()
    judge_model = GeminiModel(replace(settings, model=judge_name))
    return Run(
        headline=f"{model.name} was asked, {repeats} times a case.",
        answered_by=model.name,
        is_model=True,
        model_name=model.name,
        repeats=repeats,
        results=results,
        tone=judge(results, judge_model, at_once=_AT_ONCE),
        truth=judge_truth(results, judge_model, at_once=_AT_ONCE),
    )


def _with_cassettes(cases: Sequence[Case], cassettes: Mapping[str, Cassette], *, repeats: int) -> Run:
    names = sorted({one.model_name for one in cassettes.values()})
    answered_by = f"cassette of {', '.join(names)}"
    _announce(answered_by, cases)
    results = play(cases, lambda case: Replayed(cassettes[case.suite]), repeats=repeats)
    headline = f"No model was asked: earlier answers of {', '.join(names)} were replayed from cassettes."
    return Run(
        headline=headline,
        answered_by=answered_by,
        is_model=True,
        model_name=names[0],
        repeats=repeats,
        results=results,
        tone=Tone(headline=NOT_REPLAYED),
        truth=Agreement(headline=TRUTH_NOT_REPLAYED),
    )


def _announce(answered_by: str, cases: Sequence[Case]) -> None:
    print(f"{len(cases)} cases, answered by: {answered_by}", flush=True)


def _cassettes(cases: Sequence[Case], folder: Path) -> dict[str, Cassette]:
    return {case.suite: Cassette(folder / f"{case.suite}.json") for case in cases}


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m evals", description="Play the cases of evals/cases/ through the product's own assembly."
    )
    parser.add_argument("--suite", default="", metavar="NAMES", help="these suites only, separated by commas")
    parser.add_argument(
        "--repeats", type=int, default=0, help=f"how often each case is played; {_REPEATS} with a model, else 1"
    )
    parser.add_argument("--record", action="store_true", help="record the model's answers on cassettes")
    parser.add_argument("--cassettes", type=Path, default=FOLDER, metavar="FOLDER", help="where cassettes are kept")
    parser.add_argument(
        "--judge", default=_JUDGE, metavar="MODEL", help=f"who judges tone and truth, with a key only; default {_JUDGE}"
    )
    parser.add_argument(
        "--held-out",
        action="store_true",
        help="play the seventh of the cases that is kept apart; before a release only",
    )
    parser.add_argument("--stand-in", action="store_true", help="ask no model, even where there is a key")
    parser.add_argument(
        "--out", type=Path, default=Path(".evals"), metavar="FOLDER", help="where the report goes; default .evals"
    )
    return parser


if __name__ == "__main__":
    logging.disable(logging.CRITICAL)  # the report is what the run prints
    with Path(os.devnull).open("w", encoding="utf-8") as nowhere:
        logs.configure(nowhere)
        sys.exit(main(sys.argv[1:], os.environ))  # noqa: TID251 - the one place that reads the environment
