"""The tokens that the deployment has spent today."""

import datetime as dt

from shared.access.usage import UsageRecord
from shared.storage.codec import decode_readable
from shared.storage.object_names import usage_prefix
from shared.storage.object_store import ObjectStore


def tokens_spent(store: ObjectStore, time_zone: dt.tzinfo, now_ms: int) -> int:
    """Return the tokens of the present day, from the usage records.  Raises: StorageUnavailableError."""
    day = dt.datetime.fromtimestamp(now_ms / 1_000, time_zone).date().isoformat()
    objects = [store.read(listing.name) for listing in store.list(usage_prefix(day))]
    return sum(record.tokens for record in decode_readable(UsageRecord, (one.data if one else None for one in objects)))
