"""Wait until what a chat's turn is committed to is carried out; take the turn over if its holder died."""

from shared.bus.result import EventResult
from shared.conversation.history import History
from shared.conversation.history_reader import Listing
from shared.conversation.records import OutcomeRecord
from shared.conversation.spending import Spending
from shared.conversation.store import Conversation
from shared.conversation.turn import StoredTurn
from shared.errors import TurnBusyError
from shared.frozen import frozen
from shared.line.events import LineEvent
from shared.line.messaging import SENDING_S
from shared.turns.lease import Lease
from shared.turns.runner import TurnDelivery, TurnRunner, Waiting
from shared.turns.waiting_room import Place


def await_committed(
    runner: TurnRunner, conversation: Conversation, stored_turn: StoredTurn, outcome: OutcomeRecord, event: LineEvent
) -> None:
    """The staged writes of the committed outcome are made, or the outcome was withdrawn; waits for a live holder.

    Repeated: does nothing. Raises: TurnBusyError, StorageUnavailableError; safe to deliver the event again.
    """
    work = _CommittedWork(outcome_id=outcome.webhook_event_id)
    waiting = Waiting(turn_s=SENDING_S, hand_over=_leave)
    delivery = TurnDelivery(event=event.webhook_event_id, sent_ms=event.timestamp_ms, work=work, waiting=waiting)
    runner.run(conversation, delivery, stored_turn, event.deadline)


def _leave(_: Place) -> None:
    raise TurnBusyError("the holder of the turn is still writing")


@frozen
class _CommittedWork:
    """A TurnWork without a turn of its own: the work is done once another outcome's writes are made."""

    outcome_id: str

    def spends(self, spending: Spending) -> Spending:
        return spending

    def has_work_by_name(self, stored_turn: StoredTurn, listing: Listing) -> bool:  # noqa: ARG002 - opens no turn
        return False

    def result_in(self, history: History, unfinished: OutcomeRecord | None) -> EventResult | None:  # noqa: ARG002 - only the outcome counts
        """Return a result unless the outcome is still unfinished."""
        is_unfinished = unfinished is not None and unfinished.webhook_event_id == self.outcome_id
        return None if is_unfinished else EventResult.ALREADY_ANSWERED

    def take_turn(self, lease: Lease, history: History) -> OutcomeRecord | None:  # noqa: ARG002 - the work has ended by then
        lease.release()
        return None
