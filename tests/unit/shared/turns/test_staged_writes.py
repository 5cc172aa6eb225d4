"""What a turn staged is written in parallel: in the right order where order matters, and never left under way."""

from collections.abc import Callable
from concurrent.futures import Executor, Future
from dataclasses import replace
from typing import Any

import pytest

from shared.adapters.memory import MemoryObjectStore
from shared.errors import StorageUnavailableError
from shared.features.stored_features import writer_of
from shared.knowledge.index import index_file
from shared.storage.codec import encode
from tests.support.knowledge import CHAT, FilingChat, OpenLease, found, message
from tests.support.reminders import InterruptedStore


class LateExecutor(Executor):
    """Runs a call when its result is waited for, so that a call for which nothing waits is never made."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> "Future[Any]":  # noqa: ANN401 - as in Executor
        return _Late(lambda: fn(*args, **kwargs))


class _Late(Future[Any]):
    def __init__(self, call: Callable[[], Any]) -> None:
        super().__init__()
        self._call = call

    def result(self, timeout: float | None = None) -> Any:  # noqa: ANN401 - as in Future
        if not self.done():
            self.set_result(self._call())
        return super().result(timeout)


class RecordingStore(MemoryObjectStore):
    """A bucket that remembers the names of the objects that were written, in order."""

    def __init__(self) -> None:
        super().__init__()
        self.written: list[str] = []

    def replace(self, name: str, data: bytes, *, generation: int) -> int | None:
        self.written.append(name.split("/", 2)[2])
        return super().replace(name, data, generation=generation)


def test_a_move_writes_the_entry_at_its_new_path_before_the_old_one_goes() -> None:
    store = RecordingStore()
    chat = FilingChat(store=store)
    path = chat.file("庭の工事")
    store.written.clear()

    chat.once("move_entry", path=path, targetCategory="ideas")

    assert store.written.index("ideas/庭の工事.md") < store.written.index("projects/庭の工事.md")


def test_a_write_that_fails_is_told_only_once_the_others_have_ended() -> None:
    store = InterruptedStore()
    chat = FilingChat(store=store)
    chat.file("庭の工事")
    undo = chat.file_text("undo.json")
    chat.model.steps = [found(name="別件", category="admin")]
    turn = chat.begin(message(2, "別件"))
    turn.call("classify_and_capture", text="別件")
    outcome = turn.outcome()
    store.fails = f"replace entries/{chat.chat}/admin/"
    conversation = replace(chat.conversation, objects=replace(chat.conversation.objects, reads=LateExecutor()))

    with pytest.raises(StorageUnavailableError):
        writer_of().apply(conversation, outcome, OpenLease())

    assert chat.file_text("undo.json") != undo


@pytest.mark.parametrize("derived", ["search.json", "index.md"])
def test_another_worker_beside_the_writes_of_catalog_and_index_leaves_both_right(derived: str) -> None:
    store = InterruptedStore()
    chat = FilingChat(store=store)
    path, name = chat.file("庭の工事"), f"entries/{CHAT}/{derived}"
    chat.model.steps = [found(name="別件", category="admin")]
    turn = chat.begin(message(2, "別件"))
    turn.call("classify_and_capture", text="別件")

    def write_anew() -> None:
        stored, (row,) = store.read(name), chat.entries.catalog().rows
        assert stored is not None
        vectors = replace(chat.entries.catalog(), rows=(replace(row, vector="AAAA"),))
        data = encode(vectors) if derived == "search.json" else b"an older index"
        store.replace(name, data, generation=stored.generation)

    store.before(f"replace {name}", write_anew)
    turn.commit()

    catalog = chat.entries.catalog()
    assert [row.path for row in catalog.rows] == ["admin/別件.md", path]
    assert chat.file_text("index.md") == index_file(catalog)
