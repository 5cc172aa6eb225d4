from collections.abc import Callable
from contextlib import suppress

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from shared.adapters.memory import MemoryObjectStore
from shared.conversation.amendments import Amendments
from shared.conversation.provenance import Source
from shared.errors import StorageUnavailableError, UnknownRecordVersionError
from shared.features.stored_features import writer_of
from shared.knowledge.entry_words import EntryWords
from shared.knowledge.index import index_file
from shared.storage.object_store import StoredObject
from tests.support.knowledge import FilingChat, found, message

SECRET = "駐輪場の暗証番号は4711"


class InterruptedStore(MemoryObjectStore):
    """Another worker does something, once, before an object is read or replaced."""

    def __init__(self) -> None:
        super().__init__()
        self.before_read: dict[str, Callable[[], object]] = {}
        self.before_replace: dict[str, Callable[[], object]] = {}

    def read(self, name: str) -> StoredObject | None:
        self.before_read.pop(name, lambda: None)()
        return super().read(name)

    def replace(self, name: str, data: bytes, *, generation: int) -> int | None:
        self.before_replace.pop(name, lambda: None)()
        return super().replace(name, data, generation=generation)


class LeaseOverBeforeCatalog:
    """A lease that lasts for the entry and the undo record, whose writes each check it."""

    _checks = 2

    @property
    def is_over(self) -> bool:
        self._checks -= 1
        return self._checks < 0


def withdraw(chat: FilingChat, *line_message_ids: str) -> None:
    EntryWords().remove_withdrawn(chat.conversation, Amendments(withdrawn=frozenset(line_message_ids)))


def erase(chat: FilingChat, until_ms: int) -> None:
    EntryWords().remove_withdrawn(chat.conversation, Amendments(erased_entries_ms=until_ms))


@pytest.fixture
def chat() -> FilingChat:
    return FilingChat()


def test_an_entry_is_deleted_with_its_only_source(chat: FilingChat) -> None:
    chat.file(SECRET, message(1, f"これ覚えて。{SECRET}"), name="暗証番号4711")
    other = chat.file("牛乳を買う", message(2, "牛乳を買う"), name="牛乳", category="admin")

    withdraw(chat, "m1")

    assert "4711" not in chat.words
    assert "暗証番号" not in chat.words
    assert chat.paths == [other]
    assert [row.path for row in chat.entries.catalog().rows] == [other]
    assert chat.file_text("index.md") == index_file(chat.entries.catalog())


def test_an_entry_keeps_the_words_of_its_other_sources(chat: FilingChat) -> None:
    path = chat.file("庭の工事", message(1, "庭の工事"))
    chat.once("update_entry", message(2, SECRET), path=path, updates={"next_action": SECRET, "note": SECRET})
    chat.once("update_entry", message(3, "金曜に"), path=path, updates={"due_date": "2025-11-28", "note": "金曜に"})

    withdraw(chat, "m2")

    assert "4711" not in chat.words
    entry = chat.entry(path)
    assert entry is not None
    assert (entry.name, entry.fields["next_action"], entry.fields["due_date"]) == ("庭の工事", "", "2025-11-28")
    assert entry.content == "庭の工事\n\n2025-11-21: 金曜に"
    assert entry.provenance.message_ids == {"m1", "m3"}


def test_an_entry_that_loses_its_name_is_renamed_and_moved(chat: FilingChat) -> None:
    path = chat.file(SECRET, message(1, SECRET), name="暗証番号4711")
    chat.once("update_entry", message(2, "管理人に聞く"), path=path, updates={"next_action": "管理人に聞く"})

    withdraw(chat, "m1")

    assert "4711" not in chat.words
    assert chat.paths == ["projects/管理人に聞く.md"]
    entry = chat.entry("projects/管理人に聞く.md")
    assert entry is not None
    assert (entry.id, entry.name, entry.content) == ("id-1", "管理人に聞く", "")


def test_a_path_that_repeats_a_withdrawn_name_changes(chat: FilingChat) -> None:
    path = chat.file(SECRET, message(1, SECRET), name="暗証番号4711")
    chat.once("update_entry", message(2, "駐輪場"), path=path, updates={"name": "駐輪場"})

    withdraw(chat, "m1")

    assert chat.paths == ["projects/駐輪場.md"]
    assert "4711" not in chat.words


