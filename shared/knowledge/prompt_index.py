"""The index of the entries in a prompt: what the message may mean, open and newest entries first, each by its handle."""

from collections import Counter
from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from typing import Final

from cachetools import LRUCache

from shared import logs
from shared.agent.handles import NamedThings
from shared.agent.token_estimate import estimated_tokens
from shared.conversation.amendments import Amendments
from shared.conversation.history import IndexRow, IndexView
from shared.conversation.history_reader import ReadIndex
from shared.conversation.provenance import LATEST_MS, Provenance
from shared.conversation.refusals import ROW_PREFIX
from shared.conversation.store import Conversation
from shared.errors import PermanentError
from shared.frozen import frozen
from shared.knowledge.catalog import NAME, Catalog, Row, row_mark_of
from shared.knowledge.entry_store import EntryStore
from shared.knowledge.index import SECTIONS, Section, cell, line_of, linked_name, short_name
from shared.knowledge.schema import Category
from shared.knowledge.shared_lists import UNNAMED, key_of_list, lists_in, without_items
from shared.locked_cache import LockedCache
from shared.search.folding import fold

PROMPT_TOKENS: Final = 2_000
_VIEWS_CACHED: Final = 8
EMPTY_INDEX: Final = "(Nothing has been filed in this chat yet.)"
UNREADABLE_INDEX: Final = "(The index cannot be read just now; list_entries and search_entries may still work.)"
_ITEMS_NAMED: Final = 20
_LISTS_HEAD: Final = ("## Shared lists", "| List | Open | Items |")
_FRAME_TOKENS: Final = 40  # for the line with the number of entries left out


@frozen
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

    def view(
        self, _amendments: Amendments, _refused: AbstractSet[str] = frozenset(), _asked: Sequence[str] = ()
    ) -> IndexView:
        """Return the text."""
        return IndexView(text=self.text)


@dataclass(frozen=True, slots=True)
class CatalogIndex:
    """The index of a catalog; a ReadIndex."""

    catalog: Catalog

    def view(
        self, amendments: Amendments, refused: AbstractSet[str] = frozenset(), asked: Sequence[str] = ()
    ) -> IndexView:
        """Return the index without entries of withdrawn messages, and without refused rows.

        `asked`: the messages to answer; what they may mean is shown before what is newer.
        """
        prepared, view = _VIEWS.of(self.catalog)
        shown = self.catalog
        if prepared.may_be_withdrawn(amendments):
            shown = shown.without(amendments.is_withdrawn_from_entries)
        if any(one.startswith(ROW_PREFIX) for one in refused):
            shown = replace(shown, rows=tuple(row for row in shown.rows if row_mark_of(row) not in refused))
        if len(shown.rows) != len(self.catalog.rows):
            prepared = _Prepared(shown)
            view = _view(prepared)
        meant = prepared.nameable.meant(asked) if len(view.rows) < len(prepared.nameable.things) else ()
        shown_marks = {row.mark for row in view.rows}
        is_whole = all(row_mark_of(row) in shown_marks for row in meant)
        return view if is_whole else _view(prepared, meant=meant)


