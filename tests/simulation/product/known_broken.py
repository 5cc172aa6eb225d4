"""Sentences of the checks that the product is known to break; a schedule with no other violation does not fail the suite.

Each has a scene in `scenes.KNOWN_BROKEN` where one is short enough.  A sentence leaves this list with the change that mends the product.
"""

import re
from collections.abc import Mapping
from typing import Final

KNOWN_BROKEN: Final[Mapping[str, str]] = {
    r"I6: writes of turns/ met 429 until": "of many who want to open a turn while edits move it, one may lose each of its tries for 10 s",
    r"I5: an object under turns/ met more than": "the same",
    r"I1: a request failed in calm weather: WriteLimitError": "the same",
}
"""By pattern of the sentence: why it is broken."""


def is_known(sentence: str) -> bool:
    """Whether a violation is one that the product is known for."""
    return any(re.match(pattern, sentence) for pattern in KNOWN_BROKEN)