@pytest.mark.parametrize(("old", "new"), [("🎉", "🎊"), ("C++", "C#"), ("R&D", "R.D")])
def test_an_entry_stays_whose_new_name_makes_the_withdrawn_path(chat: FilingChat, old: str, new: str) -> None:
    path = chat.file(old, message(1, old), name=old)
    chat.once("update_entry", message(2, new), path=path, updates={"name": new, "content": new})

    withdraw(chat, "m1")

    assert chat.paths == [f"{path.removesuffix('.md')}-2.md"]
    assert [row.path for row in chat.entries.catalog().rows] == chat.paths
    entry = chat.entry(chat.paths[0])
    assert entry is not None
    assert (entry.name, entry.content, entry.provenance.message_ids) == (new, new, frozenset({"m2"}))


def test_a_path_changes_with_its_message_although_name_and_notes_were_replaced(chat: FilingChat) -> None:
    path = chat.file("暗証番号4711", message(1, "暗証番号4711"), name="暗証番号4711")
    chat.once("update_entry", message(2, "駐輪場"), path=path, updates={"name": "駐輪場", "content": "駐輪場"})

    withdraw(chat, "m1")

    assert chat.paths == ["projects/駐輪場.md"]
    assert "4711" not in chat.words


@pytest.mark.parametrize("name", ["駐輪場 471", "20261122110300 駐輪場"])
def test_a_path_keeps_no_number_of_a_withdrawn_name(chat: FilingChat, name: str) -> None:
    path = chat.file(name, message(1, name), name=name)
    chat.once("update_entry", message(2, "駐輪場"), path=path, updates={"name": "駐輪場", "content": "駐輪場"})

    withdraw(chat, "m1")

    assert chat.paths == ["projects/駐輪場.md"]


def test_a_path_in_the_inbox_keeps_its_timestamp(chat: FilingChat) -> None:
    path = chat.file(SECRET, message(1, SECRET), name="暗証番号4711", confidence=0.1)
    chat.once("update_entry", message(2, "駐輪場"), path=path, updates={"suggested_name": "駐輪場"})

    withdraw(chat, "m1")

    assert path.startswith("inbox/20251121")
    assert chat.paths == [path.replace("暗証番号4711", "駐輪場")]


def test_a_moved_entry_has_the_path_of_its_name_at_that_time(chat: FilingChat) -> None:
    path = chat.file(SECRET, message(1, SECRET), name="暗証番号4711")
    chat.once("update_entry", message(2, "駐輪場"), path=path, updates={"name": "駐輪場"})
    moved = chat.once("move_entry", message(3, "移して"), path=path, targetCategory="ideas")["newPath"]

    withdraw(chat, "m1")

    assert chat.paths == [moved] == ["ideas/駐輪場.md"]
    assert "4711" not in chat.words


def test_a_link_goes_with_the_message_that_named_the_linked_entry(chat: FilingChat) -> None:
    chat.file("暗証番号4711", message(1, "暗証番号4711"), name="暗証番号4711")
    path = chat.file(
        "佐藤さん", message(2, "佐藤さん"), category="people", related_projects=["暗証番号4711"], tags=["人"]
    )

    withdraw(chat, "m1")

    assert "4711" not in chat.words
    entry = chat.entry(path)
    assert entry is not None
    assert (entry.name, entry.fields["related_projects"], entry.fields["tags"]) == ("庭の工事", (), ("人",))


def test_a_link_that_the_answered_message_says_itself_stays(chat: FilingChat) -> None:
    chat.file("庭の柵", message(1, "庭の柵"), name="庭の柵")
    path = chat.file("佐藤さん", message(2, "佐藤さん、庭の柵の件"), category="people", related_projects=["庭の柵"])

    withdraw(chat, "m1")

    entry = chat.entry(path)
    assert entry is not None
    assert entry.fields["related_projects"] == ("庭の柵",)


def test_words_of_an_entry_that_the_model_read_go_with_its_message(chat: FilingChat) -> None:
    path = chat.file(SECRET, message(1, SECRET), name="駐輪場")
    chat.model.steps = [found(name="鍵", category="admin")]
    turn = chat.begin(message(2, "別のメモにも写して"))
    turn.call("get_entry", path=path)
    turn.call("classify_and_capture", text=f"メモ: {SECRET}")
    turn.commit()

    withdraw(chat, "m1")

    assert chat.paths == ["admin/鍵.md"]
    assert "4711" not in chat.words


