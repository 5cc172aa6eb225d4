"""The object store and the bus in one SQLite file, for a deployment of one process on one machine."""

from shared.adapters.sqlite.database import Database
from shared.adapters.sqlite.event_queue import QueuedMessage, SqliteEventQueue
from shared.adapters.sqlite.object_store import SqliteObjectStore
from shared.adapters.sqlite.schema import DatabaseInUseError, DatabaseRefusedError

__all__ = [
    "Database",
    "DatabaseInUseError",
    "DatabaseRefusedError",
    "QueuedMessage",
    "SqliteEventQueue",
    "SqliteObjectStore",
]
