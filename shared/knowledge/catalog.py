"""The catalog, `search.json`: the facts of all entries that list, search, index and digest need, in one object.

None of the four reads an entry. The catalog is derived from the entries and can be rebuilt. A row has the generation of the entry's object,
so a withdrawal reads only the entries changed since.
"""

import datetime as dt
from collections.abc import Iterable, Mapping
from dataclasses import field, replace
from typing import Final

from shared.agent.handles import ENTRY, handle_of
from shared.conversation.provenance import IsWithdrawn, Provenance
from shared.conversation.refusals import row_mark
from shared.conversation.write_key import format_key, read_key
from shared.frozen import frozen
from shared.knowledge.entry import Entry
from shared.knowledge.schema import Category, Value
from shared.line.graphemes import cut
from shared.line.utf16 import utf16_length
from shared.search.folding import fold
from shared.storage.codec import VERSION, encode
from shared.unknown_fields import Extensible

CATALOG_LIMIT_BYTES: Final = 4 * 1024 * 1024  # every turn reads the catalog: the size costs memory and time
ROW_LIMIT_BYTES: Final = 64 * 1024  # the longest entry in any script fits, unless folding expands signs (㍻ to 平成)
NAME: Final = "name"
FIELDS_SEARCHED: Final = (
    NAME,
    "value",
    "list",
    "one_liner",
    "context",
    "original_text",
    "next_action",
    "follow_ups",
    "tags",
    "related_projects",
    "related_people",
    "content",
)
_SHOWN_LIMIT = 80
_LISTED_LIMIT: Final = 1_000  # UTF-16 units of a list of names: lists make no row longer than notes do
_SEARCHED: Final = 2  # release 0.1.0 makes a catalog of a lower version anew
_SHOWN = (
    "status",
    "due_date",
    "last_touched",
    "context",
    "next_action",
    "one_liner",
    "value",
    "list",
    "original_text",
    "suggested_category",
)


@frozen
class Row(Extensible):
    """One entry: `shown` has the values for tables, cut to their first characters; `folded` has the texts for search.

    `id` is the entry's; empty in a row that an earlier release wrote. `vector` is the packed embedding; empty until a search makes the
    embedding, and where embeddings are off.
    """

    id: str = ""
    path: str = field(repr=False)
    category: Category
    name: str = field(repr=False)
    created_at: str
    updated_at: str
    provenance: Provenance
    generation: int = 0
    shown: Mapping[str, str] = field(default_factory=dict, repr=False)
    folded: Mapping[str, str] = field(default_factory=dict, repr=False)
    vector: str = field(default="", repr=False)

    @property
    def handle(self) -> str:
        """The entry's handle in prompts, the same for its life; empty where the row lacks the id."""
        return handle_of(ENTRY, self.id) if self.id else ""

    @property
    def searched_texts(self) -> tuple[tuple[str, str], ...]:
        """Each field's name and text for search, in the order in which fields are searched: a stored mapping is ordered by its keys."""
        return tuple((name, self.folded[name]) for name in FIELDS_SEARCHED if name in self.folded)

    @property
    def status(self) -> str | None:
        """The entry's status; None in categories without a status."""
        return self.shown.get("status")

    @property
    def is_open(self) -> bool:
        """Whether there may still be something to do: false for `done` and `someday`."""
        return self.status not in {"done", "someday"}

    @property
    def last_activity(self) -> str:
        """The date of the last activity, for example `2026-11-23`."""
        return max(self.shown.get("last_touched", ""), self.updated_at[:10])

    @property
    def updated_s(self) -> int | None:
        """The second of the last change, in seconds since the epoch; None: an invalid time is stored."""
        try:
            return int(dt.datetime.fromisoformat(self.updated_at).timestamp())
        except ValueError:
            return None

    @property
    def size_bytes(self) -> int:
        """The row's size in the catalog, in bytes."""
        return len(encode(self))

    def is_from_withdrawn(self, is_withdrawn: IsWithdrawn) -> bool:
        """Whether a message behind the entry was withdrawn."""
        return self.provenance.has_withdrawn(is_withdrawn)


@frozen
class Catalog(Extensible):
    """All rows of a chat, by path; `revision` is the key of the last write in the catalog, for example `12.2`.

    `searched` is the version of the set of search fields, which every release writes.
    """

    version: int = VERSION
    revision: str = "0.0"
    searched: int = _SEARCHED
    rows: tuple[Row, ...] = ()

    @property
    def key(self) -> tuple[int, int]:
        """The revision as a pair to compare: `12.2` is `(12, 2)`.  Raises: ValueError."""
        return read_key(self.revision)

    @property
    def size_bytes(self) -> int:
        """The size of the catalog's object, in bytes."""
        return len(encode(self))

    @property
    def by_path(self) -> dict[str, Row]:
        """The rows by path; computed at each call."""
        return {row.path: row for row in self.rows}

    def without(self, is_withdrawn: IsWithdrawn) -> "Catalog":
        """Return the catalog without rows of withdrawn messages: the withdrawal may not have cleaned the entries yet."""
        return replace(self, rows=tuple(row for row in self.rows if not row.is_from_withdrawn(is_withdrawn)))

    def with_rows(self, rows: Mapping[str, Row | None], *, key: tuple[int, int]) -> "Catalog":
        """Return the catalog with the given rows; None removes a row."""
        merged = {**self.by_path, **rows}
        sorted_rows = (merged[path] for path in sorted(merged))
        return replace(self, revision=format_key(key), rows=tuple(row for row in sorted_rows if row is not None))


def row_of(entry: Entry, *, generation: int = 0) -> Row:
    """Return an entry's row."""
    shown = {name: entry.fields.get(name) for name in _SHOWN}
    return Row(
        id=entry.id,
        path=entry.path,
        category=entry.category,
        name=entry.name,
        created_at=entry.created_at,
        updated_at=entry.updated_at,
        provenance=entry.provenance,
        generation=generation,
        shown={
            name: cut(value, limit_utf16=_SHOWN_LIMIT)
            for name, value in shown.items()
            if isinstance(value, str) and value
        },
        folded={
            name: folded
            for name, folded in ((name, fold(text)) for name, text in search_texts(entry).items())
            if folded
        },
    )


def is_cut(value: str) -> bool:
    """Whether a row may show only the beginning of the value."""
    return utf16_length(value) >= _SHOWN_LIMIT - 1


def row_mark_of(row: Row) -> str:
    """Return the id of the row's mark: another after every change of the entry."""
    return row_mark(row.provenance.message_ids, row.updated_at)


def search_texts(entry: Entry) -> dict[str, str]:
    """Return the entry's texts for search by field, a list as one text: for example `tags` is `home, spring`."""
    values: dict[str, Value] = {**entry.fields, NAME: entry.name, "content": entry.content}
    return {name: _as_text(values[name]) for name in FIELDS_SEARCHED if values.get(name) is not None}


def _as_text(value: Value) -> str:
    return cut(", ".join(value), limit_utf16=_LISTED_LIMIT) if isinstance(value, tuple) else value or ""


def catalog_of(entries: Iterable[tuple[Entry, int]]) -> Catalog:
    """Return the catalog of entries, each given with the generation of its object."""
    rows = {entry.path: (row_of(entry, generation=generation), entry.revision) for entry, generation in entries}
    newest = max((revision for _, revision in rows.values()), default=(0, 0))
    return Catalog(revision=format_key(newest), rows=tuple(rows[path][0] for path in sorted(rows)))
