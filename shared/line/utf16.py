"""Characters as wires count and take them; nothing beyond the standard library."""

import re
from typing import Final

_SURROGATE: Final = re.compile(r"[\ud800-\udfff]")


def utf16_length(text: str) -> int:
    """Return how long LINE says that the text is.  Source: LINE, "Character counting in a text": UTF-16 code units."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def without_lone_surrogates(text: str) -> str:
    """Return the text with halves of characters replaced, because no wire takes them."""
    return _SURROGATE.sub("\N{REPLACEMENT CHARACTER}", text)