def test_an_entry_with_only_a_status_left_is_deleted(chat: FilingChat) -> None:
    path = chat.file(SECRET, message(1, SECRET))
    chat.once("update_entry", message(2, "done"), path=path, updates={"status": "done"})

    withdraw(chat, "m1")

    assert chat.paths == []


@pytest.mark.parametrize("order", [(5, 15), (15, 5)])
def test_an_edited_source_keeps_its_oldest_timestamp(order: tuple[int, int]) -> None:
    chat = FilingChat()
    entry = chat.entry(chat.file("庭の工事", message(9, "庭の工事")))
    assert entry is not None
    for at_ms in order:
        entry = entry.with_note(f"at {at_ms}", (Source(line_message_id="m1", timestamp_ms=at_ms),))

    rest = entry.without(lambda one, words_ms: one == "m1" and words_ms < 15)

    assert rest is not None
    assert [note.text for note in rest.notes] == ["庭の工事"]


def test_an_updated_list_keeps_the_sources_that_it_repeats(chat: FilingChat) -> None:
    path = chat.file("佐藤さん", message(1, "佐藤さんに4711を返す"), category="people", follow_ups=["4711"])
    chat.once("update_entry", message(2, "本も"), path=path, updates={"follow_ups": ["4711", "本"]})

    withdraw(chat, "m1")

    assert "4711" not in chat.words


def test_words_filed_later_are_removed_with_the_message_that_said_them(chat: FilingChat) -> None:
    chat.model.steps = [found(name="暗証番号")]
    turn = chat.begin(message(2, "今の覚えておいて"), earlier=[message(1, SECRET)])
    turn.call("classify_and_capture", text="駐輪場の番号は 4711 番")
    turn.commit()

    withdraw(chat, "m1")

    assert "4711" not in chat.words


@pytest.mark.parametrize("said", ["2026 1234", "2026", "1234", "2026年 1234円 2026-11-22 12:34 4711"])
def test_an_unsent_list_of_numbers_deletes_no_notes_that_hold_one(chat: FilingChat, said: str) -> None:
    numbers = message(1, said)
    notes = ["2026の目標は1234歩", "2026年に引っ越す", "部屋は1234"]
    chat.model.steps = [found(name=f"n{place}") for place in range(len(notes))]
    for place, note in enumerate(notes, start=2):
        turn = chat.begin(message(place, f"{note}、覚えて"), earlier=[numbers])
        turn.call("classify_and_capture", text=note.replace("の", " "))
        turn.commit()
    undo = chat.file_text("undo.json")

    withdraw(chat, "m1")

    assert len(chat.paths) == len(notes)
    assert chat.file_text("undo.json") == undo


def test_each_of_two_answered_messages_removes_only_its_own_entry(chat: FilingChat) -> None:
    chat.model.steps = [found(name="暗証番号"), found(name="牛乳", category="admin")]
    turn = chat.begin(message(1, SECRET), message(2, "あと牛乳を買う"))
    turn.call("classify_and_capture", text=SECRET)
    turn.call("classify_and_capture", text="牛乳を買う")
    turn.commit()

    withdraw(chat, "m1")

    assert chat.paths == ["admin/牛乳.md"]
    assert "4711" not in chat.words


def test_the_undo_record_loses_withdrawn_words(chat: FilingChat) -> None:
    path = chat.file(SECRET, message(1, SECRET))
    chat.once("delete_entry", message(2, "消して"), path=path)
    assert "4711" in chat.words

    withdraw(chat, "m1")

    assert "4711" not in chat.words
    assert chat.begin().call("undo_last_change").message == "There is nothing to undo."


def test_a_write_from_before_the_unsend_is_not_applied_again(chat: FilingChat) -> None:
    path = chat.file("庭の工事", message(1, "庭の工事"))
    turn = chat.begin(message(2, SECRET))
    turn.call("update_entry", path=path, updates={"next_action": SECRET})
    outcome = turn.commit()
    withdraw(chat, "m2")

    chat.apply(outcome)

    assert "4711" not in chat.file_text(path)


def test_a_second_pass_removes_words_that_were_applied_after_the_first(chat: FilingChat) -> None:
    chat.model.steps = [found(name="暗証番号4711")]
    turn = chat.begin(message(1, SECRET))
    turn.call("classify_and_capture", text=SECRET)
    outcome = turn.outcome()
    withdraw(chat, "m1")  # just before the holder applies the outcome
    chat.apply(outcome)
    assert "4711" in chat.words

    withdraw(chat, "m1")

    assert "4711" not in chat.words


