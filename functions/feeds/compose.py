"""The composition root of the feeds function: builds adapters from the environment, and an endpoint from the adapters."""

from collections.abc import Mapping
from typing import Final

from serve import FeedEndpoint

from shared import logs
from shared.adapters.gcs import GcsObjectStore
from shared.adapters.ics import feed_as_ics
from shared.settings.feeds import feeds_settings

_CONNECTIONS: Final = 16


def compose(env: Mapping[str, str]) -> FeedEndpoint:
    """Build the function.  Raises: SettingsError."""
    settings = feeds_settings(env)
    logs.configure()
    store = GcsObjectStore(
        project_id=settings.project_id,
        bucket=settings.history_bucket,
        emulator_host=settings.storage_emulator_host,
        connections=_CONNECTIONS,
    )
    return FeedEndpoint(store=store, write=feed_as_ics)
