"""How the stand-in uses a knowledge base: what people ask of it in plain sentences, and what came of it in words.

Relies on `wishes` for the sentences. A wish about an entry searches for it first; the rest of the wish follows in the next round.
"""

# ruff: noqa: RUF001 -- full-width punctuation is how Japanese is written

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from simulator.gemini.recall import last_words
from simulator.gemini.scene import Intent, Say, Scene, Use
from simulator.gemini.wishes import CATEGORY_NAMES, Wish, wish_in

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from simulator.gemini.phrases import Language

_FILED = re.compile(r"\[note\] Filed then: (\S+)")
_POINTS_BACK = re.compile(r"今の|いまの|これ|それ|あれ|さっきの|this|that|it|the last one", re.IGNORECASE)
_SHOWN = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class _Words:
    """What one language says about results."""

    captured: str
    asks: str
    found: str
    found_nothing: str
    updated: str
    moved: str
    deleted: str
    undone: str
    which: str
    between: str


_WORDS: Mapping[Language, _Words] = {
    "ja": _Words(
        captured="「{name}」を{category}に書きとめました。",
        asks="「{name}」はひとまず受信箱に入れました。{category}でいいですか？",
        found="{total}件あります：{names}",
        found_nothing="見つかりませんでした。",
        updated="更新しました。",
        moved="{category}に移しました。",
        deleted="「{name}」を消しました。",
        undone="元に戻しました。",
        which="どれのことですか？",
        between="、",
    ),
    "en": _Words(
        captured="I filed “{name}” under {category}.",
        asks="“{name}” is in the inbox for now. Is it one of your {category}?",
        found="{total} found: {names}",
        found_nothing="I found nothing.",
        updated="Updated.",
        moved="Moved to {category}.",
        deleted="I deleted “{name}”.",
        undone="It is as it was before.",
        which="Which one do you mean?",
        between=", ",
    ),
}


def wants_keeping(scene: Scene) -> bool:
    """Whether the last message asks something of the knowledge base, and the tools for it are there."""
    return not scene.results and _wish(scene) is not None


def begin(scene: Scene) -> Intent:
    """The first step towards the wish."""
    wish = _known(scene)
    if wish.tool == "classify_and_capture":
        text = last_words(scene.messages, scene.phrases) if _POINTS_BACK.fullmatch(wish.about) else wish.about
        return Use(name=wish.tool, args={"text": text}) if text else Say(text=_words(scene).which)
    if not wish.needs_entry:
        return Use(name=wish.tool, args=wish.args)
    if wish.about and not _POINTS_BACK.fullmatch(wish.about):
        return Use(name="search_entries", args={"query": wish.about})
    path = _filed_last(scene)
    return Use(name=wish.tool, args={"path": path, **wish.args}) if path else Say(text=_words(scene).which)


def has_found_entry(scene: Scene) -> bool:
    """Whether the search that was only the first step is over."""
    wish = _wish(scene)
    return wish is not None and wish.needs_entry and [one.name for one in scene.results] == ["search_entries"]


def go_on(scene: Scene) -> Intent:
    """The wish itself, about the best hit."""
    hits = _output(scene).get("entries") or []
    if not hits:
        return Say(text=_words(scene).found_nothing)
    wish = _known(scene)
    return Use(name=wish.tool, args={"path": hits[0]["path"], **wish.args})


def has_kept(scene: Scene) -> bool:
    """Whether there is a result of the knowledge base to put into words."""
    return len(scene.results) == 1 and scene.results[0].error is None and scene.results[0].name in _TOLD


def tell(scene: Scene) -> Intent:
    """What came of it."""
    return Say(text=_TOLD[scene.results[0].name](_output(scene), _words(scene), scene))


def _tell_captured(output: Mapping[str, Any], words: _Words, scene: Scene) -> str:
    if output["clarificationNeeded"]:
        return words.asks.format(name=output["name"], category=_category(output["suggestedCategory"], scene))
    return words.captured.format(name=output["name"], category=_category(output["category"], scene))


def _tell_entries(output: Mapping[str, Any], words: _Words, _: Scene) -> str:
    names = [entry["name"] for entry in output["entries"][:_SHOWN]]
    return words.found.format(total=output["total"], names=words.between.join(names)) if names else words.found_nothing


def _tell_entry(output: Mapping[str, Any], _: _Words, __: Scene) -> str:
    entry = output["entry"]
    told = (
        entry["name"],
        entry.get("next_action"),
        entry.get("due_date"),
        entry["content"] or entry.get("original_text"),
    )
    return "\n".join(str(one) for one in told if one)


_TOLD: Mapping[str, Callable[[Mapping[str, Any], _Words, Scene], str]] = {
    "classify_and_capture": _tell_captured,
    "list_entries": _tell_entries,
    "search_entries": _tell_entries,
    "get_entry": _tell_entry,
    "generate_digest": lambda output, _, __: str(output["content"]),
    "update_entry": lambda _, words, __: words.updated,
    "move_entry": lambda output, words, scene: words.moved.format(category=_category(output["category"], scene)),
    "delete_entry": lambda output, words, _: words.deleted.format(name=output["name"]),
    "undo_last_change": lambda _, words, __: words.undone,
}


def _wish(scene: Scene) -> Wish | None:
    wish = wish_in(scene.words)
    return wish if wish is not None and scene.offers(wish.tool) else None


def _known(scene: Scene) -> Wish:
    wish = _wish(scene)
    assert wish is not None  # noqa: S101 -- recognised before
    return wish


def _output(scene: Scene) -> Mapping[str, Any]:
    output = scene.results[0].response.get("output")
    return output if isinstance(output, dict) else {}


def _filed_last(scene: Scene) -> str | None:
    texts = (text for content in reversed(scene.request.contents) for text in reversed(content.texts))
    return next((filed[1] for text in texts if (filed := _FILED.fullmatch(text.strip()))), None)


def _words(scene: Scene) -> _Words:
    return _WORDS.get(scene.language, _WORDS["en"])


def _category(category: str, scene: Scene) -> str:
    return CATEGORY_NAMES[category] if scene.language == "ja" else category
