"""The turn of a chat: a state machine with compare-and-swap as its only transition.  The worker that wrote the newest generation holds it.

    idle ──open──▶ thinking ──commit──▶ committed ──its outcome is recorded──▶ (as good as idle)
                      └── expired: any worker may open it again, tries + 1

The object is rewritten, never deleted. Every write carries a token of its writer, because Cloud Storage's client repeats a write whose
answer was lost and then reports a conflict: the token tells that the write won.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Final, Literal

from shared.clock import Clock
from shared.conversation.amendments import Amendments
from shared.conversation.provenance import Provenance
from shared.conversation.records import OutcomeKind, OutcomeRecord
from shared.errors import StorageUnavailableError
from shared.line.messaging import ReplyToken
from shared.storage.codec import VERSION, decode, encode
from shared.storage.compare_and_swap import SWAP_ATTEMPTS
from shared.storage.object_names import ObjectNames
from shared.storage.object_store import ObjectStore

# The part of a lease after which its holder writes nothing: clocks differ by 5 s, and a call takes effect within 3 s.
FENCE: Final = 17 / 25


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """How words reach the user: on a reply token, which came at `received_ms`, by a push, or not at all."""

    kind: Literal["none", "token", "push"] = "none"
    reply_token: str | None = field(default=None, repr=False)
    received_ms: int = 0

    @classmethod
    def on(cls, token: ReplyToken | None) -> "Route":
        """Return the route on a token; none without one."""
        return cls() if token is None else cls(kind="token", reply_token=token.value, received_ms=token.received_ms)

    @property
    def token(self) -> ReplyToken | None:
        """The token that it goes by; None for any other route."""
        if self.kind != "token" or self.reply_token is None:
            return None
        return ReplyToken(value=self.reply_token, received_ms=self.received_ms)


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnRecord:
    """turns/{conversation_id}.json.

    thinking: `holder` thinks until `expires_ms`; it was opened `tries` times over a dead holder; `cancelled` and `erased_ms` are what was
    edited or withdrawn meanwhile. committed: `outcome` is decided and nothing else will be sent; it goes by `route`; `holder` delivers it
    until `expires_ms`, and then any worker may take over. `sequence` numbers the commits of the chat.
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

    def with_cancellation(self, line_message_id: str) -> "TurnRecord":
        """Return the turn as its holder has to find it when this message was edited or withdrawn."""
        return replace(self, cancelled=(*self.cancelled, line_message_id)) if self.state == "thinking" else self

    def without_withdrawn(
        self, amendments: Amendments, line_message_id: str | None, is_affected: Callable[[OutcomeRecord], bool]
    ) -> "TurnRecord":
        """Return the turn without the words of what was withdrawn; a thinking holder learns what that was."""
        if self.state == "thinking":
            turn = self.with_cancellation(line_message_id) if line_message_id is not None else self
            return replace(turn, erased_ms=max(turn.erased_ms, amendments.erased_ms))
        outcome = self.outcome
        if outcome is not None and outcome.holds_words and is_affected(outcome):
            return replace(self, outcome=outcome.without_words(OutcomeKind.WITHDRAWN))
        return self

    def cancels(self, prompt: Provenance) -> bool:
        """Whether a message of the prompt was edited or withdrawn while the holder thought."""
        return prompt.since_ms <= self.erased_ms or not prompt.ids.isdisjoint(self.cancelled)


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenTurn:
    """The turn as it was at `generation`; 0 where there was none yet."""

    record: TurnRecord
    generation: int

    @property
    def committed(self) -> OutcomeRecord | None:
        """The outcome that is committed, recorded or not."""
        return self.record.outcome if self.record.state == "committed" else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One chat's turn.  Every method raises StorageUnavailableError when the bucket does not answer in time."""

    names: ObjectNames
    store: ObjectStore
    clock: Clock = field(repr=False)
    new_id: Callable[[], str] = field(repr=False)
    lease_s: float = 25.0

    def read(self) -> SeenTurn:
        """Return the turn; idle where there never was one."""
        stored = self.store.read(self.names.turn)
        if stored is None:
            return SeenTurn(record=TurnRecord(), generation=0)
        return SeenTurn(record=decode(TurnRecord, stored.data), generation=stored.generation)

    def update(self, change: Callable[[TurnRecord], TurnRecord]) -> None:
        """Swap the turn for what `change` makes of it, in any case, because a commit in flight must lose its own swap."""
        for _ in range(SWAP_ATTEMPTS):
            seen = self.read()
            if self.swap(seen, change(seen.record)) is not None:
                return
        raise StorageUnavailableError("others kept changing the turn")

    def swap(self, seen: SeenTurn, record: TurnRecord) -> SeenTurn | None:
        """Return the turn as written over `seen`, or None where another worker wrote first."""
        written = replace(record, writer=self.new_id())
        generation = self.store.replace(self.names.turn, encode(written), generation=seen.generation)
        if generation is not None:
            return SeenTurn(record=written, generation=generation)
        found = self.read()
        return found if found.record.writer == written.writer else None