def test_a_withdrawal_removes_the_tombstone_whose_path_repeats_it(chat: FilingChat) -> None:
    path = chat.file(SECRET, message(1, SECRET), name="暗証番号4711")
    chat.once("delete_entry", message(2, "消して"), path=path)

    withdraw(chat, "m2")
    assert path in chat.words
    withdraw(chat, "m1")

    assert "4711" not in chat.words


def test_an_erasure_removes_tombstones(chat: FilingChat) -> None:
    path = chat.file(SECRET, message(1, SECRET))
    chat.once("delete_entry", message(2, "消して"), path=path)

    erase(chat, 2_000)

    assert chat.entries.list() == []


def test_the_first_entry_of_a_dead_worker_gets_its_row_when_another_message_is_withdrawn(chat: FilingChat) -> None:
    chat.model.steps = [found(name="庭の工事")]
    turn = chat.begin(message(1, "庭の工事"), message(2, SECRET))
    turn.call("classify_and_capture", text="庭の工事")
    assert not writer_of().apply(chat.conversation, turn.outcome(), LeaseOverBeforeCatalog())

    withdraw(chat, "m2")

    assert [row.path for row in chat.entries.catalog().rows] == chat.paths
    assert len(chat.paths) == 1
    assert chat.file_text("index.md") == index_file(chat.entries.catalog())


def test_a_deletion_of_a_dead_worker_loses_its_row_when_another_message_is_withdrawn(chat: FilingChat) -> None:
    path = chat.file("庭の工事", message(1, "庭の工事"))
    turn = chat.begin(message(2, "消して"))
    turn.call("delete_entry", path=path)
    assert not writer_of().apply(chat.conversation, turn.outcome(), LeaseOverBeforeCatalog())
    assert [row.path for row in chat.entries.catalog().rows] == [path]

    withdraw(chat, "m9")

    assert chat.entries.catalog().rows == ()


def test_a_lost_catalog_is_made_anew_of_what_a_withdrawal_leaves(chat: FilingChat) -> None:
    chat.file(SECRET, message(1, SECRET), name="鍵")
    kept = chat.file("庭の工事", message(2, "庭の工事"))
    chat.store.delete(chat.conversation.names.entry("search.json"))

    withdraw(chat, "m1")

    assert [row.path for row in chat.entries.catalog().rows] == chat.paths == [kept]


def test_words_that_a_dead_worker_wrote_after_the_catalog_are_removed(chat: FilingChat) -> None:
    path = chat.file("庭の工事", message(1, "庭の工事"))
    turn = chat.begin(message(2, SECRET))
    turn.call("update_entry", path=path, updates={"next_action": SECRET})
    assert not writer_of().apply(chat.conversation, turn.outcome(), LeaseOverBeforeCatalog())
    assert "4711" in chat.file_text(path)


def test_an_entry_that_is_newer_than_its_row_is_looked_into(chat: FilingChat) -> None:
    path = chat.file("庭の工事", message(1, "庭の工事"))
    catalog = chat.file_text("search.json")
    chat.once("update_entry", message(2, SECRET), path=path, updates={"next_action": SECRET})
    name = chat.conversation.names.entry("search.json")
    stored = chat.store.read(name)
    assert stored is not None
    chat.store.replace(name, catalog.encode(), generation=stored.generation)  # as if its writer had died before

    withdraw(chat, "m2")

    assert "4711" not in chat.words
    assert chat.paths == [path]

    assert [(row.path, row.provenance.message_ids) for row in chat.entries.catalog().rows] == [
        (path, frozenset({"m1"}))
    ]


def test_an_entry_without_catalog_and_undo_record_is_removed_and_neither_is_made(chat: FilingChat) -> None:
    chat.file(SECRET, message(1, SECRET))
    for name in ("search.json", "undo.json"):
        chat.store.delete(chat.conversation.names.entry(name))

    withdraw(chat, "m1")

    assert [one.name.rpartition("/")[2] for one in chat.store.list("")] == ["index.md"]


def test_an_entry_that_another_worker_deletes_meanwhile_loses_its_row() -> None:
    store = InterruptedStore()
    chat = FilingChat(store=store)
    path = chat.file(SECRET, message(1, SECRET))
    name = chat.conversation.names.entry(path)
    store.before_read = {name: lambda: store.delete(name)}

    withdraw(chat, "m1")

    assert chat.entries.catalog().rows == ()
    assert "4711" not in chat.words


