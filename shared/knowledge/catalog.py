"""`search.json`: what list, search, index and digest need of every entry, in one object, so that none of them reads the entries.

It is derived from the entries and can be rebuilt from them. A row has the generation of its entry's object, so that a withdrawal reads only
the entries that changed since.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from shared.conversation.provenance import IsWithdrawn, Provenance
from shared.knowledge.entry import Entry
from shared.knowledge.entry_file import format_revision, read_revision
from shared.knowledge.schema import Category, Value
from shared.line.graphemes import cut
from shared.search.folding import fold
from shared.storage.codec import VERSION, encode
from shared.unknown_fields import Extensible

CATALOG_LIMIT_BYTES: Final = 4 * 1024 * 1024  # read by every turn, so that it costs memory and time of each
ROW_LIMIT_BYTES: Final = 64 * 1024  # of the longest entry in any script; only signs that folding writes out take more
NAME: Final = "name"
FIELDS_SEARCHED: Final = (
    NAME,
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
_LISTED_LIMIT: Final = 1_000  # of a list of names, so that lists make no row longer than its notes do
_SEARCHED: Final = 2  # the latest set of fields that rows hold for search
_SHOWN = (
    "status",
    "due_date",
    "last_touched",
    "context",
    "next_action",
    "one_liner",
    "original_text",
    "suggested_category",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Row(Extensible):
    """One entry: `shown` is the beginning of what tables show of it, `folded` what search looks through.

    `vector` is its packed embedding, where embeddings are on and a search has made it.
    """

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
    def status(self) -> str | None:
        """Its status; None in categories without one."""
        return self.shown.get("status")

    @property
    def is_open(self) -> bool:
        """Whether there may still be something to do about it."""
        return self.status not in {"done", "someday"}

    @property
    def last_activity(self) -> str:
        """The date on which anything last happened with it."""
        return max(self.shown.get("last_touched", ""), self.updated_at[:10])

    @property
    def size_bytes(self) -> int:
        """The bytes that it takes in the catalog."""
        return len(encode(self))

    def is_from_withdrawn(self, is_withdrawn: IsWithdrawn) -> bool:
        """Whether one of its messages was withdrawn."""
        return bool(self.provenance.withdrawn_ids(is_withdrawn))


@dataclass(frozen=True, slots=True, kw_only=True)
class Catalog(Extensible):
    """All rows of a chat, by path; `revision` is the key of the last write that it includes.

    `searched` tells which fields its rows hold for search: an earlier release wrote 1, or nothing, and left the lists and next actions out.
    """

    version: int = VERSION
    revision: str = "0.0"
    searched: int = 1
    rows: tuple[Row, ...] = ()

    @property
    def key(self) -> tuple[int, int]:
        """The revision as it is compared.  Raises: ValueError."""
        return read_revision(self.revision)

    @property
    def is_searched_whole(self) -> bool:
        """Whether its rows hold every field for search; if not, it is rebuilt when it is next written."""
        return not self.rows or self.searched >= _SEARCHED

    @property
    def size_bytes(self) -> int:
        """The bytes of its object."""
        return len(encode(self))

    @property
    def by_path(self) -> dict[str, Row]:
        """The rows by path; computed at each call."""
        return {row.path: row for row in self.rows}

    def without(self, is_withdrawn: IsWithdrawn) -> "Catalog":
        """Return the catalog without rows of withdrawn messages: a withdrawal may not have cleaned the entries yet."""
        return replace(self, rows=tuple(row for row in self.rows if not row.is_from_withdrawn(is_withdrawn)))

    def with_rows(self, rows: Mapping[str, Row | None], *, key: tuple[int, int]) -> "Catalog":
        """Return the catalog with these rows; None removes one."""
        merged = {**self.by_path, **rows}
        kept = (merged[path] for path in sorted(merged))
        searched = self.searched if self.rows else _SEARCHED
        return replace(
            self, revision=format_revision(key), searched=searched, rows=tuple(row for row in kept if row is not None)
        )

    def rebuilt(self, rows: Mapping[str, Row]) -> "Catalog":
        """Return the catalog of the same revision with rows that were made anew; rows of entries that cannot be read stay."""
        return replace(self.with_rows(rows, key=self.key), searched=_SEARCHED)


def row_of(entry: Entry, *, generation: int = 0) -> Row:
    """Return an entry's row."""
    shown = {name: entry.fields.get(name) for name in _SHOWN}
    return Row(
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


def search_texts(entry: Entry) -> dict[str, str]:
    """Return the texts that search looks through, by the names under which its results tell them."""
    values: dict[str, Value] = {**entry.fields, NAME: entry.name, "content": entry.content}
    return {name: _as_text(values[name]) for name in FIELDS_SEARCHED if values.get(name) is not None}


def _as_text(value: Value) -> str:
    return cut(", ".join(value), limit_utf16=_LISTED_LIMIT) if isinstance(value, tuple) else value or ""


def catalog_of(entries: Iterable[tuple[Entry, int]]) -> Catalog:
    """Return the catalog of entries, each with its object's generation."""
    rows = {entry.path: (row_of(entry, generation=generation), entry.revision) for entry, generation in entries}
    newest = max((revision for _, revision in rows.values()), default=(0, 0))
    return Catalog(
        revision=format_revision(newest), searched=_SEARCHED, rows=tuple(rows[path][0] for path in sorted(rows))
    )
