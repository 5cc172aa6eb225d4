"""Accepted batches of rich menu operations, with their progress.

Source: Messaging API reference, "Get the status of rich menu batch control".
"""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from .messages import JsonObject

BATCH_S: Final = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """An accepted batch, ongoing for a second after `accepted_ms`."""

    accepted_ms: int

    def view(self, at_ms: int) -> JsonObject:
        """Return LINE's progress object."""
        completed_ms = self.accepted_ms + BATCH_S * 1_000
        if at_ms < completed_ms:
            return {"phase": "ongoing", "acceptedTime": _iso(self.accepted_ms)}
        return {"phase": "succeeded", "acceptedTime": _iso(self.accepted_ms), "completedTime": _iso(completed_ms)}


def _iso(at_ms: int) -> str:
    moment = datetime.fromtimestamp(at_ms / 1_000, UTC)
    return moment.strftime("%Y-%m-%dT%H:%M:%S.") + f"{at_ms % 1_000:03d}Z"
