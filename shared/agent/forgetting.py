"""The messages that a turn proposes to withdraw, listed by time and first words; none is withdrawn before a button is pressed."""

import zoneinfo
from collections.abc import Sequence
from threading import Lock
from typing import Final

from shared.agent.chat_lines import local_time
from shared.conversation.records import MessageRecord, by_time
from shared.line.graphemes import cut, short_line

MOST_PROPOSED: Final = 20
_WORDS_GRAPHEMES: Final = 40
_WORDS_UTF16: Final = 160  # so that a whole list is shown, whatever emoji the words have


class Forgetting:
    """What a turn's model proposes to withdraw; safe to share between threads."""

    def __init__(self) -> None:
        self._proposed: tuple[MessageRecord, ...] = ()
        self._lock = Lock()

    def propose(self, messages: Sequence[MessageRecord]) -> frozenset[str]:
        """Propose to withdraw these messages, all of one person, beside what was proposed before: the newest for which there is room.

        Return the ids of those that are proposed.
        """
        with self._lock:
            known = {one.line_message_id: one for one in self._proposed}
            more = [one for one in messages if one.line_message_id not in known]
            room = MOST_PROPOSED - len(known)
            known |= {one.line_message_id: one for one in more[max(0, len(more) - room) :]}
            self._proposed = tuple(sorted(known.values(), key=by_time))
            return frozenset(one.line_message_id for one in messages if one.line_message_id in known)

    @property
    def proposed(self) -> tuple[MessageRecord, ...]:
        """The messages, oldest first."""
        with self._lock:
            return self._proposed


def proposal_text(messages: Sequence[MessageRecord], time_zone: zoneinfo.ZoneInfo) -> str:
    """Return the messages as a numbered list, each with its local time and first words."""
    return "\n".join(
        f"{number}. {local_time(one.timestamp_ms, time_zone)} {_first_words(one.text)}"
        for number, one in enumerate(messages, start=1)
    )


def _first_words(text: str) -> str:
    return cut(short_line(text, limit=_WORDS_GRAPHEMES), limit_utf16=_WORDS_UTF16)
