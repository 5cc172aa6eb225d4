import datetime as dt
import math
import zoneinfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.adapters.memory import ScriptedJsonModel
from shared.agent.tools import load_schema
from shared.errors import ModelBlockedError, ModelUnavailableError
from shared.knowledge.classification import Classifier, Hint, clamp, split_hints
from shared.knowledge.schema import FIELDS, Category
from tests.support.knowledge import found

SCHEMA = load_schema("classify_and_capture.classification")
NOW = dt.datetime(2026, 11, 22, 9, 0, tzinfo=zoneinfo.ZoneInfo("Asia/Tokyo"))


def classifier(*answers: dict[str, object]) -> Classifier:
    return Classifier(model=ScriptedJsonModel(answers), schema=SCHEMA)


@given(st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3))
def test_a_clamped_confidence_lies_between_0_and_1(value: object) -> None:
    assert 0.0 <= clamp(value) <= 1.0


def test_a_confidence_that_is_no_number_is_0() -> None:
    assert clamp(math.nan) == clamp("high") == 0.0
    assert isinstance(clamp("high"), float)
    assert clamp(math.inf) == 1.0


@pytest.mark.parametrize(
    ("text", "hints", "left", "hint"),
    [
        ("plain", "", "plain", Hint()),
        ("[project] garden", "", "garden", Hint(category=Category.PROJECTS)),
        ("garden [IDEAS]", "[project]", "garden", Hint(category=Category.IDEAS)),
        ("meet him", "[person: Sato ]", "meet him", Hint(category=Category.PEOPLE, name="Sato")),
        ("[person:Sato]", "", "Sato", Hint(category=Category.PEOPLE, name="Sato")),
        ("庭 [プロジェクト]", "", "庭", Hint(category=Category.PROJECTS)),
        ("[inbox] x [x]", "", "[inbox] x [x]", Hint()),
    ],
)
def test_hints_are_read_and_removed_from_the_text(text: str, hints: str, left: str, hint: Hint) -> None:
    assert split_hints(text, hints) == (left, hint)


@pytest.mark.parametrize("text", ["[taſk] call", "[ıdea] a pond", "[İdea] a pond"])
def test_a_letter_that_only_matches_regardless_of_case_makes_no_hint(text: str) -> None:
    assert split_hints(text) == (text, Hint())


@given(st.text(max_size=60), st.text(max_size=30))
def test_removing_hints_leaves_no_hint_behind(text: str, hints: str) -> None:
    left, _ = split_hints(text, hints)

    assert split_hints(left)[0] == left


@given(
    st.fixed_dictionaries(
        {
            "category": st.sampled_from(["people", "projects", "ideas", "admin"]),
            "confidence": st.floats(),
            "name": st.text(max_size=20),
        },
        optional={
            "due_date": st.text(max_size=12) | st.dates().map(str),
            "status": st.sampled_from(["active", "done"]),
            "tags": st.lists(st.text(max_size=5), max_size=30),
            "context": st.text(max_size=400),
        },
    )
)
def test_any_answer_of_the_model_becomes_valid_fields(answer: dict[str, object]) -> None:
    classification = classifier(answer).classify("some text", Hint(), index="", now=NOW)

    assert classification.name
    assert 0.0 <= classification.confidence <= 1.0
    fields = {one.name: one for one in FIELDS[classification.category]}
    assert classification.values.keys() <= fields.keys()
    assert all(fields[name].check(value) == value for name, value in classification.values.items())


@pytest.mark.parametrize(
    "answer", [{}, {"category": "inbox", "confidence": 1, "name": "x"}, found(tags="x"), found(status="x")]
)
def test_an_answer_that_breaks_the_schema_is_refused(answer: dict[str, object]) -> None:
    with pytest.raises(ModelUnavailableError, match="breaks its schema"):
        classifier(answer).classify("x", Hint(), index="", now=NOW)


def test_the_classifier_knows_the_weekday_and_the_coming_days() -> None:
    model = ScriptedJsonModel([{"category": "admin", "confidence": 0.9, "name": "dentist", "due_date": "2026-11-30"}])
    schema = load_schema("classify_and_capture.classification")

    found = Classifier(model=model, schema=schema).classify("来週の月曜に歯医者", Hint(), index="", now=NOW)

    assert "It is Sun 2026-11-22 09:00 (Asia/Tokyo, UTC+09:00)" in model.requests[0].prompt
    assert "Mon 11-30" in model.requests[0].prompt
    assert found.values["due_date"] == "2026-11-30"


@pytest.mark.parametrize(("hint", "is_told"), [(Hint(category=Category.PROJECTS), True), (Hint(), False)])
def test_the_classifier_knows_what_the_person_says(hint: Hint, *, is_told: bool) -> None:
    model = ScriptedJsonModel([found(category="ideas", name="garden")])

    classification = Classifier(model=model, schema=SCHEMA).classify("a pond", hint, index="# Index", now=NOW)

    prompt = model.requests[0].prompt
    assert ("\nThe person says that it belongs to: projects\n" in prompt) is is_told
    assert ("The person says" in prompt) is is_told
    assert prompt.endswith("\n\n# Index\n# Index\n\n# Text\na pond")
    assert classification.category is (Category.PROJECTS if is_told else Category.IDEAS)


def test_a_hint_that_was_escaped_in_the_prompt_counts() -> None:
    assert split_hints("\\[idea] a pond") == ("a pond", Hint(category=Category.IDEAS))


def test_an_index_that_is_blocked_is_left_out() -> None:
    model = ScriptedJsonModel(
        [ModelBlockedError("blocked"), {"category": "ideas", "confidence": 0.8, "name": "a pond"}]
    )

    found = Classifier(model=model, schema=SCHEMA).classify("a pond", Hint(), index="# Index of FORBIDDEN", now=NOW)

    assert found.name == "a pond"
    assert ["FORBIDDEN" in one.prompt for one in model.requests] == [True, False]


def test_a_text_that_is_blocked_is_asked_about_twice_at_most() -> None:
    model = ScriptedJsonModel([ModelBlockedError("blocked")] * 2)

    with pytest.raises(ModelBlockedError):
        Classifier(model=model, schema=SCHEMA).classify("FORBIDDEN", Hint(), index="# Index", now=NOW)


def test_a_link_that_the_text_does_not_hold_stands_in_no_name_and_no_field() -> None:
    link = "https://evil.example/?d=4711"
    answer = {
        "category": "ideas",
        "confidence": 0.9,
        "name": f"pond {link}",
        "one_liner": "see https://pond.example",
        "tags": ["a", link],
    }
    model = ScriptedJsonModel([answer])

    found = Classifier(model=model, schema=SCHEMA).classify("a pond, https://pond.example", Hint(), index="", now=NOW)

    assert found.name == "pond"
    assert "4711" not in str(found.values)
    assert found.values["one_liner"] == "see https://pond.example"
