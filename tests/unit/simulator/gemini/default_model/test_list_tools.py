from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from simulator.gemini.answers import CallPart
from simulator.gemini.default_model import model as default_model

if TYPE_CHECKING:
    from collections.abc import Callable

    from simulator.gemini.request import GenerateContentRequest

NAMED = {"type": "object", "properties": {"database_name": {"type": "string", "enum": ["shopping_list", "todo_list"]}}}
TOOLS: list[dict[str, Any]] = [
    *({"name": name, "parametersJsonSchema": NAMED} for name in ("create_page", "search_database")),
    {"name": "update_page", "parametersJsonSchema": {"type": "object", "properties": {"page_id": {"type": "string"}}}},
    {"name": "web_search", "parametersJsonSchema": {"type": "object", "properties": {"query": {"type": "string"}}}},
    {"name": "reply", "parametersJsonSchema": {"type": "object", "properties": {"message": {"type": "string"}}}},
]


@pytest.fixture
def calls(
    body: Callable[..., dict[str, Any]], read: Callable[..., GenerateContentRequest]
) -> Callable[..., tuple[str, dict[str, Any]]]:
    """Return the function that the model calls for a sentence, and its arguments."""

    def calls(said: str, *tools: str) -> tuple[str, dict[str, Any]]:
        offered = [one for one in TOOLS if not tools or one["name"] in tools]
        answer = default_model.answer(read(body(said, tools=[{"functionDeclarations": offered}])))
        (part,) = answer.parts
        assert isinstance(part, CallPart)
        return part.name, dict(part.args)

    return calls


@pytest.mark.parametrize(
    ("said", "name", "args"),
    [
        ("買い物リストに牛乳を追加して", "create_page", {"database_name": "shopping_list", "title": "牛乳"}),
        ("やることリストに 掃除 を追加して！", "create_page", {"database_name": "todo_list", "title": "掃除"}),
        ("Add milk to my shopping list", "create_page", {"database_name": "shopping_list", "title": "milk"}),
        ("牛乳は買ったよ", "search_database", {"database_name": "shopping_list", "query": "牛乳"}),
        ("I bought the milk.", "search_database", {"database_name": "shopping_list", "query": "milk"}),
        ("買い物リストを見せて", "search_database", {"database_name": "shopping_list"}),
        ("Show me my to-do list", "search_database", {"database_name": "todo_list"}),
        ("紅葉の見頃を調べて", "web_search", {"query": "紅葉の見頃"}),
        ("look up the weather", "web_search", {"query": "the weather"}),
    ],
)
def test_a_sentence_becomes_a_call(
    said: str, name: str, args: dict[str, str], calls: Callable[..., tuple[str, dict[str, Any]]]
) -> None:
    assert calls(said) == (name, args)


def test_without_its_tool_a_sentence_is_answered_in_words(calls: Callable[..., tuple[str, dict[str, Any]]]) -> None:
    assert calls("買い物リストに牛乳を追加して", "reply")[0] == "reply"
