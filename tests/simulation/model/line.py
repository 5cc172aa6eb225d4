"""LINE: reply tokens that work once and die, pushes with retry keys, answers that get lost on the way.

Source: LINE, "Send reply message", "Retry failed API requests".
"""

import random
from dataclasses import dataclass
from typing import Literal, TypeAlias

from tests.simulation.model.records import Outcome
from tests.simulation.product.times import ANSWERABLE_S, TOKEN_S

Fate: TypeAlias = Literal["delivered", "refused", "unknown"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """Something that appeared in the chat."""

    outcome: Outcome
    text: str
    at_s: float
    pushed: bool = False


class Line:
    """The platform, as one chat sees it.  `lossiness` is how often an answer of LINE's does not arrive."""

    def __init__(self, rng: random.Random, *, lossiness: float = 0.0) -> None:
        self.effects: list[Effect] = []
        self.lossiness = lossiness
        self._rng = rng
        self._dies_s: dict[str, float] = {}
        self._spent: set[str] = set()

    def deliver(self, reply_token: str, *, timestamp_s: float, now_s: float) -> None:
        """A webhook with this token left LINE; a redelivered one lives for another minute, up to 20 minutes after the event."""
        if reply_token not in self._dies_s or now_s < timestamp_s + ANSWERABLE_S:
            self._dies_s[reply_token] = now_s + TOKEN_S

    def reply(self, reply_token: str, outcome: Outcome, text: str, *, now_s: float) -> Fate:
        """A token works once; used and expired ones are refused alike."""
        if self._rng.random() < self.lossiness:
            return "unknown"
        if reply_token in self._spent or now_s >= self._dies_s[reply_token]:
            return "refused"
        self._spent.add(reply_token)
        self.effects.append(Effect(outcome=outcome, text=text, at_s=now_s))
        return "unknown" if self._rng.random() < self.lossiness else "delivered"

    def push(self, retry_key: str | None, outcome: Outcome, text: str, *, now_s: float) -> Fate:
        """A retry key works once; 409 tells that it did."""
        if self._rng.random() < self.lossiness:
            return "unknown"
        if retry_key is None or retry_key not in self._spent:
            self._spent.update(() if retry_key is None else (retry_key,))
            self.effects.append(Effect(outcome=outcome, text=text, at_s=now_s, pushed=True))
        return "unknown" if self._rng.random() < self.lossiness else "delivered"
