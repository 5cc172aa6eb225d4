"""Sentences of the checks that the product is known to break; a schedule with no other violation does not fail the suite.

Each is also a scene in `scenes.KNOWN_BROKEN` where one was made.  A sentence leaves this list with the change that mends the product.
"""

import re
from collections.abc import Mapping
from typing import Final

KNOWN_BROKEN: Final[Mapping[str, str]] = {}
"""By pattern of the sentence: what is wrong."""


def is_known(sentence: str) -> bool:
    """Whether a violation is one that the product is known for."""
    return any(re.match(pattern, sentence) for pattern in KNOWN_BROKEN)
