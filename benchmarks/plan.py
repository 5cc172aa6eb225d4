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
        starts: rounds of cold starts after the one that fills the file cache; 0: that one is reported.
        turns: timed turns in each chat.
        counted_turns: turns in each chat whose requests are counted, with slow storage.
        longest_chat: messages of the longest chat.
        chats_together: chats that talk at once.
        rounds_together: rounds in which each of them says something.
        amendments: withdrawals in the chat in which much was taken back.
        entries: in the chat in which much was filed.
        grown_turns: turns in each chat that has grown; every twenty-first folds.
        cold_turns: instances whose first turns in such chats are compared.
        call_rounds: rounds of single calls beside bare ones.
        pictures: rounds of a large picture, each in a worker of its own.
    """

    ack_rounds: int
    requests_alone: int
    requests_together: int
    starts: int
    turns: int
    counted_turns: int
    longest_chat: int
    chats_together: int
    rounds_together: int
    amendments: int
    entries: int
    grown_turns: int
    cold_turns: int
    call_rounds: int
    pictures: int


FULL: Final = Plan(
    ack_rounds=64,
    requests_alone=50,
    requests_together=128,
    starts=5,
    turns=16,
    counted_turns=6,
    longest_chat=10_000,
    chats_together=40,
    rounds_together=5,
    amendments=1_000,
    entries=1_000,
    grown_turns=21,
    cold_turns=5,
    call_rounds=15,
    pictures=3,
)
QUICK: Final = Plan(
    ack_rounds=8,
    requests_alone=50,
    requests_together=128,
    starts=0,
    turns=4,
    counted_turns=1,
    longest_chat=400,
    chats_together=16,
    rounds_together=2,
    amendments=200,
    entries=200,
    grown_turns=3,
    cold_turns=1,
    call_rounds=5,
    pictures=1,
)
