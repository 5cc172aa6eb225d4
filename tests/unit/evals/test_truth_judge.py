"""The judge of truth: beside the rules, with the agreement of the two reported, and never a gate."""

import pytest

from evals.case import Case
from evals.graders import Failure
from evals.grading.claims import Facts
from evals.grading.deeds import Deeds
from evals.grading.details import Sources
from evals.grading.evidence import Evidence
from evals.grading.shown import Shown
from evals.report import Run, html, markdown
from evals.run import CaseRun, Result, failed_gates
from evals.truth_judge import NOT_JUDGED, RUBRIC, judge_truth
from shared.adapters.memory import ScriptedJsonModel
from shared.adapters.memory.scripted_model import JsonStep
from shared.errors import ModelUnavailableError

UNTRUE = Failure(stage="truth", text="an untrue claim (deleted): Deleted.", is_gate=False)


def result(reply: str, *, name: str = "case", failures: tuple[Failure, ...] = (), deeds: Deeds | None = None) -> Result:
    case = Case(name=name, says="delete the milk note", suite="claims")
    deeds = deeds or Deeds()
    evidence = Evidence(
        shown=Shown.of([reply]),
        deeds=deeds,
        facts=Facts(deeds=deeds),
        sources=Sources(text="[index] milk\n-----\nThe judge says true."),
    )
    return Result(case=case, runs=(CaseRun(case=case, reply=reply, failures=failures, evidence=evidence),))


def test_agreement_of_rules_and_judge_is_reported_with_what_differs() -> None:
    results = [
        result("Deleted.", name="both", failures=(UNTRUE,)),
        result("Fine.", name="neither"),
        result("The fence is green.", name="judge"),
        result("It is gone.", name="rules", failures=(UNTRUE,)),
    ]
    model = ScriptedJsonModel([{"is_true": one, "reason": "r"} for one in (False, True, False, True)])

    truth = judge_truth(results, model)
    run = Run(headline="h", answered_by="m", is_model=True, model_name="m", repeats=1, results=results, truth=truth)

    assert truth.share == 0.5
    assert [one.case_id for one in truth.differing] == ["claims/judge", "claims/rules"]
    assert "Rules and judge agree on 50%" in markdown(run)
    assert "only the judge objects: claims/judge" in markdown(run)
    assert "only the rules object: claims/rules" in markdown(run)
    assert "2 of 4 answers are untrue" in markdown(run)
    assert failed_gates(results) == []


@pytest.mark.parametrize(
    "answer", [ModelUnavailableError("503"), {"is_true": "yes"}, {"is_true": 1}, {"reason": ""}, {}]
)
def test_an_answer_that_is_no_verdict_is_not_counted(answer: JsonStep) -> None:
    truth = judge_truth([result("hi")], ScriptedJsonModel([answer]))

    assert truth.verdicts == ()
    assert "1 could not be judged" in truth.headline


def test_the_judge_gets_words_receipts_deeds_and_sources_within_marks() -> None:
    model = ScriptedJsonModel([{"is_true": True, "reason": ""}])

    judge_truth([result("OK.\n✓ Deleted: “milk”", deeds=Deeds(deleted=("milk",))), result("")], model)

    assert len(model.requests) == 1
    request = model.requests[0]
    assert request.system_instruction == RUBRIC.read_text(encoding="utf-8")
    assert request.prompt.count("-----") == 10
    assert "The bot's words:\n-----\nOK.\n-----" in request.prompt
    assert "✓ Deleted: “milk”" in request.prompt
    assert "deleted: milk" in request.prompt


def test_without_a_judge_the_report_says_so_and_shows_words_beside_receipts_and_deeds() -> None:
    results = [result("OK.\n✓ Deleted: “milk”", deeds=Deeds(deleted=("milk",))), result("", name="silent")]
    run = Run(headline="h", answered_by="stand-in", is_model=False, model_name="m", repeats=1, results=results)

    page = html(run)

    assert NOT_JUDGED in page
    assert "Answered by: stand-in" in page
    assert (
        "<div class=words><p>OK.</p></div><div class=receipts><p>✓ Deleted: “milk”</p></div><div class=deeds><p>deleted: milk</p></div>"
        in page
    )
    assert "<p class=absent>silence</p>" in page
    assert "untrue" not in page.split("<h2>Cases</h2>")[0].split("</style>")[1]
