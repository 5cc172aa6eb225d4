"""Recaps on pages: after the answer, the model sums up messages that left the verbatim part of prompts, a few at a time.

Each attempt is recorded on the newest page before the model is asked, so that a recap that crashes its worker counts as a try.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from shared import logs
from shared.clock import Clock, Deadline
from shared.conversation.amendments import Amendments
from shared.conversation.page_records import PageRecord
from shared.conversation.pages import Memory, Pages
from shared.conversation.recap import Summariser
from shared.conversation.records import MessageRecord, OutcomeKind, OutcomeRecord, provenance_of
from shared.conversation.snapshot_records import Recap
from shared.conversation.store import Conversation
from shared.errors import AizuchiError

_TRIES: Final = 2
_ATTEMPT_MS: Final = 30_000  # a recap takes 15 s at most
_RECAP_S: Final = 20.0


@dataclass(frozen=True, slots=True, kw_only=True)
class PageRecapWriter:
    """Writes recaps on newest pages: `summed_up` messages each, `at_once` in one fold, of what is older than the `verbatim` newest.

    Raises StorageUnavailableError when the bucket does not answer in time.
    """

    summariser: Summariser = field(repr=False)
    clock: Clock = field(repr=False)
    verbatim: int = 50
    summed_up: int = 10
    at_once: int = 2

    def is_due(self, memory: Memory, deadline: Deadline | None) -> bool:
        """Whether messages fell out of the verbatim part, no other worker is summing them up, and the model can do so in time."""
        has_time = deadline is not None and deadline.left_s >= _RECAP_S
        return has_time and bool(self._batch(memory)) and self.clock.now_ms() >= memory.newest.record.recap_until_ms

    def with_attempt(self, record: PageRecord) -> PageRecord:
        """Return the page with another attempt, to be stored before the model is asked."""
        return replace(record, recap_tries=record.recap_tries + 1, recap_until_ms=self.clock.now_ms() + _ATTEMPT_MS)

    def write(
        self, conversation: Conversation, pages: Pages, memory: Memory, amendments: Amendments, deadline: Deadline
    ) -> None:
        """The messages that left the verbatim part are summed up, with a swap for each recap; if one fails, its messages stay as they are.

        The newest page holds the attempt, and both were cleaned by `amendments`. A batch that crashed its worker too often gets a recap
        without words. The look after a swap serves as the look before the next recap.
        """
        looked_s = -math.inf
        for left in reversed(range(self.at_once)):
            batch, record = self._batch(memory), memory.newest.record
            text = self._text(conversation, memory, batch, amendments, looked_s=looked_s)
            record = replace(record, recap_tries=0, recap_until_ms=0)
            if text is not None:
                record = _with_recap(record, text, batch, _answers_in(memory, batch))
            following = replace(memory, newest=replace(memory.newest, record=record))
            goes_on = text is not None and left > 0 and self.is_due(following, deadline)
            written = pages.swap(memory.newest, self.with_attempt(record) if goes_on else record)
            if written is None:
                logs.info("recap_lost")
                return
            looked_s = self.clock.monotonic_s()
            if pages.settle([written.name], amendments) != amendments or not goes_on:
                return
            memory = replace(memory, newest=written)

    def _text(
        self,
        conversation: Conversation,
        memory: Memory,
        batch: Sequence[MessageRecord],
        amendments: Amendments,
        *,
        looked_s: float,
    ) -> str | None:
        """Return the text of the next recap; None if this attempt yields none."""
        if not batch:  # all of it was withdrawn since the attempt was recorded
            return None
        if memory.newest.record.recap_tries > _TRIES:
            logs.error("recap_given_up")
            return ""
        log = conversation.amendments
        if not log.is_valid(looked_s) and log.fresh_look().adds_to(amendments):  # no prompt may hold withdrawn words
            return None
        refused = {one.id for one in memory.newest.record.refused}
        messages = [one for one in batch if one.line_message_id not in refused]
        answers = [one for one in _answers_in(memory, batch) if one.webhook_event_id not in refused]
        if not messages and not answers:
            return ""
        try:
            return self.summariser.sum_up(conversation, messages, answers, amendments)
        except AizuchiError as cause:
            logs.warning("recap_failed", error_type=type(cause).__name__)
            return None

    def _batch(self, memory: Memory) -> tuple[MessageRecord, ...]:
        """Return the oldest messages that no prompt shows and no recap sums up: as many as make a recap, or fewer where one follows.

        What stands on older pages is not read any more; a recap of it that lost a source is not written anew.
        """
        recaps = (*memory.before.recaps, *memory.recaps)
        summed_up = frozenset(own_id for recap in recaps for own_id in recap.summed_up_ids)
        verbatim = [one for one in memory.messages if one.line_message_id not in summed_up]
        waiting = [one for one in verbatim[: max(len(verbatim) - self.verbatim, 0)] if one.line_message_id]
        if not waiting:
            return ()
        following = (recap.timestamp_ms for recap in memory.recaps if recap.timestamp_ms >= waiting[0].timestamp_ms)
        end_ms = min(following, default=None)
        batch = [one for one in waiting if end_ms is None or one.timestamp_ms <= end_ms][: self.summed_up]
        return tuple(batch) if len(batch) == self.summed_up or end_ms is not None else ()


def _with_recap(
    record: PageRecord, text: str, batch: Sequence[MessageRecord], answers: Sequence[OutcomeRecord]
) -> PageRecord:
    """Return the page with this batch summed up in these words."""
    summed_up: tuple[MessageRecord | OutcomeRecord, ...] = (*batch, *answers)
    outside = (one.provenance.outside for one in summed_up if one.provenance is not None)
    recap = Recap(
        id=f"recap-{record.recaps_written + 1}",
        text=text,
        summed_up_ids=tuple(one.line_message_id for one in batch),
        provenance=replace(
            provenance_of(batch),
            derived_ids=frozenset(one.webhook_event_id for one in answers),
            outside=frozenset().union(*outside),
        ),
        timestamp_ms=batch[-1].timestamp_ms,
    )
    return replace(record, recaps=(*record.recaps, recap), recaps_written=record.recaps_written + 1)


def _answers_in(memory: Memory, batch: Sequence[MessageRecord]) -> tuple[OutcomeRecord, ...]:
    """Return the answers of the batch's time."""
    if not batch:
        return ()
    first_ms, last_ms = batch[0].timestamp_ms, batch[-1].timestamp_ms
    answers = (one for one in memory.outcomes if one.text is not None and one.kind is not OutcomeKind.STORED)
    return tuple(one for one in answers if first_ms <= one.timestamp_ms <= last_ms)
