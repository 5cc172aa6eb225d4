"""The composition root of the unsend function: settings in, a push endpoint out."""

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Final

from withdraw import Withdraw

from shared import logs
from shared.adapters.gcs import GcsObjectStore
from shared.bus.endpoint import PushEndpoint
from shared.clock import SystemClock
from shared.conversation.store import Memory
from shared.knowledge.entry_store import StoredEntries
from shared.knowledge.filed_entries import FiledEntries
from shared.settings.unsend import unsend_settings

_THREADS: Final = 16


def compose(env: Mapping[str, str]) -> PushEndpoint:
    """Build the function.  Raises: SettingsError."""
    settings = unsend_settings(env)
    logs.configure()
    store = GcsObjectStore(project_id=settings.project_id, bucket=settings.history_bucket, connections=2 * _THREADS)
    clock = SystemClock()
    reads = ThreadPoolExecutor(_THREADS, thread_name_prefix="read")
    filed = FiledEntries(entries=StoredEntries(store=store, reads=reads))
    memory = Memory.on(store, reads=reads, clock=clock, lease_s=settings.lease_s, filed=filed)
    return PushEndpoint(handle=Withdraw(withdrawal=memory.withdrawal), clock=clock)
