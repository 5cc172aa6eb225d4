"""The silences of a chat: times without answers of the bot.

    silences/{conversation_id}.json

In a *pause* the bot records nothing, because the chat's people asked for that. In a *handover* a person of the operator answers, and
messages are recorded as context. Events come late, twice and out of order, so a message belongs to the silence around LINE's timestamp of
the event, whatever the time of the delivery.

The record is a set of switches, in any order of arrival. Example: "pause on at 5" and "pause off at 9" pause the messages of the
timestamps 5 to 8.
"""

from collections.abc import Callable, Iterable
from dataclasses import field, replace
from enum import StrEnum
from typing import Final

from cachetools import LRUCache

from shared import logs
from shared.clock import Clock
from shared.errors import CorruptRecordError
from shared.frozen import frozen
from shared.locked_cache import LockedCache
from shared.storage.codec import VERSION, decode, encode
from shared.storage.compare_and_swap import update_by_swap
from shared.storage.object_names import ObjectNames
from shared.storage.object_store import ObjectStore
from shared.unknown_fields import Extensible

LATE_MS: Final = 30 * 86_400_000
"""How late an event may be delivered; a switch that another one followed longer ago decides about no event any more."""
MOST_SWITCHES: Final = 100
"""The most switches of one kind: beyond that, the two oldest silences of the kind are joined to one."""
_CHATS_KNOWN: Final = 4_096


class SilenceKind(StrEnum):
    """Why the bot is silent."""

    PAUSE = "pause"
    HANDOVER = "handover"


class SilenceChange(StrEnum):
    """What a question with a button asks, or a command does: begin a pause, begin a handover, or end both."""

    PAUSE = "pause"
    HANDOVER = "handover"
    RESUME = "resume"


@frozen
class Switch(Extensible):
    """Begins a silence (`is_on`) or ends it, at LINE's timestamp of the event `event_id`.

    `until_ms`: when the silence ends without a switch; None: only a switch ends the silence. `is_asked`: a member of the chat asked for a
    person.
    """

    kind: SilenceKind
    is_on: bool
    at_ms: int
    event_id: str
    until_ms: int | None = None
    is_asked: bool = False


@frozen
class SilencesRecord(Extensible):
    """silences/{conversation_id}.json: the switches, oldest first."""

    version: int = VERSION
    switches: tuple[Switch, ...] = ()

    def at(self, timestamp_ms: int) -> SilenceKind | None:
        """Return the silence that covers an event of this timestamp, a pause before a handover; None: the bot answers."""
        return next((kind for kind in SilenceKind if self._covering(kind, timestamp_ms) is not None), None)

    def now(self, now_ms: int) -> Switch | None:
        """Return the switch of the open silence; None: no silence is open.

        An event that was received has happened, so a switch counts even where this clock is behind LINE's.
        """
        open_switches = (self._covering(kind, self._present_ms(now_ms)) for kind in SilenceKind)
        return next((one for one in open_switches if one is not None), None)

    def handover(self, now_ms: int) -> Switch | None:
        """Return the switch of the handover that is open at present, in a pause too; None: no person was called."""
        return self._covering(SilenceKind.HANDOVER, self._present_ms(now_ms))

    def _present_ms(self, now_ms: int) -> int:
        return max((now_ms, *(one.at_ms for one in self.switches)))

    def with_switches(self, added: Iterable[Switch], *, now_ms: int) -> "SilencesRecord":
        """Return the record with further switches, and without switches that decide about no event any more.  Repeated: changes nothing."""
        by_event = {(one.kind, one.event_id): one for one in (*added, *self.switches)}
        switches = sorted(by_event.values(), key=_order)
        retained = [one for kind in SilenceKind for one in _retained([s for s in switches if s.kind is kind], now_ms)]
        return replace(self, switches=tuple(sorted(retained, key=_order)))

    def _covering(self, kind: SilenceKind, timestamp_ms: int) -> Switch | None:
        earlier = [one for one in self.switches if one.kind is kind and one.at_ms <= timestamp_ms]
        if not earlier or not earlier[-1].is_on:
            return None
        return earlier[-1] if earlier[-1].until_ms is None or timestamp_ms < earlier[-1].until_ms else None


