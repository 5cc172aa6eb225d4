"""What a turn proposes to take back: messages of the person who asks, by time and first words; none goes before a button is pressed."""

import zoneinfo
from collections.abc import Sequence
from threading import Lock
from typing import Final

from shared.agent.chat_lines import local_time
from shared.conversation.records import MessageRecord
from shared.line.graphemes import short_line

MOST_PROPOSED: Final = 20
_WORDS_GRAPHEMES: Final = 40


class Forgetting:
    """The proposal of a turn, the newest one that its model asked for; safe to share between threads."""

    def __init__(self) -> None:
        self._proposed: tuple[MessageRecord, ...] = ()
        self._lock = Lock()

    def propose(self, messages: Sequence[MessageRecord]) -> None:
        """The turn proposes to take these back, all of one person, instead of what it proposed before."""
        with self._lock:
            self._proposed = tuple(messages)

    @property
    def proposed(self) -> tuple[MessageRecord, ...]:
        """The messages, oldest first."""
        with self._lock:
            return self._proposed


def proposal_text(messages: Sequence[MessageRecord], time_zone: zoneinfo.ZoneInfo) -> str:
    """Return the messages as a numbered list, each with its local time and first words."""
    return "\n".join(
        f"{number}. {local_time(one.timestamp_ms, time_zone)} {short_line(one.text, limit=_WORDS_GRAPHEMES)}"
        for number, one in enumerate(messages, start=1)
    )