def test_a_clean_entry_that_the_catalog_does_not_know_is_added_and_not_written(chat: FilingChat) -> None:
    path = chat.file("庭の工事", message(1, "庭の工事"))
    turn = chat.begin(message(2, "金曜に"))
    turn.call("update_entry", path=path, updates={"next_action": "金曜に"})
    assert not writer_of().apply(chat.conversation, turn.outcome(), LeaseOverBeforeCatalog())
    before = chat.store.read(chat.conversation.names.entry(path))

    withdraw(chat, "m9")

    assert chat.store.read(chat.conversation.names.entry(path)) == before
    [row] = chat.entries.catalog().rows
    assert before is not None
    assert (row.generation, row.shown["next_action"]) == (before.generation, "金曜に")


def test_an_entry_that_changes_while_it_is_cleaned_is_cleaned_again() -> None:
    store = InterruptedStore()
    chat = FilingChat(store=store)
    path = chat.file("庭の工事", message(1, "庭の工事"))
    chat.once("update_entry", message(2, SECRET), path=path, updates={"next_action": SECRET})
    name = chat.conversation.names.entry(path)

    def rewrite() -> None:
        stored = store.read(name)
        assert stored is not None
        assert store.replace(name, stored.data, generation=stored.generation)

    store.before_replace = {name: rewrite}

    withdraw(chat, "m2")

    assert "4711" not in chat.words
    assert chat.entries.catalog().rows == chat.entries.rebuild_catalog().rows


def test_a_later_state_that_another_worker_files_meanwhile_stays_in_the_catalog() -> None:
    store = InterruptedStore()
    chat = FilingChat(store=store)
    path = chat.file("庭の工事", message(1, "庭の工事"))
    chat.once("update_entry", message(2, SECRET), path=path, updates={"next_action": SECRET})

    def update() -> None:
        chat.once("update_entry", message(3, "金曜に"), path=path, updates={"next_action": "金曜に"})

    store.before_read = {chat.conversation.names.entry("undo.json"): update}

    withdraw(chat, "m2")

    [row] = chat.entries.catalog().rows
    stored = store.read(chat.conversation.names.entry(path))
    assert stored is not None
    assert (row.shown["next_action"], row.generation) == ("金曜に", stored.generation)


def test_an_unreadable_entry_is_deleted_if_one_of_its_messages_was_withdrawn(chat: FilingChat) -> None:
    path = chat.file("庭の工事", message(1, "庭の工事"))
    chat.once("update_entry", message(2, SECRET), path=path, updates={"next_action": SECRET})
    name = chat.conversation.names.entry(path)
    stored = chat.store.read(name)
    assert stored is not None
    chat.store.replace(name, stored.data.replace(b"status: active", b"status: ["), generation=stored.generation)

    withdraw(chat, "m2")

    assert chat.paths == []


def test_a_renamed_entry_takes_no_path_of_another(chat: FilingChat) -> None:
    other = chat.file("管理人に聞く", message(5, "管理人に聞く"), name="管理人に聞く")
    path = chat.file(SECRET, message(1, SECRET), name="暗証番号4711")
    chat.once("update_entry", message(2, "管理人に聞く"), path=path, updates={"next_action": "管理人に聞く"})
    kept = chat.file_text(other)

    withdraw(chat, "m1")

    assert chat.paths == ["projects/管理人に聞く-2.md", other]
    assert chat.file_text(other) == kept
    assert chat.entries.catalog().by_path.keys() == set(chat.paths)


@pytest.mark.parametrize("call", range(20))
def test_a_rename_that_failed_on_the_way_is_finished_at_one_path(call: int) -> None:
    chat = FilingChat()
    path = chat.file(SECRET, message(1, SECRET), name="暗証番号4711")
    chat.once("update_entry", message(2, "管理人に聞く"), path=path, updates={"next_action": "管理人に聞く"})
    chat.watched.fails_in = call
    with suppress(StorageUnavailableError):
        withdraw(chat, "m1")
    chat.watched.fails_in = None

    withdraw(chat, "m1")

    assert chat.paths == ["projects/管理人に聞く.md"]


def test_an_entry_with_a_numbered_path_stays_there(chat: FilingChat) -> None:
    chat.file("庭の工事", message(1, "庭の工事"))
    path = chat.file("庭の工事、来週", message(2, "庭の工事、来週"))
    chat.once("update_entry", message(3, SECRET), path=path, updates={"next_action": SECRET})

    withdraw(chat, "m3")

    assert path == "projects/庭の工事-2.md"
    assert chat.paths == [path, "projects/庭の工事.md"]


