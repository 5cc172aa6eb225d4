"""The messages that a turn proposes to withdraw, listed by time and a masked beginning; a message is withdrawn only after a press.

Everybody in the chat reads the list, and LINE lets no bot unsend it, so that the list must not repeat a secret that it is to remove.
"""

import re
import zoneinfo
from collections.abc import Sequence
from threading import Lock
from typing import Final

from shared.agent.chat_lines import local_time
from shared.conversation.records import MessageRecord, by_time
from shared.line.graphemes import cut, graphemes

MOST_PROPOSED: Final = 20
_BEGINNING_GRAPHEMES: Final = 8
_SHARE: Final = 3  # of the words, one in three is shown at most
_WORDS_UTF16: Final = 160  # so that a list of 20 fits into a message, even with long emoji
_MASK: Final = "•"
_DIGIT: Final = re.compile(r"\d")
_NUMBER_OR_CODE: Final = re.compile(r"[A-Za-z_@.+-]*\d[\w@.+-]*", re.ASCII)
_SHORTEST_SECRET: Final = 3


class Forgetting:
    """The messages that a turn's model proposes to withdraw; safe to share between threads."""

    def __init__(self) -> None:
        self._proposed: tuple[MessageRecord, ...] = ()
        self._is_closed = False
        self._lock = Lock()

    def propose(self, messages: Sequence[MessageRecord]) -> frozenset[str]:
        """Add messages of a single person to the proposal: the newest, up to 20 in all.

        Return the ids of the given messages within the proposal; none once the answer is being written.
        """
        with self._lock:
            if self._is_closed:
                return frozenset()
            by_id = {one.line_message_id: one for one in self._proposed}
            more = [one for one in messages if one.line_message_id not in by_id]
            room = MOST_PROPOSED - len(by_id)
            by_id |= {one.line_message_id: one for one in more[max(0, len(more) - room) :]}
            self._proposed = tuple(sorted(by_id.values(), key=by_time))
            return frozenset(one.line_message_id for one in messages if one.line_message_id in by_id)

    def close(self) -> None:
        """Propose nothing more: the answer lists and masks what is proposed now."""
        with self._lock:
            self._is_closed = True

    @property
    def proposed(self) -> tuple[MessageRecord, ...]:
        """The messages, oldest first."""
        with self._lock:
            return self._proposed


def proposal_text(messages: Sequence[MessageRecord], time_zone: zoneinfo.ZoneInfo) -> str:
    """Return the messages as a numbered list, for example `1. 2026-11-22 12:00 my P…` for "my PIN is 4711"."""
    return "\n".join(
        f"{number}. {local_time(message.timestamp_ms, time_zone)} {masked_beginning(message.text)}"
        for number, message in enumerate(messages, start=1)
    )


def masked_beginning(text: str) -> str:
    """Return at most eight characters and at most a third of a text, digits masked: "my PIN is 4711" -> "my P…", "4711" -> "•…"."""
    characters = graphemes(" ".join(text.split()))
    beginning = "".join(characters[: min(_BEGINNING_GRAPHEMES, len(characters) // _SHARE)])
    return f"{cut(_DIGIT.sub(_MASK, beginning), limit_utf16=_WORDS_UTF16).rstrip()}…"


def without_secrets(words: str, messages: Sequence[MessageRecord]) -> str:
    """Return words of the model without the numbers and codes of the messages, and without a message as a whole.

    For example, "I will forget 4711" is "I will forget •••" where a message says "my PIN is 4711".
    """
    wholes = {one.text.strip() for one in messages}
    codes = {code for one in messages for code in _NUMBER_OR_CODE.findall(one.text)}
    for secret in sorted(wholes | codes, key=len, reverse=True):
        if len(secret) >= _SHORTEST_SECRET:
            words = words.replace(secret, masked_beginning(secret) if secret in wholes else _MASK * 3)
    return words
