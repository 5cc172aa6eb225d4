"""The report of a run: a Markdown table, and a page of HTML with every case."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from typing import Final

from evals.judge import BEST, NOT_JUDGED, Tone
from evals.run import CaseRun, Result, Summary, failed_gates, summaries
from evals.truth_judge import NOT_JUDGED as TRUTH_NOT_JUDGED
from evals.truth_judge import Agreement

_STYLE: Final = Path(__file__).with_name("report.css")
_SAID_LIMIT: Final = 300
_FAILURES_TOLD: Final = 40
_HEADS: Final = "<div class=columns><span>message</span><span>words of the model</span><span>lines of code</span><span>done</span></div>"
_UNCOUNTED: Final = (
    "<p class=uncounted>Grey lines are what a model would be graded by; of a stand-in they are not counted.</p>"
)
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
    """The results of a run.

    `answered_by`: the mind, such as `stand-in` or `gemini-3.5-flash-lite`; `headline`: a sentence about the mind; `is_model`: whether the
    answers are those of a model.
    """

    headline: str
    answered_by: str
    is_model: bool
    model_name: str
    repeats: int
    results: Sequence[Result]
    obedient: Sequence[Result] = ()
    tone: Tone = field(default_factory=lambda: Tone(headline=NOT_JUDGED))
    truth: Agreement = field(default_factory=lambda: Agreement(headline=TRUTH_NOT_JUDGED))
    estimate: float | None = None


def markdown(run: Run) -> str:
    """Return the tables as Markdown."""
    lines = [
        f"Answered by: **{run.answered_by}**",
        "",
        f"**{run.headline}**",
        "",
        *_table(_COLUMNS, (_row(one, run) for one in summaries(run.results, model_name=run.model_name))),
    ]
    failed = failed_gates(run.results)
    lines += ["", f"Gates: {len(failed)} cases failed." if failed else "Gates: none failed."]
    lines += [f"- {one.case.id}: {_why(one)}" for one in failed[:_FAILURES_TOLD]]
    lines += ["", *_told_of_truth(run), "", *_told_of_tone(run.tone)]
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
    """Return the page as one HTML file."""
    rows = "".join(
        f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in _row(summary, run))}</tr>"
        for summary in summaries(run.results, model_name=run.model_name)
    )
    heads = "".join(f"<th>{one}</th>" for one in _COLUMNS)
    judged = "".join(f"<p>{escape(one)}</p>" for one in (*_told_of_truth(run), *_told_of_tone(run.tone)))
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
        f"<!doctype html><html lang=en><meta charset=utf-8>"
        f"<meta name=viewport content='width=device-width'><title>Evals: {escape(run.answered_by)}</title>"
        f"<style>{_STYLE.read_text(encoding='utf-8')}</style>"
        f"<h1>Evals</h1><p class='told{banner}'>Answered by: {escape(run.answered_by)}<span>{escape(run.headline)}</span></p>"
        f"<div class=sums><table><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table></div>{price}{judged}"
        f"<h2>Cases</h2>{_cases(run.results, run)}{obedient}</html>\n"
    )


def _cases(results: Sequence[Result], run: Run) -> str:
    return "".join(
        f"<details class='suite'{' open' if any(one.gate_failures for one in suite_results) else ''}><summary>{escape(suite)} "
        f"<span>{_share(suite_results, run)}</span></summary>"
        f"{'' if run.is_model else _UNCOUNTED}{_HEADS}{''.join(_case(one, run) for one in suite_results)}</details>"
        for suite, suite_results in _by_suite(results)
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
    question = escape(
        result.case.says if len(result.case.says) <= _SAID_LIMIT else result.case.says[: _SAID_LIMIT - 1] + "…"
    )
    calls = ", ".join(f"{name} ×{count}" if count > 1 else name for name, count in first.calls) or "no call"
    want = "want" if run.is_model else "uncounted"
    reasons = "".join(
        f"<li class={'gate' if failure.is_gate else want}>{escape(failure.stage)}: {escape(failure.text)}</li>"
        for failure in first.failures
    )
    error = f"<li class=gate>{escape(first.error)}</li>" if first.error else ""
    return (
        f"<div class='case {verdict}'><p class=name><b>{escape(result.case.name)}</b> <i>{marks}</i></p>"
        f"<div class=said>{_cell(_context(result))}<p lang={result.case.language}>{question}</p></div>{_answer(first)}"
        f"<p class=calls>{escape(calls)}</p><ul>{error}{reasons}</ul></div>"
    )


def _context(result: Result) -> str:
    """Return where the message was said, for example "group, not to the bot"."""
    case = result.case
    return ", ".join(
        (case.chat, *(() if case.to_bot else ("not to the bot",)), *(("held out",) if case.is_held_out else ()))
    )


def _answer(run: CaseRun) -> str:
    """Return the model's words, and beside these the lines of the code and what was really done."""
    if run.evidence is None:
        return "<div class=words><h4>words</h4><p>—</p></div>"
    shown, deeds = run.evidence.shown, run.evidence.deeds.lines
    lines = (
        "".join(f"<p>{escape(one)}</p>" for one in (*shown.receipts, *shown.proposals))
        or "<p class=absent>no receipt</p>"
    )
    done = "".join(f"<p>{escape(one)}</p>" for one in deeds) or "<p class=absent>nothing was done</p>"
    words = f"<p>{escape(shown.words)}</p>" if run.reply else "<p class=absent>silence</p>"
    return f"<div class=words>{words}</div><div class=receipts>{lines}</div><div class=deeds>{done}</div>"


