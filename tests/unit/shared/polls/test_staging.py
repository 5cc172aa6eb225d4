"""A turn's view of polls, while tools of one round run at the same time."""

import datetime as dt
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from shared.adapters.memory import MemoryObjectStore
from shared.agent.overlay import Attempt
from shared.conversation.amendments import Amendments
from shared.conversation.member_mark import mark_id
from shared.polls.poll import Poll, Vote
from shared.polls.staging import CastVote, PollOverlay
from shared.storage.object_store import ListedObject
from tests.support.knowledge import conversation_on

NOW_MS = round(dt.datetime(2026, 11, 26, 10, tzinfo=dt.UTC).timestamp() * 1_000)
POLL = Poll(id="p0123456789", question="dinner?", options=("curry", "sushi"))
ANN, BEN = mark_id("U" + "7" * 32), mark_id("U" + "8" * 32)


class BusyStore(MemoryObjectStore):
    """A bucket in which something happens while the votes of a poll are listed, once."""

    happens: Callable[[], object] | None = None

    def list(self, prefix: str, **more: Any) -> tuple[ListedObject, ...]:  # noqa: ANN401 - bounds
        if "/votes/" in prefix and self.happens is not None:
            happens, self.happens = self.happens, None
            happens()
        return super().list(prefix, **more)


def cast(member: str, message_id: str) -> CastVote:
    return CastVote(vote=Vote(poll_id=POLL.id, sent_ms=NOW_MS, choice=1, member=member, id=message_id, is_said=True))


def test_a_vote_that_another_tool_casts_while_votes_are_listed_counts() -> None:
    store = BusyStore()
    overlay = PollOverlay(Attempt.at(conversation_on(store), sequence=1, now_ms=NOW_MS, amendments=Amendments()))
    overlay.cast(cast(ANN, "m1"))
    store.happens = lambda: overlay.cast(cast(BEN, "m2"))

    assert {vote.member for vote in overlay.counted(POLL)} == {ANN, BEN}


def test_of_the_polls_that_a_turn_opens_the_last_is_the_newest() -> None:
    attempt = Attempt.at(conversation_on(MemoryObjectStore()), sequence=1, now_ms=NOW_MS, amendments=Amendments())
    overlay = PollOverlay(attempt)
    for number in range(5):
        overlay.add(replace(POLL, id=f"p{9 - number}", question=f"question {number}"))

    assert [poll.question for poll in overlay.polls()] == [f"question {number}" for number in range(5)]
    assert overlay.open()[-1].question == "question 4"
