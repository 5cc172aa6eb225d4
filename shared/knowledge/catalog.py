"""`search.json`: what list, search, index and digest need of every entry, in one object, so that none of them reads the entries.

It is derived from the entries and can be rebuilt from them. A row has the generation of its entry's object, so that a withdrawal reads only
the entries that changed since.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from shared.conversation.literal_runs import fold
from shared.knowledge.entry import Entry, IsWithdrawn, Source
from shared.knowledge.entry_file import format_revision, read_revision
from shared.knowledge.schema import Category, cut
from shared.storage.codec import VERSION, encode

CATALOG_LIMIT_BYTES: Final = 4 * 1024 * 1024  # read by every turn, so that it costs memory and time of each
ROW_LIMIT_BYTES: Final = 64 * 1024  # of the longest entry in any script; only signs that folding writes out take more
_SHOWN_LIMIT = 80
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
class Row:
    """One entry: `shown` is the beginning of what tables show of it, `folded` what search looks through."""

    path: str = field(repr=False)
    category: Category
    name: str = field(repr=False)
    created_at: str
    updated_at: str
    sources: tuple[Source, ...]
    generation: int = 0
    shown: Mapping[str, str] = field(default_factory=dict, repr=False)
    folded: Mapping[str, str] = field(default_factory=dict, repr=False)

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

    @property
    def source_ids(self) -> frozenset[str]:
        """The messages that it came from."""
        return frozenset(one.line_message_id for one in self.sources)

    def is_from_withdrawn(self, is_withdrawn: IsWithdrawn) -> bool:
        """Whether one of its messages was withdrawn."""
        return any(is_withdrawn(one.line_message_id, one.timestamp_ms) for one in self.sources)


@dataclass(frozen=True, slots=True, kw_only=True)
class Catalog:
    """All rows of a chat, by path; `revision` is the key of the last write that it includes."""

    version: int = VERSION
    revision: str = "0.0"
    rows: tuple[Row, ...] = ()

    @property
    def key(self) -> tuple[int, int]:
        """The revision as it is compared.  Raises: ValueError."""
        return read_revision(self.revision)

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
        return replace(self, revision=format_revision(key), rows=tuple(row for row in kept if row is not None))


def row_of(entry: Entry, *, generation: int = 0) -> Row:
    """Return an entry's row."""
    shown = {name: entry.fields.get(name) for name in _SHOWN}
    return Row(
        path=entry.path,
        category=entry.category,
        name=entry.name,
        created_at=entry.created_at,
        updated_at=entry.updated_at,
        sources=entry.sources,
        generation=generation,
        shown={
            name: cut(value, limit=_SHOWN_LIMIT) for name, value in shown.items() if isinstance(value, str) and value
        },
        folded={
            name: folded
            for name, folded in ((name, fold(text)) for name, text in search_texts(entry).items())
            if folded
        },
    )


def search_texts(entry: Entry) -> dict[str, str]:
    """Return the texts that search looks through, by the names under which its results tell them."""
    named = {name: entry.fields.get(name) for name in ("one_liner", "context", "original_text")}
    texts = {name: value for name, value in named.items() if isinstance(value, str)}
    return {"name": entry.name, **texts, "content": entry.content}


def catalog_of(entries: Iterable[tuple[Entry, int]]) -> Catalog:
    """Return the catalog of entries, each with its object's generation."""
    rows = {entry.path: (row_of(entry, generation=generation), entry.revision) for entry, generation in entries}
    newest = max((revision for _, revision in rows.values()), default=(0, 0))
    return Catalog(revision=format_revision(newest), rows=tuple(rows[path][0] for path in sorted(rows)))
