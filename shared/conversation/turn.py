"""The turn of a chat: a state machine with compare-and-swap as its only transition, so whoever holds the newest generation holds the turn.

    idle ──open──▶ thinking ──commit──▶ committed ──its outcome is recorded──▶ (as good as idle)
                      └── expired: anyone may open anew, tries + 1

The object is rewritten, never deleted. Every write carries a token of its writer, because Cloud Storage's client repeats a write whose
answer was lost and then reports that it lost: the token tells that it won.
"""

from collections.abc import Callable
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from typing import Final, Literal

from shared.clock import Clock
from shared.conversation.names import turn_name
from shared.conversation.object_store import ObjectStore
from shared.conversation.records import VERSION, OutcomeRecord, decode, encode
from shared.errors import StorageUnavailableError

_SWAP_ATTEMPTS: Final = 20
# The part of a lease after which its holder writes nothing: clocks differ by 5 s, and a call takes effect within 3 s.
_FENCE: Final = 17 / 25


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnRecord:
    """turns/{conversation_id}.json.

    thinking: `holder` thinks until `expires_ms`; it was opened `tries` times over a dead holder; `cancelled` are the messages that were
    withdrawn meanwhile. committed: `outcome` is decided and nothing else will be said; it is spoken on `reply_token`, which came at
    `token_received_ms`; `holder` brings it to its end until `expires_ms`, and then anybody may.
    """

    version: int = VERSION
    state: Literal["idle", "thinking", "committed"] = "idle"
    writer: str = ""
    holder: str = ""
    expires_ms: int = 0
    tries: int = 0
    cancelled: tuple[str, ...] = ()
    outcome: OutcomeRecord | None = None
    reply_token: str | None = field(default=None, repr=False)
    token_received_ms: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenTurn:
    """The turn as it was at `generation`; 0 where there was none yet."""

    record: TurnRecord
    generation: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Turns:
    """The turns of all chats.  Every method raises StorageUnavailableError when the bucket does not answer in time."""

    store: ObjectStore
    clock: Clock = field(repr=False)
    new_id: Callable[[], str] = field(repr=False)
    lease_s: float = 25.0

    def read(self, conversation_id: str) -> SeenTurn:
        """Return the turn of a chat; idle where there never was one."""
        stored = self.store.read(turn_name(conversation_id))
        if stored is None:
            return SeenTurn(record=TurnRecord(), generation=0)
        return SeenTurn(record=decode(TurnRecord, stored.data), generation=stored.generation)

    def open(self, conversation_id: str, seen: SeenTurn) -> "HeldTurn | None":
        """Return the turn, thinking and ours, or None where somebody was faster than `seen`."""
        tries = seen.record.tries + 1 if seen.record.state == "thinking" else 0
        return self._held(conversation_id, seen, TurnRecord(state="thinking", tries=tries))

    def take_over(self, conversation_id: str, seen: SeenTurn) -> "HeldTurn | None":
        """Return a committed turn whose holder is late, ours; a swap, so that its next one is lost.  None: somebody was faster."""
        return self._held(conversation_id, seen, seen.record)

    def cancel(self, conversation_id: str, line_message_id: str) -> None:
        """Whoever commits in this chat looks again: a running turn learns of the withdrawal, a committed answer loses its text.

        The swap is made in any case, because a commit that is under way must lose its own.
        """
        for _ in range(_SWAP_ATTEMPTS):
            seen = self.read(conversation_id)
            if self.swap(conversation_id, seen, _without(seen.record, line_message_id)) is not None:
                return
        raise StorageUnavailableError("others kept changing the turn")

    def swap(self, conversation_id: str, seen: SeenTurn, record: TurnRecord) -> SeenTurn | None:
        """Return the turn as written over `seen`, or None where somebody else wrote first."""
        written = replace(record, writer=self.new_id())
        generation = self.store.replace(turn_name(conversation_id), encode(written), generation=seen.generation)
        if generation is not None:
            return SeenTurn(record=written, generation=generation)
        found = self.read(conversation_id)
        return found if found.record.writer == written.writer else None

    def _held(self, conversation_id: str, seen: SeenTurn, record: TurnRecord) -> "HeldTurn | None":
        held = HeldTurn(turns=self, conversation_id=conversation_id, seen=seen, holder=self.new_id())
        return held if held.write(record) else None


class HeldTurn:
    """A turn that this worker holds, until its lease is over by its own monotonic clock.  One thread writes at a time."""

    def __init__(self, *, turns: Turns, conversation_id: str, seen: SeenTurn, holder: str) -> None:
        self.conversation_id = conversation_id
        self._turns = turns
        self._seen = seen
        self._holder = holder
        self._fence_s = float("inf")

    @property
    def record(self) -> TurnRecord:
        """The turn as last written or read."""
        return self._seen.record

    @property
    def is_over(self) -> bool:
        """Whether the lease is as good as over: nothing may be written or sent any more."""
        return self._turns.clock.monotonic_s() >= self._fence_s

    def write(self, record: TurnRecord) -> bool:
        """Return whether the turn was written, with a fresh lease."""
        clock, lease_s = self._turns.clock, self._turns.lease_s
        if self.is_over:
            return False
        fence_s = clock.monotonic_s() + lease_s * _FENCE
        leased = replace(record, holder=self._holder, expires_ms=clock.now_ms() + round(lease_s * 1_000))
        seen = self._turns.swap(self.conversation_id, self._seen, leased)
        if seen is None:
            return False
        self._seen, self._fence_s = seen, fence_s
        return True

    def renew(self) -> None:
        """The lease begins anew, unless the turn was lost."""
        if self.record.state == "thinking" and not self.write(self.record):
            self._catch_up()

    def commit(self, record: TurnRecord, *, prompt: AbstractSet[str]) -> bool:
        """Return whether the outcome is committed: False where the turn was lost, or something in the prompt was withdrawn."""
        for _ in range(_SWAP_ATTEMPTS):
            if self.record.state == "thinking" and not prompt.isdisjoint(self.record.cancelled):
                self.write(TurnRecord())
                return False
            if self.write(replace(record, state="committed")):
                return True
            if not self._catch_up():
                return False
        return False

    def release(self) -> None:
        """The turn is idle, unless it was lost."""
        for _ in range(_SWAP_ATTEMPTS):
            if self.write(TurnRecord()) or not self._catch_up():
                return

    def amend(self, outcome: OutcomeRecord, **route: object) -> bool:
        """Return whether the committed outcome was changed; one that lost its words meanwhile does not get them back."""
        for _ in range(_SWAP_ATTEMPTS):
            there = self.record.outcome
            kept = replace(outcome, text=None) if there is not None and there.text is None else outcome
            if self.write(replace(self.record, outcome=kept, **route)):  # type: ignore[arg-type]
                return True
            if not self._catch_up():
                return False
        return False

    def _catch_up(self) -> bool:
        """A swap was lost: go on at the newest generation where that was an unsend; return False where the turn is somebody else's."""
        if self.is_over:
            return False
        found = self._turns.read(self.conversation_id)
        if found.record.holder != self._holder or found.record.state != self.record.state:
            return False
        self._seen = found
        return True


def _without(record: TurnRecord, line_message_id: str) -> TurnRecord:
    if record.state == "thinking":
        return replace(record, cancelled=(*record.cancelled, line_message_id))
    outcome = record.outcome
    if record.state == "committed" and outcome is not None and line_message_id in {*outcome.covers, *outcome.saw}:
        return replace(record, outcome=replace(outcome, text=None))
    return record
