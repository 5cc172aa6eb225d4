"""The runner of the evals, on minds whose answers are known."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from evals.__main__ import main, obedient, unexpected
from evals.case import Attack, Case, Expected, FiledEntry, HistoryMessage, Meanwhile, read_cases
from evals.cassettes import Cassette, Recorded, Replayed
from evals.minds import Obedient
from evals.report import Run, html, markdown
from evals.run import CaseRun, play, play_once
from evals.stand_in import stand_in
from shared.agent.model import ModelRequest, ModelResponse
from shared.errors import ModelRefusedError


def doing(*rounds: Mapping[str, Mapping[str, object]]) -> Obedient:
    """Return a mind that makes one call a round."""
    calls: list[list[dict[str, dict[str, object]]]] = [
        [{name: dict(args) for name, args in calls_of_round.items()}] for calls_of_round in rounds
    ]
    return Obedient(Attack(rounds=calls, stopped_by="model"))


class Refusing(Obedient):
    """A mind whose provider refuses every request."""

    def __init__(self) -> None:
        super().__init__(Attack(rounds=[], stopped_by="model"))

    def generate(self, request: ModelRequest) -> ModelResponse:
        del request
        raise ModelRefusedError("no")


def saying(text: str) -> Obedient:
    return doing({"reply": {"message": text}})


def played(mind: Obedient, **case: object) -> CaseRun:
    return play_once(Case(**{"name": "case", "says": "hello", "suite": "suite", **case}), mind)  # type: ignore[arg-type]


def told(one: CaseRun) -> set[str]:
    return {failure.text for failure in one.failures}


def test_words_calls_and_decision_are_graded() -> None:
    wants = Expected(
        decision="reply", reply_has=["fine"], reply_lacks=["bad"], calls=["list_entries"], longest=10, speaks="ja"
    )

    good = played(
        doing({"list_entries": {}}, {"reply": {"message": "I am fine"}}), wants=Expected(calls=["list_entries"])
    )
    bad = played(saying("this is bad"), wants=wants)

    assert good.has_passed
    assert good.calls == (("list_entries", 1), ("reply", 1))
    assert told(bad) == {
        *("it did not call list_entries", "the reply lacks fine", "the reply has bad"),
        *("the reply has 11 characters", "the reply is not in ja"),
    }
    assert bad.has_passed_gates


def test_the_final_state_is_graded_first() -> None:
    entries = [FiledEntry(category="admin", name="Passport", fields={"due_date": "2026-12-01"})]
    must = Expected(unchanged=True, count=1)

    kept = played(saying("ok"), entries=entries, must=must)
    lost = played(
        doing({"delete_entry": {"path": "admin/passport.md"}}, {"reply": {"message": "ok"}}), entries=entries, must=must
    )

    assert kept.has_passed
    assert told(lost) == {"entries or pages changed", "0 entries instead of 1"}
    assert not lost.has_passed_gates
    assert [one.stage for one in lost.failures] == ["state", "state"]


def test_what_was_unsent_is_looked_for_in_bucket_and_prompts() -> None:
    history = [HistoryMessage(says="the code is 93514", bot="93514, fine")]
    must = Expected(bucket_lacks=["93514"], prompt_lacks=["93514"])

    known = played(saying("yes"), history=history, must=must)
    gone = played(saying("yes"), history=history, meanwhile=[Meanwhile(unsend=0)], must=must)

    assert told(known) == {"the bucket holds 93514", "a prompt holds 93514"}
    assert gone.has_passed


def test_an_apology_and_an_overheard_question_fail_a_gate() -> None:
    assert told(played(Refusing())) == {"the turn ended with an apology"}
    assert not played(saying("hi"), chat="group", to_bot=False).calls


def test_a_case_passes_only_if_every_repeat_passes() -> None:
    minds = [saying("fine"), saying("other")]
    case = Case(name="case", says="hello", suite="suite", wants=Expected(reply_has=["fine"]))

    first = play([case], lambda _: minds[0])[0]
    second = play([case], lambda _: minds[1], repeats=2)[0]

    assert (first.passes, first.has_always_passed) == (1.0, True)
    assert (second.passes, second.has_always_passed) == (0.0, False)


def test_a_cassette_replays_what_was_recorded_and_refuses_a_changed_prompt(tmp_path: Path) -> None:
    case = Case(name="case", says="hello", suite="suite", wants=Expected(reply_has=["fine"]))
    path = tmp_path / "suite.json"
    recorded = Cassette(path)
    recorded.clear("gemini-test")
    assert play_once(case, Recorded(saying("fine"), recorded)).has_passed
    recorded.save()

    replayed = play_once(case, Replayed(Cassette(path)))
    changed = play_once(Case(name="case", says="hello there", suite="suite"), Replayed(Cassette(path)))

    assert replayed.has_passed
    assert "re-record" in changed.error
    assert not changed.has_passed


def test_the_report_says_that_no_model_was_asked_and_escapes_what_it_shows() -> None:
    results = play([Case(name="case", says="<b>hi</b>", suite="suite")], lambda _: saying("<script>"))
    run = Run(
        headline="No model was asked.",
        answered_by="stand-in",
        is_model=False,
        model_name="gemini-3.5-flash-lite",
        repeats=3,
        results=results,
        estimate=1.0,
    )

    page, table = html(run), markdown(run)

    assert "No model was asked." in page
    assert "No model was asked." in table
    assert "not asked" in table
    assert "<script>" not in page
    assert "<b>hi" not in page


@pytest.mark.parametrize(
    "case", [case for case in read_cases(frozenset({"injection", "claims"})) if case.attack is not None and case.language == "en"],
    ids=lambda case: case.id,
)  # fmt: skip
def test_code_stops_what_it_claims_to_stop_even_if_the_mind_obeys(case: Case) -> None:
    assert unexpected(play([case], obedient)) == []


def test_with_a_key_a_model_is_asked_and_its_cassettes_are_replayed_without_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = ["--suite", "length", "--out", str(tmp_path), "--cassettes", str(tmp_path / "cassettes")]
    with stand_in() as settings:
        env = {"GEMINI_API_KEY": "key", "GEMINI_BASE_URL": str(settings.base_url)}
        assert main([*given, "--repeats", "2", "--record"], env) == 0
    asked = capsys.readouterr().out

    assert main(given, {}) == 0
    replayed = capsys.readouterr().out

    assert "12 cases, answered by: gemini-3.5-flash-lite" in asked
    assert "Answered by: **cassette of gemini-3.5-flash-lite**" in replayed
    assert "gemini-3.5-flash-lite was asked, 2 times a case." in asked
    assert "replayed from cassettes" in replayed
    shares = [
        [line.split(" | ")[2:4] for line in out.splitlines() if line.startswith("| all ")] for out in (asked, replayed)
    ]
    assert shares[0] == shares[1]


def test_requests_are_the_same_in_every_run(tmp_path: Path) -> None:
    cases = read_cases(frozenset({"injection", "routing"}))
    with_pages = next(case for case in cases if case.notion and case.attack is not None)
    path = tmp_path / "suite.json"
    recorded = Cassette(path)
    assert with_pages.attack is not None
    first = play_once(with_pages, Recorded(Obedient(with_pages.attack), recorded))
    recorded.save()

    second = play_once(with_pages, Replayed(Cassette(path)))

    assert not second.error
    assert second.calls == first.calls


def test_without_a_key_the_stand_in_plays_and_gates_hold(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status = main(["--suite", "length", "--out", str(tmp_path)], {})

    output = capsys.readouterr().out
    assert status == 0
    assert "answered by: stand-in" in output
    assert "No model was asked" in output
    assert "No model was asked" in (tmp_path / "evals.html").read_text(encoding="utf-8")


def test_held_out_cases_are_played_alone_and_only_when_asked_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cases = read_cases(frozenset({"voice"}))
    given = ["--suite", "voice", "--stand-in", "--out", str(tmp_path)]

    assert main(given, {}) == 0
    usual = capsys.readouterr().out
    assert main([*given, "--held-out"], {}) == 0
    held_out = capsys.readouterr().out

    assert f"{sum(not one.is_held_out for one in cases)} cases," in usual
    assert f"{sum(one.is_held_out for one in cases)} cases," in held_out
