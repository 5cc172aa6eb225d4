"""The words of a reply as people would see them, without untrusted links: links from neither a function nor a person."""

import re
from dataclasses import replace
from typing import Final

from shared import logs
from shared.agent.receipts import Deed, is_blank, without_receipt_symbols
from shared.agent.remedies import BLANK, STRANGE_LINK, Trouble
from shared.agent.taint import UntrustedInput
from shared.agent.turn_context import TurnContext
from shared.late_patterns import late
from shared.line.bubbles import shown_text

_ONLY_LINKS: Final = late(re.compile, r"(?:\s*\[[^\[\]\n]*\]\([^()\s]*\))+\s*")
"""A message of nothing but `[words](link)`."""
_HOLE: Final = "\ufdd0"
"""A noncharacter, where a link was."""
_OPENING: Final = r"[(\uff08\[<【〈]"
_CLOSING: Final = r"[)\uff09\]>】〉]"
_BRACKETED: Final = late(re.compile, rf"[^\S\n]*{_OPENING}\s*+{_HOLE}(?:[\s,、\uff0c・/]*+{_HOLE})*+\s*+{_CLOSING}")
_ONLY_A_HOLE: Final = late(re.compile, rf"[\s\-*+•・]*+(?:[0-9]{{1,3}}[.)])?\s*+{_HOLE}[\s{_HOLE}]*+")


def trouble_with_reply(untrusted_input: UntrustedInput, message: str | None) -> Trouble | None:
    """Return the trouble with a message as people would see it: the message is blank, or loses links."""
    if message is None:
        return None
    strange = 0

    def without_links(text: str) -> str:
        nonlocal strange
        text, strange = untrusted_input.without_strange_links(text)
        return text

    text = shown_text(message, cleaned=without_links)
    if is_blank(without_receipt_symbols(text)) or (strange > 0 and _ONLY_LINKS.fullmatch(message) is not None):
        return BLANK
    return STRANGE_LINK if strange else None


def without_strange_links(untrusted_input: UntrustedInput, text: str) -> str:
    """Return the text without untrusted links, in whole sentences; the log counts the removed links.

    "…" replaces a link. Brackets and lines that held only a link are removed: `Shop (https://a.example)` becomes `Shop`.
    """
    text, strange = untrusted_input.without_strange_links(text, instead=_HOLE)
    if not strange:
        return text
    logs.warning("links_removed", links=strange)
    text = _BRACKETED.sub("", text)
    lines = text.split("\n")
    worded = [one for one in lines if not _ONLY_A_HOLE.fullmatch(one)]
    return "\n".join(worded if any(map(str.strip, worded)) else lines).replace(_HOLE, "…")


def deeds_without_strange_links(context: TurnContext) -> tuple[Deed, ...]:
    """Return the turn's effects, with names and details without untrusted links."""

    def without(text: str) -> str:
        return context.untrusted_input.without_strange_links(text)[0]

    return tuple(
        replace(
            deed,
            name=without(deed.name),
            details=tuple(map(without, deed.details)),
            closes=tuple(map(without, deed.closes)),
            shares=tuple(map(without, deed.shares)),
            payer=without(deed.payer),
        )
        for deed in context.deeds
    )
