"""Due markers: work in a chat, due from a minute on.  A tick lists the markers up to the present minute, and carries them out."""

from collections.abc import Iterable, Iterator
from dataclasses import field, replace
from typing import Final

from shared import logs
from shared.conversation.store import Conversation
from shared.errors import UnusableIdError
from shared.frozen import frozen
from shared.storage.due_marker import DUE_PREFIX, DueMarker, due_after
from shared.storage.object_store import ListedObject, ObjectStore

_NOTHING: Final = b""


@frozen
class DueMarkers:
    """The markers of one bucket.  Every method raises StorageUnavailableError."""

    store: ObjectStore = field(repr=False)

    def mark(self, kind: str, conversation: Conversation, marker_id: str, *, at_ms: int) -> None:
        """The work is due from the first whole minute at or after `at_ms`.

        For example, work at 12:00:01 is due at 12:01. `at_ms` must lie in the future: a tick that has listed a minute would clear a marker
        of the same minute, kind and id made meanwhile. Repeated: changes nothing. Raises also: UnusableIdError, if kind, id or time cannot
        stand in a name.
        """
        marker = DueMarker.at(at_ms, kind=kind, conversation_id=conversation.id, id=marker_id)
        self.store.create(marker.name, _NOTHING)

    def until(self, now_ms: int) -> tuple[DueMarker, ...]:
        """Return every marker due by now, oldest first.  Names that do not parse as markers are logged and skipped."""
        return tuple(self._parse(self.store.list(DUE_PREFIX, before=due_after(now_ms))))

    def listed(self, marker: DueMarker) -> DueMarker | None:
        """Return the marker as stored, or None where none is stored."""
        return next((one for one in self._parse(self.store.list(marker.name)) if one == marker), None)

    def clear(self, marker: DueMarker) -> None:
        """The work of the listed marker is done; a marker made since under the same name stays.  Repeated: changes nothing."""
        self.store.delete(marker.name, generation=marker.generation)

    def _parse(self, listing: Iterable[ListedObject]) -> Iterator[DueMarker]:
        odd = 0
        for listed_object in listing:
            try:
                yield replace(DueMarker.parse(listed_object.name), generation=listed_object.generation)
            except UnusableIdError:
                odd += 1
        if odd:
            logs.error("due_markers_unreadable", count=odd)
