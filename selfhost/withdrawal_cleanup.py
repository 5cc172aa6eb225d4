"""The clean-up after a withdrawal in a deployment on SQLite."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Final

from operations.dead_letters import without_withdrawn_words
from selfhost.dead_letters import WithdrawnMessages
from selfhost.settings import ServeSettings
from shared.adapters.sqlite import Database, SqliteEventQueue
from shared.clock import Clock
from shared.conversation.store import Conversations
from shared.storage.object_store import ObjectStore

_READ_THREADS: Final = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class WithdrawalCleanup:
    """Removes withdrawn words from every file: from the queue, from the copies of an upgrade and from the database's log."""

    messages: WithdrawnMessages
    database: Database

    def __call__(self) -> None:
        """Remove the words.  Raises: StorageUnavailableError; safe to repeat."""
        self.messages()
        self.database.drop_copies()
        self.database.truncate_log()


def withdrawal_cleanup_on(
    database: Database, store: ObjectStore, queue: SqliteEventQueue, settings: ServeSettings, clock: Clock
) -> WithdrawalCleanup:
    """Return the clean-up for a database."""
    reads = ThreadPoolExecutor(_READ_THREADS, thread_name_prefix="withdrawn")
    conversations = Conversations.on(store, reads=reads, clock=clock, lease_s=settings.worker.lease_s)
    messages = WithdrawnMessages(queue=queue, remainder=lambda letter: without_withdrawn_words(letter, conversations))
    return WithdrawalCleanup(messages=messages, database=database)
