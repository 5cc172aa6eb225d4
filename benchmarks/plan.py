"""How much is measured: a full run for reliable figures, or a quick one that shows that the benchmarks work."""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """The numbers of rounds, and of requests or turns in a round.

    Attributes:
        ack_rounds: rounds of the webhook and its comparisons, at each number of connections.
        requests_alone: requests in a round on one connection.
        requests_together: requests in a round on many connections, in total.
        starts: rounds of cold starts.
        turns: timed turns in each chat.
        counted_turns: turns in each chat whose requests are counted, with slow storage.
        longest_chat: messages of the longest chat.
        folds: how often a chat is folded while the cost of its turns is counted.
    """

    ack_rounds: int
    requests_alone: int
    requests_together: int
    starts: int
    turns: int
    counted_turns: int
    longest_chat: int
    folds: int


FULL: Final = Plan(
    ack_rounds=32,
    requests_alone=200,
    requests_together=480,
    starts=11,
    turns=16,
    counted_turns=4,
    longest_chat=10_000,
    folds=2,
)
QUICK: Final = Plan(
    ack_rounds=3,
    requests_alone=150,
    requests_together=320,
    starts=3,
    turns=4,
    counted_turns=1,
    longest_chat=600,
    folds=1,
)
