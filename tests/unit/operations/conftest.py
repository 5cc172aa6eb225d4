"""Chats in memory for the operators' commands."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import pytest

from shared.adapters.memory import FixedClock, MemoryObjectStore
from shared.conversation.journal import Journal
from shared.conversation.records import MessageRecord
from shared.conversation.turn import Turns
from tests.support import recorded
from tests.support.chats import journal_on, turns_on

SECRET_WORDS = "my pin is 4711"


@dataclass(frozen=True, slots=True, kw_only=True)
class Bucket:
    """A bucket with the things that read and write it."""

    store: MemoryObjectStore
    clock: FixedClock
    turns: Turns
    journal: Journal

    def holds(self, words: str) -> bool:
        stored = (self.store.read(listed.name) for listed in self.store.list(""))
        return any(one is not None and words.encode() in one.data for one in stored)


@pytest.fixture
def bucket() -> Iterator[Bucket]:
    store, clock = MemoryObjectStore(), FixedClock()
    turns = turns_on(store, clock)
    with ThreadPoolExecutor(4) as reads:
        yield Bucket(store=store, clock=clock, turns=turns, journal=journal_on(store, reads, turns))


def message(line_message_id: str = "1", *, text: str = SECRET_WORDS, event: str = "event-1") -> MessageRecord:
    return MessageRecord(
        line_message_id=line_message_id,
        webhook_event_id=event,
        timestamp_ms=1,
        type="text",
        addressed=True,
        text=text,
        user_id=recorded.USER,
    )
