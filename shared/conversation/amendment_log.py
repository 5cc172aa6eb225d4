"""Edits, withdrawals and erasures: what became of messages after they were sent.

    amended/{conversation_id}/{line_message_id}.json   an edit, or an unsend, which is final
    amended/{conversation_id}/member-{digest}.json     a person took back all that they said so far (`member_mark`)
    amended/{conversation_id}/erasure.json             every message up to a time counts as withdrawn (`watermark`)
    amended/{conversation_id}/~...                     notes of when each was written (`amendment_notes`)
    erased/{conversation_id}.json                      the same, for ever

An amendment and its note are written before anything else is touched, so a writer of people's words that looks after its write finds it.
"""

import threading
from collections.abc import Callable, Iterable
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from typing import Final, TypeAlias

from cachetools import LRUCache

from shared.clock import Clock
from shared.conversation.amendment_notes import AmendedObjects, AmendmentNotes
from shared.conversation.amendments import Amendments
from shared.conversation.member_mark import is_mark, mark_id
from shared.conversation.records import ANSWERABLE_MS, Amendment, Watermark
from shared.conversation.watermark import ERASURE, ERASURE_OF_ENTRIES, ERASURES, Watermarks, marked_in
from shared.errors import StorageUnavailableError
from shared.storage.codec import decode, decode_if_readable, decode_readable, encode
from shared.storage.compare_and_swap import update_by_swap
from shared.storage.object_cache import ObjectCache
from shared.storage.object_names import ObjectNames
from shared.storage.object_store import ListedObject

_LOOKS_KEPT: Final = 1_024
_SLOW_LOOKS: Final = 4  # each of which took longer than `look_s`
EndLook: TypeAlias = Callable[[AbstractSet[str], AbstractSet[str]], Amendments]
"""Ends a look that was begun: besides the messages of the first set, and those of the second, which are only named."""
_Look: TypeAlias = tuple[tuple[ListedObject, ...], Amendments]
"""The objects that a look read, and what they say."""


