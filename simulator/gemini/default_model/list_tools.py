"""The rules for lists in Notion and for the web search, from plain sentences.

`add milk to my shopping list` creates a page, `I bought the milk` searches for the page and ticks the checkbox,
`show me my shopping list` shows the chat's shared list of that name, or lists the pages where there is none, `look up the weather`
searches the web. The names of the lists come from the declarations of the request.
"""
# ruff: noqa: RUF001 -- full-width punctuation is how Japanese is written

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from simulator.gemini.default_model.prompt import CallTool, Decision, Prompt, Say, mapping

if TYPE_CHECKING:
    from collections.abc import Mapping

    from simulator.gemini.default_model.phrases import Language

_LISTS = {"買い物": "shop", "やること": "todo", "shopping": "shop", "to-do": "todo"}
_LIST = f"(?P<list>{'|'.join(_LISTS)})"
_ADDITIONS = (
    rf"{_LIST}リストに(?P<item>.{{1,80}}?)を追加して",
    rf"add (?P<item>.{{1,80}}?) to (?:my|our|the) {_LIST} list",
)
_PURCHASES = (r"(?P<item>.{1,80}?)は買ったよ", r"i bought (?:the |some )?(?P<item>.{1,80})")
_LISTINGS = (
    rf"{_LIST}リスト(?:を見せて|には何がある)",
    rf"show (?:me )?(?:my|our|the) {_LIST} list",
    rf"what(?: is|['\u2019]s) on (?:my|our|the) {_LIST} list",
)
_SEARCHES = (r"(?P<item>.{1,200}?)を調べて", r"look up (?P<item>.{1,200})")
_CHECKBOX = re.compile(r'"([^"]+)" \(checkbox\)')
SHOW_LIST = "show_list"
_TOOLS = frozenset({"create_page", "search_database", "update_page", "web_search"})


@dataclass(frozen=True, slots=True, kw_only=True)
class _Words:
    """The texts about results in a language."""

    added: str
    ticked: str
    missing: str
    empty: str
    contents: str
    search_result: str


_WORDS: Mapping[Language, _Words] = {
    "ja": _Words(
        added="「{item}」をリストに追加しました。",
        ticked="「{item}」を完了にしました。",
        missing="「{item}」はリストに見つかりませんでした。",
        empty="リストは空です。",
        contents="リストの中身です：{items}",
        search_result="「{item}」を調べました。シミュレーターなので、本当の検索結果ではありません。",
    ),
    "en": _Words(
        added="I added “{item}” to the list.",
        ticked="I ticked “{item}” off.",
        missing="I did not find “{item}” on the list.",
        empty="The list is empty.",
        contents="On the list: {items}",
        search_result="I looked “{item}” up. I am a stand-in, so this is no real search.",
    ),
}


def is_search(prompt: Prompt) -> bool:
    """Whether the request is a grounded search without functions."""
    return "googleSearch" in prompt.request.built_in_tools and not prompt.request.functions


def answer_search(prompt: Prompt) -> Decision:
    """Answer the grounded search."""
    return Say(text=_WORDS[prompt.language].search_result.format(item=prompt.words.strip()))


def first_call(prompt: Prompt) -> CallTool | None:
    """Return the requested call of an offered tool for lists or the web; None if the last message requests no such tool."""
    calls = (_addition(prompt), _purchase(prompt), _shared_listing(prompt), _listing(prompt), _search(prompt))
    return next((call for call in calls if call is not None and prompt.offers(call.name)), None)


def has_result(prompt: Prompt) -> bool:
    """Whether the last round succeeded with calls for lists or the web, or found no shared list of a name that Notion knows."""
    return prompt.has_results_of(_TOOLS) or _lacks_the_shared_list(prompt)


