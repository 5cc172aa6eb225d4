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
from shared.conversation.amendments import Amendments
from shared.conversation.records import OutcomeKind, OutcomeRecord
from shared.errors import StorageUnavailableError
from shared.storage.codec import VERSION, decode, encode
from shared.storage.compare_and_swap import SWAP_ATTEMPTS
from shared.storage.object_names import turn_name
from shared.storage.object_store import ObjectStore

# The part of a lease after which its holder writes nothing: clocks differ by 5 s, and a call takes effect within 3 s.
FENCE: Final = 17 / 25


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """How words reach the user: on a reply token, which came at `received_ms`, by a push, or not at all."""

    kind: Literal["none", "token", "push"] = "none"
    reply_token: str | None = field(default=None, repr=False)
    received_ms: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnRecord:
    """turns/{conversation_id}.json.

    thinking: `holder` thinks until `expires_ms`; it was opened `tries` times over a dead holder; `cancelled` and `erased_ms` are what was
    edited or taken back meanwhile. committed: `outcome` is decided and nothing else will be said; it goes by `route`; `holder` brings it
    to its end until `expires_ms`, and then anybody may. `sequence` numbers the commits of the chat.
    """

    version: int = VERSION
    state: Literal["idle", "thinking", "committed"] = "idle"
    writer: str = ""
    holder: str = ""
    expires_ms: int = 0
    tries: int = 0
    cancelled: tuple[str, ...] = ()
    erased_ms: int = -1
    sequence: int = 0
    outcome: OutcomeRecord | None = None
    route: Route = field(default_factory=Route)

    def cancelling(self, line_message_id: str) -> "TurnRecord":
        """Return the turn as its holder has to find it, when this message was edited or taken back."""
        return replace(self, cancelled=(*self.cancelled, line_message_id)) if self.state == "thinking" else self

    def without(
        self, amendments: Amendments, line_message_id: str | None, touched: Callable[[OutcomeRecord], bool]
    ) -> "TurnRecord":
        """Return the turn without the words of what was taken back; whoever thinks learns what that was."""
        if self.state == "thinking":
            turn = self.cancelling(line_message_id) if line_message_id is not None else self
            return replace(turn, erased_ms=max(turn.erased_ms, amendments.erased_ms))
        outcome = self.outcome
        if outcome is not None and outcome.holds_words and touched(outcome):
            return replace(self, outcome=outcome.without_words(OutcomeKind.WITHDRAWN))
        return self

    def cancels(self, line_message_ids: AbstractSet[str], *, since_ms: int) -> bool:
        """Whether one of these messages, of which the oldest words are of `since_ms`, was edited or taken back while the holder thought."""
        return since_ms <= self.erased_ms or not line_message_ids.isdisjoint(self.cancelled)


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
        return self._held(
            conversation_id, seen, TurnRecord(state="thinking", tries=tries, sequence=seen.record.sequence)
        )

    def take_over(self, conversation_id: str, seen: SeenTurn) -> "HeldTurn | None":
        """Return a committed turn whose holder is late, ours; a swap, so that its next one is lost.  None: somebody was faster."""
        return self._held(conversation_id, seen, seen.record)

    def change(self, conversation_id: str, changed: Callable[[TurnRecord], TurnRecord]) -> None:
        """The turn is as `changed` makes it; swapped in any case, because a commit that is under way must lose its own swap."""
        for _ in range(SWAP_ATTEMPTS):
            seen = self.read(conversation_id)
            if self.swap(conversation_id, seen, changed(seen.record)) is not None:
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
        fence_s = clock.monotonic_s() + lease_s * FENCE
        leased = replace(record, holder=self._holder, expires_ms=clock.now_ms() + round(lease_s * 1_000))
        seen = self._turns.swap(self.conversation_id, self._seen, leased)
        if seen is None:
            return False
        self._seen, self._fence_s = seen, fence_s
        return True

    def renew(self) -> None:
        """The lease begins anew, unless the turn was lost; an unsend that passed just then costs no nap, or the lease would be over."""
        for _ in range(SWAP_ATTEMPTS):
            if self.record.state != "thinking" or self.write(self.record) or not self._catch_up():
                return

    def commit(self, outcome: OutcomeRecord, route: Route, *, prompt: AbstractSet[str], since_ms: int) -> bool:
        """Return whether the outcome is committed, and goes by `route`.

        False: the turn was lost; or one of the messages of the prompt, whose oldest words are of `since_ms`, was edited or taken back
        while the model thought, and the turn is idle.
        """
        for _ in range(SWAP_ATTEMPTS):
            if self.record.state != "thinking":
                return False
            if self.record.cancels(prompt, since_ms=since_ms):
                self.release()
                return False
            sequence = self.record.sequence + 1
            numbered = replace(outcome, sequence=sequence)
            if self.write(TurnRecord(state="committed", outcome=numbered, route=route, sequence=sequence)):
                return True
            if not self._catch_up():
                return False
        return False

    def release(self) -> None:
        """The turn is idle, unless it was lost."""
        for _ in range(SWAP_ATTEMPTS):
            if self.write(TurnRecord(sequence=self.record.sequence)) or not self._catch_up():
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
        """A swap was lost: go on at the newest generation where that was an unsend; return False where the turn is somebody else's."""
        if self.is_over:
            return False
        found = self._turns.read(self.conversation_id)
        if found.record.holder != self._holder or found.record.state != self.record.state:
            return False
        self._seen = found
        return True
