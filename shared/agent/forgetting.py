"""The messages that a turn proposes to withdraw, listed by time and first words; a message is withdrawn only after a press."""

import zoneinfo
from collections.abc import Sequence
from threading import Lock
from typing import Final

from shared.agent.chat_lines import local_time
from shared.conversation.records import MessageRecord, by_time
from shared.line.graphemes import cut, short_line

MOST_PROPOSED: Final = 20
_WORDS_GRAPHEMES: Final = 40
_WORDS_UTF16: Final = 160  # so that a list of 20 fits into a message, even with long emoji


class Forgetting:
    """The messages that a turn's model proposes to withdraw; safe to share between threads."""

    def __init__(self) -> None:
        self._proposed: tuple[MessageRecord, ...] = ()
        self._lock = Lock()

    def propose(self, messages: Sequence[MessageRecord]) -> frozenset[str]:
        """Add messages of a single person to the proposal: the newest, up to 20 in all.

        Return the ids of the given messages within the proposal.
        """
        with self._lock:
            by_id = {one.line_message_id: one for one in self._proposed}
            more = [one for one in messages if one.line_message_id not in by_id]
            room = MOST_PROPOSED - len(by_id)
            by_id |= {one.line_message_id: one for one in more[max(0, len(more) - room) :]}
            self._proposed = tuple(sorted(by_id.values(), key=by_time))
            return frozenset(one.line_message_id for one in messages if one.line_message_id in by_id)

    @property
    def proposed(self) -> tuple[MessageRecord, ...]:
        """The messages, oldest first."""
        with self._lock:
            return self._proposed


def proposal_text(messages: Sequence[MessageRecord], time_zone: zoneinfo.ZoneInfo) -> str:
    """Return the messages as a numbered list, for example `1. 2026-11-22 12:00 Milk is out`."""
    return "\n".join(
        f"{number}. {local_time(message.timestamp_ms, time_zone)} {_first_words(message.text)}"
        for number, message in enumerate(messages, start=1)
    )


def _first_words(text: str) -> str:
    return cut(short_line(text, limit=_WORDS_GRAPHEMES), limit_utf16=_WORDS_UTF16)
