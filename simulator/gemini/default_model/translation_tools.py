"""The rules for translation between a group's members, from plain sentences.

`このグループは日本語とタイ語で` and `translate Japanese and Thai here` begin, `翻訳をやめて` ends, and `訳さないで: Momo` keeps a word.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from simulator.gemini.default_model.prompt import CallTool, Decision, Prompt, Say

if TYPE_CHECKING:
    from collections.abc import Mapping

    from simulator.gemini.default_model.phrases import Language

_NAME: Final = "propose_translation"
_CODES: Final[Mapping[str, str]] = {
    "日本語": "ja",
    "タイ語": "th",
    "台湾華語": "zh-TW",
    "ベトナム語": "vi",
    "英語": "en",
    "japanese": "ja",
    "thai": "th",
    "chinese": "zh-TW",
    "vietnamese": "vi",
    "english": "en",
}
_LANGUAGE: Final = "|".join(_CODES)
_BEGINNINGS: Final = (
    rf"このグループは(?P<first>{_LANGUAGE})と(?P<second>{_LANGUAGE})で",
    rf"translate (?P<first>{_LANGUAGE}) and (?P<second>{_LANGUAGE}) here",
)
_ENDS: Final = (r"翻訳をやめて", r"stop translating")
_KEPT: Final = (r"訳さないで[:\uff1a] ?(?P<word>.{1,40})", r"do not translate: (?P<word>.{1,40})")
_ANSWER: Final[Mapping[Language, str]] = {"ja": "下のボタンでどうぞ。", "en": "Press the button below."}


def first_call(prompt: Prompt) -> CallTool | None:
    """Return the requested call; None if the last message requests none, or the tool is not offered."""
    if begun := prompt.match(_BEGINNINGS):
        languages = [_CODES[begun[place].casefold()] for place in ("first", "second")]
        call = CallTool(name=_NAME, args={"change": "begin", "languages": languages})
    elif kept := prompt.match(_KEPT):
        call = CallTool(name=_NAME, args={"change": "keep_word", "word": kept["word"].strip()})
    elif prompt.match(_ENDS):
        call = CallTool(name=_NAME, args={"change": "end"})
    else:
        return None
    return call if prompt.offers(_NAME) else None


def has_result(prompt: Prompt) -> bool:
    """Whether all calls of the last round offered something about translation, and succeeded."""
    return prompt.has_results_of(frozenset({_NAME}))


def report(prompt: Prompt) -> Decision:
    """Say a few words: the product itself puts the question with its button below them."""
    return Say(text=_ANSWER[prompt.language])
