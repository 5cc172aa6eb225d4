"""Sentences of the checks that the product is known to break; a schedule with no other violation does not fail the suite.

Each has a scene in `scenes.KNOWN_BROKEN` where one is short enough.  A sentence leaves this list with the change that mends the product.
"""

import re
from collections.abc import Mapping
from typing import Final

KNOWN_BROKEN: Final[Mapping[str, str]] = {
    r"I6: writes of turns/ met 429 until": "of many who want to open a turn while edits move it, one may lose each of its tries for 10 s",
    r"I1: a request failed in calm weather: WriteLimitError": "the same",
    r"I4: \S+ is still in calls/": "a call is erased by the time of its intent, not by that of the messages behind it",
    r"I2: Notion has \d+ pages for": "a call is known by the oldest message that waits, which may be another one the next time",
    r"I4: a classification that started after": "a tool of a round asks the model without a look at the amendments",
}
"""By pattern of the sentence: why it is broken."""


def is_known(sentence: str) -> bool:
    """Whether a violation is one that the product is known for."""
    return any(re.match(pattern, sentence) for pattern in KNOWN_BROKEN)
