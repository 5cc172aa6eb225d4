"""Faults on purpose.

Every fault is a function of the seed and of the affected message or request, not of a shared random stream: timing cannot change a fault,
and a run with the same seed and the same order of publishes meets the same faults.
"""

import random
from dataclasses import dataclass, fields


@dataclass(frozen=True, slots=True, kw_only=True)
class Chaos:
    """Switches for faults that the real service is allowed to have. The default has none.

    For example, `Chaos(seed=7, duplicate_probability=0.1)` duplicates about one message in ten.

    Attributes:
        seed: the only source of randomness.
        duplicate_probability: a message is delivered twice to a subscription, each copy until acknowledged.
        delay_s: the shortest and the longest wait before the first delivery of a message.
        reorder_probability: a message is delivered after the subscription's next message.
        lost_acknowledgement_probability: an acknowledgement is sent and lost; the message is delivered again.
        unavailable_before_probability: a publish fails with UNAVAILABLE before the messages are stored.
        unavailable_after_probability: a publish fails with UNAVAILABLE after the messages are stored.
        waited_s: the publish time of a message lies so long ago, as if the message had waited for a subscriber.
    """

    seed: int = 0
    duplicate_probability: float = 0.0
    delay_s: tuple[float, float] = (0.0, 0.0)
    reorder_probability: float = 0.0
    lost_acknowledgement_probability: float = 0.0
    unavailable_before_probability: float = 0.0
    unavailable_after_probability: float = 0.0
    waited_s: float = 0.0

    def __post_init__(self) -> None:
        for name in (field.name for field in fields(self) if field.name.endswith("_probability")):
            if not 0.0 <= getattr(self, name) <= 1.0:
                raise ValueError(f"{name} is a probability: 0 to 1, not {getattr(self, name)}")
        shortest_s, longest_s = self.delay_s
        if not 0.0 <= shortest_s <= longest_s:
            raise ValueError(f"delay_s is a range of seconds, shortest first, not {self.delay_s}")

    def copies(self, subscription: str, number: int) -> int:
        """Return how often message `number` is delivered to the subscription if every delivery is acknowledged."""
        return 2 if self._happens(self.duplicate_probability, "duplicate", subscription, number) else 1

    def first_delay_s(self, subscription: str, number: int, copy: int) -> float:
        """Return a copy's wait before the first delivery."""
        shortest_s, longest_s = self.delay_s
        if longest_s == 0.0:
            return 0.0
        return shortest_s + (longest_s - shortest_s) * self._draw("delay", subscription, number, copy)

    def reorders(self, subscription: str, number: int, copy: int) -> bool:
        """Whether a copy is delivered after the next message."""
        return self._happens(self.reorder_probability, "reorder", subscription, number, copy)

    def loses_acknowledgement(self, subscription: str, number: int, copy: int, attempt: int) -> bool:
        """Whether the attempt's acknowledgement is lost."""
        return self._happens(
            self.lost_acknowledgement_probability, "lost acknowledgement", subscription, number, copy, attempt
        )

    def fails_before(self, publish: int) -> bool:
        """Whether the `publish`-th publish request fails without an effect."""
        return self._happens(self.unavailable_before_probability, "unavailable before", publish)

    def fails_after(self, publish: int) -> bool:
        """Whether the `publish`-th publish request takes effect and fails."""
        return self._happens(self.unavailable_after_probability, "unavailable after", publish)

    def _happens(self, probability: float, decision: str, *on: object) -> bool:
        return probability > 0.0 and self._draw(decision, *on) < probability

    def _draw(self, decision: str, *on: object) -> float:
        return random.Random(repr((self.seed, decision, *on))).random()
