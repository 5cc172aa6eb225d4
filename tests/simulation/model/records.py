"""What is stored: the values of the bucket's objects."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Final, Literal, TypeAlias

Kind: TypeAlias = Literal[
    "replied", "skipped", "apologised", "deferred", "stored", "withdrawn", "undelivered", "unknown"
]
PUSH: Final = "push"
"""The route of an outcome that is pushed; any other route is a reply token."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Token:
    """A reply token and when it was received, by Pub/Sub's clock."""

    reply_token: str
    received_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """A message as received, or a press of a button: `presses` names the deferral that the button stands for."""

    id: str
    timestamp_s: float
    text: str
    addressed: bool
    token: Token
    presses: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Amendment:
    """An edit, or an unsend (text None), which is final."""

    line_message_id: str
    timestamp_s: float
    text: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Watermark:
    """Everything up to here counts as withdrawn, by LINE's timestamp."""

    timestamp_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One line of an entry, with the message that it came from."""

    text: str
    line_message_id: str
    timestamp_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class StagedWrite:
    """A line that a turn wants to add to an entry."""

    entry: str
    line: Line


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """An entry and the key of the write that it got last."""

    lines: tuple[Line, ...] = ()
    key: tuple[int, int] = (0, 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What a turn did.

    `saw` is every message whose words the prompt held, also inside answers that repeat them; `since_s` is the oldest of them all.
    `sequence` numbers the commits of the chat. `route` is the token, PUSH, or None where there is no way to the user (any more).
    `answers` are the deferrals that this outcome makes good; a deferral (`has_button`) stands for itself and for those it prolongs.
    """

    id: str
    kind: Kind
    covers: tuple[str, ...]
    saw: tuple[str, ...]
    since_s: float
    newest_s: float
    text: str | None
    tokens: tuple[Token, ...] = ()
    route: str | None = None
    writes: tuple[StagedWrite, ...] = ()
    answers: tuple[str, ...] = ()
    has_button: bool = False
    sequence: int = 0

    @property
    def holds_words(self) -> bool:
        """Whether there is anything in it that a withdrawal has to take out."""
        return self.text is not None or bool(self.writes)

    def without_words(self, kind: Kind | None = None) -> "Outcome":
        """Return the outcome as it stays after a withdrawal."""
        return replace(self, text=None, writes=(), kind=kind or self.kind)

    def holds(self, line_message_ids: Iterable[str], erased_s: float) -> bool:
        """Whether one of these messages, or anything up to the watermark, is in it."""
        ids = frozenset((*self.covers, *self.saw))
        return self.since_s <= erased_s or not ids.isdisjoint(line_message_ids)


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """The state machine of a chat.  `writer` tells a write whose answer was lost from a lost race.

    `cancelled` and `erased_s` are what was withdrawn or edited while the holder thought.
    """

    state: Literal["idle", "thinking", "committed"] = "idle"
    holder: int | None = None
    expires_s: float = 0.0
    tries: int = 0
    cancelled: tuple[str, ...] = ()
    erased_s: float = -1.0
    outcome: Outcome | None = None
    sequence: int = 0
    writer: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """Older messages and outcomes."""

    messages: Mapping[str, Message] = field(default_factory=dict)
    outcomes: Mapping[str, Outcome] = field(default_factory=dict)
    writer: int = 0


Record: TypeAlias = Message | Amendment | Watermark | Entry | Outcome | Turn | Snapshot


@dataclass(frozen=True, slots=True, kw_only=True)
class Amendments:
    """What is withdrawn and what is edited, as of one look."""

    edits: Mapping[str, Amendment]
    withdrawn: frozenset[str]
    erased_s: float

    def withdraw(self, message: Message) -> bool:
        """Whether the message was taken back or erased."""
        return message.id in self.withdrawn or message.timestamp_s <= self.erased_s

    def touch(self, outcome: Outcome) -> bool:
        """Whether something that the outcome covers or saw was taken back or erased."""
        return outcome.holds(self.withdrawn, self.erased_s)

    def overlaid(self, message: Message) -> Message:
        """Return the message with its newest text."""
        edit = self.edits.get(message.id)
        return message if edit is None or edit.text is None else replace(message, text=edit.text)
