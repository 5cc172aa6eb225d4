"""LINE's own emoji in a text message: placeholders such as "(love)" or "()" at the places that `emojis` names.

Source: LINE, "Text message (webhook)": `emojis[].index` and `length` count UTF-16 units; the text there is the emoji's name in
parentheses. Some clients send "()" (openclaw/openclaw #132082).
"""

import re
from collections.abc import Mapping
from typing import Final

_MOST: Final = 200
_PARENTHESES: Final = 2
_FIRST, _REST = "\ufdd1", "\ufdd2"
"""Noncharacters, in whose places an emoji stands until the text has lost its mentions."""
_MARK: Final = re.compile(f"{_FIRST}{_REST}*")


def with_marked_emojis(fields: Mapping[str, object]) -> tuple[str, tuple[str, ...]]:
    """Return the text with marks in the place of each emoji, and the names of the emojis in their order.

    The marks are as long as the placeholder, so that the places of mentions hold. An emoji whose place holds no placeholder is passed over.
    """
    text, emojis = fields.get("text"), fields.get("emojis")
    text = text if isinstance(text, str) else ""
    if not isinstance(emojis, list) or _FIRST in text or _REST in text:
        return text, ()
    units, names = text.encode("utf-16-le", "surrogatepass"), dict[int, str]()
    for emoji in emojis[:_MOST]:
        start = 2 * _count(emoji, "index")
        end = start + 2 * _count(emoji, "length")
        placeholder = units[start:end].decode("utf-16-le", "replace")
        if len(placeholder) >= _PARENTHESES and (placeholder[0], placeholder[-1]) == ("(", ")"):
            marks = _FIRST + _REST * ((end - start) // 2 - 1)
            units = units[:start] + marks.encode("utf-16-le") + units[end:]
            names[start] = placeholder[1:-1]
    return units.decode("utf-16-le", "surrogatepass"), tuple(names[start] for start in sorted(names))


def with_emoji_names(text: str, names: tuple[str, ...]) -> str:
    """Return the text with the marks replaced by the emojis: `[emoji: love]`, or `[emoji]` for one without a name."""
    remaining = iter(names)

    def shown(_: re.Match[str]) -> str:
        name = " ".join(next(remaining, "").split())
        return f"[emoji: {name}]" if name else "[emoji]"

    return _MARK.sub(shown, text) if names else text


def _count(emoji: object, key: str) -> int:
    value = emoji.get(key) if isinstance(emoji, dict) else None
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else 0
