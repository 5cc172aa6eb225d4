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
        ("I bought milk", "search_database", {"database_name": "shopping_list", "query": "milk"}),
        ("買い物リストを見せて", "search_database", {"database_name": "shopping_list"}),
        ("What's on the shopping list?", "search_database", {"database_name": "shopping_list"}),
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


SHOWN = "買い物リストを見せて"


@pytest.fixture
def answer(
    body: Callable[..., dict[str, Any]], read: Callable[..., GenerateContentRequest]
) -> Callable[..., tuple[str, dict[str, Any]]]:
    """Return what the model calls after a sentence and the responses of a round each."""

    def answer(said: str, *responses: tuple[str, dict[str, Any]]) -> tuple[str, dict[str, Any]]:
        declared = [*TOOLS, {"name": "show_list", "parametersJsonSchema": {"type": "object"}}]
        asked = body(said, tools=[{"functionDeclarations": declared}])
        for name, response in responses:
            asked["contents"] += [
                {"role": "model", "parts": [{"functionCall": {"name": name, "args": {}}}]},
                {"role": "user", "parts": [{"functionResponse": {"name": name, "response": response}}]},
            ]
        (part,) = default_model.answer(read(asked)).parts
        assert isinstance(part, CallPart)
        return part.name, dict(part.args)

    return answer


@pytest.mark.parametrize(("said", "name"), [(SHOWN, "買い物"), ("Show me the shopping list", "shopping")])
def test_the_shared_list_of_the_name_is_looked_for_first(
    said: str, name: str, answer: Callable[..., tuple[str, dict[str, Any]]]
) -> None:
    assert answer(said) == ("show_list", {"list": name})


def test_the_list_in_notion_is_searched_where_the_chat_has_none(
    answer: Callable[..., tuple[str, dict[str, Any]]],
) -> None:
    missing = {"error": "There is no list in this chat."}

    assert answer(SHOWN, ("show_list", missing)) == ("search_database", {"database_name": "shopping_list"})


def test_a_shared_list_is_shown_without_a_look_into_notion(
    answer: Callable[..., tuple[str, dict[str, Any]]],
) -> None:
    """A page of Notion would taint the turn, and a newcomer's next changes would wait for taps."""
    assert answer(SHOWN, ("show_list", {"output": {"list": "買い物"}})) == ("reply", {"message": "わかりました。"})


@pytest.mark.parametrize(("pages", "told"), [([], "リストは空です。"), ([{"title": "塩"}], "リストの中身です：塩")])
def test_the_answer_names_what_stands_in_notion_where_the_chat_has_no_such_list(
    pages: list[dict[str, Any]], told: str, answer: Callable[..., tuple[str, dict[str, Any]]]
) -> None:
    missing, searched = {"error": "There is no list in this chat."}, {"output": {"pages": pages}}

    assert answer(SHOWN, ("show_list", missing), ("search_database", searched)) == ("reply", {"message": told})
