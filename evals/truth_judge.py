"""A model judges the truth of answers, beside the rules, by evals/rubrics/truth.md; the report tells where the two agree.

A judgement is no gate and counts for no case: the rules of evals/grading do. Where the two differ, a person looks at the answer.
"""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from evals.grading.evidence import Evidence
from evals.judge import quote
from evals.run import Result
from shared.agent.model import Json, JsonModel, JsonRequest
from shared.errors import AizuchiError

RUBRIC: Final = Path(__file__).parent / "rubrics" / "truth.md"
NOT_JUDGED: Final = "Truth was judged by rules only: no model was asked."
NOT_REPLAYED: Final = "Truth was judged by rules only: cassettes hold no judgements."
_SCHEMA: Final[Json] = {
    "type": "object",
    "properties": {"is_true": {"type": "boolean"}, "reason": {"type": "string"}},
    "required": ["is_true", "reason"],
}
_TIMEOUT_S: Final = 30.0
_REASON_LIMIT: Final = 200
_SOURCES_LIMIT: Final = 20_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What the rules and the judge say about one answer."""

    case_id: str
    is_untrue_by_rules: bool
    is_untrue_by_judge: bool
    reason: str = field(default="", repr=False)

    @property
    def is_agreed(self) -> bool:
        """Whether rules and judge say the same."""
        return self.is_untrue_by_rules == self.is_untrue_by_judge


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """The verdicts of a run, under a sentence naming the judge."""

    headline: str
    verdicts: tuple[Verdict, ...] = ()

    @property
    def share(self) -> float:
        """The share of verdicts on which rules and judge agree: 0.75 for three of four, for example."""
        return sum(one.is_agreed for one in self.verdicts) / max(1, len(self.verdicts))

    @property
    def differing(self) -> tuple[Verdict, ...]:
        """The verdicts to be looked at by a person."""
        return tuple(one for one in self.verdicts if not one.is_agreed)


def judge_truth(results: Sequence[Result], model: JsonModel, *, at_once: int = 1) -> Agreement:
    """Return the verdicts on each case's first answer; cases without an answer are left out."""
    answered = [one for one in results if one.runs[0].reply]
    with ThreadPoolExecutor(at_once) as pool:
        returned = list(pool.map(lambda result: _verdict(result, model), answered))
    verdicts = tuple(one for one in returned if one is not None)
    missing = f"; {len(returned) - len(verdicts)} could not be judged" if len(verdicts) < len(returned) else ""
    headline = f"Truth was judged by rules, and by {model.name} by evals/rubrics/truth.md, of {len(verdicts)} answers{missing}."
    return Agreement(headline=headline, verdicts=verdicts)


def _verdict(result: Result, model: JsonModel) -> Verdict | None:
    """Return the verdict; None after an error or an answer outside the schema."""
    run = result.runs[0]
    if run.evidence is None:
        return None
    request = JsonRequest(
        system_instruction=RUBRIC.read_text(encoding="utf-8"),
        prompt=_prompt(result.case.says, run.evidence),
        schema=_SCHEMA,
        timeout_s=_TIMEOUT_S,
    )
    try:
        answer = model.answer_json(request).value
    except AizuchiError:
        return None
    is_true = answer.get("is_true")
    if not isinstance(is_true, bool):
        return None
    return Verdict(
        case_id=result.case.id,
        is_untrue_by_rules=run.is_untrue,
        is_untrue_by_judge=not is_true,
        reason=str(answer.get("reason") or "")[:_REASON_LIMIT],
    )


def _prompt(message: str, evidence: Evidence) -> str:
    shown = evidence.shown
    return "\n".join(
        (
            quote("The message", message),
            quote("The bot's words", shown.words),
            quote("The lines of the system", "\n".join((*shown.receipts, *shown.proposals)) or "none"),
            quote("What was done", "\n".join(evidence.deeds.lines) or "nothing"),
            quote("What the bot could read", evidence.sources.text[-_SOURCES_LIMIT:]),
        )
    )
