"""Words that a provider takes from a closed set, such as a status or a finish reason, checked before they are logged."""

import re
from typing import Final

_WORD: Final = re.compile(r"[A-Za-z][A-Za-z_]{0,63}")


def provider_word(value: object) -> str:
    """Return the word; "unknown" for a value that does not look like one, because it may be a text of people."""
    return value if isinstance(value, str) and _WORD.fullmatch(value) else "unknown"
