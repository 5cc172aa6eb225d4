"""Sentences of the checks that the product is known to break; a schedule with no other violation does not fail the suite.

Each has a scene in `scenes.KNOWN_BROKEN` where one is short enough.  A sentence leaves this list with the change that mends the product.
"""

import re
from collections.abc import Mapping
from typing import Final

_BOUNDED: Final = r"(I1: \S+ was never|I2: .*(history|answered twice|told twice)|I6: \S+ (met silence|was pressed)).*\(bounds small\)$"

KNOWN_BROKEN: Final[Mapping[str, str]] = {
    r"I1: a request failed in calm weather: TurnBusyError": "more turns than fit into a minute wait for one chat",
    r"I1: a request failed in calm weather: WriteLimitError": "a burst of withdrawals competes for the turn or the snapshot",
    r"I6: writes of (turns|snapshots)/ met 429 until": "the same",
    r"I5: an object under (turns|snapshots)/ met more than": "the same",
    r"I6: a request took longer than its deadline of \d+ s": "the same",
    _BOUNDED: "what a reader lists decides whether a message counts as answered, until the turn tells it",
    r"I6: a delivery waited for a thread": "waiting deliveries of one chat hold the threads of all",
    r"I4: an answer lost its words although": "provenance is inherited from answers and recaps",
    r"I4: an interjection was committed to the text from before": "the same as the next",
    r"I4: an interjection's prompt held the text from before": "an interjection is about the text of its event, not the edited one",
    r"I4: \S+ is still in calls/": "a call is erased by the time of its intent, not by that of the messages behind it",
    r"I2: Notion has \d+ pages for": "a call is known by the oldest message that waits, which may be another one the next time",
    r"I4: a classification that started after": "a tool of a round asks the model without a look at the amendments",
}
"""By pattern of the sentence: why it is broken."""


def is_known(sentence: str) -> bool:
    """Whether a violation is one that the product is known for."""
    return any(re.match(pattern, sentence) for pattern in KNOWN_BROKEN)
