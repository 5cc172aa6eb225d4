import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.knowledge.provenance import repeats, sources_of
from tests.support.knowledge import message


def source_ids(text: str, answering: list[str], earlier: list[str] | None = None) -> list[str]:
    to_answer = [message(number, said) for number, said in enumerate(answering, start=1)]
    before = [message(number, said) for number, said in enumerate(earlier or [], start=101)]
    return [one.line_message_id for one in sources_of(text, to_answer=to_answer, earlier=before)]


def test_a_text_inside_one_message_came_from_that_message_alone() -> None:
    assert source_ids("牛乳を買う", ["番号は4711", "あと牛乳を買う、よろしく"]) == ["m2"]


def test_a_rephrased_text_came_from_every_answered_message() -> None:
    assert source_ids("Dentist tomorrow at three", ["明日3時", "歯医者"]) == ["m1", "m2"]


@pytest.mark.parametrize(
    ("text", "earlier", "is_shared"),
    [
        ("駐輪場の暗証番号は9", "駐輪場の暗証番号を決めた", True),
        ("the number is 4711", "4711だよ", True),
        ("wednesday with sato", "on wednesday with nobody", True),
        ("tomorrow at noon", "see you tomorrow", False),
        ("来週の月曜から", "来週は雨", False),
        ("", "anything", False),
    ],
)
def test_an_earlier_message_with_a_shared_run_or_number_counts(text: str, earlier: str, *, is_shared: bool) -> None:
    assert ("m101" in source_ids(text, ["覚えて"], [earlier])) is is_shared


@given(st.text(max_size=40), st.lists(st.text(max_size=40), min_size=1, max_size=3))
def test_a_text_always_has_an_answered_message_as_source(text: str, answering: list[str]) -> None:
    assert source_ids(text, answering)


@given(st.text(min_size=1, max_size=30).filter(str.strip), st.text(max_size=10), st.text(max_size=10))
def test_a_text_repeats_any_text_inside_it(text: str, before: str, after: str) -> None:
    assert repeats(text, f"{before} {text.strip()} {after}") or not text.strip()
