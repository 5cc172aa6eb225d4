"""A model judges the tone of answers, by evals/rubrics/tone.md; evals/truth_judge.py judges their truth.

A judgement is never a gate and never part of pass@1 or pass^k. Without a model, nothing is judged.
"""

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from evals.run import CaseRun, Result
from shared.agent.model import Json, JsonModel, JsonRequest
from shared.errors import AizuchiError
from shared.line.ids import mask_ids

RUBRIC: Final = Path(__file__).parent / "rubrics" / "tone.md"
BEST: Final = 5
_SCHEMA: Final[Json] = {
    "type": "object",
    "properties": {"score": {"type": "integer", "minimum": 1, "maximum": BEST}, "reason": {"type": "string"}},
    "required": ["score", "reason"],
}
_TIMEOUT_S: Final = 30.0
_REASON_LIMIT: Final = 200
_MARK: Final = "-----"
NOT_JUDGED: Final = "Tone was not judged: no model was asked."
NOT_REPLAYED: Final = "Tone was not judged: cassettes hold no judgements."


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """The tone of one answer, from 1 to 5, with a reason."""

    case_id: str
    suite: str
    score: int
    reason: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tone:
    """The tone of a run: a sentence naming the judge, and the judgements, empty without a judge."""

    headline: str
    judgements: tuple[Judgement, ...] = ()

    @property
    def means(self) -> Mapping[str, float]:
        """The mean score of every judged suite: `{"languages": 4.5}` for the scores 4 and 5, for example."""
        scores: dict[str, list[int]] = {}
        for judgement in self.judgements:
            scores.setdefault(judgement.suite, []).append(judgement.score)
        return {suite: sum(values) / len(values) for suite, values in scores.items()}

    @property
    def worst(self) -> tuple[Judgement, ...]:
        """The judgements below 4, the lowest first."""
        return tuple(
            sorted((one for one in self.judgements if one.score < BEST - 1), key=lambda judgement: judgement.score)
        )


def judge(results: Sequence[Result], model: JsonModel, *, at_once: int = 1) -> Tone:
    """Return the judgement of each case's first answer; cases without an answer are left out."""
    answered_runs = [(one, one.runs[0]) for one in results if one.runs[0].reply]
    with ThreadPoolExecutor(at_once) as pool:
        returned = list(pool.map(lambda pair: _judgement(pair[0], pair[1], model), answered_runs))
    judgements = tuple(one for one in returned if one is not None)
    missing = f"; {len(returned) - len(judgements)} could not be judged" if len(judgements) < len(returned) else ""
    headline = f"Tone was judged by {model.name}, by evals/rubrics/tone.md, of {len(judgements)} answers{missing}."
    return Tone(headline=headline, judgements=judgements)


def _judgement(result: Result, run: CaseRun, model: JsonModel) -> Judgement | None:
    """Return the judgement; None after an error or an answer outside the schema."""
    request = JsonRequest(
        system_instruction=RUBRIC.read_text(encoding="utf-8"),
        prompt=f"{quote('The message', result.case.says)}\n{quote('The answer', run.reply)}",
        schema=_SCHEMA,
        timeout_s=_TIMEOUT_S,
    )
    try:
        answer = model.answer_json(request).value
    except AizuchiError:
        return None
    score, reason = answer.get("score"), answer.get("reason")
    if not isinstance(score, int) or isinstance(score, bool) or not 1 <= score <= BEST:
        return None
    case = result.case
    return Judgement(case_id=case.id, suite=case.suite, score=score, reason=str(reason or "")[:_REASON_LIMIT])


def quote(title: str, text: str) -> str:
    """Return a text between two lines of dashes; the text's own dashes are broken up."""
    return f"{title}:\n{_MARK}\n{mask_ids(text).replace(_MARK, '- - -')}\n{_MARK}"
