"""Objects other than journal, turn and snapshot that hold words of messages: entries, media, external calls, and what features store.

A chat has few of these objects, and most chats have none of most kinds, so their listings are read in parallel.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Protocol, TypeAlias

from shared.conversation.amendments import Amendments
from shared.conversation.store import Conversation

Removal: TypeAlias = Callable[[Amendments], object]
"""Removes from a chat what the amendments say, once the reads that were begun have ended."""


class WordHolder(Protocol):
    """Objects of one kind.  A holder names this as its base, for `remove_withdrawn`."""

    def begin_removal(self, conversation: Conversation) -> Removal:
        """Begin to read which objects the chat has, on the threads of the reads; return what removes withdrawn words from the objects.

        Begun after the amendments stand: an object that is written later is no business of the removal, because its writer reads the
        amendments afterwards. Not to be called on a thread of the reads. The removal raises StorageUnavailableError.
        """
        ...

    def remove_withdrawn(self, conversation: Conversation, amendments: Amendments) -> None:
        """Nothing in the objects comes from withdrawn words, or repeats words replaced by an edit.

        Filed entries, which people may want to keep when they reset a conversation, go by `erased_entries_ms`; all else by `erased_ms`.
        Repeated: does nothing. Raises: StorageUnavailableError.
        """
        self.begin_removal(conversation)(amendments)


def begin_removals(holders: Sequence[WordHolder], conversation: Conversation) -> Removal:
    """Begin to read what every holder has, in parallel; return what removes, holder by holder in their order.

    For example, the holders of nine features read their nine folders in one round trip, and calendars, whose feeds are made of what the
    others hold, come last.
    """
    return partial(_remove_all, tuple(holder.begin_removal(conversation) for holder in holders))


def _remove_all(removals: tuple[Callable[[Amendments], object], ...], amendments: Amendments) -> None:
    for removal in removals:
        removal(amendments)
