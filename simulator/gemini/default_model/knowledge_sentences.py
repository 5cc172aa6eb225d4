"""Japanese and English requests to the knowledge base, as patterns: the first matching pattern decides."""

# ruff: noqa: RUF001 -- full-width punctuation is how Japanese is written

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

CATEGORY_NAMES = {
    "people": "人",
    "projects": "プロジェクト",
    "ideas": "アイデア",
    "admin": "用事",
    "details": "メモ",
    "inbox": "受信箱",
}
_CATEGORY_WORDS = {word: name for name, word in CATEGORY_NAMES.items()} | {
    "person": "people", "people": "people", "project": "projects", "projects": "projects", "idea": "ideas",
    "ideas": "ideas", "detail": "details", "details": "details", "task": "admin", "tasks": "admin", "inbox": "inbox",
}  # fmt: skip
_CATEGORY = f"(?P<category>{'|'.join(sorted(_CATEGORY_WORDS, key=len, reverse=True))})"
_DIGESTS = {"今日": "daily", "今週": "weekly", "daily": "daily", "weekly": "weekly"}
_DONE = {"updates": {"status": "done"}}
_THE = r"(?:the |my |our )?"
_MAX_CHARACTERS = 1_000
_QUESTION = re.compile(r"[?？]\s*\Z")
_ENDS = " \t\n.,!?~…。、〜！？"
_TOOLS_FOR_AN_ENTRY = frozenset({"get_entry", "update_entry", "move_entry", "delete_entry"})


@dataclass(frozen=True, slots=True, kw_only=True)
class KnowledgeRequest:
    """The tool for a sentence, the arguments in the sentence, and the words for the entry or thought."""

    tool: str
    args: Mapping[str, object] = field(default_factory=dict)
    about: str = ""

    @property
    def needs_entry(self) -> bool:
        """Whether the tool needs the path of an entry."""
        return self.tool in _TOOLS_FOR_AN_ENTRY


# The groups `about`, `category`, `note`, `date` and `period` become arguments.
_SENTENCES: tuple[tuple[str, str, Mapping[str, object]], ...] = (
    ("undo_last_change", r"(?:やっぱり|さっきのを?)?(?:戻して|取り消して)", {}),
    ("undo_last_change", r"undo|(?:undo|take back|cancel) (?:that|it|this)", {}),
    ("generate_digest", r"(?P<period>今日|今週)のまとめ.*", {}),
    ("generate_digest", r".*\b(?P<period>daily|weekly) (?:digest|review)\b.*", {}),
    ("move_entry", rf"やっぱり{_CATEGORY}にして", {}),
    ("move_entry", rf"(?:actually,? )?that should be an? {_CATEGORY}", {}),
    ("update_entry", r"(?P<about>.+?)に「(?P<note>.+?)」と追記して", {}),
    ("update_entry", r"(?P<about>.+?)の期限は(?P<date>\d{4}-\d{2}-\d{2})です", {}),
    ("update_entry", r"(?P<about>.+?)は終わった", _DONE),
    ("update_entry", rf"mark {_THE}(?P<about>.+?) as done", _DONE),
    ("update_entry", rf"{_THE}(?P<about>.+?) is done", _DONE),
    ("delete_entry", r"(?P<about>.+?)を(?:消して|忘れて)", {}),
    (
        "delete_entry",
        rf"(?:delete|forget) (?!(?:it|that|this|me)$|what |about )({_THE}note about )?{_THE}(?P<about>.+)",
        {},
    ),
    ("list_entries", rf"(?:{_CATEGORY}の)?(?:一覧|メモ)を見せて", {}),
    ("list_entries", rf"show me my {_CATEGORY}", {}),
    ("list_entries", r"(?:show(?: me)?|list) (?:my|our|the|all) notes", {}),
    ("list_entries", r"(?:what|which) notes (?:do (?:i|we) have|are there)", {}),
    ("search_entries", r"(?P<about>.+?)を(?:探して|検索して)", {}),
    ("search_entries", r"search for (?P<about>.+)", {}),
    ("get_entry", r"(?P<about>.+?)について教えて", {}),
    ("get_entry", r"(?P<about>.+?)(?:って|は)何だっけ", {}),
    (
        "get_entry",
        rf"(?:tell me about|what do you know about|what (?:is|was) (?:the|our)) {_THE}(?P<about>.+?)(?: again)?",
        {},
    ),
    ("classify_and_capture", r"(?P<about>.+?)[を、。って\s]*(?:覚えて|メモして)(?:おいて)?", {}),
    ("classify_and_capture", r"(?:please )?(?:remember|note)(?: that|:) (?P<about>.+)", {}),
    (
        "classify_and_capture",
        r"(?:please )?(?:remember(?: to)?|note) (?!(?:when|what|how|who|me|us)\b)(?P<about>.+)",
        {},
    ),
)


def knowledge_request(words: str) -> KnowledgeRequest | None:
    """Return the sentence's request to the knowledge base; None for any other sentence."""
    sentence = words[:_MAX_CHARACTERS].strip(_ENDS)
    for tool, pattern, args in _SENTENCES:
        match = re.fullmatch(pattern, sentence, re.IGNORECASE | re.DOTALL)
        if match and not (tool == "classify_and_capture" and _QUESTION.search(words)):
            return _request(tool, args, {name: part.strip(_ENDS) for name, part in match.groupdict().items() if part})
    return None


def _request(tool: str, fixed_args: Mapping[str, object], parts: Mapping[str, str]) -> KnowledgeRequest:
    args = dict(fixed_args)
    if "category" in parts:
        category = _CATEGORY_WORDS[parts["category"].lower()]
        args["targetCategory" if tool == "move_entry" else "category"] = category
    if "period" in parts:
        args["type"] = _DIGESTS[parts["period"].lower()]
    if "note" in parts:
        args["updates"] = {"note": parts["note"]}
    if "date" in parts:
        args["updates"] = {"due_date": parts["date"]}
    if tool == "search_entries":
        args["query"] = parts["about"]
    return KnowledgeRequest(tool=tool, args=args, about=parts.get("about", ""))
