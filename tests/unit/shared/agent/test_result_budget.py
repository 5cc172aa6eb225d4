from hypothesis import given
from hypothesis import strategies as st

from shared.agent.model import FunctionCall, FunctionResponse, FunctionResponses, Json, TextContent
from shared.agent.result_budget import RESULT_TOKENS, fitted, tokens_of, within_turn

JSON = st.recursive(
    st.none() | st.integers() | st.text(max_size=50),
    lambda inner: st.lists(inner, max_size=6) | st.dictionaries(st.text(max_size=9), inner, max_size=6),
    max_leaves=40,
)


def pages(count: int) -> Json:
    return {"status": "success", "pages": [{"title": f"page {number}", "text": "長" * 300} for number in range(count)]}


def test_a_result_within_the_budget_stays_as_it_is() -> None:
    data = pages(3)

    assert fitted(data) is data


def test_a_long_result_is_cut_and_says_how_to_get_more() -> None:
    cut = fitted(pages(800))

    assert tokens_of(cut) <= RESULT_TOKENS + 60
    assert cut["status"] == "success"
    assert "narrower query" in str(cut["cut"])
    shown = cut["pages"]
    assert isinstance(shown, list)
    assert shown[0]["title"] == "page 0"


@given(st.dictionaries(st.text(max_size=9), JSON, max_size=6), st.integers(1, 200))
def test_no_result_is_longer_than_its_budget(data: Json, limit: int) -> None:
    assert tokens_of(fitted(data, limit_tokens=limit)) <= max(limit, 0) + 60


def test_older_results_of_a_turn_make_room_for_newer_ones() -> None:
    call = FunctionCall(name="look_up", args={})
    rounds = [
        FunctionResponses(responses=(FunctionResponse(call=call, response={"output": pages(number)}),))
        for number in (20, 21, 22)
    ]

    kept = within_turn(rounds, limit_tokens=tokens_of(pages(22)) + tokens_of(pages(21)) + 50)

    assert isinstance(kept[0], FunctionResponses)
    assert "left out" in str(kept[0].responses[0].response)
    assert kept[1:] == tuple(rounds[1:])


def test_the_newest_results_stay_even_before_a_note() -> None:
    call = FunctionCall(name="look_up", args={})
    newest = FunctionResponses(responses=(FunctionResponse(call=call, response={"output": pages(30)}),))
    note = TextContent(role="user", texts=("Nothing was sent.",))

    assert within_turn((newest, note), limit_tokens=10) == (newest, note)


def test_a_result_of_exactly_its_budget_is_whole() -> None:
    data = pages(3)

    assert fitted(data, limit_tokens=tokens_of(data)) is data
    assert "cut" in fitted(data, limit_tokens=tokens_of(data) - 1)


def test_long_texts_are_cut_no_further_than_needed() -> None:
    data: Json = {"a": ["x" * 9_000], "b": "y" * 2_000}
    cut: Json = {"a": [f"{'x' * 2_000}…"], "b": "y" * 2_000}

    shown = fitted(data, limit_tokens=tokens_of(cut))

    assert {name: value for name, value in shown.items() if name != "cut"} == cut


def test_lists_are_halved_until_they_fit_and_no_further() -> None:
    shown = fitted({"a": ["x"] * 9}, limit_tokens=tokens_of({"a": ["x"] * 4}))

    assert shown["a"] == ["x"] * 4


def test_results_that_fill_a_turn_stay() -> None:
    call = FunctionCall(name="look_up", args={})
    rounds = tuple(
        FunctionResponses(responses=(FunctionResponse(call=call, response={"output": pages(number)}),))
        for number in (20, 21)
    )
    size = sum(tokens_of(one.response) for round_ in rounds for one in round_.responses)

    assert within_turn(rounds, limit_tokens=size) == rounds
    assert within_turn(rounds, limit_tokens=size - 1) != rounds