UNREADABLE: Final = SilencesRecord(
    switches=(Switch(kind=SilenceKind.PAUSE, is_on=True, at_ms=0, event_id="unreadable"),)
)
"""Stands for a damaged record: the chat asked for a silence once, so nothing is recorded until `/resume` writes the record anew."""


class SilencedChats(LockedCache[str, str]):
    """The chats whose silences an instance has read or written; safe to share between threads."""

    def __init__(self) -> None:
        super().__init__(LRUCache(_CHATS_KNOWN))

    def add(self, conversation_id: str) -> None:
        """Note that the chat has a record."""
        self.put(conversation_id, conversation_id)


@frozen
class Silences:
    """One chat's silences.  Every method raises StorageUnavailableError, and UnknownRecordVersionError."""

    names: ObjectNames
    store: ObjectStore = field(repr=False)
    clock: Clock = field(repr=False)
    silenced: SilencedChats = field(repr=False)

    def read(self) -> SilencesRecord:
        """Return the stored silences; an unreadable record counts as a pause."""
        stored = self.store.read(self.names.silences)
        if stored is None:
            return SilencesRecord()
        self.silenced.add(self.names.conversation_id)
        return _readable(stored.data)

    @property
    def is_known(self) -> bool:
        """Whether this instance has read or written a record of the chat before."""
        return self.names.conversation_id in self.silenced

    def add(self, switches: Callable[[SilencesRecord], Iterable[Switch]]) -> SilencesRecord:
        """Add the switches that `switches` makes of the stored record; return the record afterwards.  Repeated: changes nothing."""

        def changed(data: bytes | None) -> bytes | None:
            record = SilencesRecord() if data is None else _readable(data)
            after = record.with_switches(switches(record), now_ms=self.clock.now_ms())
            return None if after == record else encode(after)

        self.silenced.add(self.names.conversation_id)
        stored = update_by_swap(self.store, self.names.silences, changed, what="the silences of a chat")
        return SilencesRecord() if stored is None else _readable(stored.data)


def pause(event_id: str, *, at_ms: int) -> tuple[Switch, ...]:
    """Return the switch that begins a pause."""
    return (Switch(kind=SilenceKind.PAUSE, is_on=True, at_ms=at_ms, event_id=event_id),)


def handover(event_id: str, *, at_ms: int, minutes: int, is_asked: bool) -> tuple[Switch, ...]:
    """Return the switch that begins a handover of so many minutes."""
    until_ms = at_ms + minutes * 60_000
    return (
        Switch(
            kind=SilenceKind.HANDOVER,
            is_on=True,
            at_ms=at_ms,
            event_id=event_id,
            until_ms=until_ms,
            is_asked=is_asked,
        ),
    )


def ended(event_id: str, *kinds: SilenceKind, at_ms: int) -> tuple[Switch, ...]:
    """Return the switches that end silences of the kinds.

    For example, `/resume` ends both, and `make handover ARGS=--end` leaves a pause as it is.
    """
    return tuple(Switch(kind=kind, is_on=False, at_ms=at_ms, event_id=event_id) for kind in kinds)


def _order(switch: Switch) -> tuple[int, bool, str]:
    """Sort by time; of one millisecond the beginning comes last, and so decides: what might be meant for nobody is not recorded."""
    return switch.at_ms, switch.is_on, switch.event_id


def _retained(switches: list[Switch], now_ms: int) -> list[Switch]:
    """Return the switches of one kind that decide about an event: without switches followed by another switch LATE_MS ago."""
    followed_ms = [one.at_ms for one in switches[1:]]
    expired = sum(at_ms < now_ms - LATE_MS for at_ms in followed_ms)
    retained = switches[expired:]
    while len(retained) > MOST_SWITCHES:
        if retained[0].is_on:
            del retained[1:3]
        else:  # nothing before it began: it ends no silence
            del retained[0]
    return retained


def _readable(data: bytes) -> SilencesRecord:
    try:
        return decode(SilencesRecord, data)
    except CorruptRecordError as cause:
        logs.error("record_unreadable", cause=cause)
        return UNREADABLE
