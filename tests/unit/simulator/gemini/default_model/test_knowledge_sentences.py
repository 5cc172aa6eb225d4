from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.gemini.default_model.knowledge_sentences import knowledge_request


@pytest.mark.parametrize(
    ("words", "tool", "about", "args"),
    [
        ("庭の工事は来週の月曜から、覚えておいて", "classify_and_capture", "庭の工事は来週の月曜から", {}),
        ("牛乳を買うってメモして！", "classify_and_capture", "牛乳を買う", {}),
        ("今の覚えておいて", "classify_and_capture", "今の", {}),
        ("Please remember that the fence is green.", "classify_and_capture", "the fence is green", {}),
        ("note: buy milk", "classify_and_capture", "buy milk", {}),
        ("remember to buy milk", "classify_and_capture", "buy milk", {}),
        ("Remember: the gate code is 4711", "classify_and_capture", "the gate code is 4711", {}),
        ("remember my shoe size is 42", "classify_and_capture", "my shoe size is 42", {}),
        ("What notes do I have?", "list_entries", "", {}),
        ("list my notes", "list_entries", "", {}),
        ("What do you know about the wifi?", "get_entry", "wifi", {}),
        ("What is the gate code again?", "get_entry", "gate code", {}),
        ("ワイファイのパスワードは何だっけ？", "get_entry", "ワイファイのパスワード", {}),
        ("the fence is done", "update_entry", "fence", {"updates": {"status": "done"}}),
        ("forget the gate code", "delete_entry", "gate code", {}),
        ("牛乳を忘れて", "delete_entry", "牛乳", {}),
        ("cancel that", "undo_last_change", "", {}),
        ("プロジェクトの一覧を見せて", "list_entries", "", {"category": "projects"}),
        ("show me my tasks", "list_entries", "", {"category": "admin"}),
        ("工事を探して", "search_entries", "工事", {"query": "工事"}),
        ("search for fence", "search_entries", "fence", {"query": "fence"}),
        ("佐藤さんについて教えて", "get_entry", "佐藤さん", {}),
        ("Tell me about the fence", "get_entry", "fence", {}),
        ("庭の工事は終わった", "update_entry", "庭の工事", {"updates": {"status": "done"}}),
        ("mark the fence as done", "update_entry", "fence", {"updates": {"status": "done"}}),
        ("庭の工事の期限は2026-12-01です", "update_entry", "庭の工事", {"updates": {"due_date": "2026-12-01"}}),
        ("庭の工事に「雨なら延期」と追記して", "update_entry", "庭の工事", {"updates": {"note": "雨なら延期"}}),
        ("やっぱりプロジェクトにして", "move_entry", "", {"targetCategory": "projects"}),
        ("Actually, that should be a project", "move_entry", "", {"targetCategory": "projects"}),
        ("牛乳を消して", "delete_entry", "牛乳", {}),
        ("delete the milk", "delete_entry", "milk", {}),
        ("やっぱり戻して", "undo_last_change", "", {}),
        ("取り消して", "undo_last_change", "", {}),
        ("さっきのを取り消して", "undo_last_change", "", {}),
        ("take back that", "undo_last_change", "", {}),
        ("undo that", "undo_last_change", "", {}),
        ("今日のまとめをお願い", "generate_digest", "", {"type": "daily"}),
        ("my weekly review please", "generate_digest", "", {"type": "weekly"}),
    ],
)
def test_a_sentence_names_a_tool_and_its_arguments(words: str, tool: str, about: str, args: dict[str, object]) -> None:
    request = knowledge_request(words)

    assert request is not None
    assert (request.tool, request.about, dict(request.args)) == (tool, about, args)


@pytest.mark.parametrize(
    "words",
    [
        "こんにちは",
        "hello",
        "ありがとう",
        "明日の天気は？",
        "what is my name",
        "覚えてる？",
        "remember the party?",
        "remember me",
        "forget it",
        "",
    ],
)
def test_other_sentences_ask_nothing_of_the_knowledge_base(words: str) -> None:
    assert knowledge_request(words) is None


@given(st.text(max_size=50) | st.text("をは、って ", max_size=3_000))
def test_any_words_are_matched_quickly(words: str) -> None:
    request = knowledge_request(words)

    assert request is None or request.tool
