"""What people ask of a knowledge base, in Japanese and English: one pattern a wish, the first that fits counts."""

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
    "inbox": "受信箱",
}
_CATEGORIES = {
    "people": "人物?|people|person|contacts?",
    "projects": "プロジェクト|projects?",
    "ideas": "アイデア|ideas?",
    "admin": "用事|タスク|やること|tasks?|to-?dos?|admin",
    "inbox": "受信箱|inbox",
}
_CATEGORY = "|".join(_CATEGORIES.values())
_LONGEST = 1_000
_ENDS = " \t\n.,!?~…。、〜！？"
_PLEASE = r"(?:ください|くれる|くれますか|ね|よ)?"
_OF_ENTRY = frozenset({"get_entry", "update_entry", "move_entry", "delete_entry"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """The tool that does it, its arguments as far as the sentence gives them, and what it is about."""

    tool: str
    args: Mapping[str, object] = field(default_factory=dict)
    about: str = ""

    @property
    def needs_entry(self) -> bool:
        """Whether it is about one entry, whose path has to be found."""
        return self.tool in _OF_ENTRY


@dataclass(frozen=True, slots=True, kw_only=True)
class _Sentence:
    """`about`, `category`, `note` and `date` in a pattern become the parts of the wish that bear those names."""

    tool: str
    pattern: str
    args: Mapping[str, object] = field(default_factory=dict)


_SENTENCES = (
    _Sentence(tool="undo_last_change", pattern=rf"(?:やっぱり|今の|さっきの)?[は、]?(?:元に)?(?:戻して|取り消して|なしにして){_PLEASE}"),
    _Sentence(tool="undo_last_change", pattern=r"undo(?: that| it)?|(?:please )?take (?:that|it) back"),
    _Sentence(tool="generate_digest", pattern=r".*(?:週報|今週のまとめ|一週間のまとめ|週のふりかえり).*", args={"type": "weekly"}),
    _Sentence(tool="generate_digest", pattern=r".*\bweekly (?:review|digest|summary)\b.*", args={"type": "weekly"}),
    _Sentence(tool="generate_digest", pattern=r".*(?:ダイジェスト|今日のまとめ|日報).*", args={"type": "daily"}),
    _Sentence(tool="generate_digest", pattern=r".*\b(?:daily )?digest\b.*", args={"type": "daily"}),
    _Sentence(
        tool="move_entry",
        pattern=rf"(?:やっぱり|それ|これ|あれ|さっきの)[は、]*(?:やっぱり)?(?P<category>{_CATEGORY})"
        rf"(?:だった|です|だよ|だ|にして|に移して)?{_PLEASE}",
    ),
    _Sentence(tool="move_entry", pattern=rf"(?P<about>.+?)[をは](?P<category>{_CATEGORY})(?:に移して|にして|に変えて){_PLEASE}"),
    _Sentence(tool="move_entry", pattern=rf"(?:actually,? )?(?:that|it|this) (?:should be|is) (?:an? )?(?P<category>{_CATEGORY})"),
    _Sentence(tool="move_entry", pattern=rf"move (?P<about>.+?) to (?:the |my )?(?P<category>{_CATEGORY})"),
    _Sentence(tool="update_entry", pattern=rf"(?P<about>.+?)に「(?P<note>.+?)」(?:って|と)?(?:追記|メモ|書き足)し?て{_PLEASE}"),
    _Sentence(tool="update_entry", pattern=r"add (?:a note )?[“\"'](?P<note>.+?)[”\"'] to (?:the )?(?P<about>.+)"),
    _Sentence(
        tool="update_entry",
        pattern=rf"(?P<about>.+?)の(?:期限|締め切り)[はを](?P<date>\d{{4}}-\d{{2}}-\d{{2}})(?:です|にして|まで)?{_PLEASE}",
    ),
    _Sentence(tool="update_entry", pattern=r"(?:the )?(?P<about>.+?) is due (?:on )?(?P<date>\d{4}-\d{2}-\d{2})"),
    _Sentence(
        tool="update_entry",
        pattern=rf"(?P<about>.+?)[をはが、]*(?:終わった|終わりました|完了(?:した|しました|にして)?|片付いた|済んだ){_PLEASE}",
        args={"updates": {"status": "done"}},
    ),
    _Sentence(
        tool="update_entry",
        pattern=r"(?:mark )?(?:the )?(?P<about>.+?) (?:is|as) (?:done|finished|complete)",
        args={"updates": {"status": "done"}},
    ),
    _Sentence(tool="delete_entry", pattern=rf"(?P<about>.+?)[をは、]*(?:消して|削除して|忘れて){_PLEASE}"),
    _Sentence(tool="delete_entry", pattern=r"(?:please )?(?:delete|forget) (?:the )?(?P<about>.+)"),
    _Sentence(tool="list_entries", pattern=rf"(?:(?P<category>{_CATEGORY})の?)?(?:一覧|リスト)(?:を)?(?:見せて|出して|教えて)?{_PLEASE}"),
    _Sentence(
        tool="list_entries",
        pattern=rf"(?:show|list)(?: me)?(?: all)?(?: of)?(?: my| the)? (?:(?P<category>{_CATEGORY})|entries|notes)",
    ),
    _Sentence(tool="search_entries", pattern=rf"(?P<about>.+?)[をで、]*(?:検索して|探して|さがして){_PLEASE}"),
    _Sentence(tool="search_entries", pattern=r"(?:search|find|look)(?: for)? (?:entries (?:about|with) )?(?P<about>.+)"),
    _Sentence(tool="get_entry", pattern=rf"(?P<about>.+?)(?:について|のことを?)(?:詳しく|くわしく)?(?:教えて|見せて){_PLEASE}"),
    _Sentence(tool="get_entry", pattern=r"(?:tell me (?:more )?about|what do you know about|open) (?:the )?(?P<about>.+)"),
    _Sentence(
        tool="classify_and_capture",
        pattern=rf"(?P<about>.+?)[を、。って\s]*(?:覚えて|おぼえて|メモして|記録して|書きとめて|控えて)(?:おいて|て)?{_PLEASE}",
    ),
    _Sentence(tool="classify_and_capture", pattern=r"(?:メモ|記録|覚え書き)[:：、]\s*(?P<about>.+)"),
    _Sentence(tool="classify_and_capture", pattern=r"(?:please )?(?:remember|note|keep|save|capture)(?: that| this)?[:,]? (?P<about>.+)"),
    _Sentence(tool="classify_and_capture", pattern=r"(?:please )?(?:remember|note|keep|save) (?P<about>this|that|it)"),
)  # fmt: skip


def wish_in(words: str) -> Wish | None:
    """The wish that a sentence tells; None where it tells none."""
    sentence = words[:_LONGEST].strip(_ENDS)
    for one in _SENTENCES:
        told = re.fullmatch(one.pattern, sentence, re.IGNORECASE | re.DOTALL)
        if told:
            return _wish(one, {name: part.strip(_ENDS) for name, part in told.groupdict().items() if part})
    return None


def _wish(sentence: _Sentence, parts: Mapping[str, str]) -> Wish:
    args = dict(sentence.args)
    if "category" in parts:
        args["targetCategory" if sentence.tool == "move_entry" else "category"] = _category(parts["category"])
    if "note" in parts:
        args["updates"] = {"note": parts["note"]}
    if "date" in parts:
        args["updates"] = {"due_date": parts["date"]}
    if sentence.tool == "search_entries":
        args["query"] = parts["about"]
    return Wish(tool=sentence.tool, args=args, about=parts.get("about", ""))


def _category(word: str) -> str:
    return next(name for name, pattern in _CATEGORIES.items() if re.fullmatch(pattern, word, re.IGNORECASE))
