"""Tell a chat once that its calendar has another address, because a member has left: along with an answer, or on a free reply token.

a member leaves ─▶ another token ─▶ a postponed text (UNDELIVERED) ─▶ the next answer, or the next message that gets none ─▶ told
                                      └── the calendar's record says that it waits, so that other messages cost one read
"""

from dataclasses import field
from typing import Final

from shared import logs
from shared.agent.refiling import postponed_of_one_text
from shared.calendars.store import CalendarStore
from shared.clock import Clock, Deadline
from shared.conversation.history import History
from shared.conversation.provenance import Provenance
from shared.conversation.records import MessageRecord, OutcomeKind, OutcomeRecord
from shared.conversation.store import Conversation
from shared.conversation.turn import Route
from shared.frozen import frozen
from shared.turns.free_token import FreeTokenUse, FreeTokenWork
from shared.turns.lease import Lease
from shared.turns.outbox import Outbox
from shared.turns.runner import TurnRunner

_SUFFIX: Final = "-once"


def notice_id_of(event_id: str) -> str:
    """Return the id of the outcome that tells of a leaving: `notice_id_of("01ABC")` is `01ABC-once`."""
    return f"{event_id[: 64 - len(_SUFFIX)]}{_SUFFIX}"


def is_of_address(outcome_id: str) -> bool:
    """Whether an outcome of this id tells of another address on the token of a message that nobody answers."""
    return outcome_id.endswith(FreeTokenUse.ADDRESS)


@frozen
class NextMessageAddress:
    """Tells on the reply token of a message that nobody answers that the calendar has another address."""

    runner: TurnRunner
    outbox: Outbox
    clock: Clock = field(repr=False)

    def __call__(self, conversation: Conversation, message: MessageRecord, deadline: Deadline) -> bool:
        """Whether the message's token may have been used: the text waited, and the chat's turn was free.

        Otherwise it waits for the next message. Repeated: told once. Raises: StorageUnavailableError.
        """
        token = message.reply_token
        if token is None or token.is_surely_dead(self.clock.now_ms()):
            return False
        store = CalendarStore(conversation)
        calendar = store.read()
        if calendar is None or not calendar.untold_id:
            return False
        work = _AddressDelivery(
            untold_id=calendar.untold_id,
            conversation=conversation,
            own=message,
            deadline=deadline,
            outbox=self.outbox,
            clock=self.clock,
        )
        return work.try_once(self.runner, conversation.turn.read())


@frozen
class _AddressDelivery(FreeTokenWork):
    use = FreeTokenUse.ADDRESS

    untold_id: str

    def take_turn(self, lease: Lease, history: History) -> OutcomeRecord | None:
        own_id = notice_id_of(self.untold_id)
        waiting = postponed_of_one_text(history)
        notices = next((same for same in waiting if own_id in {notice.webhook_event_id for notice in same}), ())
        if not notices:  # an answer told it
            CalendarStore(self.conversation).mark_as_told(self.untold_id)
        is_silent = self.conversation.silences.read().now(self.clock.now_ms()) is not None
        token = self.live_token(self.clock.now_ms())
        if not notices or is_silent or token is None:
            lease.release()
            return None
        told = Provenance(derived_ids=frozenset(notice.id for notice in notices))
        outcome = OutcomeRecord(
            webhook_event_id=self.outcome_id,
            timestamp_ms=self.own.timestamp_ms,
            kind=OutcomeKind.REPLIED,
            text=notices[-1].text,
            answers=tuple(notice.id for notice in notices),
            provenance=Provenance.union((told, *(notice.provenance for notice in notices))),
        )
        committed = lease.commit(outcome, Route.on(token), basis=None)
        if committed is None:
            return None
        logs.info("calendar_address_told", count=len(notices))
        return self.outbox.finish(lease, committed, deadline=self.sent_by)
