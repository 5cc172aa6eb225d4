from collections.abc import Callable

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from shared.errors import StorageUnavailableError, UnknownRecordVersionError
from shared.knowledge.entry import Source
from shared.knowledge.index import index_file
from shared.knowledge.withdrawal import EntryWithdrawal
from shared.storage.object_names import entry_name
from tests.support.knowledge import CHAT, FilingChat, found, message

SECRET = "駐輪場の暗証番号は4711"


def withdraw(chat: FilingChat, *line_message_ids: str) -> None:
    EntryWithdrawal(entries=chat.entries)(chat.chat, lambda one, _: one in line_message_ids)


def erase(chat: FilingChat, up_to_ms: int) -> None:
    EntryWithdrawal(entries=chat.entries)(chat.chat, lambda _, at_ms: at_ms <= up_to_ms)


@pytest.fixture
def chat() -> FilingChat:
    return FilingChat()


def test_an_entry_goes_with_the_only_message_that_it_came_from(chat: FilingChat) -> None:
    chat.file(SECRET, message(1, f"これ覚えて。{SECRET}"), name="暗証番号4711")
    other = chat.file("牛乳を買う", message(2, "牛乳を買う"), name="牛乳", category="admin")

    withdraw(chat, "m1")

    assert "4711" not in chat.words
    assert "暗証番号" not in chat.words
    assert chat.paths == [other]
    assert [row.path for row in chat.entries.catalog(CHAT).rows] == [other]
    assert chat.file_text("index.md") == index_file(chat.entries.catalog(CHAT))


def test_an_entry_keeps_what_other_messages_said(chat: FilingChat) -> None:
    path = chat.file("庭の工事", message(1, "庭の工事"))
    chat.once("update_entry", message(2, SECRET), path=path, updates={"next_action": SECRET, "note": SECRET})
    chat.once("update_entry", message(3, "金曜に"), path=path, updates={"due_date": "2025-11-28", "note": "金曜に"})

    withdraw(chat, "m2")

    assert "4711" not in chat.words
    entry = chat.entry(path)
    assert entry is not None
    assert (entry.name, entry.fields["next_action"], entry.fields["due_date"]) == ("庭の工事", "", "2025-11-28")
    assert entry.content == "庭の工事\n\n2025-11-21: 金曜に"
    assert entry.source_ids == {"m1", "m3"}


def test_an_entry_that_loses_its_name_is_named_and_filed_after_what_is_left(chat: FilingChat) -> None:
    path = chat.file(SECRET, message(1, SECRET), name="暗証番号4711")
    chat.once("update_entry", message(2, "管理人に聞く"), path=path, updates={"next_action": "管理人に聞く"})

    withdraw(chat, "m1")

    assert "4711" not in chat.words
    assert chat.paths == ["projects/管理人に聞く.md"]
    entry = chat.entry("projects/管理人に聞く.md")
    assert entry is not None
    assert (entry.id, entry.name, entry.content) == ("id-1", "管理人に聞く", "")


def test_a_path_that_still_tells_a_withdrawn_name_changes(chat: FilingChat) -> None:
    path = chat.file(SECRET, message(1, SECRET), name="暗証番号4711")
    chat.once("update_entry", message(2, "駐輪場"), path=path, updates={"name": "駐輪場"})

    withdraw(chat, "m1")

    assert chat.paths == ["projects/駐輪場.md"]
    assert "4711" not in chat.words


def test_an_entry_of_which_only_states_are_left_goes(chat: FilingChat) -> None:
    path = chat.file(SECRET, message(1, SECRET))
    chat.once("update_entry", message(2, "done"), path=path, updates={"status": "done"})

    withdraw(chat, "m1")

    assert chat.paths == []


@pytest.mark.parametrize("order", [(5, 15), (15, 5)])
def test_of_what_a_message_said_before_and_after_an_edit_an_entry_remembers_the_older(order: tuple[int, int]) -> None:
    chat = FilingChat()
    entry = chat.entry(chat.file("庭の工事", message(9, "庭の工事")))
    assert entry is not None
    for at_ms in order:
        entry = entry.with_note(f"at {at_ms}", (Source(line_message_id="m1", timestamp_ms=at_ms),))

    left = entry.without(lambda one, words_ms: one == "m1" and words_ms < 15)

    assert left is not None
    assert [note.text for note in left.notes] == ["庭の工事"]


def test_a_list_that_goes_on_repeating_an_older_message_goes_with_it(chat: FilingChat) -> None:
    path = chat.file("佐藤さん", message(1, "佐藤さんに4711を返す"), category="people", follow_ups=["4711"])
    chat.once("update_entry", message(2, "本も"), path=path, updates={"follow_ups": ["4711", "本"]})

    withdraw(chat, "m1")

    assert "4711" not in chat.words


