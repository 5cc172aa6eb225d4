"""The lease on a chat's turn: the worker that opened or took over the turn holds it until the lease ends."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from shared.conversation.records import OutcomeRecord
from shared.conversation.spending import Spending
from shared.conversation.store import Conversation
from shared.conversation.turn import FENCE, Route, StoredTurn, TurnRecord
from shared.storage.compare_and_swap import SWAP_ATTEMPTS
from shared.turns.basis import Basis


def _nothing(spending: Spending) -> Spending:
    return spending


def open_turn(
    conversation: Conversation,
    stored_turn: StoredTurn,
    *,
    spends: Callable[[Spending], Spending] = _nothing,
    is_unasked: bool = False,
) -> "Lease | None":
    """Return the lease on a turn that is thinking, or None if another worker wrote after `stored_turn` was read.

    If `stored_turn` is committed, its outcome has been recorded, and the new turn lists the covered messages in `covered`. `spends`
    reserves the turn's cost. `is_unasked`: the work is no answer to a question.
    """
    now_ms, last = conversation.turn.clock.now_ms(), stored_turn.record
    record = last.followed_by("thinking", now_ms=now_ms, tries=last.next_tries(now_ms))
    record = replace(record, is_unasked=is_unasked)
    return _write_lease(conversation, stored_turn, replace(record, spending=spends(conversation.turn.spending(record))))


def take_over(conversation: Conversation, stored_turn: StoredTurn) -> "Lease | None":
    """Return the lease on a committed turn whose lease expired, or None if another worker wrote after `stored_turn` was read.

    The turn is swapped, so the next write of the former holder fails.
    """
    return _write_lease(conversation, stored_turn, stored_turn.record)


def _write_lease(conversation: Conversation, stored_turn: StoredTurn, record: TurnRecord) -> "Lease | None":
    lease = Lease(
        conversation=conversation,
        stored_turn=stored_turn,
        holder=conversation.turn.new_id(),
        amendments_epoch=record.epoch,
    )
    return lease if lease.write(record) else None


@dataclass(slots=True, kw_only=True)
class Lease:
    """A turn that this worker holds, by the worker's own monotonic clock, until the lease ends.  One thread writes at a time.

    `amendments_epoch`: the turn's epoch at the holder's last reading of the amendments.
    """

    conversation: Conversation
    stored_turn: StoredTurn
    holder: str
    amendments_epoch: int = 0
    fence_s: float = float("inf")

    @property
    def record(self) -> TurnRecord:
        """The turn as last written or read."""
        return self.stored_turn.record

    @property
    def left_s(self) -> float:
        """Seconds in which the holder may still begin to write or to send."""
        return max(0.0, self.fence_s - self.conversation.turn.clock.monotonic_s())

    @property
    def is_over(self) -> bool:
        """Whether the fence has passed or the turn was lost: the holder may write and send nothing more."""
        return not self.left_s

    def write(self, record: TurnRecord) -> bool:
        """Write the turn with a fresh lease, and with the charges that the chat collected meanwhile; return whether the swap was won."""
        turn, chat = self.conversation.turn, self.conversation.id
        if self.is_over:
            return False
        fence_s = turn.clock.monotonic_s() + turn.lease_s * FENCE
        expires_ms = turn.clock.now_ms() + round(turn.lease_s * 1_000)
        renewed = replace(record, holder=self.holder, expires_ms=expires_ms, spending=turn.spending(record))
        swapped = turn.swap(self.stored_turn, renewed, charged=turn.ledger.take(chat))
        if swapped is None:
            return False
        self.stored_turn, self.fence_s = swapped, fence_s
        return True

    def note_said(self, addition_count: int) -> None:
        """Set `said` to `addition_count` with the next write: no addition up to that count waits any more.

        If another worker writes first, the next turn reads the additions again.
        """
        self.stored_turn = replace(self.stored_turn, record=replace(self.record, said=addition_count))

    def note_no_reminders(self) -> None:
        """Have the next turns list no reminders, with the next write, until a commit writes a reminder.

        If another worker writes first, the next turn lists the reminders again.
        """
        self.stored_turn = replace(self.stored_turn, record=replace(self.record, may_have_reminders=False))

    def renew(self) -> None:
        """Renew the lease, unless the turn was lost; if an unsend won the swap, retry at once."""
        for _ in range(SWAP_ATTEMPTS):
            if self.record.state != "thinking" or self.write(self.record) or not self._catch_up():
                return

    def commit(
        self,
        outcome: OutcomeRecord,
        route: Route,
        *,
        basis: Basis | None = None,
        is_given_up: Callable[[], bool] = lambda: False,
    ) -> OutcomeRecord | None:
        """Return the committed outcome, with its number, for delivery along `route`.  A fixed text has no `basis`.

        None: the turn was lost; or an edit or a withdrawal affected the basis while the model thought, and the turn is idle. So it is where
        `is_given_up`, asked once the epoch has moved: another delivery has recorded the outcome as undelivered.
        Example: with a turn at sequence 41, the returned outcome has `sequence=42`.
        """
        for _ in range(SWAP_ATTEMPTS):
            if self.record.state != "thinking":
                return None
            epoch = self.record.epoch
            if epoch != self.amendments_epoch:
                if is_given_up() or (basis is not None and basis.is_amended()):
                    self.release()
                    return None
                self.amendments_epoch = epoch
            committed = replace(outcome, sequence=self.record.sequence + 1)
            if self.write(self.record.with_outcome(committed, route)):
                return committed
            if not self._catch_up():
                return None
        return None

    def release(self) -> None:
        """The turn is idle, unless it was lost."""
        for _ in range(SWAP_ATTEMPTS):
            if self.write(self.record.abandoned()) or not self._catch_up():
                return

    def amend(self, outcome: OutcomeRecord, route: Route) -> bool:
        """Return whether the committed outcome was changed; withdrawn words do not come back."""
        for _ in range(SWAP_ATTEMPTS):
            stored_outcome = self.record.outcome
            amended = (
                outcome.without_words() if stored_outcome is not None and not stored_outcome.holds_words else outcome
            )
            if self.write(self.record.with_fate(amended, route)):
                return True
            if not self._catch_up():
                return False
        return False

    def _catch_up(self) -> bool:
        """After a lost swap, return whether this holder still has the turn, and read the newest generation; otherwise end the lease."""
        if self.is_over:
            return False
        newest = self.conversation.turn.read()
        if newest.record.holder != self.holder or newest.record.state != self.record.state:
            self.fence_s = float("-inf")
            return False
        self.stored_turn = newest
        return True
