"""Tombstones: a deletion leaves its key at the entry's path, so that a write that comes late finds that it is older.

A tombstone is deleted when one of its sources is withdrawn, because the path may repeat words, and by an erasure; otherwise by a write of
the chat that comes more than an hour later. No request to the bucket takes that long.
"""

from dataclasses import dataclass, field
from typing import Final

from shared.conversation.provenance import IsWithdrawn, Provenance
from shared.errors import PermanentError
from shared.knowledge.entry_file import format_revision, read_entry, read_revision, traces_in
from shared.storage.codec import VERSION, decode, encode
from shared.unknown_fields import Extensible

KEPT_MS: Final = 60 * 60_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Tombstone(Extensible):
    """`revision` is the key of the deletion, `provenance` is that of the entry.

    `deleted_ms` is LINE's timestamp of the newest message that the deleting turn answered.
    """

    version: int = VERSION
    revision: str
    deleted_ms: int
    provenance: Provenance = field(default_factory=Provenance)

    @property
    def key(self) -> tuple[int, int]:
        """The revision as it is compared."""
        return read_revision(self.revision)

    def is_withdrawn(self, is_withdrawn: IsWithdrawn) -> bool:
        """Whether its path may repeat something withdrawn; where it names no source, it may repeat anything."""
        return not self.provenance.messages or bool(self.provenance.withdrawn_ids(is_withdrawn))


def bury(path: str, data: bytes, *, key: tuple[int, int], deleted_ms: int) -> bytes:
    """Return the tombstone of the entry that an object holds, readable or not."""
    try:
        provenance = read_entry(path, data).provenance
    except PermanentError:
        provenance = traces_in(data)
    return encode(Tombstone(revision=format_revision(key), deleted_ms=deleted_ms, provenance=provenance))


def tombstone_in(data: bytes) -> Tombstone | None:
    """Return the tombstone that an object at an entry's path holds; None where it holds something else."""
    if not data.startswith(b"{"):
        return None
    try:
        tombstone = decode(Tombstone, data)
        _ = tombstone.key
    except (PermanentError, ValueError):
        return None
    return tombstone
