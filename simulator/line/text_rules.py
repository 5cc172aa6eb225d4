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
_USER_ID_CHARACTERS: Final = 100
_DOLLAR: Final = "$".encode("utf-16-le")
_PLACEHOLDER: Final = re.compile(r"\{\{|\}\}|\{([0-9a-zA-Z_]{1,20})\}|[{}]")

MayMention = Callable[[JsonObject], bool]
"""Whether a mentionee may be mentioned in the destination."""


def check_text(message: JsonObject, path: str, problems: Problems) -> None:
    """Check a text for at most 5,000 UTF-16 units, and for `$` at the place of each emoji."""
    text = problems.text(message, "text", path, most=TEXT_UNITS)
    units = text.encode("utf-16-le", "surrogatepass")
    for index, emoji in enumerate(problems.items(message, "emojis", path, least=0, most=EMOJI)):
        at = f"{path}.emojis[{index}]"
        problems.number(emoji, "index", at, least=0, most=TEXT_UNITS)
        _check_emoji(emoji, at, problems)
        start = emoji.get("index")
        if isinstance(start, int) and units[start * 2 : start * 2 + 2] != _DOLLAR:
            problems.add("The character at the index must be $", f"{at}.index")


def check_text_v2(message: JsonObject, path: str, problems: Problems, may_mention: MayMention | None) -> None:
    """Check braces: doubled, or around a key of `substitution`.

    For example, "{{literal}} {user}" needs a substitution `user`. `may_mention` is None for an unknown destination, as in the validate
    endpoints: membership then cannot be checked.
    """
    text = problems.text(message, "text", path, most=TEXT_UNITS)
    substitution = {} if message.get("substitution") is None else problems.object(message, "substitution", path)
    if len(substitution) > SUBSTITUTIONS:
        problems.add(f"Size must be between 0 and {SUBSTITUTIONS}", f"{path}.substitution")
        return
    for placeholder in _PLACEHOLDER.finditer(text):
        if placeholder[0] in {"{", "}"}:
            problems.add("Unbalanced braces, use {{ and }} for literal ones", f"{path}.text")
        elif placeholder[1] and placeholder[1] not in substitution:
            problems.add(f"{placeholder[1]} is not found in substitution", f"{path}.text")
    kinds = [
        _check_substitution(problems.object(substitution, key, f"{path}.substitution"), at, problems, may_mention)
        for key, at in ((key, f"{path}.substitution.{key}") for key in substitution)
    ]
    for kind, most in (("mention", MENTIONS), ("emoji", EMOJI)):
        if kinds.count(kind) > most:
            problems.add(f"Number of {kind}s must be between 0 and {most}", f"{path}.substitution")


def _check_substitution(value: JsonObject, path: str, problems: Problems, may_mention: MayMention | None) -> str | None:
    kind = problems.choice(value, "type", path, of=("mention", "emoji"))
    if kind == "emoji":
        _check_emoji(value, path, problems)
    elif kind == "mention":
        mentionee = problems.object(value, "mentionee", path)
        who = problems.choice(mentionee, "type", f"{path}.mentionee", of=("user", "all"))
        if who == "user":
            problems.text(mentionee, "userId", f"{path}.mentionee", most=_USER_ID_CHARACTERS)
        if may_mention is not None and not may_mention(mentionee):
            problems.add("The mentionee is not a member of the destination", f"{path}.mentionee")
    return kind


def _check_emoji(emoji: JsonObject, path: str, problems: Problems) -> None:
    problems.text(emoji, "productId", path, most=100)
    problems.text(emoji, "emojiId", path, most=100)
