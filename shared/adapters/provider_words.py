"""Words from a provider's closed set, such as a status or a finish reason, checked before they are logged."""

import re
from typing import Final

_WORD: Final = re.compile(r"[A-Za-z][A-Za-z_]{0,63}")


def provider_word(value: object) -> str:
    """Return the word, for example `MAX_TOKENS`; "unknown" for any other value, because it may be a text of people."""
    return value if isinstance(value, str) and _WORD.fullmatch(value) else "unknown"