class _Prepared:
    """A catalog's rows in the order of a prompt, with their lines so far: from turn to turn, most of a view is the same."""

    def __init__(self, catalog: Catalog, *, shows_paths: bool = False) -> None:
        self.catalog = catalog
        self.shows_paths = shows_paths
        self.entry_rows = without_items(catalog.rows)
        eligible = (row for row in self.entry_rows if not row.provenance.outside)
        self.newest_first = sorted(eligible, key=lambda row: (row.is_open, row.updated_at, row.path), reverse=True)
        self.lists = () if shows_paths else lists_in(row for row in catalog.rows if not row.provenance.outside)
        self.open_counts = {key_of_list(one.name): len(one.open_rows) for one in lists_in(catalog.rows)}
        self.beginning = _beginning(catalog.rows)
        self._heads: dict[str, tuple[str, str]] = {}
        self._lines: dict[str, tuple[Section, str] | None] = {}

    @cached_property
    def nameable(self) -> NamedThings[Row]:
        """What a message may mean: every entry, but no item that is done."""
        rows = [row for row in self.catalog.rows if row.category is not Category.ITEMS or row.is_open]
        return NamedThings.of(rows, folded_name_of=_folded_name)

    @cached_property
    def _message_ids(self) -> frozenset[str]:
        return frozenset().union(*(row.provenance.message_ids for row in self.catalog.rows))

    @cached_property
    def _oldest_ms(self) -> int:
        """LINE's timestamp of the oldest words in the entries."""
        sent = (messages.values() for row in self.catalog.rows for messages in row.provenance.messages.values())
        return min(chain.from_iterable(sent), default=LATEST_MS)

    def may_be_withdrawn(self, amendments: Amendments) -> bool:
        """Whether any message behind the entries may be withdrawn, erased or edited: mostly none, and no row has to be looked at."""
        amended = (amendments.withdrawn, amendments.edited_ms.keys())
        return amendments.erased_entries_ms >= self._oldest_ms or not all(
            one.isdisjoint(self._message_ids) for one in amended
        )

    def head_of(self, section: Section) -> tuple[str, str]:
        """Return the section's heading, with the number of its rows, and its columns."""
        if section.heading not in self._heads:
            self._heads[section.heading] = _head(section, self.catalog.rows)
        return self._heads[section.heading]

    def line_of(self, row: Row) -> tuple[Section, str] | None:
        """Return the section that holds the row, and the row's line there; None: no section does."""
        if row.path not in self._lines:
            section = next((one for one in SECTIONS if one.holds(row)), None)
            name = linked_name(row) if self.shows_paths else _named(row)
            self._lines[row.path] = (section, line_of(section, row, name=name)) if section is not None else None
        return self._lines[row.path]


class _Views:
    """A cache for the views of whole catalogs: most reads between two changes find the same catalog.  Safe to share between threads."""

    def __init__(self) -> None:
        # By `id` of the catalog: the cache holds the catalog too, so no other catalog gets the same `id`
        self._views = LockedCache[int, tuple[_Prepared, IndexView]](LRUCache(_VIEWS_CACHED))

    def of(self, catalog: Catalog) -> tuple[_Prepared, IndexView]:
        """Return the catalog prepared, and its view."""
        known = self._views.get(id(catalog))
        if known is None:
            prepared = _Prepared(catalog)
            known = prepared, _view(prepared)
            self._views.put(id(catalog), known)
        return known


_VIEWS: Final = _Views()


def index_view(catalog: Catalog, *, limit_tokens: int = PROMPT_TOKENS, shows_paths: bool = False) -> IndexView:
    """Return at most `limit_tokens` of the index: the open and newest entries, and the number of the others.

    For example, the last line is "… and 12 more entries: use list_entries or search_entries." An entry with words from outside is among the
    others: a search or a list shows the entry, and the words then taint the turn. Sections without a row are left out. Each row begins with
    the entry's handle; with `shows_paths`, each name links to the entry's path. A shared list is one line, which names its open items.
    """
    return _view(_Prepared(catalog, shows_paths=shows_paths), limit_tokens=limit_tokens)