def test_an_erasure_removes_everything_up_to_its_timestamp(chat: FilingChat) -> None:
    chat.file(SECRET, message(1, SECRET, at_ms=1_000), name="暗証番号")
    chat.file("古いもの", message(2, "古いもの", at_ms=2_000), name="古いもの")
    kept = chat.file("新しいもの", message(3, "新しいもの", at_ms=3_000), name="新しいもの")

    erase(chat, 2_000)

    assert chat.paths == [kept]
    assert "4711" not in chat.words
    assert "古い" not in chat.words


def test_an_unreadable_entry_is_deleted_only_if_it_names_the_message(chat: FilingChat) -> None:
    path = chat.file(SECRET, message(1, SECRET))
    name = chat.conversation.names.entry(path)
    stored = chat.store.read(name)
    assert stored is not None
    chat.store.replace(name, stored.data.replace(b"status: active", b"status: ["), generation=stored.generation)

    withdraw(chat, "m2")
    assert "4711" in chat.words

    withdraw(chat, "m1")
    assert "4711" not in chat.words


def test_a_catalog_of_a_newer_release_is_kept(chat: FilingChat) -> None:
    chat.file(SECRET, message(1, SECRET))
    name = chat.conversation.names.entry("search.json")
    stored = chat.store.read(name)
    assert stored is not None
    chat.store.replace(name, b'{"version": 2}', generation=stored.generation)

    with pytest.raises(UnknownRecordVersionError, match="version 2"):
        withdraw(chat, "m1")
    assert chat.paths == []


def test_a_chat_without_entries_costs_no_read(chat: FilingChat) -> None:
    withdraw(chat, "m1")
    assert chat.watched.reads == 0


def test_an_unsend_reads_only_the_entries_that_may_hold_the_message(chat: FilingChat) -> None:
    for number in range(1, 31):
        chat.file(f"n{number}", message(number, f"n{number}"), name=f"n{number}")
    chat.watched.reads = 0

    withdraw(chat, "m7")

    assert chat.watched.reads <= 6
    assert len(chat.paths) == 29


STEPS: tuple[Callable[[FilingChat], object], ...] = (
    lambda chat: chat.file("暗証番号4711", message(1, "暗証番号4711"), name="暗証番号4711"),
    lambda chat: chat.once(
        "update_entry", message(2, "m2"), path="projects/暗証番号4711.md", updates={"note": "別の話"}
    ),
    lambda chat: chat.once(
        "update_entry", message(1, "4711に変更"), path="projects/庭の工事.md", updates={"next_action": "4711に変更"}
    ),
    lambda chat: chat.once("move_entry", message(3, "移して"), path="projects/暗証番号4711.md", targetCategory="ideas"),
    lambda chat: chat.once("delete_entry", message(3, "消して"), path="projects/暗証番号4711.md"),
    lambda chat: chat.once("undo_last_change", message(4, "戻して")),
)


@settings(max_examples=300)
@example(steps=[2], call=4, after_effect=False)  # between an entry and the catalog
@example(steps=[0, 0, 0, 1], call=8, after_effect=False)  # between a path and the next
@given(
    steps=st.lists(st.sampled_from(range(len(STEPS))), max_size=5),
    call=st.integers(0, 30),
    after_effect=st.booleans(),
)
def test_a_repeated_withdrawal_leaves_no_withdrawn_word_after_any_failure(
    steps: list[int], call: int, *, after_effect: bool
) -> None:
    chat = FilingChat()
    chat.file("残る", message(8, "残る"), name="残る")
    chat.file("庭の工事", message(9, "庭の工事"))
    for step in steps:
        STEPS[step](chat)

    chat.watched.fails_in, chat.watched.after_effect = call, after_effect
    try:
        withdraw(chat, "m1")
    except StorageUnavailableError:
        withdraw(chat, "m1")
    chat.watched.fails_in = None

    assert "4711" not in chat.words
    assert "暗証" not in chat.words
    assert "projects/残る.md" in chat.paths
    catalog = chat.entries.catalog()
    assert sorted(row.path for row in catalog.rows) == sorted(chat.paths)
    assert chat.file_text("index.md") == index_file(catalog)
    generations = {one.name: one.generation for one in chat.store.list("")}
    withdraw(chat, "m1")
    assert {one.name: one.generation for one in chat.store.list("")} == generations
