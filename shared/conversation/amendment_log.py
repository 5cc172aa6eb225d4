"""One chat's amendments: edits, withdrawals and erasures, appended as events, and the looks that read them.

An event is written before anything else is touched, so a writer of people's words who looks after the write finds the event.  A look lists
the events written since ten minutes before the instance's last look, and reads the new events.
"""

from collections.abc import Callable, Iterable
from collections.abc import Set as AbstractSet
from dataclasses import field, replace
from typing import Final, TypeAlias

from shared.clock import Clock
from shared.conversation.amendment_events import (
    AmendmentEvent,
    AmendmentKind,
    edit_of,
    erasure_of,
    event_in,
    events_of,
    member_erasure_of,
    parsed,
    plan_of,
    withdrawal_of,
)
from shared.conversation.amendment_fold import fold_events, fold_in
from shared.conversation.amendment_records import Amendment, Watermark
from shared.conversation.amendment_views import AmendedListing, AmendmentViews
from shared.conversation.amendments import Amendments, Plan
from shared.conversation.edits import Edits
from shared.conversation.member_mark import mark_id
from shared.conversation.records import MessageRecord
from shared.errors import StorageUnavailableError
from shared.frozen import frozen
from shared.storage.codec import decode, decode_if_readable, encode
from shared.storage.compare_and_swap import SWAP_ATTEMPTS, update_by_swap
from shared.storage.object_cache import ObjectCache
from shared.storage.object_names import ObjectNames
from shared.storage.object_store import ListedObject

_SLOW_LOOKS: Final = 4  # each longer than `look_s`

EndLook: TypeAlias = Callable[[], Amendments]
"""Ends a look."""


