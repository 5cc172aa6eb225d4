"""Property values from Notion as plain texts and numbers.  Source: Notion API reference, "Page properties"."""

from collections.abc import Callable, Mapping
from typing import Final

from shared.agent.model import Json
from shared.tools.notion.port import PropertyValues

# Types of values that Notion returns exactly as written
_EXACT: Final = frozenset(
    {"title", "rich_text", "number", "checkbox", "select", "status", "multi_select", "url", "email", "phone_number"}
)


def plain(value: Json) -> object:
    """Return a page's property value as a plain value; None for an empty value, or a type without a plain form.

    For example, `{"type": "select", "select": {"name": "Open"}}` -> `"Open"`.
    """
    type_ = str(value.get("type"))
    inner = value.get(type_)
    read = _READERS.get(type_)
    return read(inner) if read is not None and inner is not None else None


def title_of(properties: PropertyValues) -> str:
    """Return the title among a page's properties."""
    values = (value for value in properties.values() if value.get("type") == "title")
    return str(next((plain(value) for value in values), None) or "")


def has_values(properties: PropertyValues, values: PropertyValues) -> bool:
    """Whether a page's properties have the given values; values of inexact types, such as dates, do not count."""
    for name, value in values.items():
        type_ = next(iter(value))
        page_value = properties.get(name)
        if type_ in _EXACT and not (
            isinstance(page_value, Mapping) and _is_same(plain(page_value), plain({"type": type_, **value}))
        ):
            return False
    return True


def is_exact(values: PropertyValues) -> bool:
    """Whether all values can be compared exactly."""
    return all(next(iter(value)) in _EXACT for value in values.values())


def plain_text(rich_text: object) -> str:
    """Return the words of a rich text from Notion, or of a rich text to be sent."""
    pieces = rich_text if isinstance(rich_text, list) else []
    return "".join(str(one.get("plain_text", one.get("text", {}).get("content", ""))) for one in pieces)


def _is_same(first: object, second: object) -> bool:
    return set(first) == set(second) if isinstance(first, list) and isinstance(second, list) else first == second


def _names(options: object) -> object:
    return [one.get("name") for one in options] if isinstance(options, list) else None


def _date_or_span(date: object) -> object:
    if not isinstance(date, Mapping):
        return None
    return date.get("start") if date.get("end") is None else {"start": date.get("start"), "end": date["end"]}


def _result_value(result: object) -> object:
    """Return the result of a formula or rollup; None for a list."""
    inner = result.get(str(result.get("type"))) if isinstance(result, Mapping) else None
    return _date_or_span(inner) if isinstance(inner, Mapping) else inner if not isinstance(inner, list) else None


def _identity(value: object) -> object:
    return value


def _name(option: object) -> object:
    return option.get("name") if isinstance(option, Mapping) else None


_READERS: Final[Mapping[str, Callable[[object], object]]] = {
    "title": plain_text,
    "rich_text": plain_text,
    "number": _identity,
    "checkbox": _identity,
    "select": _name,
    "status": _name,
    "multi_select": _names,
    "date": _date_or_span,
    "url": _identity,
    "email": _identity,
    "phone_number": _identity,
    "people": _names,
    "formula": _result_value,
    "rollup": _result_value,
    "created_time": _identity,
    "last_edited_time": _identity,
}
