"""The report of a run: a Markdown table, and a page of HTML with every case."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from typing import Final

from evals.judge import BEST, NOT_JUDGED, Tone
from evals.run import Played, Result, Summary, failed_gates, summaries

_STYLE: Final = Path(__file__).with_name("report.css")
_SAID_LIMIT: Final = 300
_FAILURES_TOLD: Final = 40
_COLUMNS: Final = (
    "suite",
    "cases",
    "pass@1",
    "pass^k",
    "failed gates",
    "tokens in",
    "cached",
    "out",
    "cost",
    "median s",
    "slowest s",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """What was played, by whom.  `told`: the sentence that says which mind it was; `is_model`: whether a model was asked."""

    told: str
    is_model: bool
    model_name: str
    repeats: int
    results: Sequence[Result]
    obedient: Sequence[Result] = ()
    tone: Tone = field(default_factory=lambda: Tone(told=NOT_JUDGED))
    estimate: float | None = None


def markdown(run: Run) -> str:
    """Return the tables as Markdown."""
    lines = [
        f"**{run.told}**",
        "",
        *_table(_COLUMNS, (_row(one, run) for one in summaries(run.results, model_name=run.model_name))),
    ]
    failed = failed_gates(run.results)
    lines += ["", f"Gates: {len(failed)} cases failed." if failed else "Gates: none failed."]
    lines += [f"- {one.case.id}: {_why(one)}" for one in failed[:_FAILURES_TOLD]]
    lines += ["", *_told_of_tone(run.tone)]
    if run.obedient:
        lines += ["", _told_of_obedient(run.obedient)]
        lines += [f"- {one.case.id}: {_why(one)}" for one in run.obedient if one.gate_failures]
    if run.estimate is not None:
        lines += [
            "",
            f"A run of these cases with {run.model_name}, {run.repeats} times each, costs about ${run.estimate:.2f} (estimated, upper).",
        ]
    return "\n".join(lines) + "\n"


def html(run: Run) -> str:
    """Return the page; it needs no other file."""
    rows = "".join(
        f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in _row(one, run))}</tr>"
        for one in summaries(run.results, model_name=run.model_name)
    )
    heads = "".join(f"<th>{one}</th>" for one in _COLUMNS)
    tone = "".join(f"<p>{escape(one)}</p>" for one in _told_of_tone(run.tone))
    banner = "" if run.is_model else " none"
    obedient = (
        f"<h2>What the code stops</h2><p>{escape(_told_of_obedient(run.obedient))}</p>{_cases(run.obedient, run)}"
        if run.obedient
        else ""
    )
    price = (
        ""
        if run.estimate is None
        else f"<p>With {escape(run.model_name)}, {run.repeats} times each: about ${run.estimate:.2f}, an upper estimate.</p>"
    )
    return (
        f"<!doctype html><html lang=en><meta charset=utf-8><title>Evals</title><style>{_STYLE.read_text(encoding='utf-8')}</style>"
        f"<h1>Evals</h1><p class='told{banner}'>{escape(run.told)}</p>"
        f"<table class=sums><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>{price}{tone}"
        f"<h2>Cases</h2>{_cases(run.results, run)}{obedient}</html>\n"
    )


def _cases(results: Sequence[Result], run: Run) -> str:
    return "".join(
        f"<details class='suite'{' open' if any(one.gate_failures for one in several) else ''}><summary>{escape(suite)} "
        f"<span>{_share(several, run)}</span></summary>"
        f"{''.join(_case(one, run) for one in several)}</details>"
        for suite, several in _by_suite(results)
    )


def _case(result: Result, run: Run) -> str:
    verdict = (
        "gate"
        if result.gate_failures
        else "passed"
        if result.has_always_passed
        else "missed"
        if run.is_model
        else "unasked"
    )
    marks = "".join("●" if one.has_passed else "○" for one in result.runs)
    first = next((one for one in result.runs if not one.has_passed), result.runs[0])
    said = escape(
        result.case.says if len(result.case.says) <= _SAID_LIMIT else result.case.says[: _SAID_LIMIT - 1] + "…"
    )
    calls = ", ".join(f"{name} ×{count}" if count > 1 else name for name, count in first.calls) or "no call"
    reasons = "".join(
        f"<li class={'gate' if one.is_gate else 'want'}>{escape(one.stage)}: {escape(one.text)}</li>"
        for one in first.failures
    )
    error = f"<li class=gate>{escape(first.error)}</li>" if first.error else ""
    return (
        f"<div class='case {verdict}'><b>{escape(result.case.name)}</b> <i>{marks}</i><p class=said>{said}</p>"
        f"<p class=reply>{escape(first.reply) or '—'}</p><p class=calls>{escape(calls)}</p><ul>{error}{reasons}</ul></div>"
    )


def _row(one: Summary, run: Run) -> tuple[str, ...]:
    passes, always = (f"{one.passes:.0%}", f"{one.always:.0%}") if run.is_model else ("not asked", "not asked")
    usage = one.usage
    cost = "—" if one.cost is None or not run.is_model else f"${one.cost:.3f}"
    out = usage.output_tokens + usage.thought_tokens
    return (
        *(one.name, str(one.cases), passes, always, str(one.gate_failures)),
        *(
            f"{usage.prompt_tokens:,}",
            f"{usage.cached_tokens:,}",
            f"{out:,}",
            cost,
            f"{one.seconds:.2f}",
            f"{one.slowest:.2f}",
        ),
    )


def _table(columns: Sequence[str], rows: Iterator[Sequence[str]]) -> Iterator[str]:
    yield f"| {' | '.join(columns)} |"
    yield f"|{' --- |' * len(columns)}"
    yield from (f"| {' | '.join(row)} |" for row in rows)


def _told_of_tone(tone: Tone) -> Iterator[str]:
    means = ", ".join(f"{suite} {mean:.1f}" for suite, mean in tone.means.items())
    yield f"{tone.told} Means, of {BEST}: {means}." if means else tone.told
    yield from (f"- tone {one.score}: {one.case_id}: {one.reason}" for one in tone.worst[:_FAILURES_TOLD])


def _told_of_obedient(results: Sequence[Result]) -> str:
    stopped = sum(not one.gate_failures for one in results)
    return (
        f"A scripted mind that obeys every injection played {len(results)} cases: in {stopped} of them the code prevents the harm, "
        f"in {len(results) - stopped} only the model can refuse."
    )


def _why(result: Result) -> str:
    first: Played = next(one for one in result.runs if not one.has_passed_gates)
    return first.error or "; ".join(one.text for one in first.failures if one.is_gate)


def _by_suite(results: Sequence[Result]) -> Iterator[tuple[str, list[Result]]]:
    for suite in dict.fromkeys(one.case.suite for one in results):
        yield suite, [one for one in results if one.case.suite == suite]


def _share(results: Sequence[Result], run: Run) -> str:
    """Return how many cases passed every time; of a stand-in that says nothing, so only how many there are."""
    if not run.is_model:
        return f"{len(results)} cases, {sum(one.gate_failures > 0 for one in results)} of them failed a gate"
    return f"{sum(one.has_always_passed for one in results)} of {len(results)}"
