"""The rules for the knowledge base: people's requests, and the results in words.

A request about an entry searches for the entry first; the next round calls the tool itself.
"""

# ruff: noqa: RUF001 -- full-width punctuation is how Japanese is written

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from simulator.gemini.default_model.chat_facts import last_words
from simulator.gemini.default_model.knowledge_sentences import CATEGORY_NAMES, KnowledgeRequest, knowledge_request
from simulator.gemini.default_model.prompt import CallTool, Decision, Prompt, Say

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from simulator.gemini.default_model.phrases import Language

_FILED = re.compile(r"^\[filed\] (?:.*, )?(\S+\.md)$", re.MULTILINE)
_POINTS_BACK = re.compile(r"今の|this", re.IGNORECASE)
_ENTRIES_NAMED = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class _Words:
    """The texts about results in a language."""

    captured: str
    asks: str
    matches: str
    no_match: str
    updated: str
    moved: str
    deleted: str
    restored: str
    asks_which: str
    separator: str


_WORDS: Mapping[Language, _Words] = {
    "ja": _Words(
        captured="「{name}」を{category}に書きとめました。",
        asks="「{name}」はひとまず受信箱に入れました。{category}でいいですか？",
        matches="{total}件あります：{names}",
        no_match="見つかりませんでした。",
        updated="更新しました。",
        moved="{category}に移しました。",
        deleted="「{name}」を消しました。",
        restored="元に戻しました。",
        asks_which="どれのことですか？",
        separator="、",
    ),
    "en": _Words(
        captured="I filed “{name}” under {category}.",
        asks="“{name}” is in the inbox for now. Is it one of your {category}?",
        matches="{total} found: {names}",
        no_match="I found nothing.",
        updated="Updated.",
        moved="Moved to {category}.",
        deleted="I deleted “{name}”.",
        restored="It is as it was before.",
        asks_which="Which one do you mean?",
        separator=", ",
    ),
}


def is_request(prompt: Prompt) -> bool:
    """Whether the last message is a request for an offered tool of the knowledge base."""
    return not prompt.results and _request(prompt) is not None


def begin(prompt: Prompt) -> Decision:
    """Call the tool, or search for the entry first."""
    request = _known_request(prompt)
    words = _WORDS[prompt.language]
    if request.tool == "classify_and_capture":
        points_back = _POINTS_BACK.fullmatch(request.about)
        text = last_words(prompt.messages, prompt.phrases) if points_back else request.about
        return CallTool(name=request.tool, args={"text": text}) if text else Say(text=words.asks_which)
    if not request.needs_entry:
        return CallTool(name=request.tool, args=request.args)
    if request.about:
        return CallTool(name="search_entries", args={"query": request.about})
    path = _last_entry_path(prompt)
    return CallTool(name=request.tool, args={"path": path, **request.args}) if path else Say(text=words.asks_which)


def has_search_result(prompt: Prompt) -> bool:
    """Whether the search for the entry of a request is done."""
    request = _request(prompt)
    is_search = [result.name for result in prompt.results] == ["search_entries"]
    return is_search and request is not None and request.needs_entry


def use_entry(prompt: Prompt) -> Decision:
    """Call the tool for the best hit."""
    entries = _output(prompt).get("entries") or []
    if not entries:
        return Say(text=_WORDS[prompt.language].no_match)
    request = _known_request(prompt)
    return CallTool(name=request.tool, args={"path": entries[0]["path"], **request.args})


def has_result(prompt: Prompt) -> bool:
    """Whether a tool of the knowledge base succeeded."""
    return len(prompt.results) == 1 and prompt.results[0].error is None and prompt.results[0].name in _REPORTS


def report(prompt: Prompt) -> Decision:
    """Say what the tool did."""
    return Say(text=_REPORTS[prompt.results[0].name](_output(prompt), _WORDS[prompt.language], prompt))


def _report_capture(output: Mapping[str, Any], words: _Words, prompt: Prompt) -> str:
    if output["clarificationNeeded"]:
        return words.asks.format(name=output["name"], category=_category(output["suggestedCategory"], prompt))
    return words.captured.format(name=output["name"], category=_category(output["category"], prompt))


def _report_entries(output: Mapping[str, Any], words: _Words, _: Prompt) -> str:
    names = [entry["name"] for entry in output["entries"][:_ENTRIES_NAMED]]
    return words.matches.format(total=output["total"], names=words.separator.join(names)) if names else words.no_match


def _report_entry(output: Mapping[str, Any], _: _Words, __: Prompt) -> str:
    entry = output["entry"]
    text = entry["content"] or entry.get("original_text")
    lines = (entry["name"], entry.get("next_action"), entry.get("due_date"), text)
    return "\n".join(str(line) for line in lines if line)


_REPORTS: Mapping[str, Callable[[Mapping[str, Any], _Words, Prompt], str]] = {
    "classify_and_capture": _report_capture,
    "list_entries": _report_entries,
    "search_entries": _report_entries,
    "get_entry": _report_entry,
    "generate_digest": lambda output, _, __: str(output["content"]),
    "update_entry": lambda _, words, __: words.updated,
    "move_entry": lambda output, words, prompt: words.moved.format(category=_category(output["category"], prompt)),
    "delete_entry": lambda output, words, _: words.deleted.format(name=output["name"]),
    "undo_last_change": lambda _, words, __: words.restored,
}


def _request(prompt: Prompt) -> KnowledgeRequest | None:
    request = knowledge_request(prompt.words)
    return request if request is not None and prompt.offers(request.tool) else None


def _known_request(prompt: Prompt) -> KnowledgeRequest:
    request = _request(prompt)
    assert request is not None  # noqa: S101 -- the rule recognised it
    return request


def _output(prompt: Prompt) -> Mapping[str, Any]:
    output = prompt.results[0].response.get("output")
    return output if isinstance(output, dict) else {}


def _last_entry_path(prompt: Prompt) -> str | None:
    texts = (text for content in reversed(prompt.request.contents) for text in reversed(content.texts))
    return next((paths[-1] for text in texts if (paths := _FILED.findall(text))), None)


def _category(category: str, prompt: Prompt) -> str:
    return CATEGORY_NAMES[category] if prompt.language == "ja" else category
