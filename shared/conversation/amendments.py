"""What became of messages after they were sent: edited, taken back, erased with all that was said before.

    amended/{conversation_id}/{line_message_id}.json   an edit, or an unsend, which is final
    erased/{conversation_id}.json                      the watermark: everything up to it counts as taken back

They are written before anything else is touched, so whoever writes words of people later looks here and finds out.
"""

from collections.abc import Callable, Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from typing import Final

from shared.clock import Clock
from shared.conversation.records import Amendment, MessageRecord, OutcomeRecord, Watermark
from shared.storage.codec import decode, encode
from shared.storage.compare_and_swap import changed_by_swap
from shared.storage.object_cache import Bodies, readable
from shared.storage.object_names import amended_name, amended_prefix, erased_name
from shared.storage.object_store import ListedObject

NEWEST_READ: Final = 200  # older ones have long been carried out everywhere; they only wait for messages that come late


@dataclass(frozen=True, slots=True, kw_only=True)
class Amendments:
    """What is withdrawn, edited and erased, as of one look.

    `edited_ms` has LINE's timestamp of each edit. Filed entries are erased up to `erased_entries_ms` only.
    """

    withdrawn: frozenset[str] = frozenset()
    edits: Mapping[str, str] = field(default_factory=dict, repr=False)
    edited_ms: Mapping[str, int] = field(default_factory=dict)
    erased_ms: int = -1
    erased_entries_ms: int = -1

    def take_back(self, message: MessageRecord) -> bool:
        """Whether the message was taken back or erased."""
        return message.line_message_id in self.withdrawn or message.timestamp_ms <= self.erased_ms

    def take_out_of_entries(self, line_message_id: str, words_ms: int) -> bool:
        """Whether what the message said at this moment may be in no entry: it was taken back, erased, or replaced by an edit."""
        is_replaced = words_ms < self.edited_ms.get(line_message_id, words_ms)
        return is_replaced or line_message_id in self.withdrawn or words_ms <= self.erased_entries_ms

    def touch(self, outcome: OutcomeRecord) -> bool:
        """Whether something that the outcome covers or saw was taken back or erased."""
        return outcome.since_ms <= self.erased_ms or not self.withdrawn.isdisjoint((*outcome.covers, *outcome.saw))

    def concern(self, outcome: OutcomeRecord) -> bool:
        """Whether something that the outcome covers or saw, also in entries, was taken back, erased or edited."""
        ids = {*outcome.covers, *outcome.saw}
        return self.touch(outcome) or self.erased_entries_ms >= 0 or not ids.isdisjoint(self.edits)

    def overlaid(self, message: MessageRecord) -> MessageRecord:
        """Return the message with its newest text."""
        edited = self.edits.get(message.line_message_id)
        if edited is None:
            return message
        return replace(message, text=edited, edited_ms=self.edited_ms.get(message.line_message_id, 0))

    def change(self, line_message_ids: AbstractSet[str], *, since_ms: int, before: "Amendments") -> bool:
        """Whether one of these messages, of which the oldest words are of `since_ms`, was taken back or edited since `before`.

        What was filed may be older than those: when entries are erased, it counts.
        """
        if since_ms <= self.erased_ms and self.erased_ms > before.erased_ms:
            return True
        if self.erased_entries_ms > before.erased_entries_ms:
            return True
        taken_back = (self.withdrawn - before.withdrawn) & line_message_ids
        return bool(taken_back) or any(
            one in line_message_ids and before.edits.get(one) != text for one, text in self.edits.items()
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class AmendmentLog:
    """Reads and writes amendments.  Every method raises StorageUnavailableError when the bucket does not answer in time.

    A look is good for `look_s`, by a monotonic clock: within that time nobody can take words back and be told that they are gone.
    """

    bodies: Bodies
    clock: Clock = field(repr=False)
    look_s: float

    def look(self, conversation_id: str) -> Amendments:
        """Return what is amended by now; one round where nothing new was, else two."""
        watermark = self.bodies.reads.submit(self.watermark, conversation_id)
        listed = self.listed(conversation_id)
        return amendments_of(self.bodies.read_all(listed), watermark.result())

    def fresh_look(self, conversation_id: str) -> Amendments:
        """Return what is amended by now, for whoever acts on it at once: a look that took too long to be good for anything is repeated."""
        while True:
            begun_s = self.clock.monotonic_s()
            amendments = self.look(conversation_id)
            if self.clock.monotonic_s() - begun_s < self.look_s:
                return amendments

    def listed(self, conversation_id: str) -> tuple[ListedObject, ...]:
        """Return the newest amendments of messages."""
        listed = self.bodies.store.list(amended_prefix(conversation_id))
        return tuple(sorted(listed, key=lambda one: one.generation)[-NEWEST_READ:])

    def watermark(self, conversation_id: str) -> Watermark:
        """Return the watermark, -1 where nothing was ever erased."""
        stored = self.bodies.store.read(erased_name(conversation_id))
        return decode(Watermark, stored.data) if stored else Watermark()

    def hold(self, conversation_id: str, line_message_ids: AbstractSet[str]) -> bool:
        """Whether one of these messages is withdrawn by now."""
        return not self.look(conversation_id).withdrawn.isdisjoint(line_message_ids)

    def has_taken_back(self, conversation_id: str, line_message_id: str, *, timestamp_ms: int) -> bool:
        """Whether this very message was withdrawn or erased, however long ago."""
        stored = self.bodies.store.read(amended_name(conversation_id, line_message_id))
        is_withdrawn = stored is not None and decode(Amendment, stored.data).text is None
        return is_withdrawn or timestamp_ms <= self.watermark(conversation_id).timestamp_ms

    def amend(self, conversation_id: str, amendment: Amendment) -> None:
        """The newest amendment of the message stands, whatever the order; a withdrawal is final.  Repeated: changes nothing."""
        self._swap(conversation_id, amendment.line_message_id, lambda there: _newer(there, amendment))

    def drop_erased_edit(self, conversation_id: str, line_message_id: str) -> bool:
        """Return whether the message's edit is from before the watermark; then it keeps no words, and its message is withdrawn."""
        erased_ms = self.watermark(conversation_id).timestamp_ms
        dropped: list[bool] = []

        def emptied(there: Amendment | None) -> Amendment | None:
            wanted = _emptied(there, erased_ms)
            dropped.append(wanted is not None)
            return wanted

        self._swap(conversation_id, line_message_id, emptied)
        return any(dropped)

    def erase(self, conversation_id: str, timestamp_ms: int, *, spares_entries: bool = False) -> None:
        """Everything up to the timestamp counts as taken back, and no edit from before it keeps its words.

        `spares_entries` leaves what was filed. Repeated, or older than another erasure: changes nothing.
        """

        def raised(data: bytes | None) -> bytes | None:
            there = decode(Watermark, data) if data is not None else Watermark()
            entries_ms = there.entries_ms if spares_entries else max(timestamp_ms, there.entries_ms)
            wanted = replace(there, timestamp_ms=max(timestamp_ms, there.timestamp_ms), entries_ms=entries_ms)
            return None if wanted == there else encode(wanted)

        changed_by_swap(self.bodies.store, erased_name(conversation_id), raised, what="the watermark")
        for line_message_id in self._edited(conversation_id, until_ms=timestamp_ms):
            self.drop_erased_edit(conversation_id, line_message_id)

    def _edited(self, conversation_id: str, *, until_ms: int) -> Iterable[str]:
        listed = self.bodies.store.list(amended_prefix(conversation_id))
        amendments = readable(self.bodies.read_all(listed), Amendment)
        return [one.line_message_id for one in amendments if one.text is not None and one.timestamp_ms <= until_ms]

    def _swap(
        self, conversation_id: str, line_message_id: str, change: Callable[[Amendment | None], Amendment | None]
    ) -> None:
        def changed(data: bytes | None) -> bytes | None:
            wanted = change(decode(Amendment, data) if data is not None else None)
            return None if wanted is None else encode(wanted)

        name = amended_name(conversation_id, line_message_id)
        changed_by_swap(self.bodies.store, name, changed, what="an amendment")


def amendments_of(bodies: Iterable[bytes | None], watermark: Watermark) -> Amendments:
    """Return what the stored amendments say."""
    amendments = readable(bodies, Amendment)
    return Amendments(
        withdrawn=frozenset(one.line_message_id for one in amendments if one.text is None),
        edits={one.line_message_id: one.text for one in amendments if one.text is not None},
        edited_ms={one.line_message_id: one.timestamp_ms for one in amendments if one.text is not None},
        erased_ms=watermark.timestamp_ms,
        erased_entries_ms=watermark.entries_ms,
    )


def _newer(there: Amendment | None, new: Amendment) -> Amendment | None:
    """Return the new amendment if it has to be written over what is there."""
    if there is None:
        return new
    if there.text is None:  # withdrawn is final
        return None
    return new if new.text is None or new.timestamp_ms > there.timestamp_ms else None


def _emptied(there: Amendment | None, erased_ms: int) -> Amendment | None:
    """Return the edit without its words, if it is from before the watermark."""
    if there is None or there.text is None or there.timestamp_ms > erased_ms:
        return None
    return replace(there, text=None)