@frozen
class AmendmentLog:
    """One chat's amendments.  Every method raises StorageUnavailableError when the bucket does not answer in time.

    A look is valid for `look_s`, by a monotonic clock: no withdrawal can be carried out and acknowledged within that time.
    """

    names: ObjectNames
    objects: ObjectCache
    clock: Clock = field(repr=False)
    views: AmendmentViews = field(repr=False)
    look_s: float

    @property
    def edits(self) -> Edits:
        """The words of edited messages."""
        return Edits(names=self.names, objects=self.objects)

    # Looks

    def look(self) -> Amendments:
        """Return the amendments; one round trip if no event is new, else two."""
        return self.begin_reading(self.list_events())()

    def begin_look(self) -> EndLook:
        """Begin a look in parallel with other work."""
        listing = self.objects.reads.submit(self.list_events)

        def end() -> Amendments:
            return self.begin_reading(listing.result())()

        return end

    def is_valid(self, looked_s: float) -> bool:
        """Whether a look begun at `looked_s`, by the monotonic clock, is still valid.

        For example, with `look_s` 17, a look begun 16 s ago is valid; a look begun 17 s ago is not.
        """
        return self.clock.monotonic_s() - looked_s < self.look_s

    def fresh_look(self) -> Amendments:
        """Return the amendments for a caller that acts at once: a look that took longer than `look_s` is repeated.

        Raises: StorageUnavailableError, also if every look took longer.
        """
        for _ in range(_SLOW_LOOKS):
            begun_s = self.clock.monotonic_s()
            amendments = self.look()
            if self.is_valid(begun_s):
                return amendments
        raise StorageUnavailableError("every look at the amendments took too long")

    def list_events(self) -> AmendedListing:
        """Return the events new to this instance, in one round trip; in a chat new to the instance, all events."""
        now_ms, now_s = self.clock.now_ms(), self.clock.monotonic_s()
        view = self.views.of(self.names.conversation_id, now_ms=now_ms, now_s=now_s)
        since = self.names.amended_since(self.views.times.next_since_ms(view.listed_ms)) if view is not None else None
        objects_by_name = {one.name: one for one in self.objects.store.list(self.names.amended_prefix, since=since)}
        fold = objects_by_name.pop(self.names.amended_fold, None)
        events = parsed(self.names, (name for name in objects_by_name if view is None or name not in view.names))
        folded_before_ms = self._folded_before_ms(now_ms)
        has_old_events = any(event.written_ms < folded_before_ms for event in events.values())
        return AmendedListing(
            view=view,
            events={objects_by_name[name]: event for name, event in events.items()},
            fold=fold if view is None else None,
            is_fold_due=has_old_events or (view is not None and view.is_fold_due),
            listed_ms=now_ms,
            listed_s=now_s,
        )

    def begin_reading(self, listing: AmendedListing) -> EndLook:
        """Begin to read the listed events; the returned function ends the look."""
        reading = self._begin_reading(listing)

        def end() -> Amendments:
            amendments = reading()
            for _ in range(SWAP_ATTEMPTS):
                if amendments is not None:
                    return amendments
                amendments = self._begin_reading(self.list_events(), is_again=True)()
            raise StorageUnavailableError("others kept folding the amendments")

        return end

    def _begin_reading(self, listing: AmendedListing, *, is_again: bool = False) -> Callable[[], Amendments | None]:
        """Begin to read the listed events.  None: some events were folded since, or, unless `is_again`, written since.

        For example, a reset takes the words of a listed edit before the reading: without the reset the message would seem withdrawn.
        """
        reads, view = self.objects.reads, listing.view
        reading = self.objects.begin_reading(listing.events)
        edited_ids = {name.id for name in listing.events.values() if name.kind == AmendmentKind.EDIT}
        reading_words = self.edits.begin_reading(edited_ids)
        fold = reads.submit(self.objects.store.read, listing.fold.name) if listing.fold is not None else None
        watermark = reads.submit(self.watermark) if view is None else None

        def end() -> Amendments | None:
            bodies, words = reading(), reading_words()
            if None in bodies:
                return None
            names_and_bodies = zip(listing.events.values(), bodies, strict=True)
            events = [
                event
                for name, data in names_and_bodies
                if data is not None and (event := event_in(name, data)) is not None
            ]
            amendments = view.amendments if view is not None else Amendments()
            if watermark is not None:
                folded = fold_in(fold.result() if fold is not None else None)
                amendments = Amendments(withdrawn=folded.withdrawn_ids)
                events += (*(older.event for older in folded.events), *events_of(watermark.result()))
            if events:
                amendments = amendments.with_events(events)
                if not is_again and amendments.lacks_event_behind(words):
                    return None
                amendments = amendments.with_words(words)
            self.views.cache(self.names, listing, amendments)
            return amendments

        return end

    def with_words_of(self, amendments: Amendments, messages: Iterable[MessageRecord]) -> Amendments:
        """Return the amendments with the newest words of the messages whose words are older than their edits.

        A look reads the words of edits new to the instance. A fold reports older edits, all carried out; so only a message that comes late
        costs a round trip here.
        """
        unread = amendments.unread_edits_of(messages)
        return amendments.with_words(self.edits.begin_reading(unread)()) if unread else amendments

    def watermark(self) -> Watermark:
        """Return the stored watermark, or -1 where nothing was ever erased."""
        stored = self.objects.store.read(self.names.watermark)
        return decode(Watermark, stored.data) if stored else Watermark()

    def has_withdrawn(self, line_message_id: str, *, timestamp_ms: int) -> bool:
        """Whether the message was withdrawn or erased."""
        amendments = self.look()
        return line_message_id in amendments.withdrawn or timestamp_ms <= amendments.erased_ms

    def has_forgotten(self, user_id: str | None, *, timestamp_ms: int) -> bool:
        """Whether the person took back everything up to the timestamp."""
        return user_id is not None and timestamp_ms <= self.look().members.get(mark_id(user_id), -1)

    def edited_by(self, user_id: str, *, until_ms: int) -> frozenset[str]:
        """Return the messages edited by the person up to the timestamp, including messages not delivered yet, and withdrawn ones.

        Of a withdrawn message an edit may still have words: the worker of `/forget me` died right after the withdrawal was recorded. The
        words of an edit outlast its event, and so may those of a message of which nothing else is stored.
        """
        amendments, mark = self.look(), mark_id(user_id)
        looked = (
            edited_id
            for edited_id, by in amendments.editors.items()
            if by == mark and amendments.edited_ms.get(edited_id, 0) <= until_ms
        )
        return self.edits.made_by(mark, until_ms=until_ms).union(looked)

    # Writes

    def amend(self, amendment: Amendment) -> None:
        """The newest amendment of the message counts, in whatever order amendments come; a withdrawal is final.  Repeated: changes nothing.

        A withdrawal replaces unreadable words; an edit does not, because they may be a withdrawal's. Raises also: UnreadableRecordError.
        """
        if amendment.text is None:
            self.withdraw({amendment.line_message_id}, timestamp_ms=amendment.timestamp_ms)
        else:
            self.edits.put(amendment)
            self._append(edit_of(amendment))

    def withdraw(self, line_message_ids: AbstractSet[str], *, timestamp_ms: int) -> None:
        """The messages count as withdrawn together, at once, and no edit brings words back.  Repeated: changes nothing."""
        self._append(withdrawal_of(line_message_ids, timestamp_ms=timestamp_ms))
        self.edits.drop(line_message_ids)

    def forget_member(self, user_id: str, *, until_ms: int) -> None:
        """The person's messages up to the timestamp are hidden, also messages delivered only later.

        Repeated, or older than another member erasure of the person: changes nothing.
        """
        if not self.has_forgotten(user_id, timestamp_ms=until_ms):
            self._append(member_erasure_of(user_id, until_ms=until_ms))

    def add_plan(self, round_id: str, plan: Plan) -> None:
        """The plan of the withdrawal or erasure also names the answers and recaps.  Repeated: changes nothing."""
        if not plan <= self.look().plans.get(round_id, Plan()):
            self._append(plan_of(round_id, redacted_ids=plan.redacted_ids, cleared_ids=plan.cleared_ids))

    def erase(self, timestamp_ms: int, *, spares_entries: bool = False) -> None:
        """Everything up to the timestamp counts as withdrawn, and no older edit has words.

        With `spares_entries` filed entries stay. Repeated, or older than another erasure: changes nothing. An unreadable watermark is
        replaced: everything before is older than Pub/Sub redelivers, or recorded in the events. Unreadable words are removed. Raises also:
        UnknownRecordVersionError.
        """
        self._append(erasure_of(timestamp_ms, spares_entries=spares_entries))

        def raised(data: bytes | None) -> bytes | None:
            stored = decode_if_readable(Watermark, data) or Watermark()
            entries_ms = stored.entries_ms if spares_entries else max(timestamp_ms, stored.entries_ms)
            watermark = replace(stored, timestamp_ms=max(timestamp_ms, stored.timestamp_ms), entries_ms=entries_ms)
            return None if watermark == stored else encode(watermark)

        update_by_swap(self.objects.store, self.names.watermark, raised, what="the watermark")
        self.edits.erase(timestamp_ms)

    def fold(self) -> None:
        """Fold the events older than an hour into one object.  Repeated: finds less to do."""
        times, now_ms = self.views.times, self.clock.now_ms()
        fold_events(
            self.objects,
            self.names,
            before_ms=self._folded_before_ms(now_ms),
            retained_since_ms=now_ms - round(times.retention_s * 1_000),
        )

    def fold_if_due(self) -> None:
        """Fold the old events that this instance had to read one by one, because no second pass had folded them."""
        if self.views.begin_fold(self.names.conversation_id):
            self.fold()

    def _folded_before_ms(self, now_ms: int) -> int:
        return now_ms - round(self.views.times.folded_after_s * 1_000)

    def _append(self, event: AmendmentEvent) -> None:
        def create(written_ms: int) -> None:
            name, data = event.name(self.names, written_ms=written_ms), encode(event)
            generation = self.objects.store.create(name, data)
            if generation is not None:
                self.objects.keep(ListedObject(name=name, generation=generation), data)

        self.views.times.append(create, clock=self.clock)
