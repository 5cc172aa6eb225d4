"""The rules for texts: length, emoji, and the substitutions of `textV2`.

Source: Messaging API reference, "Text message", "Text message (v2)".
"""

import re
from collections.abc import Callable
from typing import Final

from .messages import JsonObject
from .problems import Problems

TEXT_UNITS: Final = 5_000
SUBSTITUTIONS: Final = 100
MENTIONS: Final = 20
EMOJI: Final = 20
_PLACEHOLDER: Final = re.compile(r"\{\{|\}\}|\{([0-9a-zA-Z_]{1,20})\}|[{}]")

MayMention = Callable[[JsonObject], bool]
"""Whether a mentionee may be mentioned in the destination."""


def check_text(message: JsonObject, path: str, problems: Problems) -> None:
    """Check that a text has at most 5,000 UTF-16 units, and `$` at the place of each emoji."""
    text = problems.text(message, "text", path, most=TEXT_UNITS)
    units = text.encode("utf-16-le", "surrogatepass")
    for index, emoji in enumerate(problems.items(message, "emojis", path, least=0, most=EMOJI)):
        at = f"{path}.emojis[{index}]"
        problems.number(emoji, "index", at, least=0, most=TEXT_UNITS)
        problems.text(emoji, "productId", at, most=100)
        problems.text(emoji, "emojiId", at, most=100)
        start = emoji.get("index", 0) * 2
        if units[start : start + 2] != "$".encode("utf-16-le"):
            problems.add("The character at the index must be $", f"{at}.index")


def check_text_v2(message: JsonObject, path: str, problems: Problems, may_mention: MayMention | None) -> None:
    """Check that braces are doubled, or enclose a key of `substitution`.

    `may_mention` is None where the destination is not known, as in the validate endpoints, which cannot check membership.
    """
    text = problems.text(message, "text", path, most=TEXT_UNITS)
    substitution = message.get("substitution") or {}
    if not isinstance(substitution, dict) or len(substitution) > SUBSTITUTIONS:
        problems.add(f"Size must be between 0 and {SUBSTITUTIONS}", f"{path}.substitution")
        return
    for found in _PLACEHOLDER.finditer(text):
        if found[0] in {"{", "}"}:
            problems.add("Unbalanced braces, use {{ and }} for literal ones", f"{path}.text")
        elif found[1] and found[1] not in substitution:
            problems.add(f"{found[1]} is not found in substitution", f"{path}.text")
    mentions = [(key, value) for key, value in substitution.items() if value.get("type") == "mention"]
    if len(mentions) > MENTIONS:
        problems.add(f"Number of mentions must be between 0 and {MENTIONS}", f"{path}.substitution")
    for key, value in substitution.items():
        problems.choice(value, "type", f"{path}.substitution.{key}", of=("mention", "emoji"))
    for key, value in mentions:
        if may_mention is not None and not may_mention(value.get("mentionee") or {}):
            problems.add("The mentionee is not a member of the destination", f"{path}.substitution.{key}.mentionee")
