"""Suggestions: short things that a person might say next, which the model passes along with its reply."""

import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from shared.agent.receipts import without_receipt_symbols
from shared.agent.turn_context import TurnContext
from shared.conversation.records import OutcomeRecord
from shared.line.ids import mask_ids
from shared.line.messaging import LABEL_LIMIT
from shared.line.utf16 import utf16_length

MOST_SUGGESTIONS: Final = 4
_SLASH: Final = "/"
_LINK: Final = "://"


def with_suggestions(outcome: OutcomeRecord, suggestions: Sequence[str], context: TurnContext) -> OutcomeRecord:
    """Return the outcome with the usable suggestions.

    None in a tainted turn, because a stranger's words may have put them into the model's mouth; none under an answer that waits for a tap,
    and none under a message that does not address the bot.
    """
    if outcome.text is None or context.is_overheard or context.is_tainted or outcome.offer.may_be_pressed:
        return outcome
    usable = tuple(dict.fromkeys(_usable(suggestions)))[:MOST_SUGGESTIONS]
    return replace(outcome, offer=replace(outcome.offer, suggests=usable)) if usable else outcome


def with_going_on(outcome: OutcomeRecord, label: str) -> OutcomeRecord:
    """Return a cut answer with the suggestion to go on, before all others.  The words are the code's own: a tainted turn offers it, too."""
    suggests = tuple(dict.fromkeys((label, *outcome.offer.suggests)))[:MOST_SUGGESTIONS]
    return replace(outcome, offer=replace(outcome.offer, suggests=suggests))


def _usable(suggestions: Sequence[str]) -> Iterator[str]:
    """Yield the suggestions whose whole text fits on a button, without commands and links.

    For example, of "And tomorrow?", "/forget" and "Tell me everything about it" only the first is yielded.
    """
    for suggestion in suggestions:
        text = without_receipt_symbols(mask_ids(" ".join(suggestion.split()))).strip()
        is_short = 0 < utf16_length(text) <= LABEL_LIMIT
        if is_short and not unicodedata.normalize("NFKC", text).startswith(_SLASH) and _LINK not in text:
            yield text
