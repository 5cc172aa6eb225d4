"""The benchmark of translations, with the stand-in: nothing that must stay is lost, and no quality is claimed."""

import pytest

from evals.stand_in import stand_in
from evals.translation.benchmark import Translation, judged, read_sentences, report, translate_all
from shared.adapters.gemini import GeminiModel
from shared.adapters.memory import ScriptedJsonModel
from shared.errors import ModelUnavailableError


@pytest.fixture(scope="module")
def translations() -> tuple[Translation, ...]:
    with stand_in() as settings:
        return translate_all(read_sentences(), GeminiModel(settings))


def test_each_sentence_has_another_language_and_the_lines_before_it() -> None:
    sentences = read_sentences()

    assert len(sentences) == 120
    assert all(one.language != one.target for one in sentences)
    assert max(len(one.context) for one in sentences) == 10


def test_the_stand_in_loses_nothing_that_must_stay(translations: tuple[Translation, ...]) -> None:
    translated = [one for one in translations if one.text is not None]

    assert len(translated) >= 110
    assert [one.sentence.text for one in translated if not one.has_kept_all] == []


def test_without_a_model_the_report_claims_no_quality(translations: tuple[Translation, ...]) -> None:
    told = report(translations, model_name="stand-in", is_model=False)

    assert "no model was asked" in told
    assert "judged" not in told


def test_a_judge_scores_what_was_translated_and_what_was_not_is_the_worst(
    translations: tuple[Translation, ...],
) -> None:
    first = translations[0]
    missing = Translation(sentence=first.sentence, text=None, seconds=0.0, usage=first.usage)
    judge = ScriptedJsonModel([{"score": 5, "reason": ""}, {"score": 9}, ModelUnavailableError("down")])

    scored = judged((first, first, first, missing), judge)

    assert [one.score for one in scored] == [5, None, None, 1]
    assert "judged at least 4 of 5: 1 of 2" in report(scored, model_name="gemini-3.5-flash-lite", is_model=True)
