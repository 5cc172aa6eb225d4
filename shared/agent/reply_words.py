"""The words of a reply as people would see them: without links that nobody gave."""

import re
from dataclasses import replace
from typing import Final

from shared import logs
from shared.agent.receipts import Deed, is_blank, without_marks
from shared.agent.taint import Readings
from shared.agent.turn_context import TurnContext
from shared.line.bubbles import shown_text

_ONLY_LINKS: Final = re.compile(r"(?:\s*\[[^\[\]\n]*\]\([^()\s]*\))+\s*")
"""A message of nothing but `[words](link)`."""


def is_blank_reply(readings: Readings, message: str | None) -> bool:
    """Whether people would see nothing of the message, or nothing but the words of links that are taken out."""
    if message is None:
        return False
    strange = 0

    def without_links(text: str) -> str:
        nonlocal strange
        text, strange = readings.without_strange_links(text)
        return text

    text = shown_text(message, cleaned=without_links)
    return is_blank(without_marks(text)) or (strange > 0 and _ONLY_LINKS.fullmatch(message) is not None)


def without_strange_links(readings: Readings, text: str) -> str:
    """Return the text with "…" in place of links that nobody gave, so that sentences stay whole; the log counts them."""
    text, strange = readings.without_strange_links(text, instead="…")
    if strange:
        logs.warning("links_removed", links=strange)
    return text


def deeds_without_strange_links(context: TurnContext) -> tuple[Deed, ...]:
    """Return what the turn did, with names in which there is no link that nobody gave."""
    return tuple(replace(one, name=context.readings.without_strange_links(one.name)[0]) for one in context.deeds)
