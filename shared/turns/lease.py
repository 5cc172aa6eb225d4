"""The lease on a chat's turn: the worker that opened the turn, or took it over, holds it until its lease ends."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from shared.conversation.records import ANSWERABLE_MS, OutcomeRecord
from shared.conversation.spending import Spending
from shared.conversation.store import Conversation
from shared.conversation.turn import FENCE, Route, SeenTurn, TurnRecord
from shared.storage.compare_and_swap import SWAP_ATTEMPTS
from shared.turns.basis import Basis


def _nothing(spending: Spending) -> Spending:
    return spending


def open_turn(
    conversation: Conversation, seen: SeenTurn, *, spends: Callable[[Spending], Spending] = _nothing
) -> "Lease | None":
    """Return the lease on a turn that is thinking, or None where another worker wrote after `seen`.

    If `seen` is committed, its outcome has been recorded, and what it covers is now in `covered`. `spends` reserves what the turn costs.
    Holders that died so long ago that no message of theirs can wait any more count as no tries.
    """
    now_ms, there = conversation.turn.clock.now_ms(), seen.record
    is_recent = now_ms - there.expires_ms < ANSWERABLE_MS
    tries = there.tries + (there.state == "thinking") if is_recent else 0
    record = there.followed_by("thinking", now_ms=now_ms, tries=tries)
    return _leased(conversation, seen, replace(record, spending=spends(conversation.turn.spending(record))))


def take_over(conversation: Conversation, seen: SeenTurn) -> "Lease | None":
    """Return the lease on a committed turn whose holder's lease expired, or None where another worker wrote after `seen`.

    The turn is swapped, so that the next write of the former holder is lost.
    """
    return _leased(conversation, seen, seen.record)


def _leased(conversation: Conversation, seen: SeenTurn, record: TurnRecord) -> "Lease | None":
    lease = Lease(conversation=conversation, seen=seen, holder=conversation.turn.new_id(), looked_epoch=record.epoch)
    return lease if lease.write(record) else None


@dataclass(slots=True, kw_only=True)
class Lease:
    """A turn that this worker holds, until the lease ends by the worker's own monotonic clock.  One thread writes at a time.

    `looked_epoch` is the turn's epoch as of the holder's last look at the amendments.
    """

    conversation: Conversation
    seen: SeenTurn
    holder: str
    looked_epoch: int = 0
    fence_s: float = float("inf")

    @property
    def record(self) -> TurnRecord:
        """The turn as last written or read."""
        return self.seen.record

    @property
    def left_s(self) -> float:
        """Seconds in which the holder may still begin to write or to send."""
        return max(0.0, self.fence_s - self.conversation.turn.clock.monotonic_s())

    @property
    def is_over(self) -> bool:
        """Whether the fence has passed or the turn was lost, so that the holder may write and send nothing more."""
        return not self.left_s

    def write(self, record: TurnRecord) -> bool:
        """Return whether the turn was written, with a fresh lease, and with what was charged to the chat meanwhile."""
        turn, chat = self.conversation.turn, self.conversation.id
        if self.is_over:
            return False
        fence_s = turn.clock.monotonic_s() + turn.lease_s * FENCE
        expires_ms = turn.clock.now_ms() + round(turn.lease_s * 1_000)
        wanted = replace(record, holder=self.holder, expires_ms=expires_ms, spending=turn.spending(record))
        seen = turn.swap(self.seen, wanted, charged=turn.ledger.take(chat))
        if seen is None:
            return False
        self.seen, self.fence_s = seen, fence_s
        return True

    def note_said(self, left: int) -> None:
        """The next write sets `said` to `left`: nothing of it waits any more.  If another worker writes first, the next turn looks."""
        self.seen = replace(self.seen, record=replace(self.record, said=left))

    def renew(self) -> None:
        """Renew the lease, unless the turn was lost; if an unsend won the swap, retry at once."""
        for _ in range(SWAP_ATTEMPTS):
            if self.record.state != "thinking" or self.write(self.record) or not self._catch_up():
                return

    def commit(self, outcome: OutcomeRecord, route: Route, *, basis: Basis | None = None) -> OutcomeRecord | None:
        """Return the outcome as committed, with its number, to be delivered by `route`.  Fixed words have no `basis`.

        None: the turn was lost; or something of the basis was edited or withdrawn while the model thought, and the turn is idle.
        """
        for _ in range(SWAP_ATTEMPTS):
            if self.record.state != "thinking":
                return None
            epoch = self.record.epoch
            if basis is not None and epoch != self.looked_epoch:
                if basis.is_amended():
                    self.release()
                    return None
                self.looked_epoch = epoch
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
        """Return whether the committed outcome was changed; one that lost its words meanwhile does not get them back."""
        for _ in range(SWAP_ATTEMPTS):
            there = self.record.outcome
            kept = outcome.without_words() if there is not None and not there.holds_words else outcome
            if self.write(replace(self.record, outcome=kept, route=route)):
                return True
            if not self._catch_up():
                return False
        return False

    def _catch_up(self) -> bool:
        """After a lost swap: return True, at the newest generation, if the turn is still this holder's; else the lease is lost, too."""
        if self.is_over:
            return False
        found = self.conversation.turn.read()
        if found.record.holder != self.holder or found.record.state != self.record.state:
            self.fence_s = float("-inf")
            return False
        self.seen = found
        return True
