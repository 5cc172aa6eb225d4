"""The rules for links, from plain sentences: `https://example.com/を要約して` and `read https://example.com/` have the page read."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from simulator.gemini.default_model.prompt import CallTool, Decision, Prompt, Say

if TYPE_CHECKING:
    from collections.abc import Mapping

    from simulator.gemini.default_model.phrases import Language

_TOOL: Final = "read_link"
_LINK: Final = re.compile(r"https?://[!-~]+")
_ORDER: Final = re.compile(
    r"読んで|要約|まとめて|何て書いて|read|sum (?:it )?up|summari[sz]e|what (?:does|is)|總結|摘要|สรุป|อ่าน",
    re.IGNORECASE,
)
_QUESTION: Final[Mapping[Language, str]] = {"ja": "要約して", "en": "Sum it up"}


def first_call(prompt: Prompt) -> CallTool | None:
    """Return the call that reads the link of the last message; None if it asks for none, or the tool is not offered."""
    link = _LINK.search(prompt.words)
    if link is None or not _ORDER.search(_LINK.sub(" ", prompt.words)) or not prompt.offers(_TOOL):
        return None
    return CallTool(name=_TOOL, args={"url": link[0], "question": _QUESTION[prompt.language]})


def has_result(prompt: Prompt) -> bool:
    """Whether the last round read a page."""
    return prompt.has_results_of(frozenset({_TOOL}))


def report(prompt: Prompt) -> Decision:
    """Say the answer from the page."""
    return Say(text=str(prompt.output.get("answer", "")))
