"""The composition root of the unsend function: builds adapters from the environment, and a push endpoint from the adapters."""

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Final

from shared import logs
from shared.access.admission import Admissions
from shared.access.unadmitted_chats import UnadmittedChats
from shared.adapters.gcs import GcsObjectStore
from shared.adapters.google_tokens import GooglePushTokens
from shared.adapters.moved_clock import clock_of
from shared.bus.endpoint import PushEndpoint
from shared.conversation.store import Conversations
from shared.handlers.traces import Traces
from shared.handlers.unsend import UnsendHandler, withdrawal_of
from shared.settings.unsend import UnsendSettings, unsend_settings
from shared.storage.object_store import ObjectStore

_THREADS: Final = 16


def compose(env: Mapping[str, str]) -> PushEndpoint:
    """Build the function.  Raises: SettingsError."""
    settings = unsend_settings(env)
    logs.configure()
    store = GcsObjectStore(
        project_id=settings.project_id,
        bucket=settings.history_bucket,
        emulator_host=settings.storage_emulator_host,
        connections=2 * _THREADS,
    )
    return compose_on(store, settings)


def compose_on(store: ObjectStore, settings: UnsendSettings) -> PushEndpoint:
    """Build the function on the given store."""
    clock = clock_of(settings.clock_offset_file)
    conversations = Conversations.on(
        store,
        reads=ThreadPoolExecutor(_THREADS, thread_name_prefix="read"),
        clock=clock,
        lease_s=settings.lease_s,
    )
    admissions = Admissions(store=conversations.objects.store, clock=clock)
    traces = Traces(access=settings.access, admissions=admissions, unadmitted=UnadmittedChats(clock=clock))
    return PushEndpoint(
        handle=UnsendHandler(conversations=conversations, withdrawal=withdrawal_of(clock), traces=traces),
        clock=clock,
        tokens=GooglePushTokens(settings.push, clock=clock) if settings.push is not None else None,
    )