def _looks() -> LRUCache[str, _Look]:
    return LRUCache(_LOOKS_KEPT)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LastLooks:
    """The last look of this instance in each chat, so that one that finds the same objects decodes nothing; safe between threads.

    What was listed and not read is not kept with it.
    """

    _last: LRUCache[str, _Look] = field(default_factory=_looks, repr=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def of(self, conversation_id: str, listed: tuple[ListedObject, ...]) -> Amendments | None:
        """Return what these objects say, if the last look read them."""
        with self._lock:
            last_listed, found = self._last.get(conversation_id, (None, None))
        return found if last_listed == listed else None

    def keep(self, conversation_id: str, listed: tuple[ListedObject, ...], found: Amendments) -> None:
        """Keep what these objects say."""
        with self._lock:
            self._last[conversation_id] = (listed, found)


@dataclass(frozen=True, slots=True, kw_only=True)
class AmendmentLog:
    """One chat's amendments.  Every method raises StorageUnavailableError when the bucket does not answer in time.

    A look is valid for `look_s`, by a monotonic clock: within that time no withdrawal can have been carried out and acknowledged.
    """

    names: ObjectNames
    objects: ObjectCache
    clock: Clock = field(repr=False)
    watermarks: Watermarks = field(repr=False)
    notes: AmendmentNotes = field(repr=False)
    looks: LastLooks = field(repr=False)
    look_s: float

    def look(self, *, besides: AbstractSet[str] = frozenset()) -> Amendments:
        """Return the newest amendments, and those of the messages `besides`, however old; one round trip if none is new, else two."""
        watermark = self.begin_watermark()
        return self.begin_reading(self.list_all(), watermark, besides=besides)()

    def begin_look(self) -> EndLook:
        """Begin a look beside other work; the function that is returned ends it, with those `besides`, and those that are only `named`."""
        watermark = self.begin_watermark()
        listing = self.objects.reads.submit(self.list_all)

        def end(besides: AbstractSet[str], named: AbstractSet[str]) -> Amendments:
            return self.begin_reading(listing.result(), watermark, besides=besides, named=named)()

        return end

    def is_valid(self, looked_s: float) -> bool:
        """Whether a look that began at this moment of the monotonic clock may still be relied on."""
        return self.clock.monotonic_s() - looked_s < self.look_s

    def fresh_look(self, *, besides: AbstractSet[str] = frozenset()) -> Amendments:
        """Return what `look` does, for a caller that acts on it at once: a look that took longer than `look_s` is repeated.

        Raises: StorageUnavailableError, also if every look took longer.
        """
        for _ in range(_SLOW_LOOKS):
            begun_s = self.clock.monotonic_s()
            amendments = self.look(besides=besides)
            if self.is_valid(begun_s):
                return amendments
        raise StorageUnavailableError("every look at the amendments took too long")

    def list_all(self) -> AmendedObjects:
        """Return the objects of all edits and withdrawals, in one round trip."""
        return self.notes.list(self.objects.store, self.names, self.clock)

    def newest_of(
        self, listed: AmendedObjects, *, besides: AbstractSet[str], named: AbstractSet[str] = frozenset()
    ) -> tuple[ListedObject, ...]:
        """Return the newest edits and withdrawals, the newest marks of members, and, however old, those `besides` and those of erasures."""
        return (*older, *listed.usual) if (older := listed.besides(besides, named)) else listed.usual

    def begin_reading(
        self,
        listed: AmendedObjects,
        watermark: Callable[[], Watermark],
        *,
        besides: AbstractSet[str],
        named: AbstractSet[str] = frozenset(),
    ) -> Callable[[], Amendments]:
        """Begin to read the newest of what is listed, and those `besides`; the function that is returned ends it.

        `named` are read as those `besides`, and leave none of them out. What the last look has read is not decoded again.
        """
        chat, chosen = self.names.conversation_id, self.newest_of(listed, besides=besides, named=named)
        known = self.looks.of(chat, chosen)
        if known is not None:
            return lambda: known.beside(listed, watermark())
        reading = self.objects.begin_reading(chosen)

        def end() -> Amendments:
            bodies = reading()
            found = _amendments_of(bodies)
            if None not in bodies:
                self.looks.keep(chat, chosen, found)
            return found.beside(listed, watermark())

        return end

    def begin_watermark(self) -> Callable[[], Watermark]:
        """Begin to read the watermark, unless this instance knows it; only for readers that list the amendments, which hold its marks."""
        known = self.watermarks.of(self.names.conversation_id, now_s=self.clock.monotonic_s())
        return self.objects.reads.submit(self._keep_watermark).result if known is None else lambda: known

    def _keep_watermark(self) -> Watermark:
        read_s = self.clock.monotonic_s()
        watermark = self.watermark()
        self.watermarks.keep(self.names.conversation_id, watermark, read_s=read_s)
        return watermark

    def watermark(self) -> Watermark:
        """Return the watermark as the bucket has it, -1 where nothing was ever erased."""
        stored = self.objects.store.read(self.names.watermark)
        return decode(Watermark, stored.data) if stored else Watermark()

    def amendment_of(self, line_message_id: str) -> Amendment | None:
        """Return the amendment of this message, however old; None if it was neither edited nor withdrawn."""
        stored = self.objects.store.read(self.names.amended(line_message_id))
        return decode(Amendment, stored.data) if stored else None

    def has_withdrawn(self, line_message_id: str, *, timestamp_ms: int) -> bool:
        """Whether this message was withdrawn or erased, however long ago."""
        amendment = self.amendment_of(line_message_id)
        is_withdrawn = amendment is not None and amendment.text is None
        return is_withdrawn or timestamp_ms <= self.watermark().timestamp_ms

    def has_forgotten(self, user_id: str | None, *, timestamp_ms: int) -> bool:
        """Whether the person took back all that they had said up to this timestamp."""
        amendment = self.amendment_of(mark_id(user_id)) if user_id is not None else None
        return amendment is not None and timestamp_ms <= amendment.timestamp_ms

    def forget_member(self, user_id: str, *, until_ms: int) -> None:
        """The person's messages up to this timestamp are hidden, also those that are delivered only later.

        Repeated, or older than another one: changes nothing.
        """
        self._raise(mark_id(user_id), until_ms)

    def edited_by(self, user_id: str, *, until_ms: int) -> frozenset[str]:
        """Return the messages that the person edited up to this timestamp, including those that are not known (yet)."""
        edits, own = self._edits(until_ms=until_ms), mark_id(user_id)
        return frozenset(one.line_message_id for one in edits if one.by == own)

    def amend(self, amendment: Amendment) -> None:
        """The newest amendment of the message stands, in whatever order they come; a withdrawal is final.  Repeated: changes nothing.

        A withdrawal replaces an amendment that cannot be read; an edit does not, because that may be a withdrawal.
        Raises also: UnreadableRecordError.
        """
        is_withdrawal = amendment.text is None
        self._update(
            amendment.line_message_id, lambda there: _newer(there, amendment), replaces_unreadable=is_withdrawal
        )

    def add_taken(self, line_message_id: str, *, taken: frozenset[str], kept: frozenset[str]) -> None:
        """The withdrawal of this message, or the mark of an erasure, also names these answers and recaps; see `Amendment`.

        Repeated: changes nothing.
        """

        def with_taken(there: Amendment | None) -> Amendment | None:
            if there is None or there.text is not None:
                return None
            wanted = replace(
                there,
                taken=tuple(sorted(taken.union(there.taken))),
                kept=tuple(sorted(kept.union(there.kept) - taken.union(there.taken))),
            )
            return None if wanted == there else wanted

        self._update(line_message_id, with_taken)

    def renew(self, line_message_id: str) -> None:
        """The amendment is the newest one, so that every look reads it."""
        self._update(line_message_id, lambda there: there)

    def drop_erased_edit(self, line_message_id: str) -> bool:
        """Return whether the message's edit is older than the watermark; then it keeps no words, and its message is withdrawn."""
        erased_ms = self.watermark().timestamp_ms
        is_dropped = False

        def without_words(there: Amendment | None) -> Amendment | None:
            nonlocal is_dropped
            wanted = _without_erased_words(there, erased_ms)
            is_dropped = is_dropped or wanted is not None
            return wanted

        self._update(line_message_id, without_words)
        return is_dropped

    def erase(self, timestamp_ms: int, *, spares_entries: bool = False) -> None:
        """Everything up to the timestamp counts as withdrawn, and no older edit keeps its words.

        `spares_entries` leaves what was filed. Repeated, or older than another erasure: changes nothing. A watermark that cannot be read is
        replaced: what came before it is older than Pub/Sub redelivers, or stands in the marks. An amendment that cannot be read, which may
        hold the words of an edit, becomes a withdrawal. Raises also: UnknownRecordVersionError.
        """
        self._raise(ERASURE, timestamp_ms)
        if not spares_entries:
            self._raise(ERASURE_OF_ENTRIES, timestamp_ms)

        def raised(data: bytes | None) -> bytes | None:
            there = decode_if_readable(Watermark, data) or Watermark()
            entries_ms = there.entries_ms if spares_entries else max(timestamp_ms, there.entries_ms)
            wanted = replace(there, timestamp_ms=max(timestamp_ms, there.timestamp_ms), entries_ms=entries_ms)
            return None if wanted == there else encode(wanted)

        update_by_swap(self.objects.store, self.names.watermark, raised, what="the watermark")
        for edit in self._edits(until_ms=timestamp_ms, drops_unreadable=True):
            self.drop_erased_edit(edit.line_message_id)

    def _edits(self, *, until_ms: int, drops_unreadable: bool = False) -> list[Amendment]:
        """Return the edits up to this timestamp; what cannot be read is left, or becomes a withdrawal."""
        found: list[Amendment] = []
        listed = self.objects.store.list(self.names.amended_prefix, before=self.names.amended_end)
        for one, data in zip(listed, self.objects.read_all(listed), strict=True):
            own_id, amendment = self.names.amended_id_in(one.name), decode_if_readable(Amendment, data)
            if amendment is not None:
                found.append(amendment)
            elif drops_unreadable and data is not None and own_id not in ERASURES:
                gone = Amendment(line_message_id=own_id, timestamp_ms=until_ms)
                self.objects.store.replace(one.name, encode(gone), generation=one.generation)
        return [one for one in found if one.text is not None and one.timestamp_ms <= until_ms]

    def _raise(self, mark: str, timestamp_ms: int) -> None:
        """The mark, an amendment of no message, has this timestamp or a later one.

        It goes on naming what the last twenty minutes' erasures have taken, because a prompt that is in use may hold that.
        """
        raised = Amendment(line_message_id=mark, timestamp_ms=timestamp_ms)

        def with_recent(there: Amendment | None) -> Amendment | None:
            if there is None or there.timestamp_ms < timestamp_ms - ANSWERABLE_MS:
                return raised
            return replace(there, timestamp_ms=timestamp_ms) if there.timestamp_ms < timestamp_ms else None

        self._update(mark, with_recent, replaces_unreadable=True)

    def _update(
        self,
        line_message_id: str,
        change: Callable[[Amendment | None], Amendment | None],
        *,
        replaces_unreadable: bool = False,
    ) -> None:
        read = decode_if_readable if replaces_unreadable else decode

        def changed(data: bytes | None) -> bytes | None:
            wanted = change(read(Amendment, data) if data is not None else None)
            return None if wanted is None else encode(wanted)

        store, name = self.objects.store, self.names.amended(line_message_id)
        written = update_by_swap(store, name, changed, what="an amendment")
        if written is not None:  # also if it was written before: that writer may have died before its note
            self.notes.note(
                store, self.names, self.clock, line_message_id=line_message_id, generation=written.generation
            )


def _amendments_of(bodies: Iterable[bytes | None]) -> Amendments:
    """Return what the stored amendments say; the marks of erasures among them stand for the watermark."""
    amendments = decode_readable(Amendment, bodies)
    watermark = marked_in(amendments)
    return Amendments(
        withdrawn=frozenset(
            own
            for one in amendments
            if one.text is None and one.line_message_id not in ERASURES and not is_mark(one.line_message_id)
            for own in (one.line_message_id, *one.also)
        ),
        taken=_taken(amendments),
        edits={one.line_message_id: one.text for one in amendments if one.text is not None},
        edited_ms={one.line_message_id: one.timestamp_ms for one in amendments if one.text is not None},
        members={one.line_message_id: one.timestamp_ms for one in amendments if is_mark(one.line_message_id)},
        erased_ms=watermark.timestamp_ms,
        erased_entries_ms=watermark.entries_ms,
    )


def _taken(amendments: Iterable[Amendment]) -> dict[str, frozenset[str]]:
    found: dict[str, frozenset[str]] = {}
    for amendment in amendments:
        kept = frozenset(amendment.kept)
        found |= {own_id: found.get(own_id, kept) & kept for own_id in amendment.taken}
    return found


def _newer(there: Amendment | None, new: Amendment) -> Amendment | None:
    """Return the new amendment if it has to be written over the stored one."""
    if there is None:
        return new
    if there.text is None:  # a withdrawal is final
        also = tuple(sorted({*there.also, *new.also}))
        return replace(there, also=also) if also != there.also else None
    return new if new.text is None or new.timestamp_ms > there.timestamp_ms else None


def _without_erased_words(there: Amendment | None, erased_ms: int) -> Amendment | None:
    """Return the edit without its words, if it is older than the watermark."""
    if there is None or there.text is None or there.timestamp_ms > erased_ms:
        return None
    return there.redacted(text=None)
