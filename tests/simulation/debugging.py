"""One failing seed, from the schedule to the line of code: every step, a debugger at one of them, the shortest schedule that breaks."""

import argparse
import pdb  # noqa: T100 - `--break` is a debugger
import sys
from collections.abc import Iterator, Sequence
from types import FrameType
from typing import Final

from tests.simulation.cut import FAULTS, NOTHING, Cut
from tests.simulation.schedule import Verdict, Watch, play
from tests.simulation.shrink import shrink

_STEPS_SHOWN: Final = 12


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of debugging; `options.cut` is what `--drop`, `--calm` and `--roll` leave out."""
    group = parser.add_argument_group(
        "debug a seed", "docs/debugging-a-seed.md takes a seed from its number to a line of code"
    )
    group.add_argument(
        "--trace", action="store_true", help="print every step, with the product's line that made the call"
    )
    group.add_argument(
        "--shrink", action="store_true", help="look for the shortest schedule that breaks in the same sentence"
    )
    group.add_argument(
        "--break",
        dest="break_at",
        type=int,
        metavar="STEP",
        help="stop in pdb at this step, at the product's line that made the call",
    )
    parser.set_defaults(cut=NOTHING)
    group.add_argument("--drop", action=_CutAction, metavar="N,N", help="leave out what people do by these numbers")
    group.add_argument(
        "--calm", action=_CutAction, metavar="FAULT,FAULT", help=f"leave out these faults: {', '.join(FAULTS)}"
    )
    group.add_argument("--roll", action=_CutAction, metavar="N", help="draw anew how long calls take")


class _CutAction(argparse.Action):
    """Adds an option's value to `options.cut`."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: object,
        option_string: str | None = None,
    ) -> None:
        try:
            namespace.cut = with_option(namespace.cut, str(option_string), str(values))
        except ValueError as error:
            parser.error(str(error))


def with_option(cut: Cut, option: str, value: str) -> Cut:
    """Return the cut with an option of the command: `with_option(NOTHING, "--drop", "0,4").dropped == {0, 4}`.

    Raises: ValueError, with a sentence for the person who typed the option.
    """
    parts = value.split(",")
    match option:
        case "--drop":
            return Cut(dropped=frozenset(map(int, parts)), calmed=cut.calmed, roll=cut.roll)
        case "--calm":
            if unknown := set(parts) - set(FAULTS):
                raise ValueError(f"no such fault: {', '.join(sorted(unknown))}; there are {', '.join(FAULTS)}")
            return Cut(dropped=cut.dropped, calmed=frozenset(parts), roll=cut.roll)
        case _:
            return Cut(dropped=cut.dropped, calmed=cut.calmed, roll=int(value))


def debug(seeds: Sequence[int], options: argparse.Namespace) -> int:
    """Do for each seed what the options ask for; return 1 if one of them breaks."""
    is_broken = False
    for seed in seeds:
        lines, is_broken_now = (_shrink if options.shrink else _watch)(seed, options)
        sys.stdout.writelines(f"{line}\n" for line in lines)
        is_broken = is_broken or is_broken_now
    return int(is_broken)


def lines_about(
    seed: int, verdict: Verdict, *, cut: Cut = NOTHING, without: str | None = None, steps: int = _STEPS_SHOWN
) -> list[str]:
    """Return the last steps, what people did, the violations, and the commands that replay and shrink the seed."""
    lines = [
        *verdict.last_steps[-steps:],
        *_happenings(verdict, cut),
        *(f"seed {seed}: {violation}" for violation in verdict.violations),
    ]
    if verdict.violations:
        command = _command(seed, cut, without)
        lines += [f"every step: {command} --trace", f"the shortest: {command} --shrink", ""]
    return lines


def _watch(seed: int, options: argparse.Namespace) -> tuple[list[str], bool]:
    stopped: list[FrameType] = []

    def stop(frame: FrameType) -> None:
        stopped.append(frame)
        stop_in(frame)

    watch = Watch(steps=True, break_at=options.break_at, on_break=stop)
    verdict = play(seed, watch=watch, cut=options.cut)
    steps = len(verdict.last_steps) if options.trace else _STEPS_SHOWN
    lines = lines_about(seed, verdict, cut=options.cut, without=options.without, steps=steps)
    if options.break_at is not None and not stopped:
        lines.append(
            f"step {options.break_at} of {verdict.steps} is no call of the product; choose one with a line of code"
        )
    return lines, bool(verdict.violations)


def stop_in(frame: FrameType, debugger: pdb.Pdb | None = None) -> None:
    """Stop in the debugger, at the product's line whose call is about to take effect; `next` lets the call take effect.

    Raises: SystemExit, after `quit`: the product catches what pdb raises.
    """
    debugger = debugger or pdb.Pdb(nosigint=True)
    debugger.reset()
    caller: FrameType | None = frame
    while caller is not None:
        caller.f_trace = debugger.trace_dispatch
        debugger.botframe = caller
        caller = caller.f_back
    debugger.interaction(frame, None)
    if debugger.quitting:
        raise SystemExit(1)
    is_continuing = debugger.stoplineno == -1 and not debugger.breaks
    sys.settrace(None if is_continuing else debugger.trace_dispatch)


def _shrink(seed: int, options: argparse.Namespace) -> tuple[list[str], bool]:
    shrunk = shrink(lambda cut: play(seed, cut=cut))
    if shrunk is None:
        return [f"seed {seed} is clean"], False
    whole = play(seed)
    lines = [
        *_happenings(shrunk.verdict, shrunk.cut),
        *(f"seed {seed}: {violation}" for violation in shrunk.verdict.violations),
        f"{_left(whole, NOTHING)} became {_left(shrunk.verdict, shrunk.cut)} after {shrunk.plays} plays",
        f"every step: {_command(seed, shrunk.cut, options.without)} --trace",
    ]
    return lines, True


def _left(verdict: Verdict, cut: Cut) -> str:
    happenings = sum(number not in cut.dropped for number in verdict.happenings)
    return f"{happenings} happenings, {len(FAULTS) - len(cut.calmed)} faults, {verdict.steps} steps"


def _happenings(verdict: Verdict, cut: Cut) -> Iterator[str]:
    for number, happening in verdict.happenings.items():
        if number not in cut.dropped:
            yield f"happening {number}: a person {happening}"


def _command(seed: int, cut: Cut, without: str | None) -> str:
    parts = (f"python -m tests.simulation 1 --from {seed}", without and f"--without {without}", cut.arguments)
    return " ".join(part for part in parts if part)
