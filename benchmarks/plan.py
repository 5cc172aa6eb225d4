"""How much is measured: enough to rely on, or just enough to see that it works."""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """Numbers of rounds and of what happens in one.

    Attributes:
        ack_rounds: rounds of the webhook and of what it is compared with, at every number of connections.
        requests_alone: requests a round on one connection.
        requests_together: requests a round on all of many connections.
        starts: rounds of cold starts.
        turns: timed turns in either chat.
        counted_turns: turns in either chat whose requests are counted, with slow storage.
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
