"""The configured databases by name: their schemas, kept for minutes, and what people and relations in them point at."""

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final, TypeVar

from shared.clock import Clock, Deadline
from shared.tools.notion.port import NotionDatabases, Page, Person, Schema
from shared.tools.notion.properties import UnfitValueError, quoted

KEPT_S: Final = 300.0
_NAMES_TOLD: Final = 50
_Value = TypeVar("_Value")


class Kept:
    """Values that are read once and kept for a while; safe to share between threads, of which two may read the same."""

    def __init__(self, clock: Clock, *, kept_s: float = KEPT_S) -> None:
        self._clock = clock
        self._kept_s = kept_s
        self._values: dict[str, tuple[float, object]] = {}
        self._lock = threading.Lock()

    def get(self, key: str, read: Callable[[], _Value], *, anew: bool = False) -> _Value:
        """Return the value of the key, read where it is not kept, or too old, or asked for anew."""
        with self._lock:
            read_s, value = self._values.get(key, (-self._kept_s, None))
        if not anew and self._clock.monotonic_s() - read_s < self._kept_s:
            return value  # type: ignore[return-value]  # a key always holds what the same function read
        fresh = read()
        with self._lock:
            self._values[key] = (self._clock.monotonic_s(), fresh)
        return fresh


@dataclass(frozen=True, slots=True, kw_only=True)
class Databases:
    """The databases of a deployment.  Every method raises NotionUnavailableError and NotionRefusedError."""

    api: NotionDatabases
    ids: Mapping[str, str]
    kept: Kept = field(repr=False)

    def with_schema(self, name: str, deadline: Deadline, use: Callable[[Schema], _Value]) -> _Value:
        """Return what `use` makes of a configured database's schema; where nothing fits the one that is kept, of a newly read one.

        Raises: UnfitValueError.
        """
        schema = self.schema(self.ids[name], deadline)
        try:
            return use(schema)
        except UnfitValueError:
            newest = self.schema(self.ids[name], deadline, anew=True)
            if newest == schema:
                raise
            return use(newest)

    def schema(self, identity: str, deadline: Deadline, *, anew: bool = False) -> Schema:
        """Return the schema behind an id."""
        return self.kept.get(f"schema {identity}", lambda: self.api.schema(identity, deadline), anew=anew)

    def name_of(self, page: Page, deadline: Deadline) -> str | None:
        """Return the configured database in which a page lies, or None where it lies in none."""
        for name, identity in self.ids.items():
            if identity in {page.data_source_id, page.database_id}:
                return name if self.schema(identity, deadline).data_source_id == page.data_source_id else None
        return None


@dataclass(frozen=True, slots=True, kw_only=True)
class LookedUp:
    """Finds people and pages by name, within a deadline."""

    databases: Databases
    deadline: Deadline

    def person_id(self, name: str) -> str:
        people = self.databases.kept.get("people", lambda: self.databases.api.people(self.deadline))
        return _only([one.user_id for one in people if one.name.casefold() == name.strip().casefold()], name, people)

    def page_id(self, data_source_id: str, title: str) -> str:
        schema = self.databases.schema(data_source_id, self.deadline)
        condition = {"property": schema.title.name, "title": {"equals": title}}
        found = self.databases.api.query(data_source_id, condition, limit=2, deadline=self.deadline)
        return _only([page.page_id for page in found.pages], title, ())


def _only(ids: list[str], name: str, people: tuple[Person, ...]) -> str:
    if len(ids) == 1:
        return ids[0]
    if ids:
        raise UnfitValueError(f'Several are called "{name}", so it does not say which one.')
    told = f" There are: {quoted(one.name for one in people[:_NAMES_TOLD])}." if people else ""
    raise UnfitValueError(f'Nobody and nothing is called "{name}" there.{told}')
