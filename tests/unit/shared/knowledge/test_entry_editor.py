"""Filing, changing and moving entries: what is kept, and from which messages it came."""

from contextlib import nullcontext
from typing import Any

import pytest

from shared.agent.tools import ToolFault
from shared.knowledge.entry import Entry
from shared.knowledge.entry_editor import CONTENT_LIMIT
from shared.knowledge.schema import TEXT_LIMIT
from shared.line.utf16 import utf16_length
from tests.support.knowledge import FilingChat, message


@pytest.fixture
def chat() -> FilingChat:
    return FilingChat(threshold=0.6)


def entry_at(chat: FilingChat, path: str) -> Entry:
    entry = chat.entry(path)
    assert entry is not None
    return entry


def update(chat: FilingChat, path: str, number: int, said: str, **updates: Any) -> Entry:  # noqa: ANN401 - values of fields
    """Update an entry in a turn that answers message `m{number}`."""
    result = chat.once("update_entry", message(number, said), path=path, updates=updates)
    assert not isinstance(result, ToolFault), result
    return entry_at(chat, path)


@pytest.mark.parametrize(("confidence", "category"), [(0.59, "inbox"), (0.6, "projects")])
def test_a_thought_is_filed_where_it_belongs_if_that_is_sure_enough(
    chat: FilingChat, confidence: float, category: str
) -> None:
    assert chat.file(confidence=confidence).partition("/")[0] == category


def test_a_sure_thought_is_the_body_of_its_entry_and_an_unsure_one_its_original_text(chat: FilingChat) -> None:
    sure, unsure = (entry_at(chat, chat.file("庭の柵", confidence=one)) for one in (0.9, 0.1))

    assert (sure.content, sure.fields.get("original_text")) == ("庭の柵", None)
    assert (unsure.content, unsure.fields["original_text"]) == ("", "庭の柵")


@pytest.mark.parametrize(("category", "is_touched"), [("people", True), ("projects", False)])
def test_a_person_was_last_touched_when_filed(chat: FilingChat, category: str, *, is_touched: bool) -> None:
    entry = entry_at(chat, chat.file(category=category))

    assert entry.fields.get("last_touched") == ("2025-11-21" if is_touched else None)
    assert "last_touched" not in entry.field_message_ids


def test_an_empty_content_leaves_no_body_and_no_source_of_it(chat: FilingChat) -> None:
    path = chat.file("庭の柵を直す", message(1, "庭の柵を直す"), name="柵")

    entry = update(chat, path, 2, "消して", content="")

    assert entry.notes == ()
    assert entry.provenance.message_ids == {"m1"}  # of its name


def test_a_new_content_came_from_the_answered_message_and_from_old_notes_that_it_repeats(chat: FilingChat) -> None:
    path = chat.file("庭の柵を直す", message(1, "庭の柵を直す"), name="x")
    update(chat, path, 2, "見積もりは佐藤さん", note="見積もりは佐藤さん")

    [note] = update(chat, path, 3, "まとめて", content="庭の柵を直す 済み").notes

    assert set(note.message_ids) == {"m1", "m3"}


def test_a_note_and_the_body_before_it_keep_their_own_sources(chat: FilingChat) -> None:
    path = chat.file("庭の柵を直す", message(1, "庭の柵を直す"), name="x")

    body, note = update(chat, path, 2, "雨だった", note="雨だった").notes

    assert (body.message_ids, note.message_ids) == (("m1",), ("m2",))


def test_a_field_came_from_its_old_value_only_if_it_repeats_some_of_it(chat: FilingChat) -> None:
    path = chat.file("佐藤", message(1, "佐藤"), category="people", name="佐藤", follow_ups=["本を返す", "電話"])

    longer = update(chat, path, 2, "お茶も", follow_ups=["本を返す", "お茶"])
    other = update(chat, path, 3, "全部かえて", follow_ups=["雨"])

    assert set(longer.field_message_ids["follow_ups"]) == {"m1", "m2"}
    assert set(other.field_message_ids["follow_ups"]) == {"m3"}


def test_the_items_of_a_list_are_compared_one_by_one(chat: FilingChat) -> None:
    path = chat.file("佐藤", message(1, "佐藤"), category="people")
    turn = chat.begin(message(3, "覚えて"), earlier=[message(2, "4711だよ")])
    turn.call("update_entry", path=path, updates={"follow_ups": ["8822", "4711"]})
    turn.commit()

    assert set(entry_at(chat, path).field_message_ids["follow_ups"]) == {"m2", "m3"}


def test_a_value_in_the_persons_own_words_is_not_from_the_old_one_that_says_the_same(chat: FilingChat) -> None:
    path = chat.file("佐藤さんに電話、本を返す", message(1, "佐藤さんに電話、本を返す"), category="people", name="佐藤")
    update(chat, path, 2, "佐藤さんに電話、本を返す", follow_ups=["佐藤さんに電話", "本を返す"])

    entry = update(chat, path, 3, "佐藤さんに電話、お茶、本を返す", follow_ups=["佐藤さんに電話", "お茶", "本を返す"])

    assert entry.field_message_ids["follow_ups"] == ("m3",)


def test_who_adds_to_a_list_is_the_source_of_what_is_added_alone(chat: FilingChat) -> None:
    path = chat.file("佐藤", message(1, "佐藤"), category="people", name="佐藤", follow_ups=["本を返す", "電話"])

    entry = update(chat, path, 2, "お茶も", follow_ups=["本を返す", "お茶", "電話"])

    assert entry.item_message_ids["follow_ups"] == (("m1",), ("m2",), ("m1",))
    assert entry_at(chat, path) == entry
    without_addition = entry.without(lambda line_message_id, _: line_message_id == "m2")
    assert without_addition is not None
    assert without_addition.fields["follow_ups"] == ("本を返す", "電話")
    assert without_addition.field_message_ids["follow_ups"] == ("m1",)
    addition = entry.without(lambda line_message_id, _: line_message_id == "m1")
    assert addition is not None
    assert addition.fields["follow_ups"] == ("お茶",)
    assert addition.item_message_ids == {"follow_ups": (("m2",),)}


