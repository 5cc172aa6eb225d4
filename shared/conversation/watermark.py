"""The watermark of a chat, up to which everything counts as withdrawn, and its marks among the amendments, which every look lists.

    erased/{conversation_id}.json                    the watermark; it stays for ever
    amended/{conversation_id}/erasure.json           the same timestamps once more, as amendments of no message: of the chat,
    amended/{conversation_id}/erasure-entries.json   and of its entries

The marks are written first, and last as long as the bucket keeps amendments. So an instance that has read the watermark once learns of
every erasure that comes later from the listing of the amendments, and reads the watermark again only after `KEPT_S`.
"""

import threading
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from cachetools import LRUCache

from shared.conversation.records import Amendment, Watermark

ERASURE: Final = "erasure"  # no message's id of LINE's is one of these
ERASURE_OF_ENTRIES: Final = "erasure-entries"
ERASURES: Final = frozenset({ERASURE, ERASURE_OF_ENTRIES})
KEPT_S: Final = 600.0
"""Far less than the thirty days for which the bucket keeps the marks."""
_CHATS_KEPT: Final = 4_096


def marked_in(amendments: Iterable[Amendment]) -> Watermark:
    """Return the watermark as the marks among these amendments tell it."""
    marked = {one.line_message_id: one.timestamp_ms for one in amendments if one.line_message_id in ERASURES}
    return Watermark(timestamp_ms=marked.get(ERASURE, -1), entries_ms=marked.get(ERASURE_OF_ENTRIES, -1))


def _cache() -> LRUCache[str, tuple[Watermark, float]]:
    return LRUCache(_CHATS_KEPT)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Watermarks:
    """The watermarks that this instance has read, by chat; safe to share between threads."""

    _kept: LRUCache[str, tuple[Watermark, float]] = field(default_factory=_cache, repr=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def of(self, conversation_id: str, *, now_s: float) -> Watermark | None:
        """Return the chat's watermark as it was at most KEPT_S ago, by a monotonic clock; None: it has to be read."""
        with self._lock:
            watermark, read_s = self._kept.get(conversation_id, (None, 0.0))
        return watermark if watermark is not None and now_s - read_s < KEPT_S else None

    def keep(self, conversation_id: str, watermark: Watermark, *, read_s: float) -> None:
        """Keep a watermark; its reading began at `read_s`."""
        with self._lock:
            self._kept[conversation_id] = (watermark, read_s)
