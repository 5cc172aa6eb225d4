"""Notion in memory: data sources with their pages, blocks and people."""

import datetime as dt
import json
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, TypeVar

from shared.agent.model import Json
from shared.clock import Clock, Deadline
from shared.tools.notion.blocks import BLOCKS_A_REQUEST, text_of
from shared.tools.notion.plain_values import plain
from shared.tools.notion.port import (
    Block,
    NotionRefusedError,
    NotionUnavailableError,
    Page,
    Person,
    PropertyValues,
    QueryResult,
    Schema,
)

_Value = TypeVar("_Value")
_MINUTE_MS: Final = 60_000
_OPERATORS: Final[Mapping[str, Callable[[object, object], bool]]] = {
    "equals": lambda value, operand: value == operand,
    "does_not_equal": lambda value, operand: value != operand,
    "contains": lambda value, operand: (
        operand in value if isinstance(value, list) else str(operand) in str(value or "")
    ),
    "does_not_contain": lambda value, operand: not _OPERATORS["contains"](value, operand),
    "before": lambda value, operand: value is not None and str(value) < str(operand),
    "after": lambda value, operand: value is not None and str(value) > str(operand),
    "on_or_after": lambda value, operand: value is not None and str(value) >= str(operand),
    "on_or_before": lambda value, operand: value is not None and str(value) <= str(operand),
    "is_empty": lambda value, _: value in (None, "", []),
    "is_not_empty": lambda value, _: value not in (None, "", []),
}