def test_a_field_that_an_update_repeats_as_it_was_keeps_its_sources(chat: FilingChat) -> None:
    path = chat.file("庭の柵を直す", message(1, "庭の柵を直す"), name="庭の柵")

    entry = update(chat, path, 2, "佐藤さんに電話", name="庭の柵", next_action="佐藤さんに電話")

    assert (entry.field_message_ids["name"], entry.field_message_ids["next_action"]) == (("m1",), ("m2",))


def test_the_paragraphs_of_a_new_body_have_sources_of_their_own(chat: FilingChat) -> None:
    path = chat.file("庭の柵を直す", message(1, "庭の柵を直す"), name="x")

    entry = update(chat, path, 2, "業者は鈴木さん、と書き足して", content="庭の柵を直す\n\n業者は鈴木さん")
    assert [(one.text, one.message_ids) for one in entry.notes] == [
        ("庭の柵を直す", ("m1",)),
        ("業者は鈴木さん", ("m2",)),
    ]
    entry = update(chat, path, 3, "間を空けて", content="庭の柵を直す\n\n\n\n業者は鈴木さん")
    assert [set(one.message_ids) for one in entry.notes] == [{"m1", "m2", "m3"}]


def test_an_emptied_field_came_from_the_answered_message_alone(chat: FilingChat) -> None:
    path = chat.file("庭", message(1, "庭"), due_date="2026-01-01", next_action="佐藤さんに電話")

    entry = update(chat, path, 2, "消して", due_date=None, next_action="")

    assert (entry.fields["due_date"], entry.fields["next_action"]) == (None, "")
    assert "m1" not in entry.field_message_ids.get("next_action", ())


def test_the_name_of_another_entry_in_a_value_came_from_its_messages_too(chat: FilingChat) -> None:
    chat.file("駐輪場の番号", message(1, "駐輪場の番号"), name="駐輪場の番号")
    path = chat.file("庭", message(2, "庭"), name="庭の柵")

    named = update(chat, path, 3, "そこにも", next_action="駐輪場の番号")
    noted = update(chat, path, 4, "メモして", note="駐輪場の番号")
    own = update(chat, path, 5, "それで", next_action="庭の柵")

    assert set(named.field_message_ids["next_action"]) == {"m1", "m3"}
    assert set(noted.notes[-1].message_ids) == {"m1", "m3", "m4"}  # it repeats the field as well
    assert set(own.field_message_ids["next_action"]) == {"m5"}


@pytest.mark.parametrize(("over", "is_full"), [(0, False), (1, True)])
def test_a_body_is_replaced_whole_or_not_at_all(chat: FilingChat, over: int, *, is_full: bool) -> None:
    path, content = chat.file("庭", name="庭"), "x" * (CONTENT_LIMIT + over)

    with pytest.raises(AssertionError, match="content is full") if is_full else nullcontext():
        update(chat, path, 2, "x", content=content)

    assert entry_at(chat, path).content == ("庭" if is_full else content)


@pytest.mark.parametrize(("over", "is_full"), [(0, False), (1, True)])
def test_a_body_grows_up_to_its_limit(chat: FilingChat, over: int, *, is_full: bool) -> None:
    path = chat.file("庭", name="庭")
    update(chat, path, 2, "x", content="x" * TEXT_LIMIT)
    dated = "\n\n2025-11-21: "
    room = CONTENT_LIMIT - TEXT_LIMIT - utf16_length(dated)

    with pytest.raises(AssertionError, match="content is full") if is_full else nullcontext():
        update(chat, path, 3, "y", note="y" * (room + over))

    assert (utf16_length(entry_at(chat, path).content) == CONTENT_LIMIT) is not is_full


@pytest.mark.parametrize(
    ("updates", "sentence"),
    [
        ({"id": "x"}, "id cannot be changed."),
        ({"message_ids": "x"}, "message_ids cannot be changed."),
        ({"mood": "sunny"}, "projects entries have no field mood; they have: name, status"),
        ({"content": 5}, "content must be a text."),
        ({"note": ["x"]}, "note must be a text."),
        ({"status": "dancing"}, "status must be one of: active"),
        ({"name": " "}, "name cannot be empty."),
    ],
)
def test_an_update_that_cannot_be_may_be_tried_in_another_way(
    chat: FilingChat, updates: dict[str, object], sentence: str
) -> None:
    path = chat.file("庭")
    before = chat.file_text(path)

    result = chat.once("update_entry", path=path, updates=updates)

    assert isinstance(result, ToolFault)
    assert result.message.startswith(sentence)
    assert result.may_retry
    assert chat.file_text(path) == before


def test_a_note_that_keeps_a_corrected_value_came_from_its_message_too(chat: FilingChat) -> None:
    path = chat.file("庭の柵を直す", message(1, "庭の柵を直す"), name="x")
    update(chat, path, 2, "電話は佐藤さん〇三の五五五五", next_action="佐藤さん〇三の五五五五")

    corrected = update(chat, path, 3, "違った", next_action="高橋さん", note="以前は佐藤さん〇三の五五五五")

    assert set(corrected.notes[-1].message_ids) == {"m2", "m3"}
    assert set(corrected.field_message_ids["next_action"]) == {"m3"}
