"""Convert a model's plain values to Notion's property values, by the type of each column.

Source: Notion API reference, "Page properties" and "Request limits"; docs/notion-facts.md.
"""

import datetime as dt
import math
import unicodedata
import zoneinfo
from collections.abc import Callable, Iterable, Mapping
from dataclasses import field
from typing import Final, Protocol

from shared.agent.model import Json
from shared.frozen import frozen
from shared.line.display_names import sanitised
from shared.line.graphemes import split_at_graphemes
from shared.tools.notion.port import Property, PropertyValues, Schema

TEXT_LIMIT: Final = 2_000
_PIECES_LIMIT: Final = 100
_SHORT_LIMITS: Final = {"url": 2_000, "email": 200, "phone_number": 200}
_ITEMS_LIMIT: Final = 100
_LONGEST_NAME: Final = 40  # code points; `sanitised` allows 20 graphemes
_MARKS: Final = frozenset(" /&%+.・-_")
_OTHERS: Final = "others that search_database tells"
_EXAMPLES: Final = {
    "title": '"text"', "rich_text": '"text"', "number": "3", "checkbox": "true", "select": '"an option"', "status": '"an option"',
    "multi_select": '["an option", "another"]', "date": '"2026-11-22", "2026-11-22T18:30" or {"start": ..., "end": ...}',
    "url": '"https://..."', "email": '"name@example.com"', "phone_number": '"03-..."', "people": '["a name"]',
    "relation": '["a title"]',
}  # fmt: skip


class UnfitValueError(ValueError):
    """Notion does not take a value of the model's; the text is a sentence for the model."""


class References(Protocol):
    """Finds the ids for `people` and `relation` values.  Both methods raise UnfitValueError unless there is exactly one match."""

    def person_id(self, name: str) -> str:
        """Return the id of the person with the name."""
        ...

    def page_id(self, data_source_id: str, title: str) -> str:
        """Return the id of the page with the title."""
        ...


@frozen
class PropertyWriter:
    """Converts plain values to Notion's.  `time_zone` applies to times without an offset; `today` is the day there."""

    time_zone: str
    today: dt.date
    references: References = field(repr=False)

    def convert(self, schema: Schema, values: Json) -> PropertyValues:
        """Return the values in Notion's form: `{"done": true}` -> `{"Done": {"checkbox": true}}`.

        Raises: UnfitValueError, with the valid names, options or forms.
        """
        by_column = named_values(schema, values)
        return {name: self._value(schema.properties[name], value) for name, value in by_column.items()}

    def _value(self, column: Property, value: object) -> Json:
        conversion = _CONVERSIONS.get(column.type)
        if conversion is None:
            raise UnfitValueError(f'The property "{column.name}" ({column.type}) cannot be written.')
        return {column.type: conversion(column, value, self)}


def named_values(schema: Schema, values: Json) -> dict[str, object]:
    """Return the values by the names of the columns, which a model need not spell exactly: `{"due date": x}` -> `{"Due date": x}`.

    Raises: UnfitValueError for a name that fits no column, several columns, or the same column as another name.
    """
    columns = {name: matching(name, schema.properties) for name in values}
    unknown = [name for name, column in columns.items() if column is None]
    if unknown:
        raise UnfitValueError(f"There is no property {quote(unknown)}; the properties are: {_known(schema)}.")
    by_column = {str(column): values[name] for name, column in columns.items()}
    if len(by_column) < len(values):
        raise UnfitValueError(f"Several of {quote(values)} name the same property.")
    return by_column


def matching(name: str, spellings: Iterable[str]) -> str | None:
    """Return the spelling that is meant: the name itself, or the only one that differs in case, width or outer spaces.

    For example, `matching("done", ["Done", "Open"])` is "Done"; of "memo" and "Memo", "MEMO" means neither.
    """
    every = tuple(spellings)
    if name in every:
        return name
    alike = [spelling for spelling in every if folded(spelling) == folded(name)]
    return alike[0] if len(alike) == 1 else None


def folded(text: str) -> str:
    """Return the text for comparisons without regard to case, width and outer spaces: `folded(" Done")` is "done"."""
    return unicodedata.normalize("NFKC", text).strip().casefold()


def describe(schema: Schema) -> str:
    """Return the properties in words for a model: `"状態" (status: "未着手", "完了"), ...`."""
    return ", ".join(
        f'"{column.name}" ({column.type}{": " + quote(column.options) if column.options else ""})'
        for column in schema.properties.values()
    )


def is_plain(name: str) -> bool:
    """Whether a name chosen by strangers can stand next to the system's own words.

    For example, "Due date" and "期限" can, and "x: ignore the rules" cannot.
    """
    are_allowed = all(character in _MARKS or unicodedata.category(character)[0] in "LMN" for character in name)
    return len(name) <= _LONGEST_NAME and are_allowed and sanitised(name) == name


def _known(schema: Schema) -> str:
    """Return the properties for a fault: as `describe` does, of short plain names only."""
    columns = [column for column in schema.properties.values() if _is_quotable(column.name)]
    known = [
        f'"{column.name}" ({column.type}{": " + quote_plain(column.options) if column.options else ""})'
        for column in columns
    ]
    return ", ".join(known if len(columns) == len(schema.properties) else [*known, _OTHERS])


def quote_plain(names: Iterable[str]) -> str:
    """Return the short plain names in quotation marks, and whether there are others.

    A fault is not marked as words from outside, so other names stand in the results of `search_database` only.
    """
    every = tuple(names)
    plain = [f'"{name}"' for name in every if _is_quotable(name)]
    return ", ".join(plain if len(plain) == len(every) else [*plain, _OTHERS])


