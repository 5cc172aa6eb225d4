"""How an instance knows a chat's amendments: it lists them once, and after that only the notes of what was written since.

    amended/{conversation_id}/~{written_ms}.{generation}.{id}   an empty object: this amendment was written then, and has this generation

A note follows every write of an amendment, and names sort by time, so a listing can begin where the last one ended. The writer goes on only
when the note is there and young enough to be in every listing that begins later.
"""

import threading
from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import Final

from cachetools import LRUCache

from shared import logs
from shared.clock import Clock
from shared.conversation.member_mark import is_mark
from shared.conversation.watermark import ERASURES
from shared.errors import StorageUnavailableError, UnusableIdError
from shared.storage.object_names import ObjectNames
from shared.storage.object_store import ListedObject, ObjectStore

NEWEST_READ: Final = 200  # older ones were carried out everywhere long ago; they only wait for messages that come late
MARKS_READ: Final = 100  # of members, besides those
BESIDES_READ: Final = 400  # of the messages that a look is about, besides those
REACH_S: Final = 600.0
"""A listing begins this long before the last one: far more than clocks differ, and than a note may be late."""
KEPT_S: Final = 3_600.0
"""After this time an instance lists everything again."""
NAMES_KEPT: Final = 50_000  # about 15 MB
_SLOW_WRITES: Final = 4  # of one note


@dataclass(frozen=True, slots=True, kw_only=True)
class AmendedObjects:
    """A chat's amendments as they are listed, by the ids of their messages; `usual` are those that every look reads, by generation.

    These are the newest, the newest marks of members, and the marks of erasures.
    """

    by_id: Mapping[str, ListedObject] = field(default_factory=dict, repr=False)
    usual: tuple[ListedObject, ...] = ()
    oldest_generation: int = 0

    @classmethod
    def of(cls, by_id: Mapping[str, ListedObject]) -> "AmendedObjects":
        """Return them, with those that every look reads."""
        written = sorted(by_id, key=lambda one: by_id[one].generation)
        older, newest = written[:-NEWEST_READ], written[-NEWEST_READ:]
        marks = [one for one in older if is_mark(one)][-MARKS_READ:]
        usual = [*(one for one in older if one in ERASURES), *marks, *newest]
        return cls(
            by_id=by_id,
            usual=tuple(by_id[one] for one in usual),
            oldest_generation=by_id[newest[0]].generation if newest else 0,
        )

    @property
    def has_older(self) -> bool:
        """Whether there are amendments that not every look reads."""
        return len(self.usual) < len(self.by_id)

    def generation_of(self, line_message_id: str) -> int:
        """Return the generation of the amendment of this message, however old; 0 where there is none."""
        there = self.by_id.get(line_message_id)
        return 0 if there is None else there.generation

    def with_written(self, written: Mapping[str, ListedObject]) -> "AmendedObjects":
        """Return them with what was written since, themselves where nothing was."""
        newer = {
            one: there
            for one, there in written.items()
            if (known := self.by_id.get(one)) is None or known.generation < there.generation
        }
        return AmendedObjects.of({**self.by_id, **newer}) if newer else self

    def besides(self, ids: AbstractSet[str], named: AbstractSet[str] = frozenset()) -> tuple[ListedObject, ...]:
        """Return the amendments of these messages that a look does not read anyway, in the order in which they were written.

        Of very many, the newest: older ones were carried out everywhere long ago. The messages that are only `named` count for themselves,
        so that they leave none of the others out.
        """
        older = self._older(ids)
        return tuple(sorted({*older, *self._older(named)}, key=_generation)) if named else older

    def _older(self, ids: AbstractSet[str]) -> tuple[ListedObject, ...]:
        found = (there for one in ids if (there := self.by_id.get(one)) is not None and not is_mark(one))
        older = sorted((one for one in found if one.generation < self.oldest_generation), key=_generation)
        return tuple(older[-BESIDES_READ:])


@dataclass(frozen=True, slots=True, kw_only=True)
class _Known:
    """What an instance has listed: everything at `full_s`, by a monotonic clock, and the notes up to `listed_ms`."""

    objects: AmendedObjects
    listed_ms: int
    full_s: float


def _cache() -> LRUCache[str, _Known]:
    return LRUCache(NAMES_KEPT, getsizeof=lambda known: 1 + len(known.objects.by_id))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class AmendmentNotes:
    """The amendments that this instance has listed, by chat; safe to share between threads."""

    reach_s: float = REACH_S
    kept_s: float = KEPT_S
    _known: LRUCache[str, _Known] = field(default_factory=_cache, repr=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def list(self, store: ObjectStore, names: ObjectNames, clock: Clock) -> AmendedObjects:
        """Return every amendment of the chat, in one listing.  Raises: StorageUnavailableError."""
        with self._lock:
            known = self._known.get(names.conversation_id)
        begun_ms, begun_s = clock.now_ms(), clock.monotonic_s()
        if known is None or begun_s - known.full_s >= self.kept_s or begun_ms < known.listed_ms:
            listed = store.list(names.amended_prefix, before=names.amended_end)
            by_id = {names.amended_id_in(one.name): one for one in listed}
            return self._keep(names, AmendedObjects.of(by_id), listed_ms=begun_ms, full_s=begun_s)
        since = names.amended_notes_since(known.listed_ms - round(self.reach_s * 1_000))
        written = _written(names, store.list(names.amended_prefix, since=since))
        return self._keep(names, known.objects.with_written(written), listed_ms=begun_ms, full_s=known.full_s)

    def note(
        self, store: ObjectStore, names: ObjectNames, clock: Clock, *, line_message_id: str, generation: int
    ) -> None:
        """Every listing that begins from here on finds the amendment at this generation.

        Raises: StorageUnavailableError, also if every write took so long that a listing may have passed it.
        """
        for _ in range(_SLOW_WRITES):
            written_ms = clock.now_ms()
            store.create(names.amended_note(line_message_id, generation=generation, written_ms=written_ms), b"")
            if clock.now_ms() - written_ms <= self.reach_s * 1_000 / 2:
                return
        raise StorageUnavailableError("every note of the amendment took too long")

    def _keep(self, names: ObjectNames, objects: AmendedObjects, *, listed_ms: int, full_s: float) -> AmendedObjects:
        with self._lock:
            if len(objects.by_id) < NAMES_KEPT:
                self._known[names.conversation_id] = _Known(objects=objects, listed_ms=listed_ms, full_s=full_s)
        return objects


def _written(names: ObjectNames, notes: Iterable[ListedObject]) -> dict[str, ListedObject]:
    """Return the amendments that these notes are about, each at its newest generation."""
    found: dict[str, ListedObject] = {}
    for note in notes:
        try:
            an_id, generation = names.amended_by(note.name)
        except UnusableIdError as cause:
            logs.error("record_unreadable", cause=cause)
            continue
        there = ListedObject(name=names.amended(an_id), generation=generation)
        found[an_id] = max(found.get(an_id, there), there, key=_generation)
    return found


def _generation(one: ListedObject) -> int:
    return one.generation
