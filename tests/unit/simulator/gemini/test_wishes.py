from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.gemini.wishes import wish_in


@pytest.mark.parametrize(
    ("words", "tool", "about", "args"),
    [
        ("庭の工事は来週の月曜から、覚えておいて", "classify_and_capture", "庭の工事は来週の月曜から", {}),
        ("牛乳を買うってメモして！", "classify_and_capture", "牛乳を買う", {}),
        ("今の覚えておいて", "classify_and_capture", "今の", {}),
        ("メモ：鍵は玄関", "classify_and_capture", "鍵は玄関", {}),
        ("Please remember that the fence is green.", "classify_and_capture", "the fence is green", {}),
        ("note: buy milk", "classify_and_capture", "buy milk", {}),
        ("remember this", "classify_and_capture", "this", {}),
        ("プロジェクトの一覧を見せて", "list_entries", "", {"category": "projects"}),
        ("リスト見せて", "list_entries", "", {}),
        ("show me my tasks", "list_entries", "", {"category": "admin"}),
        ("list all entries", "list_entries", "", {}),
        ("工事を検索して", "search_entries", "工事", {"query": "工事"}),
        ("search for fence", "search_entries", "fence", {"query": "fence"}),
        ("佐藤さんについて教えて", "get_entry", "佐藤さん", {}),
        ("Tell me about the fence", "get_entry", "fence", {}),
        ("庭の工事は完了にして", "update_entry", "庭の工事", {"updates": {"status": "done"}}),
        ("mark the fence as done", "update_entry", "fence", {"updates": {"status": "done"}}),
        ("庭の工事の期限は2026-12-01です", "update_entry", "庭の工事", {"updates": {"due_date": "2026-12-01"}}),
        ("the fence is due 2026-12-01", "update_entry", "fence", {"updates": {"due_date": "2026-12-01"}}),
        ("庭の工事に「雨なら延期」と追記して", "update_entry", "庭の工事", {"updates": {"note": "雨なら延期"}}),
        ("add “ask Sato” to the fence", "update_entry", "fence", {"updates": {"note": "ask Sato"}}),
        ("やっぱりプロジェクトにして", "move_entry", "", {"targetCategory": "projects"}),
        ("それはアイデアだよ", "move_entry", "", {"targetCategory": "ideas"}),
        ("Actually, that should be a project", "move_entry", "", {"targetCategory": "projects"}),
        ("牛乳を用事に移して", "move_entry", "牛乳", {"targetCategory": "admin"}),
        ("move milk to tasks", "move_entry", "milk", {"targetCategory": "admin"}),
        ("牛乳を消して", "delete_entry", "牛乳", {}),
        ("それ消して", "delete_entry", "それ", {}),
        ("delete the milk", "delete_entry", "milk", {}),
        ("やっぱり戻して", "undo_last_change", "", {}),
        ("undo that", "undo_last_change", "", {}),
        ("今日のまとめをお願い", "generate_digest", "", {"type": "daily"}),
        ("my weekly review please", "generate_digest", "", {"type": "weekly"}),
    ],
)
def test_a_plain_sentence_tells_what_is_wanted(words: str, tool: str, about: str, args: dict[str, object]) -> None:
    wish = wish_in(words)

    assert wish is not None
    assert (wish.tool, wish.about, dict(wish.args)) == (tool, about, args)


@pytest.mark.parametrize(
    "words", ["こんにちは", "hello", "ありがとう", "明日の天気は？", "what is my name", "覚えてる？", ""]
)
def test_what_asks_nothing_of_the_knowledge_base_is_no_wish(words: str) -> None:
    assert wish_in(words) is None


@given(st.text(max_size=50) | st.text("をは、って ", max_size=3_000))
def test_any_words_are_read_without_delay(words: str) -> None:
    wish = wish_in(words)

    assert wish is None or wish.tool
