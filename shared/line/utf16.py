"""Text in UTF-16 units, and without lone surrogates; imports the standard library only."""

import re
from typing import Final

TEXT_LIMIT_UTF16: Final = 5_000  # Source: LINE, "Text message"
_SURROGATE: Final = re.compile(r"[\ud800-\udfff]")


def utf16_length(text: str) -> int:
    """Return the length in UTF-16 units, as LINE counts: `utf16_length("👍")` -> 2.  Source: LINE, "Character counting in a text"."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def without_lone_surrogates(text: str) -> str:
    """Return the text with U+FFFD for every lone surrogate, because UTF-8 cannot encode a surrogate."""
    return text if text.isascii() else _SURROGATE.sub("\N{REPLACEMENT CHARACTER}", text)
