"""The configured databases by name: schemas, cached for minutes, and the ids of people and pages named in values."""

import re
from collections.abc import Callable, Mapping
from dataclasses import field
from typing import Final, TypeVar

from cachetools import TTLCache

from shared.clock import Clock, Deadline
from shared.frozen import frozen
from shared.locked_cache import LockedCache
from shared.tools.notion.port import NotionDatabases, Page, Person, Schema
from shared.tools.notion.properties import UnfitValueError, folded, quote_plain

CACHE_TTL_S: Final = 300.0
_VALUES_CACHED: Final = 256
_NAMES_LISTED: Final = 50
_HONORIFICS: Final = re.compile(r"(?:さん|様|さま|くん|君|ちゃん|先生|小姐|-san)$|^(?:คุณ|khun )")
_LEAST_PART: Final = 2
"""Characters of a part of a name."""
_Value = TypeVar("_Value")


class TtlCache:
    """Caches values for `ttl_s`; safe to share between threads, though two threads may read the same value at once."""

    def __init__(self, clock: Clock, *, ttl_s: float = CACHE_TTL_S) -> None:
        self._values = LockedCache[str, object](TTLCache(_VALUES_CACHED, ttl_s, timer=clock.monotonic_s))

    def get(self, key: str, read: Callable[[], _Value], *, refresh: bool = False) -> _Value:
        """Return the cached value of the key; without a fresh value, or with `refresh`, cache and return `read()`."""
        cached = None if refresh else self._values.get(key)
        if cached is not None:
            return cached  # type: ignore[return-value]  # a key always holds the value of the same function
        fresh = read()
        self._values.put(key, fresh)
        return fresh


@frozen
class Databases:
    """The databases of a deployment.  Every method raises NotionUnavailableError and NotionRefusedError."""

    api: NotionDatabases
    ids: Mapping[str, str]
    cache: TtlCache = field(repr=False)

    def with_schema(self, name: str, deadline: Deadline, use: Callable[[Schema], _Value]) -> _Value:
        """Return `use(schema)` for a configured database; after UnfitValueError, retry with the schema read anew.

        For example, `use` refuses the option "Paused" until the schema is read again, if the option was added in Notion a minute ago.
        Raises: UnfitValueError.
        """
        schema = self.schema(self.ids[name], deadline)
        try:
            return use(schema)
        except UnfitValueError:
            newest = self.schema(self.ids[name], deadline, refresh=True)
            if newest == schema:
                raise
            return use(newest)

    def schema(self, identity: str, deadline: Deadline, *, refresh: bool = False) -> Schema:
        """Return the schema behind an id."""
        return self.cache.get(f"schema {identity}", lambda: self.api.schema(identity, deadline), refresh=refresh)

    def name_of(self, page: Page, deadline: Deadline) -> str | None:
        """Return the name of the configured database that holds the page, or None."""
        for name, identity in self.ids.items():
            if identity in {page.data_source_id, page.database_id}:
                return name if self.schema(identity, deadline).data_source_id == page.data_source_id else None
        return None


@frozen
class ReferenceLookup:
    """The References of a deployment: finds people and pages by name, within a deadline."""

    databases: Databases
    deadline: Deadline

    def person_id(self, name: str) -> str:
        people = self.databases.cache.get("people", lambda: self.databases.api.people(self.deadline))
        return _only_id([person.user_id for person in _people_called(name, people)], name, people)

    def page_id(self, data_source_id: str, title: str) -> str:
        schema = self.databases.schema(data_source_id, self.deadline)
        condition = {"property": schema.title.name, "title": {"equals": title}}
        matches = self.databases.api.query(data_source_id, condition, limit=2, deadline=self.deadline)
        return _only_id([page.page_id for page in matches.pages], title, ())


def _people_called(name: str, people: tuple[Person, ...]) -> list[Person]:
    """Return the people of the name, or else the people whose name contains the name: "田中さん" gives 田中 太郎, for example."""
    asked = _HONORIFICS.sub("", folded(name)).strip()
    same = [person for person in people if folded(person.name) in {asked, folded(name)}]
    if same or len(asked) < _LEAST_PART:
        return same
    return [person for person in people if asked in folded(person.name)]


def _only_id(ids: list[str], name: str, people: tuple[Person, ...]) -> str:
    if len(ids) == 1:
        return ids[0]
    if ids:
        raise UnfitValueError(f'Several are called "{name}", so it does not say which one.')
    names = f" There are: {quote_plain(one.name for one in people[:_NAMES_LISTED])}." if people else ""
    raise UnfitValueError(f'Nobody and nothing is called "{name}" there.{names}')
