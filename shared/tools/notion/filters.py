"""Filters in Notion's form, made of `{"property": value}` and `{"property": {"operator": value}}` by the type of each column.

Source: Notion API reference, "Filter data source entries".
"""

import datetime as dt
import zoneinfo
from collections.abc import Mapping
from typing import Final

from shared.agent.model import Json
from shared.tools.notion.plain_values import plain
from shared.tools.notion.port import Property, Schema
from shared.tools.notion.properties import PropertyWriter, UnfitValueError, named_values
from shared.tools.notion.relative_days import comparisons_with, span_of

_EMPTINESS: Final = ("is_empty", "is_not_empty")
_TEXT: Final = ("contains", "does_not_contain", "equals", "does_not_equal", "starts_with", "ends_with", *_EMPTINESS)
_EXCLUSIVE: Final = frozenset({"equals", "starts_with", "ends_with"})
"""Operators with at most a single operand for a value."""
_OPTION: Final = ("equals", "does_not_equal", *_EMPTINESS)
_SET: Final = ("contains", "does_not_contain", *_EMPTINESS)
_COMPARISONS: Final = ("greater_than", "greater_than_or_equal_to", "less_than", "less_than_or_equal_to")
# The first operator of a type applies to a value without an operator
_OPERATORS: Final[Mapping[str, tuple[str, ...]]] = {
    "title": _TEXT,
    "rich_text": _TEXT,
    "url": _TEXT,
    "email": _TEXT,
    "phone_number": _TEXT,
    "number": ("equals", "does_not_equal", *_COMPARISONS, *_EMPTINESS),
    "checkbox": ("equals", "does_not_equal"),
    "select": _OPTION,
    "status": _OPTION,
    "multi_select": _SET,
    "date": ("equals", "before", "after", "on_or_before", "on_or_after", *_EMPTINESS),
    "people": _SET,
    "relation": _SET,
}

_SPELLINGS: Final[Mapping[str, str]] = {
    "not_equals": "does_not_equal",
    "not_equal": "does_not_equal",
    "not_contains": "does_not_contain",
    "=": "equals",
    "==": "equals",
    "!=": "does_not_equal",
    ">": "greater_than",
    ">=": "greater_than_or_equal_to",
    "<": "less_than",
    "<=": "less_than_or_equal_to",
}
"""Operators as models write them, that mean one thing only."""


def filter_of(schema: Schema, writer: PropertyWriter, *, query: str | None, conditions: Json) -> Json | None:
    """Return the filter for pages that meet all conditions and have `query` in the title; None if there is nothing to filter by.

    For example, the condition `{"Done": true}` -> `{"and": [{"property": "Done", "checkbox": {"equals": true}}]}`.
    Conditions in the form of Notion's own filters are taken as well, if all of them have to hold. A list of values that exclude each other,
    such as two statuses, means any value.
    Raises: UnfitValueError, with the valid names and operators.
    """
    values = named_values(schema, _in_plain_form(conditions, schema))
    title = [{"property": schema.title.name, "title": {"contains": query}}] if query else []
    parts = [
        *title,
        *(one for name, value in values.items() for one in _conditions(schema.properties[name], value, writer)),
    ]
    return {"and": parts} if parts else None


def _in_plain_form(conditions: Json, schema: Schema) -> Json:
    """Return conditions of Notion's form as `{"property": {"operator": value}}`; any others are returned unchanged.

    For example, `{"and": [{"property": "Done", "checkbox": {"equals": true}}]}` -> `{"Done": {"equals": True}}`. An operator given
    twice for a property gets a list: `{"Tags": {"contains": ["home", "work"]}}`.
    """
    parts = conditions.get("and") if conditions.keys() == {"and"} else [conditions]
    if not isinstance(parts, list) or {"and", "property"} & schema.properties.keys():
        return conditions
    plain_form: dict[str, dict[str, list[object]]] = {}
    for part in parts:
        name = part.get("property") if isinstance(part, Mapping) else None
        comparisons = [value for key, value in part.items() if key != "property"] if isinstance(name, str) else []
        if len(comparisons) != 1 or not isinstance(comparisons[0], Mapping):
            return conditions
        operands = plain_form.setdefault(str(name), {})
        for operator, operand in comparisons[0].items():
            operands.setdefault(operator, []).append(operand)
    return {
        name: {operator: every[0] if len(every) == 1 else every for operator, every in operands.items()}
        for name, operands in plain_form.items()
    }


