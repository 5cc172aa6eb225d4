import datetime as dt
from typing import Any

import pytest

from shared.tools.notion.filters import filter_of
from shared.tools.notion.properties import PropertyWriter, UnfitValueError
from tests.support.notion import shopping_list, todo_list
from tests.unit.shared.tools.notion.test_properties import Directory

WRITER = PropertyWriter(time_zone="Asia/Tokyo", today=dt.date(2026, 11, 26), references=Directory())  # a Thursday


def conditions(**given: object) -> Any:  # noqa: ANN401 - JSON
    filter_ = filter_of(todo_list(), WRITER, query=None, conditions=given)
    assert filter_ is not None
    return filter_["and"]


def test_query_and_conditions_are_joined_by_and() -> None:
    filter_ = filter_of(shopping_list(), WRITER, query="牛乳", conditions={"購入済み": False})

    assert filter_ == {
        "and": [
            {"property": "品名", "title": {"contains": "牛乳"}},
            {"property": "購入済み", "checkbox": {"equals": False}},
        ]
    }


def test_without_query_and_conditions_there_is_no_filter() -> None:
    assert filter_of(todo_list(), WRITER, query="", conditions={}) is None


@pytest.mark.parametrize(
    ("name", "value", "wire"),
    [
        ("状態", "進行中", [{"status": {"equals": "進行中"}}]),
        ("状態", {"does_not_equal": "完了"}, [{"status": {"does_not_equal": "完了"}}]),
        ("状態", {"not_equals": "完了"}, [{"status": {"does_not_equal": "完了"}}]),
        ("タグ", ["家", "仕事"], [{"multi_select": {"contains": "家"}}, {"multi_select": {"contains": "仕事"}}]),
        ("期限", {"on_or_after": "2026-11-01", "before": "2026-12-01"},
         [{"date": {"on_or_after": "2026-11-01"}}, {"date": {"before": "2026-12-01"}}]),
        ("期限", {"after": "2026-11-30T18:00"}, [{"date": {"after": "2026-11-30T18:00:00+09:00"}}]),
        ("期限", "this_week", [{"date": {"on_or_after": "2026-11-23"}}, {"date": {"before": "2026-11-30"}}]),
        ("期限", {"equals": "next week"}, [{"date": {"on_or_after": "2026-11-30"}}, {"date": {"before": "2026-12-07"}}]),
        ("期限", {"this_week": {}}, [{"date": {"on_or_after": "2026-11-23"}}, {"date": {"before": "2026-11-30"}}]),
        ("期限", {"on_or_before": "Tomorrow"}, [{"date": {"before": "2026-11-28"}}]),
        ("期限", {"before": "today"}, [{"date": {"before": "2026-11-26"}}]),
        ("期限", {"after": "this_month"}, [{"date": {"on_or_after": "2026-12-01"}}]),
        ("期限", {"on_or_after": "next_month"}, [{"date": {"on_or_after": "2026-12-01"}}]),
        ("期限", "last_month", [{"date": {"on_or_after": "2026-10-01"}}, {"date": {"before": "2026-11-01"}}]),
        ("期限", None, [{"date": {"is_empty": True}}]),
        ("タグ", [], [{"multi_select": {"is_empty": True}}]),
        ("メモ", {"is_not_empty": True}, [{"rich_text": {"is_not_empty": True}}]),
        ("メモ", {"is_not_empty": False}, [{"rich_text": {"is_empty": True}}]),
        ("期限", {"is_empty": False}, [{"date": {"is_not_empty": True}}]),
        ("状態", ["完了"], [{"status": {"equals": "完了"}}]),
        ("状態", {"does_not_equal": ["完了", "進行中"]},
         [{"status": {"does_not_equal": "完了"}}, {"status": {"does_not_equal": "進行中"}}]),
        ("タグ", {"contains": ["家", "仕事"]}, [{"multi_select": {"contains": "家"}}, {"multi_select": {"contains": "仕事"}}]),
    ],
)  # fmt: skip
def test_a_condition_becomes_the_filter_of_its_column_type(name: str, value: object, wire: object) -> None:
    assert conditions(**{name: value}) == [{"property": name, **one} for one in wire]  # type: ignore[attr-defined]


@pytest.mark.parametrize("value", [["未着手", "進行中"], {"equals": ["未着手", "進行中"]}])
def test_a_list_of_statuses_means_any_of_them(value: object) -> None:
    assert conditions(状態=value) == [
        {
            "or": [
                {"property": "状態", "status": {"equals": "未着手"}},
                {"property": "状態", "status": {"equals": "進行中"}},
            ]
        }
    ]


def test_several_dates_mean_any_of_them_and_several_spans_are_refused() -> None:
    assert conditions(期限=["2026-11-28", "2026-11-30"]) == [
        {"or": [{"property": "期限", "date": {"equals": date}} for date in ("2026-11-28", "2026-11-30")]}
    ]
    with pytest.raises(UnfitValueError, match="one span of days at a time"):
        conditions(期限=["today", "next_week"])


def test_two_conditions_on_a_property_with_one_operator_both_hold() -> None:
    parts = [{"property": "タグ", "multi_select": {"contains": tag}} for tag in ("家", "仕事")]

    assert conditions(**{"and": parts}) == parts


@pytest.mark.parametrize(
    "given",
    [
        {
            "and": [
                {"property": "状態", "status": {"does_not_equal": "完了"}},
                {"property": "期限", "date": {"before": "2026-12-01"}},
            ]
        },
        {"状態": {"!=": "完了"}, "期限": {"before": "2026-12-01"}},
    ],
)
def test_conditions_may_have_the_form_of_notions_own_filters(given: dict[str, object]) -> None:
    assert conditions(**given) == [
        {"property": "状態", "status": {"does_not_equal": "完了"}},
        {"property": "期限", "date": {"before": "2026-12-01"}},
    ]


@pytest.mark.parametrize(
    "given", [{"and": [{"property": "状態"}]}, {"or": []}, {"and": [3]}, {"property": "状態", "status": "完了"}]
)
def test_another_form_of_filters_is_refused(given: dict[str, object]) -> None:
    with pytest.raises(UnfitValueError, match="There is no property"):
        conditions(**given)


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        ("値段", 3, r'no property "値段"; the properties are:'),
        ("状態", "Done", r'no option "Done"'),
        ("状態", {"contains": "完"}, r'"状態" \(status\) can be filtered by: equals, does_not_equal'),
        ("計算", 3, r'cannot filter by "計算"'),
        ("期限", "someday", r'"期限" is a date'),
        ("メモ", "", r"cannot be compared"),
        ("タグ", {"contains": []}, r"cannot be compared"),
    ],
)
def test_an_unfit_condition_is_refused_with_valid_ones(name: str, value: object, sentence: str) -> None:
    with pytest.raises(UnfitValueError, match=sentence):
        conditions(**{name: value})
