"""The index of the entries: `index.md` for people, and the part of the index in a prompt, open and newest entries first."""

import threading
from collections.abc import Callable, Iterable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from typing import Final

from cachetools import LRUCache

from shared import logs
from shared.agent.token_estimate import estimated_tokens
from shared.conversation.amendments import Amendments
from shared.conversation.history import IndexRow, IndexView
from shared.conversation.history_reader import ReadIndex
from shared.conversation.provenance import Provenance
from shared.conversation.refusals import ROW_PREFIX, row_mark
from shared.conversation.store import Conversation
from shared.errors import PermanentError
from shared.knowledge.catalog import Catalog, Row
from shared.knowledge.entry_store import INDEX_FILE, SWAP_ATTEMPTS, EntryStore
from shared.knowledge.schema import Category
from shared.line.graphemes import cut
from shared.storage.compare_and_swap import update_by_swap

PROMPT_TOKENS: Final = 2_000
_VIEWS_CACHED: Final = 8
EMPTY_INDEX: Final = "(Nothing has been filed in this chat yet.)"
UNREADABLE_INDEX: Final = "(The index cannot be read just now; list_entries and search_entries may still work.)"
_TITLE: Final = "# Index of the knowledge base"
_FRAME_TOKENS: Final = 40  # for the line with the number of entries left out
_SPECIAL: Final = str.maketrans({one: f"\\{one}" for one in "\\|[]`<>"} | {"\n": " ", "\r": " "})


@dataclass(frozen=True, slots=True, kw_only=True)
class KnowledgeIndex:
    """Reads a chat's index for a prompt; an EntryIndex.  Unless `is_shown`, nothing is read and nothing is shown."""

    is_shown: bool

    def read(self, conversation: Conversation) -> ReadIndex:
        """Return the index, in a single read of the bucket, or a line about an unreadable index.

        Not to be called on a thread of `conversation.objects.reads`. Raises: StorageUnavailableError.
        """
        if not self.is_shown:
            return FixedIndex()
        try:
            return CatalogIndex(EntryStore(conversation).catalog())
        except PermanentError as cause:
            logs.error("record_unreadable", cause=cause)
            return FixedIndex(text=UNREADABLE_INDEX)


@dataclass(frozen=True, slots=True)
class FixedIndex:
    """An index without entries; a ReadIndex."""

    text: str = ""
    message_ids: frozenset[str] = frozenset()

    def view(self, _amendments: Amendments, _refused: AbstractSet[str] = frozenset()) -> IndexView:
        """Return the text."""
        return IndexView(text=self.text)


@dataclass(frozen=True, slots=True)
class CatalogIndex:
    """The index of a catalog; a ReadIndex."""

    catalog: Catalog

    @property
    def message_ids(self) -> frozenset[str]:
        """The messages behind the entries."""
        return frozenset().union(*(row.provenance.message_ids for row in self.catalog.rows))

    def view(self, amendments: Amendments, refused: AbstractSet[str] = frozenset()) -> IndexView:
        """Return the index without entries of withdrawn messages, and without refused rows."""
        shown = self.catalog.without(amendments.is_withdrawn_from_entries)
        if any(one.startswith(ROW_PREFIX) for one in refused):
            shown = replace(shown, rows=tuple(row for row in shown.rows if _mark_of(row) not in refused))
        return _VIEWS.of(self.catalog, shown)


