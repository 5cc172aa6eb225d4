"""Claims on pushes: one of several workers pushes what is due, and LINE takes a repeated push only once.

    due ─▶ claim ─▶ check ─▶ push under the push's own key ─▶ record
     │                └── fate unknown: the claim stays; the next tick pushes under the same key

The claim is a swap of the thing that is due. Source: LINE, "Retry a failed API request": a key is valid for 24 hours; a repeated call that
was accepted gets 409.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol, TypeVar

from msgspec import UNSET

from shared import logs
from shared.clock import Deadline
from shared.conversation.pushes import PushAllowance
from shared.conversation.store import Conversation
from shared.conversation.turn import FENCE
from shared.errors import LineUnavailableError, TurnBusyError
from shared.frozen import frozen
from shared.line.messaging import SENDING_S, OutgoingMessage, PushApi, PushFate, push_until_known
from shared.unknown_fields import Extensible


@frozen
class PushClaim(Extensible):
    """A worker's claim on a push: no other worker pushes before `until_ms`.  `first_ms` is the time of the first claim."""

    worker: str
    first_ms: int
    until_ms: int

    def says_the_same_as(self, other: "PushClaim") -> bool:
        """Whether the claims are equal but for fields that this release does not know."""
        return replace(self, unknown_fields=UNSET) == replace(other, unknown_fields=UNSET)


class Claimed(Protocol):
    """A thing with the claim on its push, such as a reminder."""

    @property
    def id(self) -> str: ...

    @property
    def claim(self) -> PushClaim | None: ...


T = TypeVar("T", bound=Claimed)


class ClaimStore(Protocol[T]):
    """The things of a chat."""

    def find(self, thing_id: str, /) -> tuple[T, int] | None:
        """Return a thing with the generation of its object; None where there is no readable thing."""
        ...

    def swap(self, thing: T, generation: int, /) -> int | None:
        """Write the thing over the given generation; return the new generation, or None where the object has changed or is missing."""
        ...


def claim_ends(conversation: Conversation) -> tuple[int, Deadline]:
    """Return the end of a claim that begins now, and the deadline of its push: of 25 s, for example, the push has the first 20."""
    turn = conversation.turn
    until_ms = turn.clock.now_ms() + round(turn.lease_s * 1_000)
    return until_ms, Deadline.after(turn.clock, turn.lease_s * FENCE)


def swap_claimed(store: ClaimStore[T], thing: T, generation: int) -> tuple[T, int]:
    """Write the thing with this worker's claim; return the thing and its generation.

    Raises: TurnBusyError, if the thing has changed since it was read.
    """
    written = store.swap(thing, generation)
    if written is not None:
        return thing, written
    stored = store.find(thing.id)
    claim = stored[0].claim if stored is not None else None
    if stored is None or thing.claim is None or claim is None or not claim.says_the_same_as(thing.claim):
        raise TurnBusyError("what is due was changed since it was read")
    return stored  # the write won, although the response was lost


def push_claimed(  # noqa: PLR0913 - a push, and what decides about it
    line: PushApi,
    pushes: PushAllowance,
    conversation_id: str,
    messages: Sequence[OutgoingMessage],
    *,
    retry_key: str,
    deadline: Deadline,
) -> PushFate:
    """Push within the deadline of the claim; return whether LINE took the push or refuses it for good.

    Raises: TurnBusyError, where the claim has ended; LineUnavailableError, where the fate is unknown: push again under the same key.
    """
    if not deadline.left_s:
        raise TurnBusyError("the claim ended before the push")
    fate = push_until_known(line, conversation_id, messages, retry_key=retry_key, deadline=deadline.within(SENDING_S))
    if fate.kind in {"unknown", "not_sent"}:
        raise LineUnavailableError("it is not known whether LINE took the push")
    if fate.kind == "quota_spent":
        pushes.budget.mark_spent()
        logs.error("push_quota_spent")
    return fate
