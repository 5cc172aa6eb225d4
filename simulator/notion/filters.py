"""Filters of a query.  Source: Notion API reference, "Filter data source entries"."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING, Any

from simulator.notion.errors import invalid_value, validation_error

if TYPE_CHECKING:
    from collections.abc import Callable

    from simulator.notion.workspace import JsonObject

_DEEPEST = 2
_TEXT = frozenset({"title", "rich_text", "url", "email", "phone_number"})
_EMPTINESS = frozenset({"is_empty", "is_not_empty"})
_TEXT_OPERATORS: dict[str, Callable[[str, Any], bool]] = {
    "equals": lambda text, operand: text == operand,
    "does_not_equal": lambda text, operand: text != operand,
    "contains": lambda text, operand: operand.casefold() in text.casefold(),
    "does_not_contain": lambda text, operand: operand.casefold() not in text.casefold(),
    "starts_with": lambda text, operand: text.casefold().startswith(operand.casefold()),
    "ends_with": lambda text, operand: text.casefold().endswith(operand.casefold()),
}
_OPTION_OPERATORS: dict[str, Callable[[Any, Any], bool]] = {
    "equals": lambda value, operand: value == operand,
    "does_not_equal": lambda value, operand: value != operand,
}
_SET_OPERATORS: dict[str, Callable[[Any, Any], bool]] = {
    "contains": lambda values, operand: operand in values,
    "does_not_contain": lambda values, operand: operand not in values,
}
_NUMBER_OPERATORS: dict[str, Callable[[Any, Any], bool]] = {
    **_OPTION_OPERATORS,
    "greater_than": lambda value, operand: value is not None and value > operand,
    "less_than": lambda value, operand: value is not None and value < operand,
    "greater_than_or_equal_to": lambda value, operand: value is not None and value >= operand,
    "less_than_or_equal_to": lambda value, operand: value is not None and value <= operand,
}
_DATE_OPERATORS: dict[str, Callable[[Any, Any], bool]] = {
    "equals": lambda value, operand: value is not None and value[: len(operand)] == operand,
    "before": lambda value, operand: value is not None and _instant(value) < _instant(operand),
    "after": lambda value, operand: value is not None and _instant(value) > _instant(operand),
    "on_or_before": lambda value, operand: value is not None and _instant(value) <= _instant(operand),
    "on_or_after": lambda value, operand: value is not None and _instant(value) >= _instant(operand),
}
_OPERATORS: dict[str, dict[str, Callable[[Any, Any], bool]]] = {
    **dict.fromkeys(_TEXT, _TEXT_OPERATORS),
    "number": _NUMBER_OPERATORS,
    "checkbox": _OPTION_OPERATORS,
    "select": _OPTION_OPERATORS,
    "status": _OPTION_OPERATORS,
    "multi_select": _SET_OPERATORS,
    "people": _SET_OPERATORS,
    "relation": _SET_OPERATORS,
    "date": _DATE_OPERATORS,
}


def lets_through(filter_: object, page: JsonObject, columns: JsonObject, *, depth: int = 0) -> bool:
    """Whether the page matches the filter.  Raises: NotionError, where the filter does not fit the columns."""
    if not isinstance(filter_, dict):
        raise validation_error("body.filter should be an object.")
    for joint, judge in (("and", all), ("or", any)):
        if joint in filter_:
            if depth >= _DEEPEST or not isinstance(filter_[joint], list):
                raise validation_error(f"body.filter.{joint} is nested too deep, or no array.")
            results = [lets_through(item, page, columns, depth=depth + 1) for item in filter_[joint]]
            return judge(results)
    if filter_.get("timestamp") == "created_time":
        return _matches_condition("date", page["created_time"], filter_.get("created_time"))
    name = filter_.get("property")
    column = columns.get(name) if isinstance(name, str) else None
    if column is None:
        raise invalid_value(f"Could not find property with name or id: {name}")
    type_ = column["type"]
    condition = filter_.get(type_)
    if condition is None:
        condition_type = next((key for key in filter_ if key not in {"property", "type"}), None)
        raise invalid_value(f"database property {type_} does not match filter {condition_type}")
    return _matches_condition(type_, _comparable(page["properties"][name]), condition)


def _matches_condition(type_: str, value: object, condition: object) -> bool:
    operators = _OPERATORS.get(type_, {})
    if not isinstance(condition, dict) or len(condition) != 1:
        raise validation_error("body.filter should hold exactly one condition.")
    operator, operand = next(iter(condition.items()))
    if operator in _EMPTINESS and operand is True and type_ != "checkbox":
        return (value in (None, "", [])) is (operator == "is_empty")
    judge = operators.get(operator)
    kinds = (str,) if type_ not in {"number", "checkbox"} else (int, float) if type_ == "number" else (bool,)
    if judge is None or not isinstance(operand, kinds):
        raise validation_error(f"body.filter.{type_}.{operator} is no valid condition.")
    return judge(value, operand)


def _comparable(value: JsonObject) -> object:
    type_ = value["type"]
    inner = value[type_]
    if type_ in {"title", "rich_text"}:
        return "".join(item["plain_text"] for item in inner)
    if type_ in {"select", "status"}:
        return inner["name"] if inner else None
    if type_ == "multi_select":
        return [item["name"] for item in inner]
    if type_ in {"people", "relation"}:
        return [item["id"] for item in inner]
    if type_ == "date":
        return inner["start"] if inner else None
    return (inner or "") if type_ in _TEXT else inner


def _instant(text: str) -> dt.datetime:
    moment = dt.datetime.fromisoformat(text)
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=dt.UTC)