def proceed(prompt: Prompt) -> Decision:
    """Search where there is no shared list, use what the search returned, or say the result."""
    if _lacks_the_shared_list(prompt) and (search := _listing(prompt)) is not None:
        return search
    result, words = prompt.results[-1], _WORDS[prompt.language]
    match result.name:
        case "create_page":
            return Say(text=words.added.format(item=_item(prompt)))
        case "update_page":
            return Say(text=words.ticked.format(item=_item(prompt)))
        case "web_search":
            return Say(text=str(prompt.output.get("answer", "")))
    return _from_search(prompt, words)


def _from_search(prompt: Prompt, words: _Words) -> Decision:
    """Tick off the first item of the search's results, or say what the list holds."""
    pages = prompt.output.get("pages")
    rows = [mapping(page) for page in pages] if isinstance(pages, list) else []
    if prompt.match(_LISTINGS):
        return Say(text=_contents(prompt, rows))
    checkbox = _CHECKBOX.search(str(prompt.output.get("properties", "")))
    if not rows or checkbox is None:
        return Say(text=words.missing.format(item=_item(prompt)))
    changes = json.dumps({checkbox[1]: True}, ensure_ascii=False)
    return CallTool(name="update_page", args={"page_id": str(rows[0]["page_id"]), "properties": changes})


def _addition(prompt: Prompt) -> CallTool | None:
    match = prompt.match(_ADDITIONS)
    name = _database(prompt, _LISTS[match["list"].casefold()]) if match else None
    if match is None or name is None:
        return None
    return CallTool(name="create_page", args={"database_name": name, "title": match["item"].strip()})


def _purchase(prompt: Prompt) -> CallTool | None:
    match = prompt.match(_PURCHASES)
    name = _database(prompt, "shop") if match else None
    if match is None or name is None:
        return None
    return CallTool(name="search_database", args={"database_name": name, "query": match["item"].strip()})


def _listing(prompt: Prompt) -> CallTool | None:
    match = prompt.match(_LISTINGS)
    name = _database(prompt, _LISTS[match["list"].casefold()]) if match else None
    return CallTool(name="search_database", args={"database_name": name}) if name else None


def _shared_listing(prompt: Prompt) -> CallTool | None:
    """Return the call for the chat's shared list of the same name, which goes before Notion's."""
    match = prompt.match(_LISTINGS) if _listing(prompt) is not None else None
    return CallTool(name=SHOW_LIST, args={"list": match["list"]}) if match else None


def _lacks_the_shared_list(prompt: Prompt) -> bool:
    """Whether the last round looked in vain for a shared list of a name that a list in Notion has."""
    is_missing = bool(prompt.results) and prompt.results[-1].name == SHOW_LIST and prompt.results[-1].error is not None
    return is_missing and _listing(prompt) is not None and prompt.offers("search_database")


def _contents(prompt: Prompt, rows: list[Mapping[str, Any]]) -> str:
    """Return what Notion's list holds."""
    words, items = _WORDS[prompt.language], ("、" if prompt.language == "ja" else ", ").join(map(_line, rows))
    return words.contents.format(items=items) if rows else words.empty


def _search(prompt: Prompt) -> CallTool | None:
    match = prompt.match(_SEARCHES)
    return CallTool(name="web_search", args={"query": match["item"].strip()}) if match else None


def _item(prompt: Prompt) -> str:
    match = prompt.match((*_ADDITIONS, *_PURCHASES, *_SEARCHES))
    return match["item"].strip() if match else prompt.words


def _database(prompt: Prompt, kind: str) -> str | None:
    """Return the name under which the declarations offer the database of the given kind."""
    for function in prompt.request.callable_functions:
        properties = mapping(function.parameter_schema.get("properties"))
        names = mapping(properties.get("database_name")).get("enum")
        for name in names if isinstance(names, list) else []:
            if kind in str(name).replace("_", ""):
                return str(name)
    return None


def _line(page: Mapping[str, Any]) -> str:
    values = mapping(page.get("properties")).values()
    return f"{page.get('title')}{' ✓' if any(value is True for value in values) else ''}"
