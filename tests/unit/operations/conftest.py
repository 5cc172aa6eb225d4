"""Chats in memory for the operators' commands."""

from dataclasses import dataclass

import pytest

from shared.adapters.memory import FixedClock, MemoryObjectStore
from shared.conversation.records import MessageRecord
from shared.conversation.store import Conversation, Conversations
from tests.support import recorded
from tests.support.chats import conversations_on
from tests.support.inline import InlineExecutor

SECRET_WORDS = "my pin is 4711"


@dataclass(frozen=True, slots=True, kw_only=True)
class Bucket:
    """A bucket and its chats."""

    store: MemoryObjectStore
    clock: FixedClock
    conversations: Conversations

    @property
    def chat(self) -> Conversation:
        """The chat of the recorded user."""
        return self.conversations.of(recorded.USER)

    def holds(self, words: str) -> bool:
        stored = (self.store.read(listed.name) for listed in self.store.list(""))
        return any(one is not None and words.encode() in one.data for one in stored)


@pytest.fixture
def bucket() -> Bucket:
    store, clock = MemoryObjectStore(), FixedClock()
    return Bucket(store=store, clock=clock, conversations=conversations_on(store, InlineExecutor(), clock))


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
