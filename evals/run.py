"""Plays cases, several times each, and sums up the results."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Final

import msgspec

from evals.case import Case
from evals.cassettes import ReRecordError
from evals.graders import Failure, grade
from evals.grading.evidence import Evidence, evidence_of
from evals.minds import MindUnderTest, ModelCall, count_calls, tokens_of
from evals.prices import dollars, estimated_usage
from evals.world import Observed, World
from shared.agent.model import JsonAnswer, JsonRequest, ModelRequest, ModelResponse
from shared.errors import ModelUnavailableError
from shared.metering import Usage

MindFor = Callable[[Case], MindUnderTest]


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseRun:
    """One case, played once.  `evidence`: the words beside the deeds and sources.  `error`: why the run stopped early."""

    case: Case
    failures: tuple[Failure, ...] = ()
    reply: str = field(default="", repr=False)
    evidence: Evidence | None = field(default=None, repr=False)
    calls: tuple[tuple[str, int], ...] = ()
    usage: Usage = field(default_factory=Usage)
    estimate: Usage = field(default_factory=Usage)
    seconds: float = 0.0
    requests: int = 0
    error: str = ""

    @property
    def has_passed(self) -> bool:
        """Whether nothing failed."""
        return not self.failures and not self.error

    @property
    def is_untrue(self) -> bool:
        """Whether the rules object to the truth of the words."""
        return any(one.stage == "truth" for one in self.failures)

    @property
    def has_passed_gates(self) -> bool:
        """Whether every gate held."""
        return not self.error and not any(one.is_gate for one in self.failures)


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """A case and its runs."""

    case: Case
    runs: tuple[CaseRun, ...]

    @property
    def has_always_passed(self) -> bool:
        """Whether every run passed: pass^k."""
        return all(one.has_passed for one in self.runs)

    @property
    def passes(self) -> float:
        """The share of passed runs: pass@1.  Two of three runs: 0.67, for example."""
        return sum(one.has_passed for one in self.runs) / len(self.runs)

    @property
    def gate_failures(self) -> int:
        """How many runs failed a gate."""
        return sum(not one.has_passed_gates for one in self.runs)


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """The sums of a suite, or of all."""

    name: str
    cases: int
    passes: float
    always: float
    gate_failures: int
    usage: Usage
    cost: float | None
    seconds: float
    slowest: float

    @classmethod
    def of(cls, name: str, results: Sequence[Result], *, model_name: str) -> "Summary":
        runs = [run for result in results for run in result.runs]
        usage = tokens_of([ModelCall(request=_NOTHING, usage=run.usage) for run in runs])
        seconds = sorted(run.seconds for run in runs)
        return cls(
            name=name,
            cases=len(results),
            passes=sum(result.passes for result in results) / max(1, len(results)),
            always=sum(result.has_always_passed for result in results) / max(1, len(results)),
            gate_failures=sum(result.gate_failures for result in results),
            usage=usage,
            cost=dollars(model_name, usage),
            seconds=seconds[len(seconds) // 2] if seconds else 0.0,
            slowest=seconds[-1] if seconds else 0.0,
        )


_NOTHING: Final = JsonRequest(system_instruction="", prompt="", schema={}, timeout_s=0.0)


def play(
    cases: Sequence[Case], mind_for: MindFor, *, repeats: int = 1, at_once: int = 1, is_real: bool = False
) -> list[Result]:
    """Return the result of every case, in order."""

    def play_one(case: Case) -> Result:
        runs = tuple(play_once(case, mind_for(case), is_real=is_real) for _ in range(repeats))
        return Result(case=case, runs=runs)

    with ThreadPoolExecutor(at_once) as pool:
        return list(pool.map(play_one, cases))


def play_once(case: Case, mind: MindUnderTest, *, is_real: bool = False) -> CaseRun:
    """Return a run of a case."""
    watched = _Watched(mind)
    try:
        observed = World(case, watched, is_real=is_real).play()
    except Exception as cause:  # noqa: BLE001 - one case that cannot be played must not end the others
        return CaseRun(case=case, error=watched.needs_recording or f"{type(cause).__name__}: {cause}")
    if watched.needs_recording:
        return CaseRun(case=case, error=watched.needs_recording)
    return CaseRun(
        case=case,
        failures=grade(case, observed),
        reply=observed.reply,
        evidence=evidence_of(case, observed),
        calls=tuple(sorted(count_calls(observed.asked).items())),
        usage=tokens_of(observed.asked),
        estimate=_estimate(observed),
        seconds=sum(one.seconds for one in observed.asked),
        requests=len(observed.asked),
    )


def summaries(results: Sequence[Result], *, model_name: str) -> Iterator[Summary]:
    """Yield the sums of each suite, then of all suites."""
    for suite in dict.fromkeys(result.case.suite for result in results):
        yield Summary.of(suite, [one for one in results if one.case.suite == suite], model_name=model_name)
    yield Summary.of("all", results, model_name=model_name)


def failed_gates(results: Sequence[Result]) -> list[Result]:
    """Return the results that end a run with an error: a failed gate, an id of LINE in a reply or prompt, or an unplayable case."""
    return [one for one in results if one.gate_failures]


def estimated_cost(results: Sequence[Result], *, model_name: str, repeats: int) -> float | None:
    """Return the price of a run with a real model, estimated by the lengths of the requests so far."""
    usage = tokens_of([ModelCall(request=_NOTHING, usage=result.runs[0].estimate) for result in results])
    cost = dollars(model_name, usage)
    return None if cost is None else cost * repeats


def _estimate(observed: Observed) -> Usage:
    text = "".join(_text_of(one.request) for one in observed.asked)
    return estimated_usage(text, answers=len(observed.asked))


def _text_of(request: ModelRequest | JsonRequest) -> str:
    return msgspec.json.encode(request, enc_hook=lambda _: "").decode()


class _Watched:
    """A mind that remembers a cassette's ReRecordError, because the worker turns every error of a model into an apology."""

    def __init__(self, mind: MindUnderTest) -> None:
        self.needs_recording = ""
        self._mind = mind

    @property
    def name(self) -> str:
        return self._mind.name

    def generate(self, request: ModelRequest) -> ModelResponse:
        try:
            return self._mind.generate(request)
        except ReRecordError as cause:
            self.needs_recording = str(cause)
            raise ModelUnavailableError("no cassette") from cause

    def answer_json(self, request: JsonRequest) -> JsonAnswer:
        try:
            return self._mind.answer_json(request)
        except ReRecordError as cause:
            self.needs_recording = str(cause)
            raise ModelUnavailableError("no cassette") from cause
