"""The index of the entries for people: `index.md`, and the sections that the index of a prompt has as well."""

from collections.abc import Callable, Iterable
from typing import Final

from shared.frozen import frozen
from shared.knowledge.catalog import Catalog, Row
from shared.knowledge.entry_store import INDEX_FILE, SWAP_ATTEMPTS, EntryStore
from shared.knowledge.schema import Category
from shared.line.graphemes import cut
from shared.storage.compare_and_swap import update_by_swap

TITLE: Final = "# Index of the knowledge base"
_SPECIAL: Final = str.maketrans({one: f"\\{one}" for one in "\\|[]`<>"} | {"\n": " ", "\r": " "})


@frozen
class Section:
    """A section of the index: its heading and columns, the rows that it holds, and their order."""

    heading: str
    columns: tuple[str, ...]
    nothing: str
    holds: Callable[[Row], bool]
    cells: Callable[[Row], tuple[str, ...]]
    order: Callable[[Row], tuple[bool, str]]
    newest_first: bool = True

    def sorted(self, rows: Iterable[Row]) -> list[Row]:
        """Return the rows of the section, in its order."""
        return sorted((row for row in rows if self.holds(row)), key=self.order, reverse=self.newest_first)


def _by_update(row: Row) -> tuple[bool, str]:
    return True, row.updated_at


def _by_due_date(row: Row) -> tuple[bool, str]:
    due = row.shown.get("due_date", "")
    return not due, due


SECTIONS: Final = (
    Section(
        heading="People",
        columns=("Name", "Context", "Last touched"),
        nothing="No people yet.",
        holds=lambda row: row.category is Category.PEOPLE,
        cells=lambda row: (_value_cell(row, "context", 50), row.last_activity),
        order=lambda row: (True, row.last_activity),
    ),
    Section(
        heading="Projects: active",
        columns=("Project", "Next action", "Status"),
        nothing="No active projects yet.",
        holds=lambda row: row.category is Category.PROJECTS and row.status == "active",
        cells=lambda row: (_value_cell(row, "next_action", 40), _value_cell(row, "status", 10)),
        order=_by_update,
    ),
    Section(
        heading="Projects: waiting or blocked",
        columns=("Project", "Waiting on", "Since"),
        nothing="No waiting projects.",
        holds=lambda row: row.category is Category.PROJECTS and row.status in {"waiting", "blocked"},
        cells=lambda row: (_value_cell(row, "next_action", 40), row.updated_at[:10]),
        order=_by_update,
    ),
    Section(
        heading="Ideas",
        columns=("Idea", "One-liner"),
        nothing="No ideas yet.",
        holds=lambda row: row.category is Category.IDEAS,
        cells=lambda row: (_value_cell(row, "one_liner", 60),),
        order=_by_update,
    ),
    Section(
        heading="Admin: pending",
        columns=("Task", "Due"),
        nothing="No pending tasks.",
        holds=lambda row: row.category is Category.ADMIN and row.status == "pending",
        cells=lambda row: (_value_cell(row, "due_date", 10),),
        order=_by_due_date,
        newest_first=False,
    ),
    Section(
        heading="Details",
        columns=("Detail", "Value"),
        nothing="No details yet.",
        holds=lambda row: row.category is Category.DETAILS,
        cells=lambda row: (_value_cell(row, "value", 60),),
        order=_by_update,
    ),
    Section(
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


_ITEMS: Final = Section(
    heading="Items of lists",
    columns=("Item", "List", "Status"),
    nothing="No items yet.",
    holds=lambda row: row.category is Category.ITEMS,
    cells=lambda row: (_value_cell(row, "list", 40), _value_cell(row, "status", 10)),
    order=_by_update,
)


def index_file(catalog: Catalog) -> str:
    """Return the whole of `index.md`; the same for the same catalog."""
    counts = ", ".join(f"{sum(row.category is one for row in catalog.rows)} {one.value}" for one in Category)
    lines = [
        TITLE,
        f"> Last updated: {max((row.updated_at for row in catalog.rows), default='never')}",
        f"> Total entries: {len(catalog.rows)} ({counts})",
    ]
    for section in (*SECTIONS, _ITEMS):
        rows = section.sorted(catalog.rows)
        lines += ["", f"## {section.heading} ({len(rows)})"]
        head = f"| {' | '.join(section.columns)} |", f"|{' --- |' * len(section.columns)}"
        lines += [*head, *(line_of(section, row, name=linked_name(row)) for row in rows)] if rows else [section.nothing]
    return "\n".join(lines) + "\n"


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


def line_of(section: Section, row: Row, *, name: str) -> str:
    """Return a row of the section's table: `| [Garden](projects/garden.md) | call Sato | active |`."""
    return f"| {name} | {' | '.join(section.cells(row))} |"


def linked_name(row: Row) -> str:
    """Return the entry's name as a link to its path: `[Garden](projects/garden.md)`."""
    return f"[{short_name(row)}]({row.path})"


def short_name(row: Row) -> str:
    """Return the entry's name for a cell, at most 60 UTF-16 units."""
    return cell(cut(row.name, limit_utf16=60))


def _value_cell(row: Row, name: str, limit: int) -> str:
    return cell(cut(row.shown.get(name, ""), limit_utf16=limit))


def cell(text: str) -> str:
    """Return a text as a cell of a table: signs of Markdown, such as those of a link, stand for themselves."""
    return text.translate(_SPECIAL)