class _Views:
    """A cache for the views of whole catalogs: most reads between two changes find the same catalog.  Safe to share between threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        # By `id` of the catalog: the cache holds the catalog too, so no other catalog gets the same `id`
        self._views: LRUCache[int, tuple[Catalog, IndexView]] = LRUCache(_VIEWS_CACHED)

    def of(self, catalog: Catalog, shown: Catalog) -> IndexView:
        """Return the view of the shown part of a catalog."""
        if len(shown.rows) != len(catalog.rows):
            return index_view(shown)
        with self._lock:
            _, view = self._views.get(id(catalog), (None, None))
        if view is None:
            view = index_view(catalog)
            with self._lock:
                self._views[id(catalog)] = catalog, view
        return view


_VIEWS: Final = _Views()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Section:
    heading: str
    columns: tuple[str, ...]
    nothing: str
    holds: Callable[[Row], bool]
    cells: Callable[[Row], tuple[str, ...]]
    order: Callable[[Row], tuple[bool, str]]
    newest_first: bool = True


def _by_update(row: Row) -> tuple[bool, str]:
    return True, row.updated_at


def _by_due_date(row: Row) -> tuple[bool, str]:
    due = row.shown.get("due_date", "")
    return not due, due


_SECTIONS: Final = (
    _Section(
        heading="People",
        columns=("Name", "Context", "Last touched"),
        nothing="No people yet.",
        holds=lambda row: row.category is Category.PEOPLE,
        cells=lambda row: (_value_cell(row, "context", 50), row.last_activity),
        order=lambda row: (True, row.last_activity),
    ),
    _Section(
        heading="Projects: active",
        columns=("Project", "Next action", "Status"),
        nothing="No active projects yet.",
        holds=lambda row: row.category is Category.PROJECTS and row.status == "active",
        cells=lambda row: (_value_cell(row, "next_action", 40), _value_cell(row, "status", 10)),
        order=_by_update,
    ),
    _Section(
        heading="Projects: waiting or blocked",
        columns=("Project", "Waiting on", "Since"),
        nothing="No waiting projects.",
        holds=lambda row: row.category is Category.PROJECTS and row.status in {"waiting", "blocked"},
        cells=lambda row: (_value_cell(row, "next_action", 40), row.updated_at[:10]),
        order=_by_update,
    ),
    _Section(
        heading="Ideas",
        columns=("Idea", "One-liner"),
        nothing="No ideas yet.",
        holds=lambda row: row.category is Category.IDEAS,
        cells=lambda row: (_value_cell(row, "one_liner", 60),),
        order=_by_update,
    ),
    _Section(
        heading="Admin: pending",
        columns=("Task", "Due"),
        nothing="No pending tasks.",
        holds=lambda row: row.category is Category.ADMIN and row.status == "pending",
        cells=lambda row: (_value_cell(row, "due_date", 10),),
        order=_by_due_date,
        newest_first=False,
    ),
    _Section(
        heading="Details",
        columns=("Detail", "Value"),
        nothing="No details yet.",
        holds=lambda row: row.category is Category.DETAILS,
        cells=lambda row: (_value_cell(row, "value", 60),),
        order=_by_update,
    ),
    _Section(
        heading="Inbox: needs review",
        columns=("Suggested name", "Original text", "Captured", "Suggested"),
        nothing="The inbox is empty.",
        holds=lambda row: row.category is Category.INBOX,
        cells=lambda row: (
            _value_cell(row, "original_text", 40),
            row.created_at[:10],
            _value_cell(row, "suggested_category", 10),
        ),
        order=lambda row: (True, row.created_at),
    ),
)


def index_file(catalog: Catalog) -> str:
    """Return the whole of `index.md`; the same for the same catalog."""
    return _render(catalog.rows, catalog.rows)


def rebuild_index(entries: EntryStore) -> None:
    """Bring `index.md` up to date with the catalog.  Called after every write of the catalog, so the last writer writes the final index.

    Raises: StorageUnavailableError; UnknownRecordVersionError, for a catalog of a newer release.
    """

    def newest(data: bytes | None) -> bytes | None:
        # The catalog is read after the index, so that a catalog that changes meanwhile makes this swap fail
        text = index_file(entries.catalog()).encode()
        return None if text == data else text

    store, name = entries.conversation.objects.store, entries.conversation.names.entry(INDEX_FILE)
    update_by_swap(store, name, newest, what="the index of a chat", attempts=SWAP_ATTEMPTS)


def index_view(catalog: Catalog, *, limit_tokens: int = PROMPT_TOKENS) -> IndexView:
    """Return at most `limit_tokens` of the index: the open and newest entries, then the number of the others.

    For example, the last line is "… and 12 more entries: use list_entries or search_entries." An entry with words from outside is among the
    others: a search or a list shows the entry, and the words then taint the turn.
    """
    if not catalog.rows:
        return IndexView(text=EMPTY_INDEX)
    sections = {row.path: section for section in _SECTIONS for row in catalog.rows if section.holds(row)}
    eligible = (row for row in catalog.rows if row.path in sections and not row.provenance.outside)
    newest_first = sorted(eligible, key=lambda row: (row.is_open, row.updated_at, row.path), reverse=True)
    tokens_left = limit_tokens - _FRAME_TOKENS - estimated_tokens(_render((), catalog.rows))
    chosen: list[Row] = []
    begun_headings: set[str] = set()
    for row in newest_first:
        section = sections[row.path]
        head = () if section.heading in begun_headings else _head(section)
        tokens_left -= sum(estimated_tokens(line) + 1 for line in (*head, _line(section, row)))
        if tokens_left < 0:
            break
        chosen.append(row)
        begun_headings.add(section.heading)
    text = _render(chosen, catalog.rows)
    omitted = len(catalog.rows) - len(chosen)
    if omitted:
        text += f"\n… and {omitted} more entries: use list_entries or search_entries."
    return IndexView(
        text=text,
        provenance=Provenance.union(row.provenance for row in chosen),
        rows=tuple(
            IndexRow(mark=_mark_of(row), text=_line(sections[row.path], row), provenance=row.provenance)
            for row in chosen
        ),
    )


def _mark_of(row: Row) -> str:
    return row_mark(row.provenance.message_ids, row.updated_at)


def _render(chosen: Iterable[Row], all_rows: Sequence[Row]) -> str:
    """Return the index with the chosen rows; the counts cover all rows."""
    rows = tuple(chosen)
    counts = ", ".join(f"{sum(row.category is one for row in all_rows)} {one.value}" for one in Category)
    lines = [
        _TITLE,
        f"> Last updated: {max((row.updated_at for row in all_rows), default='never')}",
        f"> Total entries: {len(all_rows)} ({counts})",
    ]
    for section in _SECTIONS:
        count = sum(section.holds(row) for row in all_rows)
        lines += ["", f"## {section.heading} ({count})"]
        shown = sorted((row for row in rows if section.holds(row)), key=section.order, reverse=section.newest_first)
        if not count:
            lines.append(section.nothing)
        elif shown:
            lines += [*_head(section), *(_line(section, row) for row in shown)]
    return "\n".join(lines) + "\n"


def _head(section: _Section) -> tuple[str, str]:
    return f"| {' | '.join(section.columns)} |", f"|{' --- |' * len(section.columns)}"


def _line(section: _Section, row: Row) -> str:
    return f"| [{_cell(cut(row.name, limit_utf16=60))}]({row.path}) | {' | '.join(section.cells(row))} |"


def _value_cell(row: Row, name: str, limit: int) -> str:
    return _cell(cut(row.shown.get(name, ""), limit_utf16=limit))


def _cell(text: str) -> str:
    return text.translate(_SPECIAL)
