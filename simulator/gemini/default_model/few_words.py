"""The end of a call whose receipt and card say everything: the product writes both below the answer, so a few words are enough."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from simulator.gemini.default_model import expense_tools, poll_tools, shared_list_tools
from simulator.gemini.default_model.prompt import Decision, Prompt, Say
from simulator.gemini.default_model.transcript import is_thai

if TYPE_CHECKING:
    from collections.abc import Mapping

    from simulator.gemini.default_model.phrases import Language

_TOOLS: Final = expense_tools.TOOLS | poll_tools.TOOLS | shared_list_tools.TOOLS
_WORDS: Final[Mapping[Language, str]] = {"ja": "わかりました。", "en": "All right."}
_THAI_WORDS: Final = "ได้เลย"


def are_enough(prompt: Prompt) -> bool:
    """Whether all calls of the last round were for such tools, and succeeded."""
    return prompt.has_results_of(_TOOLS)


def say(prompt: Prompt) -> Decision:
    """Say a few words."""
    return Say(text=words_for(prompt))


def words_for(prompt: Prompt) -> str:
    """Return a few words in the language of the last message, Thai included."""
    return _THAI_WORDS if is_thai(prompt.words) else _WORDS[prompt.language]
