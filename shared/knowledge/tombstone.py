"""Tombstones: a deletion leaves its key at the entry's path, so a late write of an older turn meets a larger key.

A tombstone is deleted when a message behind the entry is withdrawn, because the path may repeat words; by an erasure; or by a write of the
chat more than an hour later. No request to the bucket takes as long.
"""

from dataclasses import field
from typing import Final

from shared.conversation.provenance import IsWithdrawn, Provenance
from shared.conversation.write_key import format_key, read_key
from shared.errors import PermanentError
from shared.frozen import frozen
from shared.knowledge.entry_file import read_entry, traces_in
from shared.storage.codec import VERSION, decode, encode
from shared.unknown_fields import Extensible

RETENTION_MS: Final = 60 * 60_000


@frozen
class Tombstone(Extensible):
    """`revision` is the key of the deletion, `provenance` the provenance of the deleted entry.

    `deleted_ms` is LINE's timestamp of the newest message answered by the deleting turn.
    """

    version: int = VERSION
    revision: str
    deleted_ms: int
    provenance: Provenance = field(default_factory=Provenance)

    @property
    def key(self) -> tuple[int, int]:
        """The revision as a pair to compare."""
        return read_key(self.revision)

    def is_withdrawn(self, is_withdrawn: IsWithdrawn) -> bool:
        """Whether the path may repeat withdrawn words; the path of a tombstone without sources may repeat anything."""
        return not self.provenance.messages or self.provenance.has_withdrawn(is_withdrawn)


def encoded_tombstone(path: str, data: bytes, *, key: tuple[int, int], deleted_ms: int) -> bytes:
    """Return the tombstone of an object's entry, readable or not."""
    try:
        provenance = read_entry(path, data).provenance
    except PermanentError:
        provenance = traces_in(data)
    return encode(Tombstone(revision=format_key(key), deleted_ms=deleted_ms, provenance=provenance))


def tombstone_in(data: bytes) -> Tombstone | None:
    """Return the tombstone in an object at an entry's path; None for any other object."""
    if not data.startswith(b"{"):
        return None
    try:
        tombstone = decode(Tombstone, data)
        _ = tombstone.key
    except (PermanentError, ValueError):
        return None
    return tombstone
