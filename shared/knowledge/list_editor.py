"""Put items on shared lists, and clear what is ticked, on the turn's overlay."""

import datetime as dt
from collections.abc import Callable, Iterable, Sequence
from dataclasses import field, replace
from typing import Final

from shared.conversation.provenance import Source
from shared.frozen import frozen
from shared.knowledge.catalog import Row
from shared.knowledge.entry import Entry
from shared.knowledge.entry_editor import Occasion, sources_in_entries
from shared.knowledge.entry_file import free_slug, slug_of
from shared.knowledge.schema import FIELDS, LIST, Category
from shared.knowledge.shared_lists import SharedList, is_ticked
from shared.knowledge.staging import EntryOverlay
from shared.search.folding import fold

_APART: Final = dt.timedelta(milliseconds=1)


@frozen
class Addition:
    """The result of an addition: the items `added`, or put back from the ticked items, and the items that stood on the list before."""

    added: tuple[str, ...] = field(repr=False)
    present: tuple[str, ...] = field(repr=False)


@frozen
class ListEditor:
    """Changes shared lists, one step of an undo for each call."""

    new_id: Callable[[], str] = field(repr=False)

    def add(self, overlay: EntryOverlay, shared_list: SharedList, names: Sequence[str], occasion: Occasion) -> Addition:
        """Stage each item that is not open on the list; a ticked item of the name is open again.  Raises: StagingFault."""
        with overlay.together():
            list_sources = _sources_of_list(overlay, shared_list, occasion)
            changes: dict[str, Entry | None] = {}
            added, present = list[str](), list[str]()
            first = _next_moment(shared_list, occasion.now)
            for number, name in enumerate(names):
                row = _row_of(shared_list, name)
                if row is not None and not is_ticked(row.status):
                    present.append(name)
                    continue
                blank = (
                    self._blank(overlay, name, occasion, changes, first + number * _APART)
                    if row is None
                    else overlay.show_entry(row.path)
                )
                sources = (*occasion.sources_of(name), *sources_in_entries(overlay, name, occasion))
                values = {"name": name, LIST: shared_list.name, "status": "pending"}
                entry = blank.with_values(values, {"name": sources, LIST: list_sources})
                entry = entry.at_slug(blank.slug) if row is None else entry
                entry = entry.from_outside(occasion.outside_in((name, shared_list.name)))
                changes[entry.path] = replace(entry, updated_at=occasion.stamp)
                added.append(name)
            if changes:
                overlay.stage(changes)
            return Addition(added=tuple(added), present=tuple(present))

    def _blank(
        self, overlay: EntryOverlay, name: str, occasion: Occasion, changes: Iterable[str], created: dt.datetime
    ) -> Entry:
        """Return an item without words, at a free path."""
        category = Category.ITEMS

        def is_taken(slug: str) -> bool:
            path = f"{category}/{slug}.md"
            return path in changes or overlay.is_taken(path)

        return Entry(
            category=category,
            slug=free_slug(slug_of(name), is_taken),
            id=self.new_id(),
            created_at=created.isoformat(timespec="milliseconds"),
            updated_at=occasion.stamp,
            confidence=1.0,
            fields={entry_field.name: entry_field.default for entry_field in FIELDS[category]},
        )


def clear(overlay: EntryOverlay, paths: Sequence[str]) -> tuple[str, ...]:
    """Stage the deletion of items that the caller has seen ticked in the turn; return the names of the deleted items.

    Raises: StagingFault.
    """
    with overlay.together():
        entries = overlay.show_entries(paths)
        if entries:
            overlay.stage({entry.path: None for entry in entries})
        return tuple(entry.name for entry in entries)


def _next_moment(shared_list: SharedList, now: dt.datetime) -> dt.datetime:
    """Return now, or the first moment after the newest item's: a list is in the order in which people added to it, however fast."""
    if not shared_list.rows:
        return now
    try:
        newest = dt.datetime.fromisoformat(shared_list.rows[-1].created_at).astimezone(now.tzinfo)
        return max(now, newest + _APART)
    except (ValueError, OverflowError):  # a restored entry may say anything
        return now


def _row_of(shared_list: SharedList, name: str) -> Row | None:
    """Return the item of the name; of several items of one name, as an undo may leave, an open item."""
    return next((row for row in (*shared_list.open_rows, *shared_list.done_rows) if fold(row.name) == fold(name)), None)


def _sources_of_list(overlay: EntryOverlay, shared_list: SharedList, occasion: Occasion) -> tuple[Source, ...]:
    """Return the messages behind the list's name: the questions; without the name there, those behind the newest item's."""
    own = (*occasion.sources_of(shared_list.name), *sources_in_entries(overlay, shared_list.name, occasion))
    if not shared_list.rows or occasion.possible.is_said(shared_list.name):
        return own
    newest = overlay.show_entry(shared_list.rows[-1].path)
    ids = frozenset(newest.field_message_ids.get(LIST, ()))
    return (*own, *(source for source in newest.provenance.sources if source.line_message_id in ids))
