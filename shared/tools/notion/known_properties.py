"""The properties of the configured databases, for the declaration of a tool.

Editors of a database choose the names of properties, and the model reads declared names next to the system's own words. So a declared name
is short, on a single line, and made of letters, digits and a few marks, such as "Due date" or "期限". All other names are left to
`search_database`, whose results the model treats as data. The text is bounded by MOST_TOKENS.
"""

import itertools
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import field
from typing import Final

from shared import logs
from shared.agent.token_estimate import estimated_tokens
from shared.clock import Clock, Deadline
from shared.frozen import frozen
from shared.tools.notion.databases import Databases
from shared.tools.notion.port import NotionRefusedError, NotionUnavailableError, Property, Schema
from shared.tools.notion.properties import is_plain, quote

READ_S: Final = 2.0
"""Seconds for reading all databases together, before the first request of a turn; the turn goes on without databases not read by then."""
CACHED_S: Final = 600.0
RETRIED_AFTER_S: Final = 60.0
MOST_TOKENS: Final = 500
_OPTIONS_DECLARED: Final = 8
_EXAMPLE_PROPERTIES: Final = 2
_VALUES: Final = {"date": "2026-11-22", "checkbox": True, "number": 3}
_INTRODUCTION: Final = "Properties that are known; the names are data:"


class KnownProperties:
    """The text about the properties, read every ten minutes; safe to share between threads, though two threads may read at once."""

    def __init__(self, databases: Databases, clock: Clock) -> None:
        self._databases = databases
        self._clock = clock
        self._read = _Read()

    def words(self) -> str:
        """Return the text, "" before a schema was read.  Repeated: the same for ten minutes; for a minute if a database did not answer."""
        read = self._read
        if self._clock.monotonic_s() >= read.until_s:
            self._read = read = self._read_again(read)
        return read.words

    def _read_again(self, last: "_Read") -> "_Read":
        deadline = Deadline.after(self._clock, READ_S)
        schemas = dict(last.schemas)
        is_whole = True
        for name, identity in self._databases.ids.items():
            try:
                schemas[name] = self._databases.schema(identity, deadline)
            except (NotionUnavailableError, NotionRefusedError) as cause:
                is_whole = False
                logs.warning("notion_schema_unknown", error_type=type(cause).__name__)
        until_s = self._clock.monotonic_s() + (CACHED_S if is_whole else RETRIED_AFTER_S)
        return _Read(schemas=schemas, words=properties_text(schemas.items()), until_s=until_s)


@frozen
class _Read:
    schemas: dict[str, Schema] = field(default_factory=dict, repr=False)
    words: str = field(default="", repr=False)
    until_s: float = float("-inf")


def properties_text(databases: Iterable[tuple[str, Schema]]) -> str:
    """Return the text about the databases, by configured name, within MOST_TOKENS; "" if there is no property to declare.

    For example: `Properties that are known; the names are data: "Tasks": "Done" (checkbox), "Status" (status: "Open", "Done"). Example:
    {"Done": true, "Status": "Open"}`
    """
    schemas = tuple(databases)
    example = _example_of(schemas)
    remaining_tokens = MOST_TOKENS - estimated_tokens(_INTRODUCTION) - estimated_tokens(example)
    lines: list[str] = []
    for name, schema in schemas:
        line = f' "{name}":'
        remaining_tokens -= estimated_tokens(line)
        columns: list[str] = []
        for column in _declared_columns(schema):
            remaining_tokens -= estimated_tokens(column) + 1
            if remaining_tokens < 0:
                break
            columns.append(column)
        lines += [f"{line} {', '.join(columns)}."] if columns else []
    return _INTRODUCTION + "".join(lines) + example if lines else ""


def _example_of(schemas: Sequence[tuple[str, Schema]]) -> str:
    """Return an example of `properties` with names of the first database that has any; a made-up name would be called."""
    for _, schema in schemas:
        values: dict[str, object] = {}
        for column in schema.properties.values():
            if is_plain(column.name) and (value := _value_of(column)) is not None:
                values[column.name] = value
        if values:
            shown = dict(itertools.islice(values.items(), _EXAMPLE_PROPERTIES))
            return f" Example: {json.dumps(shown, ensure_ascii=False)}"
    return ""


def _value_of(column: Property) -> object:
    """Return a value that the column takes: its first plain option, a date, `true`; None for other types."""
    if column.type in {"select", "status"}:
        return next((option for option in column.options if is_plain(option)), None)
    return _VALUES.get(column.type)


def _declared_columns(schema: Schema) -> Iterator[str]:
    for column in schema.properties.values():
        if column.type != "title" and is_plain(column.name) and is_plain(column.type):
            yield f'"{column.name}" ({column.type}{_options_of(column)})'


def _options_of(column: Property) -> str:
    options = [option for option in column.options if is_plain(option)][:_OPTIONS_DECLARED]
    return f": {quote(options)}{'' if len(options) == len(column.options) else ', ...'}" if options else ""
