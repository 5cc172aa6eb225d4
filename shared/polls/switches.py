"""Open polls and meetings as a row of what is on."""

from collections.abc import Sequence

from shared.conversation.store import Conversation
from shared.conversation.switch import Switch, counted_row
from shared.line.phrases import Phrase
from shared.polls.store import PollStore


def poll_switches(conversation: Conversation) -> Sequence[Switch]:
    """Return how many polls and meetings still take answers; nothing if none do."""
    now_ms = conversation.turn.clock.now_ms()
    count = sum(not poll.is_closed(now_ms) for poll in PollStore(conversation).present())
    return (counted_row(Phrase.SWITCH_POLLS, Phrase.SWITCH_POLLS_OPEN, count),) if count else ()