def test_words_that_were_said_before_they_were_filed_go_with_the_message_that_said_them(chat: FilingChat) -> None:
    chat.model.steps = [found(name="暗証番号")]
    turn = chat.begin(message(2, "今の覚えておいて"), earlier=[message(1, SECRET)])
    turn.call("classify_and_capture", text="駐輪場の番号は 4711 番")
    turn.commit()

    withdraw(chat, "m1")

    assert "4711" not in chat.words


def test_of_two_messages_that_were_answered_together_each_takes_only_its_own_entry(chat: FilingChat) -> None:
    chat.model.steps = [found(name="暗証番号"), found(name="牛乳", category="admin")]
    turn = chat.begin(message(1, SECRET), message(2, "あと牛乳を買う"))
    turn.call("classify_and_capture", text=SECRET)
    turn.call("classify_and_capture", text="牛乳を買う")
    turn.commit()

    withdraw(chat, "m1")

    assert chat.paths == ["admin/牛乳.md"]
    assert "4711" not in chat.words


def test_the_way_back_holds_nothing_withdrawn(chat: FilingChat) -> None:
    path = chat.file(SECRET, message(1, SECRET))
    chat.once("delete_entry", message(2, "消して"), path=path)
    assert "4711" in chat.words

    withdraw(chat, "m1")

    assert "4711" not in chat.words
    assert chat.begin().call("undo_last_change").message == "There is nothing to undo."


def test_a_write_that_was_applied_before_the_unsend_is_not_made_again(chat: FilingChat) -> None:
    path = chat.file("庭の工事", message(1, "庭の工事"))
    turn = chat.begin(message(2, SECRET))
    turn.call("update_entry", path=path, updates={"next_action": SECRET})
    outcome = turn.commit()
    withdraw(chat, "m2")

    chat.writes.apply(CHAT, outcome)

    assert "4711" not in chat.file_text(path)


def test_words_that_came_back_into_catalog_and_index_are_found_by_the_second_look(chat: FilingChat) -> None:
    chat.model.steps = [found(name="暗証番号4711")]
    turn = chat.begin(message(1, SECRET))
    turn.call("classify_and_capture", text=SECRET)
    outcome = turn.outcome()
    withdraw(chat, "m1")  # passes just before the holder applies
    chat.writes.apply(CHAT, outcome)
    assert "4711" in chat.words

    withdraw(chat, "m1")

    assert "4711" not in chat.words


def test_an_erasure_takes_everything_up_to_its_moment(chat: FilingChat) -> None:
    chat.file(SECRET, message(1, SECRET, at_ms=1_000), name="暗証番号")
    chat.file("古いもの", message(2, "古いもの", at_ms=2_000), name="古いもの")
    kept = chat.file("新しいもの", message(3, "新しいもの", at_ms=3_000), name="新しいもの")

    erase(chat, 2_000)

    assert chat.paths == [kept]
    assert "4711" not in chat.words
    assert "古い" not in chat.words


def test_an_unreadable_entry_goes_if_it_names_the_message_and_stays_otherwise(chat: FilingChat) -> None:
    path = chat.file(SECRET, message(1, SECRET))
    name = entry_name(CHAT, path)
    stored = chat.store.read(name)
    assert stored is not None
    chat.store.replace(name, stored.data.replace(b"status: active", b"status: ["), generation=stored.generation)

    withdraw(chat, "m2")
    assert "4711" in chat.words

    withdraw(chat, "m1")
    assert "4711" not in chat.words


def test_a_catalog_of_a_newer_release_is_not_thrown_away(chat: FilingChat) -> None:
    chat.file(SECRET, message(1, SECRET))
    name = entry_name(CHAT, "search.json")
    stored = chat.store.read(name)
    assert stored is not None
    chat.store.replace(name, b'{"version": 2}', generation=stored.generation)

    with pytest.raises(UnknownRecordVersionError, match="version 2"):
        withdraw(chat, "m1")
    assert chat.paths == []


def test_a_chat_that_never_filed_costs_one_listing(chat: FilingChat) -> None:
    withdraw(chat, "m1")
    assert chat.watched.reads == 0


def test_an_unsend_reads_only_entries_that_may_hold_the_message(chat: FilingChat) -> None:
    for number in range(1, 31):
        chat.file(f"n{number}", message(number, f"n{number}"), name=f"n{number}")
    chat.watched.reads = 0

    withdraw(chat, "m7")

    assert len(chat.paths) == 29
    assert chat.watched.reads <= 6


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
def test_whatever_was_filed_and_wherever_the_first_try_died_nothing_withdrawn_is_left(
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
    catalog = chat.entries.catalog(CHAT)
    assert sorted(row.path for row in catalog.rows) == sorted(chat.paths)
    assert chat.file_text("index.md") == index_file(catalog)
    generations = {one.name: one.generation for one in chat.store.list("")}
    withdraw(chat, "m1")
    assert {one.name: one.generation for one in chat.store.list("")} == generations
