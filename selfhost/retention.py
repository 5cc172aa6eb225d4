"""Deletes expired objects, as the bucket's lifecycle rules do.  The reasons for the days stand in infra/terraform/history.tf."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from shared import logs
from shared.adapters.sqlite import SqliteObjectStore
from shared.clock import Clock

_DAY_MS: Final = 86_400_000
_EVERY_MS: Final = 3_600_000
_IDLE_CONVERSATION_DAYS: Final = 365


def retention_days(*, archive_days: int) -> Mapping[str, int]:
    """Return the days from an object's last write to its deletion, by prefix: `retention_days(archive_days=90)["media/"] -> 90`.

    Other objects never expire: entries, expenses, polls, turns and reminders, with the deployment's default settings.
    """
    return {
        "amended/": 30,
        "edited/": 35,
        "archive/": max(1, archive_days),
        "calls/": 1,
        "invitations/": 366,
        "journal/": _IDLE_CONVERSATION_DAYS,
        "media/": 90,
        "snapshots/": _IDLE_CONVERSATION_DAYS,
        "usage/": 62,
    }


@dataclass(slots=True, kw_only=True)
class Retention:
    """Deletes expired objects, once an hour at most; called by every tick."""

    store: SqliteObjectStore
    days: Mapping[str, int]
    clock: Clock
    _next_ms: int = 0

    def __call__(self) -> None:
        """Delete every expired object.  Raises: StorageUnavailableError."""
        now_ms = self.clock.now_ms()
        if 0 <= self._next_ms - now_ms <= _EVERY_MS:
            return
        for prefix, days in self.days.items():
            count = self.store.drop_older(prefix, now_ms - days * _DAY_MS)
            if count:
                logs.info("objects_expired", prefix=prefix, count=count)
        self._next_ms = now_ms + _EVERY_MS
