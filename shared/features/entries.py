"""Entries as a stored feature."""

from collections.abc import Iterator
from typing import Final

from shared.conversation.store import Conversation
from shared.features.stored_feature import Counted, ObjectSource, StoredFeature
from shared.knowledge.apply import EntryWriter
from shared.knowledge.entry_store import EntryStore
from shared.knowledge.entry_words import EntryWords


def _count(conversation: Conversation) -> int:
    return len(EntryStore(conversation).catalog().rows)


def _sources(conversation: Conversation) -> Iterator[ObjectSource]:
    return EntryStore(conversation).provenances()


ENTRIES: Final = StoredFeature(
    folder="entries",
    words=EntryWords(),
    writer=EntryWriter(),
    counted=Counted(count=_count),
    sources=_sources,
)
