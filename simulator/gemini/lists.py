"""What the stand-in does with lists that people keep in Notion, and with the web: plain sentences, one call after the other.

`add milk to the shopping list` creates a page, `I bought the milk` finds it and ticks it off, `show my shopping list` reads it out, and
`look up the weather` searches. Which lists there are stands in the declarations of the request.
"""
# ruff: noqa: RUF001 -- full-width punctuation is how Japanese is written

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from simulator.gemini.phrases import JAPANESE
from simulator.gemini.scene import Intent, Say, Scene, Use

_KINDS = {"買い物": "shop", "shopping": "shop", "やること": "todo", "todo": "todo", "to-do": "todo", "タスク": "todo"}
_KIND = "|".join(_KINDS)
_ADDING = (
    rf"(?P<kind>{_KIND})リストに(?P<item>.{{1,80}}?)を?(?:追加|入れ|足し|書い|書き)(?:て|といて|ておいて|たい)?.*",
    rf"(?:please )?(?:add|put) (?P<item>.{{1,80}}?) (?:to|on) (?:the|my|our) (?P<kind>{_KIND}) list.*",
)
_DONE = (
    ("shop", r"(?P<item>.{1,80}?)(?:は|を)?(?:もう)?(?:買った|買いました|買ってきた|買ってきました)(?:よ|ね|から)?"),
    (
        "todo",
        r"(?P<item>.{1,80}?)(?:は|が|を)?(?:もう)?(?:終わった|終わりました|済んだ|済みました|やった|やりました)(?:よ|ね)?",
    ),
    ("shop", r"(?:i |we )?(?:have |'ve )?(?:already )?(?:bought|got) (?:the |some )?(?P<item>.{1,80})"),
    ("todo", r"(?:i |we )?(?:have |'ve )?(?:already )?(?:finished|did) (?:the )?(?P<item>.{1,80})"),
)
_SHOWING = (
    rf"(?P<kind>{_KIND})リスト(?:を見せて|を教えて|の中身|には?何|は(?:何|どう)?).*",
    rf"(?:show|read|what(?:'s| is) on) .*(?P<kind>{_KIND}) list.*",
)
_LOOKING_UP = (
    r"(?P<item>.{1,200}?)(?:を|について)(?:検索|調べ|ググ)(?:して|て|といて|って).*",
    r"(?:please )?(?:search(?: the web)? for|look up|google) (?P<item>.{1,200})",
)
_CHECKBOX = re.compile(r'"([^"]+)" \(checkbox\)')
_TOOLS = frozenset({"create_page", "search_database", "update_page", "web_search"})


@dataclass(frozen=True, slots=True, kw_only=True)
class _Words:
    added: str
    ticked: str
    missing: str
    empty: str
    listed: str
    found: str


_JAPANESE = _Words(
    added="「{item}」をリストに追加しました。",
    ticked="「{item}」に済みの印をつけました。",
    missing="「{item}」はリストに見つかりませんでした。",
    empty="リストは空です。",
    listed="リストの中身です：{items}",
    found="「{item}」を調べました。代役なので、本当の検索結果ではありません。",
)
_ENGLISH = _Words(
    added="I added “{item}” to the list.",
    ticked="I ticked “{item}” off.",
    missing="I did not find “{item}” on the list.",
    empty="The list is empty.",
    listed="On the list: {items}",
    found="I looked “{item}” up. I am a stand-in, so this is no real search.",
)


def wants_search_itself(scene: Scene) -> bool:
    """Whether the request is a search: grounded, without functions."""
    return "googleSearch" in scene.request.built_in_tools and not scene.request.functions


def search(scene: Scene) -> Intent:
    """What a search would say."""
    return Say(text=_words(scene).found.format(item=scene.words.strip()))


def is_about_lists(scene: Scene) -> bool:
    """Whether the last message asks for something that a list or the web has to do with, and the tools for it are offered."""
    return _first_call(scene) is not None


def begin(scene: Scene) -> Intent:
    """The first call."""
    call = _first_call(scene)
    assert call is not None  # noqa: S101 - the rule recognised it
    return call


def is_result(scene: Scene) -> bool:
    """Whether a call of these came back well."""
    return bool(scene.results) and all(one.name in _TOOLS and one.error is None for one in scene.results)


def go_on(scene: Scene) -> Intent:
    """The next call, or what came of the last."""
    result = scene.results[-1]
    words = _words(scene)
    output = _mapping(result.response.get("output", result.response))
    item = _item(scene)
    match result.name:
        case "create_page":
            return Say(text=words.added.format(item=item))
        case "update_page":
            return Say(text=words.ticked.format(item=item))
        case "web_search":
            return Say(text=str(output.get("answer", "")))
    pages = output.get("pages")
    there = [_mapping(page) for page in pages] if isinstance(pages, list) else []
    if _matched(_SHOWING, scene):
        return Say(text=words.listed.format(items="、".join(_line(page) for page in there)) if there else words.empty)
    checkbox = _CHECKBOX.search(str(output.get("properties", "")))
    if not there or checkbox is None:
        return Say(text=words.missing.format(item=item))
    changes = json.dumps({checkbox[1]: True}, ensure_ascii=False)
    return Use(name="update_page", args={"page_id": str(there[0]["page_id"]), "properties": changes})


def _first_call(scene: Scene) -> Use | None:
    for find in (_adding, _done, _showing, _looking_up):
        call = find(scene)
        if call is not None and scene.offers(call.name):
            return call
    return None


def _adding(scene: Scene) -> Use | None:
    asked = _matched(_ADDING, scene)
    name = _database(scene, _KINDS[asked["kind"]]) if asked else None
    return (
        Use(name="create_page", args={"database_name": name, "title": asked["item"].strip()})
        if asked and name
        else None
    )


def _done(scene: Scene) -> Use | None:
    for kind, pattern in _DONE:
        told = re.fullmatch(pattern, scene.bare_words)
        name = _database(scene, kind) if told else None
        if told and name:
            return Use(name="search_database", args={"database_name": name, "query": told["item"].strip()})
    return None


def _showing(scene: Scene) -> Use | None:
    asked = _matched(_SHOWING, scene)
    name = _database(scene, _KINDS[asked["kind"]]) if asked else None
    return Use(name="search_database", args={"database_name": name}) if name else None


def _looking_up(scene: Scene) -> Use | None:
    asked = _matched(_LOOKING_UP, scene)
    return Use(name="web_search", args={"query": asked["item"].strip()}) if asked else None


def _item(scene: Scene) -> str:
    patterns = (*_ADDING, *(pattern for _, pattern in _DONE), *_LOOKING_UP)
    told = _matched(patterns, scene)
    return told["item"].strip() if told else scene.words


def _matched(patterns: tuple[str, ...], scene: Scene) -> re.Match[str] | None:
    found = (re.fullmatch(pattern, scene.bare_words) for pattern in patterns)
    return next((one for one in found if one is not None), None)


def _database(scene: Scene, kind: str) -> str | None:
    """The name of the database of that kind, as the declarations offer it."""
    for function in scene.request.callable_functions:
        declared = _mapping(_mapping(function.parameter_schema.get("properties")).get("database_name")).get("enum")
        for name in declared if isinstance(declared, list) else []:
            if kind in str(name).replace("_", ""):
                return str(name)
    return None


def _line(page: Mapping[str, Any]) -> str:
    values = _mapping(page.get("properties")).values()
    return f"{page.get('title')}{' ✓' if any(value is True for value in values) else ''}"


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _words(scene: Scene) -> _Words:
    return _JAPANESE if scene.phrases is JAPANESE else _ENGLISH