def _view(prepared: _Prepared, *, limit_tokens: int = PROMPT_TOKENS, meant: Sequence[Row] = ()) -> IndexView:
    """Return the view as `index_view` does, with the rows that are `meant` before the others."""
    if not prepared.catalog.rows:
        return IndexView(text=EMPTY_INDEX)
    meant_paths = frozenset(row.path for row in meant)
    tokens_left = limit_tokens - _FRAME_TOKENS - estimated_tokens(prepared.beginning)
    lists = _lines_of_lists(prepared, meant_paths, limit_tokens=limit_tokens // 3)
    tokens_left -= sum(estimated_tokens(line.text) + 1 for line in lists)
    heads: dict[str, tuple[str, str]] = {}
    lines: dict[str, str] = {}
    chosen: list[Row] = []
    others = (row for row in prepared.newest_first if row.path not in meant_paths)
    for row in (*(row for row in prepared.newest_first if row.path in meant_paths), *others):
        held = prepared.line_of(row)
        if held is None:
            continue
        section, line = held
        head = () if section.heading in heads else prepared.head_of(section)
        tokens_left -= sum(estimated_tokens(one) + 1 for one in (*head, line))
        if tokens_left < 0:
            break
        chosen.append(row)
        lines[row.path] = line
        if head:
            heads[section.heading] = head
    shown = [prepared.beginning]
    for section in SECTIONS:
        rows = section.sorted(chosen)
        shown += [*heads[section.heading], *(lines[row.path] for row in rows)] if rows else []
    shown += [*_LISTS_HEAD, *(line.text for line in lists)] if lists else []
    omitted = len(prepared.entry_rows) - len(chosen)
    shown += [f"… and {omitted} more entries: use list_entries or search_entries."] if omitted else []
    return IndexView(
        text="\n".join(shown) + "\n",
        provenance=Provenance.union(row.provenance for row in (*chosen, *(row for line in lists for row in line.rows))),
        rows=(
            *(
                IndexRow(mark=row_mark_of(row), handle=row.handle, text=lines[row.path], provenance=row.provenance)
                for row in chosen
            ),
            *(
                IndexRow(
                    mark=row_mark_of(row),
                    handle=row.handle,
                    text=f"{line.name}: {_named(row)}",
                    provenance=row.provenance,
                )
                for line in lists
                for row in line.rows
            ),
        ),
    )


@frozen
class _ListLine:
    """A shared list in one line, for example `| Shopping | 2 | e-5meqfu milk; e-k3v2ab eggs |`, and the rows that it names."""

    name: str
    text: str
    rows: tuple[Row, ...]


def _lines_of_lists(prepared: _Prepared, meant_paths: AbstractSet[str], *, limit_tokens: int) -> tuple[_ListLine, ...]:
    """Return the lines of the lists within the limit; items that the message may mean come first in their line.

    An item with words from outside is counted, and not named.
    """
    lines = list[_ListLine]()
    tokens_left = limit_tokens - sum(map(estimated_tokens, _LISTS_HEAD))
    for shared_list in prepared.lists:
        count = prepared.open_counts[key_of_list(shared_list.name)]
        first_rows = sorted(shared_list.open_rows, key=lambda row: row.path not in meant_paths)[:_ITEMS_NAMED]
        more = (f"… {count - len(first_rows)} more",) if count > len(first_rows) else ()
        name = cell(shared_list.name) or UNNAMED
        text = f"| {name} | {count} | {'; '.join((*map(_named, first_rows), *more))} |"
        tokens_left -= estimated_tokens(text) + 1
        if tokens_left < 0:
            break
        lines.append(_ListLine(name=name, text=text, rows=tuple(first_rows or shared_list.done_rows[:1])))
    return tuple(lines)


def _beginning(rows: Sequence[Row]) -> str:
    counts = Counter(row.category for row in rows)
    return f"> {len(rows)} entries: {', '.join(f'{counts[one]} {one.value}' for one in Category if counts[one])}"


def _head(section: Section, all_rows: Iterable[Row]) -> tuple[str, str]:
    count = sum(section.holds(row) for row in all_rows)
    return f"## {section.heading} ({count})", f"| {' | '.join(section.columns)} |"


def _folded_name(row: Row) -> str:
    return row.folded.get(NAME) or fold(row.name)


def _named(row: Row) -> str:
    """Return the entry's handle and name, for example `e-5meqfu Garden`."""
    return f"{row.handle} {short_name(row)}" if row.handle else linked_name(row)
