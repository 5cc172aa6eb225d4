"""The things of one kind that a chat has, each an object of the bucket, such as `expenses/C…/e0123456789.json`."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import ClassVar, Final, Generic, Protocol, Self, TypeVar

from shared import logs
from shared.conversation.amendments import Amendments
from shared.conversation.provenance import Provenance
from shared.conversation.store import Conversation
from shared.conversation.write_key import WriteKey
from shared.errors import CorruptRecordError, StorageUnavailableError, UnreadableRecordError
from shared.line.ids import checked_id
from shared.storage.codec import decode, encode
from shared.storage.compare_and_swap import SWAP_ATTEMPTS, update_by_swap
from shared.storage.object_store import ListedObject

_SUFFIX: Final = ".json"


class Thing(Protocol):
    """A record of one thing."""

    @property
    def id(self) -> str: ...

    @property
    def provenance(self) -> Provenance: ...


class StagedThing(Thing, Protocol):
    """A thing that turns write: the keys of the write that created the thing, and of the last write."""

    @property
    def created(self) -> WriteKey: ...

    @property
    def revision(self) -> WriteKey: ...

    def removed(self, *, revision: WriteKey) -> Self: ...


T = TypeVar("T", bound=Thing)
S = TypeVar("S", bound=StagedThing)


@dataclass(frozen=True, slots=True)
class ThingStore(Generic[T]):
    """Reads and writes a chat's things of one kind.  Every method raises StorageUnavailableError when the bucket does not answer in time.

    A subclass names the `folder`, the `ids` of its things, the class of their records, and the `noun` for errors, for example "an expense".
    An unreadable record is logged, and counts as missing.
    """

    folder: ClassVar[str]
    ids: ClassVar[re.Pattern[str]]
    noun: ClassVar[str]
    conversation: Conversation

    def kind_of(self, thing_id: str) -> type[T]:
        """Return the class of the record with this id."""
        raise NotImplementedError

    @property
    def prefix(self) -> str:
        """The beginning of the names of the chat's things, for example `expenses/C…/`."""
        return f"{self.folder}/{self.conversation.id}/"

    def name_of(self, thing_id: str) -> str:
        """Return the name of a thing's object."""
        return f"{self.prefix}{checked_id(thing_id)}{_SUFFIX}"

    def id_in(self, name: str) -> str:
        """Return the id of a thing by the name of its object."""
        return name.removeprefix(self.prefix).removesuffix(_SUFFIX)

    def list_objects(self) -> tuple[ListedObject, ...]:
        """Return the objects of all things, also of ended and removed ones."""
        objects = self.conversation.objects.store.list(self.prefix)
        return tuple(one for one in objects if self.ids.fullmatch(self.id_in(one.name)))

    def begin_listing(self) -> Callable[[], tuple[ListedObject, ...]]:
        """Begin what `list_objects` does, on the threads of the reads; return what waits for the objects."""
        return self.conversation.objects.reads.submit(self.list_objects).result

    def read_all(self) -> tuple[T, ...]:
        """Return every readable thing, also ended and removed ones, in two round trips; one where the chat has none."""
        return self.read(self.list_objects())

    def read(self, objects: Sequence[ListedObject]) -> tuple[T, ...]:
        """Return the readable things of listed objects, in their order, in one round trip."""
        bodies = self.conversation.objects.read_all(objects) if objects else ()
        things = (self._readable(one.name, body) for one, body in zip(objects, bodies, strict=True))
        return tuple(thing for thing in things if thing is not None)

    def find(self, thing_id: str, /) -> tuple[T, int] | None:
        """Return a thing with the generation of its object; None where there is no readable thing."""
        name = self.name_of(thing_id)
        stored = self.conversation.objects.store.read(name)
        thing = self._readable(name, stored.data if stored is not None else None)
        return (thing, stored.generation) if stored is not None and thing is not None else None

    def swap(self, thing: T, generation: int, /) -> int | None:
        """Write the thing over the given generation; return the new generation, or None where the object has changed or is missing."""
        return self.conversation.objects.store.replace(self.name_of(thing.id), encode(thing), generation=generation)

    def update(self, thing_id: str, change: Callable[[T | None], T | None]) -> T | None:
        """Change the thing by compare-and-swap, as `update_by_swap` does; return the thing afterwards.

        An unreadable thing stays unchanged, and None is returned.
        """
        name, objects = self.name_of(thing_id), self.conversation.objects

        def changed(data: bytes | None) -> bytes | None:
            updated = change(self.decoded(name, data) if data is not None else None)
            return None if updated is None else encode(updated)

        try:
            stored = update_by_swap(objects.store, name, changed, what=self.noun)
        except CorruptRecordError as cause:
            logs.error("record_unreadable", cause=cause)
            return None
        if stored is None:
            return None
        objects.keep(ListedObject(name=name, generation=stored.generation), stored.data)
        return self.decoded(name, stored.data)

    def remove(self, name: str, is_affected: Callable[[bytes], bool]) -> bytes | None:
        """Delete the object if its bytes are affected; return the deleted bytes, else None.  Repeated: does nothing."""
        store = self.conversation.objects.store
        for _ in range(SWAP_ATTEMPTS):
            stored = store.read(name)
            if stored is None or not is_affected(stored.data):
                return None
            if store.delete(name, generation=stored.generation):
                return stored.data
        raise StorageUnavailableError(f"others kept changing {self.noun}")

    def remove_withdrawn(self, amendments: Amendments, objects: Sequence[ListedObject]) -> tuple[str, ...]:
        """Delete those of the listed things with a withdrawn, erased or edited message behind them.  Repeated: does nothing.

        Returns: the ids of the deleted things, also of those that another worker has deleted meanwhile.
        """
        bodies = self.conversation.objects.read_all(objects) if objects else ()
        affected = [
            stored.name
            for stored, body in zip(objects, bodies, strict=True)
            if body is None or self._is_withdrawn(amendments, stored.name, body)
        ]
        for name in affected:
            self.remove(name, partial(self._is_withdrawn, amendments, name))
        return tuple(map(self.id_in, affected))

    def provenance_in(self, amendments: Amendments, thing: T) -> Provenance:  # noqa: ARG002 - a subclass spares things
        """Return the provenance by which amendments take the thing; by default the thing's own."""
        return thing.provenance

    def present(self) -> tuple[T, ...]:
        """Return every readable thing that has words; a subclass leaves out removed things."""
        return self.read_all()

    def sources(self) -> Iterator[tuple[str, Provenance]]:
        """Yield the name and the provenance of each present thing."""
        for thing in self.present():
            yield self.name_of(thing.id), thing.provenance

    def decoded(self, name: str, data: bytes) -> T:
        """Return the record of an object.  Raises: UnreadableRecordError."""
        return decode(self.kind_of(self.id_in(name)), data)

    def _readable(self, name: str, data: bytes | None) -> T | None:
        """Return the record; None without bytes, or for a corrupt record, after logging.  Raises: UnknownRecordVersionError."""
        try:
            return self.decoded(name, data) if data is not None else None
        except CorruptRecordError as cause:
            logs.error("record_unreadable", cause=cause)
            return None

    def _is_withdrawn(self, amendments: Amendments, name: str, body: bytes) -> bool:
        """Whether the thing must be deleted; an unreadable thing, if it names a withdrawn message, or if anything was erased."""
        try:
            provenance = self.provenance_in(amendments, self.decoded(name, body))
        except UnreadableRecordError as cause:
            logs.error("record_unreadable", cause=cause)
            amended_ids = (*amendments.withdrawn, *amendments.edits)
            return amendments.erased_entries_ms >= 0 or any(f'"{one}"'.encode() in body for one in amended_ids)
        return provenance.has_withdrawn(amendments.is_withdrawn_from_entries)


class StagedThingStore(ThingStore[S]):
    """A store of things that turns write."""

    __slots__ = ()

    def apply(self, thing_id: str, text: str | None, *, key: WriteKey) -> S | None:
        """Make a staged write, unless the thing has this key or a larger key; return the thing afterwards.

        So a late write changes nothing that a later turn wrote. A missing thing was withdrawn: only the write that creates the thing makes
        one. Repeated: does nothing.
        """
        staged = self.decoded(self.name_of(thing_id), text.encode()) if text is not None else None

        def newer(stored: S | None) -> S | None:
            if stored is None:
                return staged if staged is not None and staged.created == key else None
            if stored.revision >= key:
                return None
            return stored.removed(revision=key) if staged is None else staged

        return self.update(thing_id, newer)