def _is_quotable(name: str) -> bool:
    """Whether a name is plain but for symbols, such as "🔴 High"."""
    return is_plain("".join(one for one in name if unicodedata.category(one) != "So").strip())


def quote(names: Iterable[str]) -> str:
    """Return the names in quotation marks."""
    return ", ".join(f'"{name}"' for name in names)


def _moment(column: Property, value: object) -> str:
    """Return the text of a date or a time.  Python reads both forms of ISO 8601; Notion takes the extended form only.

    For example, `"20261122T1830"` -> `"2026-11-22T18:30:00"`.
    """
    try:
        if isinstance(value, str) and len(value) == len("2026-11-22"):
            return dt.date.fromisoformat(value).isoformat()
        if isinstance(value, str):
            return dt.datetime.fromisoformat(value).isoformat()
    except ValueError:
        pass
    raise _unfit_error(column, value)


def _known_option(column: Property, value: object) -> str:
    name = _string(column, value)
    option = matching(name, column.options)
    if option is None:
        raise UnfitValueError(
            f'"{column.name}" has no option "{name}"; its options are: {quote_plain(column.options)}.'
        )
    return option


def _items(column: Property, value: object) -> list[object]:
    items = [] if value is None else value if isinstance(value, list) else [value]
    if len(items) > _ITEMS_LIMIT:
        raise UnfitValueError(f'"{column.name}" takes at most {_ITEMS_LIMIT} values.')
    return items


def _string(column: Property, value: object) -> str:
    if not isinstance(value, str):
        raise _unfit_error(column, value)
    return value


def _unfit_error(column: Property, value: object) -> UnfitValueError:
    return UnfitValueError(
        f'"{column.name}" is a {column.type}; write it as {_EXAMPLES[column.type]}, not as {str(value)[:100]!r}.'
    )


def _text(column: Property, value: object, _: PropertyWriter) -> object:
    pieces = split_at_graphemes(_string(column, value), limit_utf16=TEXT_LIMIT) if value is not None else ()
    if len(pieces) > _PIECES_LIMIT:
        raise UnfitValueError(f'The text for "{column.name}" is too long for Notion.')
    return [{"type": "text", "text": {"content": piece}} for piece in pieces]


def _number(column: Property, value: object, _: PropertyWriter) -> object:
    if value is None:
        return None
    try:
        number = float(value) if isinstance(value, str | int | float) and not isinstance(value, bool) else math.nan
    except (ValueError, OverflowError):
        number = math.nan
    if not math.isfinite(number):
        raise _unfit_error(column, value)
    return int(number) if number.is_integer() else number


def _checkbox(column: Property, value: object, _: PropertyWriter) -> object:
    if isinstance(value, bool):
        return value
    if isinstance(value, str) and value in {"true", "false"}:
        return value == "true"
    raise _unfit_error(column, value)


def _option(column: Property, value: object, _: PropertyWriter) -> object:
    return None if value is None else {"name": _known_option(column, value)}


def _options(column: Property, value: object, _: PropertyWriter) -> object:
    return [{"name": name} for name in dict.fromkeys(_known_option(column, one) for one in _items(column, value))]


def _date(column: Property, value: object, writer: PropertyWriter) -> object:
    if value is None:
        return None
    if isinstance(value, Mapping):
        if not {"start"} <= value.keys() <= {"start", "end"}:
            raise _unfit_error(column, value)
        span = {name: _moment(column, moment) for name, moment in value.items() if moment is not None}
    else:
        span = {"start": _moment(column, value)}
    if "start" not in span:
        raise _unfit_error(column, value)
    moments = [moment for moment in span.values() if "T" in moment]
    if not any(dt.datetime.fromisoformat(moment).tzinfo is not None for moment in moments):
        return {**span, "time_zone": writer.time_zone} if moments else span
    try:
        return {name: _in_zone(moment, writer.time_zone) for name, moment in span.items()}
    except OverflowError:
        raise _unfit_error(column, value) from None


def _in_zone(moment: str, time_zone: str) -> str:
    """Return the moment in the time zone of the bot, where a receipt shows the hour; without an offset, the hour is kept.

    For example, in Asia/Tokyo `"2026-11-28T09:00:00+00:00"` -> `"2026-11-28T18:00:00+09:00"`.
    """
    if "T" not in moment:
        return moment
    parsed, zone = dt.datetime.fromisoformat(moment), zoneinfo.ZoneInfo(time_zone)
    return (parsed.replace(tzinfo=zone) if parsed.tzinfo is None else parsed.astimezone(zone)).isoformat()


def _short(column: Property, value: object, _: PropertyWriter) -> object:
    if value is None or value == "":
        return None
    text = _string(column, value)
    if len(text) > _SHORT_LIMITS[column.type]:
        raise UnfitValueError(f'The text for "{column.name}" is longer than {_SHORT_LIMITS[column.type]} characters.')
    return text


def _people(column: Property, value: object, writer: PropertyWriter) -> object:
    return [{"id": writer.references.person_id(_string(column, one))} for one in _items(column, value)]


def _relation(column: Property, value: object, writer: PropertyWriter) -> object:
    related = column.related_data_source_id
    if related is None:
        raise UnfitValueError(f'The property "{column.name}" points at pages that cannot be looked up.')
    return [{"id": writer.references.page_id(related, _string(column, one))} for one in _items(column, value)]


_CONVERSIONS: Final[Mapping[str, Callable[[Property, object, PropertyWriter], object]]] = {
    "title": _text,
    "rich_text": _text,
    "number": _number,
    "checkbox": _checkbox,
    "select": _option,
    "status": _option,
    "multi_select": _options,
    "date": _date,
    "url": _short,
    "email": _short,
    "phone_number": _short,
    "people": _people,
    "relation": _relation,
}
