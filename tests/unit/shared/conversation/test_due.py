import io
import json

import pytest

from shared.adapters.memory import MemoryObjectStore
from shared.conversation.due import DueMarkers
from shared.conversation.store import Conversation
from shared.errors import StorageUnavailableError, UnusableIdError
from tests.support.pushed import UnreliableStore
from tests.unit.shared.conftest import CHAT

DUE_MS = 1_795_339_800_000  # 2026-11-22T09:30:00Z
MINUTE_MS = 60_000


@pytest.fixture
def markers(store: MemoryObjectStore) -> DueMarkers:
    return DueMarkers(store=store)


def test_a_marker_is_an_empty_object(markers: DueMarkers, store: MemoryObjectStore, chat: Conversation) -> None:
    markers.mark("reminder", chat, "m1", at_ms=DUE_MS)

    marked = store.read(f"due/20261122T0930/reminder.{CHAT}.m1")
    assert marked is not None
    assert marked.data == b""


def test_a_marker_is_due_once_its_minute_has_come(markers: DueMarkers, chat: Conversation) -> None:
    markers.mark("reminder", chat, "m1", at_ms=DUE_MS - 1)

    assert markers.until(DUE_MS - 1) == ()
    (marker,) = markers.until(DUE_MS)
    assert (marker.kind, marker.conversation_id, marker.id, marker.due_ms) == ("reminder", CHAT, "m1", DUE_MS)
    assert markers.until(DUE_MS + 365 * 86_400_000) == (marker,)


def test_markers_are_read_oldest_first(markers: DueMarkers, chat: Conversation) -> None:
    for minutes, kind in ((2, "a"), (0, "z"), (1, "b"), (-600, "y"), (3, "a")):
        markers.mark(kind, chat, "m1", at_ms=DUE_MS + minutes * MINUTE_MS)

    assert [marker.kind for marker in markers.until(DUE_MS + 2 * MINUTE_MS)] == ["y", "z", "b", "a"]


def test_a_repeated_mark_changes_nothing(markers: DueMarkers, store: MemoryObjectStore, chat: Conversation) -> None:
    markers.mark("reminder", chat, "m1", at_ms=DUE_MS)
    before = store.list("")

    markers.mark("reminder", chat, "m1", at_ms=DUE_MS)

    assert store.list("") == before


def test_a_cleared_marker_is_gone(markers: DueMarkers, store: MemoryObjectStore, chat: Conversation) -> None:
    markers.mark("reminder", chat, "m1", at_ms=DUE_MS)
    (marker,) = markers.until(DUE_MS)

    markers.clear(marker)
    markers.clear(marker)

    assert store.list("") == ()


def test_odd_names_are_skipped_and_reported_once(
    markers: DueMarkers, store: MemoryObjectStore, chat: Conversation, lines: io.StringIO
) -> None:
    for name in ("due/", "due/20261122T0929/odd", f"due/20261122T0930/reminder.{CHAT}"):
        store.create(name, b"")
    markers.mark("reminder", chat, "m1", at_ms=DUE_MS)

    assert [marker.id for marker in markers.until(DUE_MS)] == ["m1"]

    (line,) = map(json.loads, lines.getvalue().splitlines())
    assert (line["severity"], line["message"], line["count"]) == ("ERROR", "due_markers_unreadable", 3)
    assert CHAT not in lines.getvalue()


@pytest.mark.parametrize(
    ("kind", "marker_id", "at_ms"), [("Kind", "m1", DUE_MS), ("kind", "a/b", DUE_MS), ("kind", "m1", -MINUTE_MS)]
)
def test_what_cannot_stand_in_a_name_is_refused(
    markers: DueMarkers, store: MemoryObjectStore, chat: Conversation, kind: str, marker_id: str, at_ms: int
) -> None:
    with pytest.raises(UnusableIdError):
        markers.mark(kind, chat, marker_id, at_ms=at_ms)

    assert store.list("") == ()


def test_markers_that_cannot_be_listed_are_no_empty_list() -> None:
    store = UnreliableStore()
    store.is_down = True

    with pytest.raises(StorageUnavailableError):
        DueMarkers(store=store).until(DUE_MS)
