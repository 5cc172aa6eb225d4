"""The ports to Notion, in the words of API version 2025-09-03, without types of an SDK.

Property values, filters and blocks are JSON as on Notion's wire, because the schema of a data source decides the valid content. Callers
check the JSON before calling a port. Source: docs/notion-facts.md.
"""

from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Protocol

from shared.agent.model import Json
from shared.clock import Deadline
from shared.errors import PermanentError, TransientError
from shared.frozen import frozen

PropertyValues = Mapping[str, Json]  # by the name of the property, such as {"Done": {"checkbox": True}}


class NotionRefusedError(PermanentError):
    """Notion refused the request, without any effect.  `explanation` is a sentence for the model and may quote people."""

    def __init__(self, message: str, *, explanation: str) -> None:
        super().__init__(message)
        self.explanation = explanation


class NotionUnavailableError(TransientError):
    """Notion did not carry the request out before the deadline: no answer, 429, 5xx.

    `may_have_effect`: a write was sent and never answered, so the effect is unknown.
    """

    def __init__(self, message: str, *, may_have_effect: bool) -> None:
        super().__init__(message)
        self.may_have_effect = may_have_effect


@frozen
class Property:
    """A column of a data source.  `options` are the valid names of a select, multi_select or status.

    For example: `Property(name="Status", type="status", options=("Open", "Done"))`.
    """

    name: str
    type: str
    options: tuple[str, ...] = ()
    related_data_source_id: str | None = None


@frozen
class Schema:
    """The columns of one data source, in Notion's order; exactly one is of type `title`."""

    data_source_id: str
    properties: Mapping[str, Property]

    @property
    def title(self) -> Property:
        """The column with the titles of the pages."""
        return next(one for one in self.properties.values() if one.type == "title")


@frozen
class Page:
    """A page.  `data_source_id` and `database_id` are its parents, None outside databases; `is_own`: created by the bot."""

    page_id: str
    data_source_id: str | None
    database_id: str | None
    is_own: bool
    in_trash: bool
    properties: PropertyValues = field(repr=False)


@frozen
class QueryResult:
    """The first pages that match a query, and whether there are more."""

    pages: tuple[Page, ...]
    has_more: bool


@frozen
class Block:
    """A block of a page: type, plain text, time of creation (to the minute), and whether the bot created the block."""

    type: str
    text: str = field(repr=False)
    created_ms: int
    is_own: bool


@frozen
class Person:
    """A person, as a value of a `people` property."""

    user_id: str
    name: str = field(repr=False)


class NotionDatabases(Protocol):
    """Reads of databases.  Every method raises NotionUnavailableError and NotionRefusedError, and none has an effect."""

    def schema(self, database_id: str, deadline: Deadline) -> Schema:
        """Return the schema behind the id of a database or of a data source.

        Refused: a database with several data sources, whose names and ids the error lists; an id that the integration cannot see.
        """
        ...

    def query(self, data_source_id: str, filter_: Json | None, *, limit: int, deadline: Deadline) -> QueryResult:
        """Return at most `limit` pages that match the filter, the latest edited first, without pages in the trash."""
        ...

    def people(self, deadline: Deadline) -> tuple[Person, ...]:
        """Return the people of the workspace, without bots."""
        ...


class NotionPages(Protocol):
    """Reads and writes of pages.

    Every method raises NotionUnavailableError and NotionRefusedError. A refused write had no effect; after an error with `may_have_effect`,
    the effect is unknown. The adapter retries no write, because a repeated write has a second effect.
    """

    def create_page(self, data_source_id: str, properties: PropertyValues, deadline: Deadline) -> Page:
        """Create a page and return the new page."""
        ...

    def page(self, page_id: str, deadline: Deadline) -> Page | None:
        """Return the page, or None if the integration sees no page with the id."""
        ...

    def update_page(self, page_id: str, properties: PropertyValues, deadline: Deadline) -> Page:
        """Change the named properties and no others; return the page."""
        ...

    def append_blocks(self, page_id: str, blocks: Sequence[Json], deadline: Deadline) -> None:
        """Append at most 100 blocks to the page, all or none."""
        ...

    def blocks(self, page_id: str, *, limit: int, deadline: Deadline) -> tuple[Block, ...] | None:
        """Return the page's blocks from the top, without nested blocks, or None if there are more than `limit`."""
        ...


class Notion(NotionDatabases, NotionPages, Protocol):
    """Databases and pages."""
