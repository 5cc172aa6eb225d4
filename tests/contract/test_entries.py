"""Entries are filed, changed, restored and withdrawn: in memory, and with the real client on Cloud Storage's stand-in."""

from collections.abc import Iterator

import pytest

from shared.adapters.gcs import GcsObjectStore
from shared.adapters.memory import MemoryObjectStore
from shared.conversation.amendments import Amendments
from shared.knowledge.entry_words import EntryWords
from shared.storage.object_store import ObjectStore
from tests.contract.simulator.storage.emulator import PROJECT_ID, running_emulator
from tests.support.knowledge import FilingChat, message


@pytest.fixture(params=["memory", "emulator"])
def store(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ObjectStore]:
    if request.param == "memory":
        yield MemoryObjectStore()
        return
    with running_emulator(tmp_path_factory.mktemp("storage")) as emulator:
        bucket = emulator.new_bucket()
        remote = GcsObjectStore(
            project_id=PROJECT_ID, bucket=bucket, connections=4, emulator_host=emulator.url, retry_timeout_s=10.0
        )
        yield remote
        remote.close()


def test_an_entry_is_filed_changed_restored_and_withdrawn(store: ObjectStore) -> None:
    chat = FilingChat(store=store)

    path = chat.file("庭の工事", message(1, "庭の工事"), next_action="佐藤さんに電話")
    chat.once("update_entry", message(2, "待ち"), path=path, updates={"status": "waiting", "note": "待ち"})
    moved = chat.once("move_entry", path=path, targetCategory="ideas")["newPath"]
    assert chat.paths == [moved]

    chat.once("undo_last_change")
    assert chat.paths == [path]
    assert chat.begin().call("search_entries", query="佐藤")["entries"][0]["matchedField"] == "next_action"
    assert chat.begin().call("search_entries", query="待ち")["entries"][0]["path"] == path

    EntryWords().remove_withdrawn(chat.conversation, Amendments(withdrawn=frozenset({"m1"})))
    assert "庭" not in chat.words
    assert chat.paths == ["projects/2025-11-21-待ち.md"]

    EntryWords().remove_withdrawn(chat.conversation, Amendments(erased_entries_ms=10**6))
    assert chat.paths == []
    assert "待ち" not in chat.words