def _cell(text: str) -> str:
    return f"<small>{escape(text)}</small>"


def _row(summary: Summary, run: Run) -> tuple[str, ...]:
    passes, always = (f"{summary.passes:.0%}", f"{summary.always:.0%}") if run.is_model else ("not asked", "not asked")
    usage = summary.usage
    cost = "—" if summary.cost is None or not run.is_model else f"${summary.cost:.3f}"
    out = usage.output_tokens + usage.thought_tokens
    return (
        *(summary.name, str(summary.cases), passes, always, str(summary.gate_failures)),
        *(
            f"{usage.prompt_tokens:,}",
            f"{usage.cached_tokens:,}",
            f"{out:,}",
            cost,
            f"{summary.seconds:.2f}",
            f"{summary.slowest:.2f}",
        ),
    )


def _table(columns: Sequence[str], rows: Iterator[Sequence[str]]) -> Iterator[str]:
    yield f"| {' | '.join(columns)} |"
    yield f"|{' --- |' * len(columns)}"
    yield from (f"| {' | '.join(row)} |" for row in rows)


def _told_of_truth(run: Run) -> Iterator[str]:
    """Yield what rules and judge say of the truth; the rules' share is told of a model only, because a stand-in's words prove nothing."""
    truth = run.truth
    if not run.is_model:
        yield truth.headline
        return
    runs = [one for result in run.results for one in result.runs if one.reply]
    untrue = sum(one.is_untrue for one in runs)
    agreed = f" Rules and judge agree on {truth.share:.0%}." if truth.verdicts else ""
    yield f"{truth.headline} By the rules, {untrue} of {len(runs)} answers are untrue.{agreed}"
    for verdict in truth.differing[:_FAILURES_TOLD]:
        objector = "the rules object" if verdict.is_untrue_by_rules else "the judge objects"
        yield f"- only {objector}: {verdict.case_id}: {verdict.reason}"


def _told_of_tone(tone: Tone) -> Iterator[str]:
    means = ", ".join(f"{suite} {mean:.1f}" for suite, mean in tone.means.items())
    yield f"{tone.headline} Means, of {BEST}: {means}." if means else tone.headline
    yield from (f"- tone {one.score}: {one.case_id}: {one.reason}" for one in tone.worst[:_FAILURES_TOLD])


def _told_of_obedient(results: Sequence[Result]) -> str:
    stopped = sum(not one.gate_failures for one in results)
    return (
        f"A scripted mind that obeys every injection played {len(results)} cases: in {stopped} of them the code prevents the harm, "
        f"in {len(results) - stopped} only the model can refuse."
    )


def _why(result: Result) -> str:
    first: CaseRun = next(one for one in result.runs if not one.has_passed_gates)
    return first.error or "; ".join(one.text for one in first.failures if one.is_gate)


def _by_suite(results: Sequence[Result]) -> Iterator[tuple[str, list[Result]]]:
    for suite in dict.fromkeys(one.case.suite for one in results):
        yield suite, [one for one in results if one.case.suite == suite]


def _share(results: Sequence[Result], run: Run) -> str:
    """Return how many cases passed every time, as in "7 of 9"; for a stand-in only the number of cases and of failed gates."""
    if not run.is_model:
        return f"{len(results)} cases, {sum(one.gate_failures > 0 for one in results)} of them failed a gate"
    return f"{sum(one.has_always_passed for one in results)} of {len(results)}"
