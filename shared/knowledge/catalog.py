"""`search.json`: what list, search, index and digest need of every entry, in one object, so that none of them reads the entries.

It is made from the entries and can be made anew from them. A row knows the generation of its entry's object, so that whoever looks for the
entries of a message reads only those that changed since.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from shared.knowledge.entry import Entry, Source, Withdrawn
from shared.knowledge.entry_file import read_revision, written_revision
from shared.knowledge.schema import Category, cut
from shared.knowledge.text_matching import fold
from shared.storage.codec import VERSION

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
        """Where it stands; None in categories that know no status."""
        return self.shown.get("status")

    @property
    def is_open(self) -> bool:
        """Whether somebody may still have to do something about it."""
        return self.status not in {"done", "someday"}

    @property
    def touched(self) -> str:
        """The date on which anything last happened with it."""
        return max(self.shown.get("last_touched", ""), self.updated_at[:10])

    @property
    def source_ids(self) -> frozenset[str]:
        """The messages that it came from."""
        return frozenset(one.line_message_id for one in self.sources)

    def came_from(self, withdrawn: Withdrawn) -> bool:
        """Whether one of its messages was taken back."""
        return any(withdrawn(one.line_message_id, one.timestamp_ms) for one in self.sources)


@dataclass(frozen=True, slots=True, kw_only=True)
class Catalog:
    """All rows of a chat, by path; `revision` is the key of the last write that it knows of."""

    version: int = VERSION
    revision: str = "0.0"
    rows: tuple[Row, ...] = ()

    @property
    def key(self) -> tuple[int, int]:
        """The revision as it is compared.  Raises: ValueError."""
        return read_revision(self.revision)

    @property
    def by_path(self) -> dict[str, Row]:
        """The rows by path; made at each call."""
        return {row.path: row for row in self.rows}

    def without(self, withdrawn: Withdrawn) -> "Catalog":
        """Return what of the catalog can be shown before somebody has taken the messages out of the entries."""
        return replace(self, rows=tuple(row for row in self.rows if not row.came_from(withdrawn)))

    def changed(self, rows: Mapping[str, Row | None], *, key: tuple[int, int]) -> "Catalog":
        """Return the catalog with these rows; None takes one out."""
        merged = {**self.by_path, **rows}
        kept = (merged[path] for path in sorted(merged))
        return replace(self, revision=written_revision(key), rows=tuple(row for row in kept if row is not None))


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
            name: folded for name, folded in ((name, fold(text)) for name, text in searched(entry).items()) if folded
        },
    )


def searched(entry: Entry) -> dict[str, str]:
    """Return what search looks through, under the names that its results give."""
    named = {name: entry.fields.get(name) for name in ("one_liner", "context", "original_text")}
    texts = {name: value for name, value in named.items() if isinstance(value, str)}
    return {"name": entry.name, **texts, "content": entry.content}


def catalog_of(entries: Iterable[tuple[Entry, int]]) -> Catalog:
    """Return the catalog of entries, each with its object's generation."""
    rows = {entry.path: (row_of(entry, generation=generation), entry.revision) for entry, generation in entries}
    newest = max((revision for _, revision in rows.values()), default=(0, 0))
    return Catalog(revision=written_revision(newest), rows=tuple(rows[path][0] for path in sorted(rows)))