class MemoryNotion:
    """A workspace in memory.  `fates`: the fates of the next requests, in order; later requests succeed.

    "down" has no effect; "lost" loses the answer after the effect. Example: with `fates = ["lost"]`, `create_page` creates the page and
    raises NotionUnavailableError.
    """

    def __init__(
        self, clock: Clock, *, people: Sequence[str] = (), new_id: Callable[[], uuid.UUID] = uuid.uuid4
    ) -> None:
        self._new_id = new_id
        self.fates: list[str] = []
        self.sources: dict[str, tuple[Schema, ...]] = {}  # by the database's id
        self.written: list[str] = []  # the names of the writes that took effect
        self._clock = clock
        self._people = tuple(Person(user_id=str(self._new_id()), name=name) for name in people)
        self._pages: dict[str, Page] = {}
        self._made_ms: dict[str, int] = {}
        self._blocks: dict[str, list[Block]] = {}

    def add_database(self, *schemas: Schema) -> str:
        """Add a database with these data sources; return its id."""
        database_id = str(self._new_id())
        self.sources[database_id] = schemas
        return database_id

    @property
    def pages(self) -> tuple[Page, ...]:
        """Every page, oldest first."""
        return tuple(self._pages.values())

    def add_page(self, data_source_id: str, properties: PropertyValues, *, is_own: bool = False) -> Page:
        """Add a page as a person does by hand, or as the integration if `is_own`."""
        schema = self._source(data_source_id)
        page = Page(
            page_id=str(self._new_id()),
            data_source_id=data_source_id,
            database_id=next(known_id for known_id, sources in self.sources.items() if schema in sources),
            is_own=is_own,
            in_trash=False,
            properties={
                name: {"type": column.type, **_wire_copy(properties.get(name, {column.type: None}))}
                for name, column in schema.properties.items()
            },
        )
        self._pages[page.page_id] = page
        self._made_ms[page.page_id] = self._clock.now_ms() // _MINUTE_MS * _MINUTE_MS
        self._blocks[page.page_id] = []
        return page

    def schema(self, database_id: str, deadline: Deadline) -> Schema:
        self._take_fate("schema", deadline, is_write=False)
        sources = self.sources.get(database_id)
        if sources is None:
            return self._source(database_id)
        if len(sources) != 1:
            source_ids = ", ".join(source.data_source_id for source in sources)
            raise NotionRefusedError(
                "several data sources", explanation=f"This database has several data sources: {source_ids}."
            )
        return sources[0]

    def query(self, data_source_id: str, filter_: Json | None, *, limit: int, deadline: Deadline) -> QueryResult:
        self._take_fate("query", deadline, is_write=False)
        self._source(data_source_id)
        in_source = [
            page for page in reversed(self.pages) if page.data_source_id == data_source_id and not page.in_trash
        ]
        fitting = [page for page in in_source if self._matches(filter_, page)]
        return QueryResult(pages=tuple(fitting[:limit]), has_more=len(fitting) > limit)

    def people(self, deadline: Deadline) -> tuple[Person, ...]:
        self._take_fate("people", deadline, is_write=False)
        return self._people

    def create_page(self, data_source_id: str, properties: PropertyValues, deadline: Deadline) -> Page:
        self._source(data_source_id)

        def make() -> Page:
            return self.add_page(data_source_id, properties, is_own=True)

        return self._write("create_page", deadline, make)

    def page(self, page_id: str, deadline: Deadline) -> Page | None:
        self._take_fate("page", deadline, is_write=False)
        return self._pages.get(page_id)

    def update_page(self, page_id: str, properties: PropertyValues, deadline: Deadline) -> Page:
        def change() -> Page:
            values = {name: {"type": next(iter(value)), **_wire_copy(value)} for name, value in properties.items()}
            page = self._pages[page_id]
            self._pages[page_id] = replace(page, properties={**page.properties, **values})
            return self._pages[page_id]

        return self._write("update_page", deadline, change)

    def append_blocks(self, page_id: str, blocks: Sequence[Json], deadline: Deadline) -> None:
        if len(blocks) > BLOCKS_A_REQUEST:
            raise NotionRefusedError("too many blocks", explanation="body.children.length should be ≤ 100.")
        made_ms = self._clock.now_ms() // _MINUTE_MS * _MINUTE_MS
        created = [
            Block(type=str(block["type"]), text=text_of(block), created_ms=made_ms, is_own=True) for block in blocks
        ]
        self._write("append_blocks", deadline, lambda: self._blocks[page_id].extend(created))

    def blocks(self, page_id: str, *, limit: int, deadline: Deadline) -> tuple[Block, ...] | None:
        self._take_fate("blocks", deadline, is_write=False)
        stored = self._blocks[page_id]
        return tuple(stored) if len(stored) <= limit else None

    def _write(self, name: str, deadline: Deadline, effect: Callable[[], _Value]) -> _Value:
        is_lost = self._take_fate(name, deadline, is_write=True)
        value = effect()
        self.written.append(name)
        if is_lost:
            raise NotionUnavailableError("the answer was lost", may_have_effect=True)
        return value

    def _take_fate(self, name: str, deadline: Deadline, *, is_write: bool) -> bool:
        """Take the next fate; return whether the answer of a write is lost after its effect."""
        fate = self.fates.pop(0) if self.fates else None
        if fate == "down" or not deadline.left_s or (fate == "lost" and not is_write):
            raise NotionUnavailableError(f"{name} was not answered", may_have_effect=False)
        return fate == "lost"

    def _source(self, data_source_id: str) -> Schema:
        for schema in (schema for sources in self.sources.values() for schema in sources):
            if schema.data_source_id == data_source_id:
                return schema
        raise NotionRefusedError("no such data source", explanation="Could not find data_source.")

    def _matches(self, filter_: Any, page: Page) -> bool:  # noqa: ANN401 - JSON
        match filter_:
            case None:
                return True
            case {"and": parts}:
                return all(self._matches(part, page) for part in parts)
            case {"or": parts}:
                return any(self._matches(part, page) for part in parts)
            case {"timestamp": "created_time", "created_time": {"on_or_after": since}}:
                return self._made_ms[page.page_id] >= dt.datetime.fromisoformat(since).timestamp() * 1_000
        value = page.properties[filter_["property"]]
        condition = filter_.get(value["type"])
        if condition is None:
            raise NotionRefusedError("a filter of another type", explanation="database property does not match filter")
        return all(_OPERATORS[operator](plain(value), operand) for operator, operand in condition.items())


def _wire_copy(value: Json) -> dict[str, object]:
    """Return a copy through JSON, as it would arrive over the wire."""
    copied: dict[str, object] = json.loads(json.dumps(value))
    return copied
