"""A summariser for tests, and chats of answered messages that grow long enough to be summed up."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from shared.adapters.memory import FixedClock
from shared.clock import Clock, Deadline
from shared.conversation.amendments import Amendments
from shared.conversation.compaction import Compaction
from shared.conversation.recap import RecapWriter
from shared.conversation.records import MessageRecord, OutcomeRecord
from shared.conversation.snapshot import MemoryLimits
from shared.conversation.store import Conversation
from shared.errors import ModelUnavailableError
from tests.support.chats import answer, made_with, message

IN_TIME = Deadline.after(FixedClock(), 100)
"""Of a request that has just begun."""
LIMITS = MemoryLimits(journalled=4, verbatim=6, summed_up=3, recaps_at_once=2, recaps=3, sources=9)


@dataclass
class QuotingSummariser:
    """Sums up by quoting, so that a withdrawn word is seen in the recap."""

    asked: list[tuple[str, ...]] = field(default_factory=list)
    is_down: bool = False
    meanwhile: Callable[[], object] = lambda: None

    def sum_up(
        self,
        conversation: Conversation,
        messages: Sequence[MessageRecord],
        answers: Sequence[OutcomeRecord],
        amendments: Amendments,
    ) -> str:
        assert isinstance(amendments, Amendments)
        assert conversation.id.startswith("U")
        self.meanwhile()
        if self.is_down:
            raise ModelUnavailableError("503")
        self.asked.append(tuple(one.line_message_id for one in messages))
        return "recap of " + " ".join([*(one.text for one in messages), *(one.text or "" for one in answers)])


def compaction_by(summariser: QuotingSummariser, clock: Clock) -> Compaction:
    """Return a compaction with LIMITS."""
    recaps = RecapWriter(summariser=summariser, limits=LIMITS, clock=clock)
    return Compaction(recaps=recaps, limits=LIMITS, clock=clock)


def keep_messages(
    chat: Conversation, clock: Clock, numbers: range, *, is_answered: bool = True
) -> tuple[MessageRecord, ...]:
    """Put messages into the journal, each with its answer; return them.  Their numbers are their seconds."""
    start_ms = clock.now_ms()
    kept = []
    for number in numbers:
        one = message(number, f"word-{number}", timestamp_ms=start_ms - 100_000 + number * 1_000)
        chat.journal.keep(one)
        kept.append(one)
        if is_answered:
            at_ms = one.timestamp_ms
            outcome = answer(number, f"answer-{number}")
            chat.journal.record_outcome(made_with(replace(outcome, timestamp_ms=at_ms), since_ms=at_ms, until_ms=at_ms))
    return tuple(kept)
