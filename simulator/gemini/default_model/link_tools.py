"""The rules for links, from plain sentences: `https://example.com/を要約して` and `read https://example.com/` have the page read.

A link to YouTube has the video watched.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from simulator.gemini.default_model.prompt import CallTool, Decision, Prompt, Say

if TYPE_CHECKING:
    from collections.abc import Mapping

    from simulator.gemini.default_model.phrases import Language

_TOOLS: Final = frozenset({"read_link", "watch_video"})
_LINK: Final = re.compile(r"https?://[!-~]+")
_VIDEO: Final = re.compile(r"https?://(?:[a-z]+\.)?(?:youtube\.com|youtu\.be)/")
_ORDER: Final = re.compile(
    r"読んで|見て|watch|要約|まとめて|何て書いて|read|sum (?:it )?up|summari[sz]e|what (?:does|is)|總結|摘要|สรุป|อ่าน",
    re.IGNORECASE,
)
_QUESTION: Final[Mapping[Language, str]] = {"ja": "要約して", "en": "Sum it up"}


def first_call(prompt: Prompt) -> CallTool | None:
    """Return the call that reads the link of the last message; None if it asks for none, or the tool is not offered."""
    link = _LINK.search(prompt.words)
    if link is None or not _ORDER.search(_LINK.sub(" ", prompt.words)):
        return None
    name = "watch_video" if _VIDEO.match(link[0]) else "read_link"
    if not prompt.offers(name):
        return None
    return CallTool(name=name, args={"url": link[0], "question": _QUESTION[prompt.language]})


def has_result(prompt: Prompt) -> bool:
    """Whether the last round read a page or watched a video."""
    return prompt.has_results_of(_TOOLS)


def report(prompt: Prompt) -> Decision:
    """Say the answer from the page or the video."""
    return Say(text=str(prompt.output.get("answer", "")))