def _conditions(column: Property, value: object, writer: PropertyWriter) -> list[Json]:
    operators = _OPERATORS.get(column.type)
    if operators is None:
        raise UnfitValueError(f'One cannot filter by "{column.name}" ({column.type}).')
    if value is None or value == []:
        conditions: list[tuple[str, object]] = [("is_empty", True)]
    elif isinstance(value, Mapping):
        conditions = [(_SPELLINGS.get(operator, operator), operand) for operator, operand in value.items()]
    else:
        conditions = [(operators[0], value)]
    return [one for operator, operand in conditions for one in _conditions_with(column, operator, operand, writer)]


def _conditions_with(column: Property, operator: str, operand: object, writer: PropertyWriter) -> list[Json]:
    """Return the conditions of an operator: all values have to hold, or any value where values exclude each other."""
    operands = operand if isinstance(operand, list) and operand else [operand]
    by_operand = [_comparisons(column, operator, one, writer) for one in operands]
    if len(by_operand) == 1 or operator not in _EXCLUSIVE:
        return [one for comparisons in by_operand for one in comparisons]
    if any(len(comparisons) > 1 for comparisons in by_operand):  # Notion takes two levels of conditions
        raise UnfitValueError(f'"{column.name}" takes one span of days at a time.')
    return [{"or": [one for comparisons in by_operand for one in comparisons]}]


def _comparisons(column: Property, operator: str, operand: object, writer: PropertyWriter) -> list[Json]:
    comparisons = _of_days(operator, operand, writer.today) if column.type == "date" else [(operator, operand)]
    comparisons = [_without_negation(*one) for one in comparisons]
    operators = _OPERATORS[column.type]
    if any(name not in operators for name, _ in comparisons):
        raise UnfitValueError(f'"{column.name}" ({column.type}) can be filtered by: {", ".join(operators)}.')
    return [
        {"property": column.name, column.type: {name: _operand(column, name, value, writer)}}
        for name, value in comparisons
    ]


def _without_negation(operator: str, operand: object) -> tuple[str, object]:
    """Return `is_empty: false` as `is_not_empty`, and the reverse: Notion takes no other operand than true."""
    if operator not in _EMPTINESS or operand not in (False, "false"):
        return operator, operand
    return ("is_not_empty" if operator == "is_empty" else "is_empty"), True


def _of_days(operator: str, operand: object, today: dt.date) -> list[tuple[str, object]]:
    """Return the comparison with dates in place of a name such as `this_week`, as operand or as operator; any other one unchanged."""
    span, own_form = span_of(operand, today=today), span_of(operator, today=today)
    if own_form is not None and operand in ({}, True):  # as Notion's own API writes it: {"this_week": {}}
        operator, span = "equals", own_form
    return (comparisons_with(operator, *span) if span is not None else []) or [(operator, operand)]


def _operand(column: Property, operator: str, value: object, writer: PropertyWriter) -> object:
    """Return the value to compare with: checked like a value to be written, then in the plain form for filters."""
    if operator in _EMPTINESS:
        return True
    schema = Schema(data_source_id="", properties={column.name: column})
    converted = writer.convert(schema, {column.name: value})[column.name]
    match converted[column.type]:
        case [{"id": identity}]:
            return identity
        case {"start": start}:
            return _with_offset(str(start), writer.time_zone)
    operand = plain({"type": column.type, **converted})
    if isinstance(operand, list):
        operand = operand[0] if len(operand) == 1 else None
    if operand is None or operand == "":
        raise UnfitValueError(f'"{column.name}" cannot be compared with {str(value)[:100]!r}.')
    return operand


def _with_offset(moment: str, time_zone: str) -> str:
    """Return the moment with an offset: a filter has no time zone, and Notion reads a time without an offset as UTC.

    For example, `"2026-11-22T18:30"` in Asia/Tokyo -> `"2026-11-22T18:30:00+09:00"`.
    """
    if "T" not in moment or dt.datetime.fromisoformat(moment).tzinfo is not None:
        return moment
    return dt.datetime.fromisoformat(moment).replace(tzinfo=zoneinfo.ZoneInfo(time_zone)).isoformat()
