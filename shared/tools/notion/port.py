"""The ports to Notion, in the words of its API 2025-09-03; no SDK type passes them.

Property values, filters and blocks are the JSON of Notion's wire, because the schema of a data source decides what they may hold. They are
checked before a port is called. Source: docs/notion-facts.md.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from shared.agent.model import Json
from shared.clock import Deadline
from shared.errors import PermanentError, TransientError

PropertyValues = Mapping[str, Json]  # by the name of the property, such as {"Done": {"checkbox": True}}


class NotionRefusedError(PermanentError):
    """Notion refuses the request, which had no effect.  `told` is a sentence for the model; it may quote people."""

    def __init__(self, message: str, *, told: str) -> None:
        super().__init__(message)
        self.told = told


class NotionUnavailableError(TransientError):
    """Notion did not carry the request out before the deadline: no answer, 429, 5xx.

    `may_have_effect`: a write was sent whose answer never came, so its effect is unknown.
    """

    def __init__(self, message: str, *, may_have_effect: bool) -> None:
        super().__init__(message)
        self.may_have_effect = may_have_effect


@dataclass(frozen=True, slots=True, kw_only=True)
class Property:
    """A column of a data source.  `options` are the names that a select, multi_select or status may take."""

    name: str
    type: str
    options: tuple[str, ...] = ()
    related_data_source_id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Schema:
    """The columns of one data source, in Notion's order; exactly one is of type `title`."""

    data_source_id: str
    properties: Mapping[str, Property]

    @property
    def title(self) -> Property:
        """The column that holds the titles of the pages."""
        return next(one for one in self.properties.values() if one.type == "title")


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """A page.  `data_source_id` and `database_id` are its parents, None where it is in no database; `is_own`: this bot created it."""

    page_id: str
    data_source_id: str | None
    database_id: str | None
    is_own: bool
    in_trash: bool
    properties: PropertyValues = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """The first pages that a query found, and whether there are more."""

    pages: tuple[Page, ...]
    has_more: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """A block of a page: its type, its plain text, when it was created (to the minute), and whether this integration created it."""

    type: str
    text: str = field(repr=False)
    created_ms: int
    is_own: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """A person whom a `people` property can name."""

    user_id: str
    name: str = field(repr=False)


class NotionDatabases(Protocol):
    """Reads of databases.  Every method raises NotionUnavailableError and NotionRefusedError, and none has an effect."""

    def schema(self, database_id: str, deadline: Deadline) -> Schema:
        """Return the schema behind the id of a database or of a data source.

        Refused: a database with several data sources, with their names and ids; an id that this integration cannot see.
        """
        ...

    def query(self, data_source_id: str, filter_: Json | None, *, limit: int, deadline: Deadline) -> Found:
        """Return at most `limit` pages that match the filter, the latest edited first, without those in the trash."""
        ...

    def people(self, deadline: Deadline) -> tuple[Person, ...]:
        """Return the people of the workspace, without bots."""
        ...


class NotionPages(Protocol):
    """Reads and writes of pages.

    Every method raises NotionUnavailableError and NotionRefusedError. A write that was refused had no effect; the effect of one that raised
    with `may_have_effect` is unknown. No write is retried here, because a write that is made twice has two effects.
    """

    def create_page(self, data_source_id: str, properties: PropertyValues, deadline: Deadline) -> Page:
        """Return the page, which is new."""
        ...

    def page(self, page_id: str, deadline: Deadline) -> Page | None:
        """Return the page, or None where this integration sees no page of that id."""
        ...

    def update_page(self, page_id: str, properties: PropertyValues, deadline: Deadline) -> Page:
        """Return the page with the named properties changed and all others as they were."""
        ...

    def append_blocks(self, page_id: str, blocks: Sequence[Json], deadline: Deadline) -> None:
        """The blocks, at most 100, stand at the end of the page, all or none of them."""
        ...

    def blocks(self, page_id: str, *, limit: int, deadline: Deadline) -> tuple[Block, ...] | None:
        """Return the page's blocks from the top, without nested ones, or None where there are more than `limit`."""
        ...


class Notion(NotionDatabases, NotionPages, Protocol):
    """Databases and pages."""
