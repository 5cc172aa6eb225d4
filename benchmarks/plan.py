"""How much is measured: a full run for reliable figures, or a quick run as a check of the benchmarks."""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """The numbers of rounds, and of requests or turns in a round.

    Attributes:
        ack_rounds: rounds of the webhook and its comparisons, at each number of connections.
        requests_alone: requests in a round on one connection.
        requests_together: requests in a round on many connections, in total.
        starts: rounds of cold starts after a first round, which fills the file cache; 0: the first round is reported.
        turns: timed turns in each chat.
        counted_turns: turns with counted requests in each chat, with slow storage.
        longest_chat: messages of the longest chat.
        chats_together: concurrent chats.
        rounds_together: rounds with one message in each concurrent chat.
        amendments: withdrawals in the chat with many withdrawals.
        entries: entries in the chat with many entries.
        grown_turns: turns in each grown chat; every twenty-first folds.
        cold_turns: instances with a compared first turn in a grown chat.
        call_rounds: rounds of an adapter's calls and of bare calls.
        pictures: rounds of a large picture, each with its own worker.
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
