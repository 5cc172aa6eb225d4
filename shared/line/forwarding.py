"""Events of another system with the same deliveries: the bot neither records nor answers them, since both hold one reply token.

A rule is `postback:PREFIX` (a press with such data), `word:WORD` (a text with such a beginning, in any width and case), or
`chats:one-on-one` or `chats:groups` (everything in such chats). Commands and withdrawals stay the bot's.
Example: `postback:shop=,word:予約`.
"""

import unicodedata
from collections.abc import Iterable
from typing import Final

from shared.frozen import frozen
from shared.line.events import LineEvent

MOST_RULES: Final = 50
_POSTBACK: Final = "postback"
_WORD: Final = "word"
_CHATS: Final = {"one-on-one": True, "groups": False}


@frozen
class Owned:
    """The events of the other system; without rules, none.  `one_on_one`: True and False for 1:1 chats and groups that it answers."""

    postbacks: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    one_on_one: frozenset[bool] = frozenset()

    @classmethod
    def of(cls, rules: Iterable[str]) -> "Owned":
        """Return the events that the rules name.  Raises: ValueError, with the text of a malformed rule."""
        postbacks: list[str] = []
        words: list[str] = []
        one_on_one: set[bool] = set()
        for rule in rules:
            kind, _, value = rule.partition(":")
            if kind == _POSTBACK and value:
                postbacks.append(value)
            elif kind == _WORD and _folded(value):
                words.append(_folded(value))
            elif kind == "chats" and value in _CHATS:
                one_on_one.add(_CHATS[value])
            else:
                raise ValueError(rule)
        return cls(postbacks=tuple(postbacks), words=tuple(words), one_on_one=frozenset(one_on_one))

    def owns(self, event: LineEvent) -> bool:
        """Whether the other system answers the event."""
        if event.is_one_on_one in self.one_on_one:
            return True
        if event.type == "postback":
            return (event.postback_data or "").startswith(self.postbacks) if self.postbacks else False
        text = event.message.fields.get("text") if event.message is not None else None
        return isinstance(text, str) and bool(self.words) and _folded(text).startswith(self.words)


def _folded(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold().strip()
