"""The composition root of the unsend function: settings in, a push endpoint out."""

import uuid
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Final

from withdraw import Withdraw

from shared import logs
from shared.adapters.gcs import GcsObjectStore
from shared.bus.endpoint import PushEndpoint
from shared.clock import SystemClock
from shared.conversation.bodies import Bodies
from shared.conversation.journal import Journal
from shared.conversation.turn import Turns
from shared.settings.unsend import unsend_settings

_THREADS: Final = 16


def compose(env: Mapping[str, str]) -> PushEndpoint:
    """Build the function.  Raises: SettingsError."""
    settings = unsend_settings(env)
    logs.configure()
    store = GcsObjectStore(project_id=settings.project_id, bucket=settings.history_bucket, connections=2 * _THREADS)
    clock = SystemClock()
    turns = Turns(store=store, clock=clock, new_id=lambda: uuid.uuid4().hex)
    journal = Journal(
        store=store,
        bodies=Bodies(store=store),
        turns=turns,
        reads=ThreadPoolExecutor(_THREADS, thread_name_prefix="read"),
    )
    return PushEndpoint(handle=Withdraw(journal=journal), clock=clock)
