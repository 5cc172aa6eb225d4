"""Property values as Notion tells them, in plain words and numbers.  Source: Notion API reference, "Page properties"."""

from collections.abc import Callable, Mapping
from typing import Final

from shared.agent.model import Json
from shared.tools.notion.port import PropertyValues

# Types whose value reads back exactly as it was written
_EXACT: Final = frozenset(
    {"title", "rich_text", "number", "checkbox", "select", "status", "multi_select", "url", "email", "phone_number"}
)


def plain(value: Json) -> object:
    """Return a property value of a page as plainly as it can be said; None where it is empty, or of a type without words."""
    type_ = str(value.get("type"))
    inner = value.get(type_)
    read = _READERS.get(type_)
    return read(inner) if read is not None and inner is not None else None


def title_of(properties: PropertyValues) -> str:
    """Return the title among a page's properties."""
    values = (value for value in properties.values() if value.get("type") == "title")
    return str(next((plain(value) for value in values), None) or "")


def holds(properties: PropertyValues, written: PropertyValues) -> bool:
    """Whether a page's properties are what was written, as far as that can be compared exactly."""
    for name, value in written.items():
        type_ = next(iter(value))
        there = properties.get(name)
        if type_ in _EXACT and not (
            isinstance(there, Mapping) and _same(plain(there), plain({"type": type_, **value}))
        ):
            return False
    return True


def is_exact(written: PropertyValues) -> bool:
    """Whether all of what was written can be compared exactly."""
    return all(next(iter(value)) in _EXACT for value in written.values())


def plain_text(rich_text: object) -> str:
    """Return the words of a rich text, as it came or as it was written."""
    pieces = rich_text if isinstance(rich_text, list) else []
    return "".join(str(one.get("plain_text", one.get("text", {}).get("content", ""))) for one in pieces)


def _same(one: object, other: object) -> bool:
    return set(one) == set(other) if isinstance(one, list) and isinstance(other, list) else one == other


def _names(options: object) -> object:
    return [one.get("name") for one in options] if isinstance(options, list) else None


def _date_in_words(date: object) -> object:
    if not isinstance(date, Mapping):
        return None
    return date.get("start") if date.get("end") is None else {"start": date.get("start"), "end": date["end"]}


def _computed(result: object) -> object:
    """Of a formula or rollup: its result, where that is a plain value."""
    inner = result.get(str(result.get("type"))) if isinstance(result, Mapping) else None
    return _date_in_words(inner) if isinstance(inner, Mapping) else inner if not isinstance(inner, list) else None


def _as_it_is(value: object) -> object:
    return value


def _name(option: object) -> object:
    return option.get("name") if isinstance(option, Mapping) else None


_READERS: Final[Mapping[str, Callable[[object], object]]] = {
    "title": plain_text,
    "rich_text": plain_text,
    "number": _as_it_is,
    "checkbox": _as_it_is,
    "select": _name,
    "status": _name,
    "multi_select": _names,
    "date": _date_in_words,
    "url": _as_it_is,
    "email": _as_it_is,
    "phone_number": _as_it_is,
    "people": _names,
    "formula": _computed,
    "rollup": _computed,
    "created_time": _as_it_is,
    "last_edited_time": _as_it_is,
}
