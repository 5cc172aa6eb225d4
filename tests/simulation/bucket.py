"""The bucket of a process: its calls take time, fail, and lose their answers.

It also does what GcsObjectStore does: a write that meets 429 is retried after 0.3 to 1 s, for up to 10 s, unless it has lost meanwhile.  A
conditional write that won, but whose answer was lost, is reported as lost, as a retry of it would be.  A deletion may take effect once
more seconds later, as the attempt does whose answer did not come in time, also if the call failed.  In some schedules one process of each
function is of a newer release, and writes a field that the others do not know.
"""

import json
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from typing import Final, TypeVar

from shared.adapters.memory.object_store import WriteLimitError
from shared.calendars.feed import FEED_PREFIX
from shared.calendars.store import FOLDER as CALENDARS
from shared.conversation.snapshot_records import SnapshotRecord
from shared.conversation.turn import TurnRecord
from shared.errors import StorageUnavailableError
from shared.storage.codec import decode
from shared.storage.object_names import OUTCOME_SUFFIX
from shared.storage.object_store import ListedObject, StoredObject
from tests.simulation.calendar_checks import note_calendar
from tests.simulation.holders import Holders
from tests.simulation.scheduler import Task
from tests.simulation.times import JITTER_S
from tests.simulation.withdrawals import ERASURE, MARKERS, Withdrawals
from tests.simulation.world import TICK, World

_ResultT = TypeVar("_ResultT")
_Key = TypeVar("_Key")
_RETRIES_S: Final = 10.0
_NEWER: Final = " 0"
"""How the names of the processes end that may be of a newer release."""


class Bucket:
    """An `ObjectStore` whose calls suffer the weather of the world."""

    def __init__(self, world: World, holders: Holders, withdrawals: Withdrawals) -> None:
        self._world = world
        self._holders = holders
        self._withdrawals = withdrawals

    def read(self, name: str) -> StoredObject | None:
        return self._call(f"read {name}", lambda: self._world.objects.read(name))

    def read_again(self, name: str, known: StoredObject) -> StoredObject | None:
        return self._call(f"read {name}", lambda: self._world.objects.read_again(name, known))

    def create(self, name: str, data: bytes) -> int | None:
        return self._write(name, data, 0)

    def create_from(self, name: str, pieces: Iterable[bytes]) -> bool:
        return self.create(name, b"".join(pieces)) is not None

    def replace(self, name: str, data: bytes, *, generation: int) -> int | None:
        return self._write(name, data, generation)

    def delete(self, name: str, *, generation: int | None = None) -> bool:
        deletion = f"delete {name}"
        try:
            is_free = self._call(deletion, lambda: self._delete_now(name, generation))
        finally:
            if not self._world.scheduler.current().process.is_dead:
                newest = self._world.objects.newest_generation
                self._world.repeat_later(lambda: self._delete_late(name, generation, newest))
        if name.startswith(MARKERS):
            self._withdrawals.look()
        return is_free

    def _delete_now(self, name: str, generation: int | None) -> bool:
        is_free = self._world.objects.delete(name, generation=generation)
        if name.startswith("journal/") and not name.endswith(OUTCOME_SUFFIX):
            _, chat, message_name = name.split("/")
            self._holders.note_dropped(chat, {message_name.removesuffix(".json")})
        return is_free

    def _delete_late(self, name: str, generation: int | None, newest: int) -> None:
        """The deletion takes effect once more, and leaves whatever was written since, but for messages, which go for good."""
        there = self._world.objects.read(name)
        is_message = name.startswith("journal/") and not name.endswith(OUTCOME_SUFFIX)
        is_gone = self._world.objects.delete(name, generation=generation)
        if there is not None and there.generation > newest and is_gone and not is_message:
            self._world.truth.report(
                f"I6: a late deletion took what had been written since in {name.partition('/')[0]}/"
            )

    def list(self, prefix: str, *, since: str | None = None, before: str | None = None) -> tuple[ListedObject, ...]:
        return self._call(f"list {prefix}", lambda: self._list_now(prefix, since, before))

    def _list_now(self, prefix: str, since: str | None, before: str | None) -> tuple[ListedObject, ...]:
        world = self._world
        if prefix.startswith("amended/"):
            key = world.scheduler.current().request, prefix.split("/")[1]
            world.truth.amendments_listed_s[key] = world.now_s
        elif prefix.startswith("journal/"):
            key = world.scheduler.current().request, prefix.split("/")[1]
            world.truth.journal_listed_s[key] = world.now_s
            self._count_readings(world.scheduler.current())
        elif prefix.startswith("calls/"):  # a withdrawal, which has listed the journal for itself
            world.readings.pop(world.scheduler.current(), None)
        return world.objects.list(prefix, since=since, before=before)

    def _write(self, name: str, data: bytes, generation: int) -> int | None:
        world, begun_s = self._world, self._world.now_s
        if world.weather.has_newer_release and world.scheduler.current().process.name.endswith(_NEWER):
            data = _as_of_tomorrow(name, data)
        effects: list[int | None] = []
        while True:
            try:
                self._call(f"write {name}", lambda: effects.append(self._write_now(name, data, generation, begun_s)))
            except WriteLimitError:
                pause_s = world.rng.uniform(*JITTER_S)
                if world.now_s + pause_s - begun_s > _RETRIES_S:
                    if world.weather.calm:
                        world.truth.report(f"I6: writes of {name.partition('/')[0]}/ met 429 until the client gave up")
                    raise
                world.scheduler.give_way("429", pause_s)
                stored = self._call(f"look at {name}", lambda: world.objects.read(name))
                if (stored.generation if stored is not None else 0) != generation:
                    return None
            except StorageUnavailableError:
                self._note_lost_answer(name, data, effects)
                raise
            else:
                is_lost = world.rng.random() < world.weather.lost_answers
                if is_lost:
                    self._note_lost_answer(name, data, effects)
                return None if is_lost else effects[-1]

    def _note_lost_answer(self, name: str, data: bytes, effects: Sequence[int | None]) -> None:
        if effects and effects[-1] is not None and name.startswith("turns/"):
            self._holders.note_lost_answer(name[6:-5], decode(TurnRecord, data))

    def _write_now(self, name: str, data: bytes, generation: int, begun_s: float) -> int | None:
        objects = self._world.objects
        self._count_writes(name)
        before = objects.read(name)
        written = objects.replace(name, data, generation=generation)
        if written is not None and name.startswith("turns/"):
            there = decode(TurnRecord, before.data) if before else TurnRecord()
            self._holders.watch(name[6:-5], there, decode(TurnRecord, data), begun_s=begun_s)
        elif written is not None and name.endswith(OUTCOME_SUFFIX):
            self._holders.note_record(name, data)
        elif written is not None and name.startswith("amended/") and not name.endswith("/~fold.json"):
            self._holders.note_amendment(name, data)
        elif written is not None and name.startswith("reminders/"):
            self._holders.note_reminder(name, before.data if before is not None else None, data)
        elif written is not None and name.startswith("journal/"):
            self._holders.note_message(name, data)
        elif written is not None and name.startswith("snapshots/"):
            self._holders.note_recaps(name, data)
            kept = decode(SnapshotRecord, before.data).all_messages if before else ()
            self._holders.note_dropped(name.split("/")[1].removesuffix(".json"), {one.line_message_id for one in kept})
        elif written is not None and name.startswith((FEED_PREFIX, CALENDARS)):
            note_calendar(self._world, name, data)
        elif written is not None and name.startswith("due/"):
            kind, chat, marker_id = name.rpartition("/")[2].split(".", 2)
            if kind == ERASURE:
                self._world.truth.marked_erasures.add((chat, int(marker_id)))
        return written

    def _count_writes(self, name: str) -> None:
        """Count the attempts to write a name within a second; only one of them can succeed."""
        kind = name.partition("/")[0]
        attempts = self._count(self._world.write_attempts, name)
        self._world.most_attempts[kind] = max(self._world.most_attempts[kind], attempts)

    def _count_readings(self, thread: Task) -> None:
        """Count how often a thread lists its chat within a second."""
        if not thread.request.startswith(TICK):
            self._world.most_readings = max(self._world.most_readings, self._count(self._world.readings, thread))

    def _count(self, moments_s: dict[_Key, deque[float]], key: _Key) -> int:
        now_s, moments = self._world.now_s, moments_s.setdefault(key, deque())
        moments.append(now_s)
        while moments[0] <= now_s - 1:
            moments.popleft()
        return len(moments)

    def _call(self, about: str, effect: Callable[[], _ResultT]) -> _ResultT:
        world = self._world
        begins_s, ends_s = world.weather.outage_s
        if begins_s <= world.now_s < ends_s:
            world.scheduler.give_way(f"{about}, in vain", world.rng.random() * _RETRIES_S)
            raise StorageUnavailableError("the bucket is down")
        fails = world.rng.random()
        if fails < world.weather.failures / 2:
            world.scheduler.give_way(f"{about}, in vain", world.rng.random() * _RETRIES_S)
            raise StorageUnavailableError("failed before the effect")
        result = world.call(about, effect)
        if fails < world.weather.failures:
            raise StorageUnavailableError("failed after the effect")
        return result


def _as_of_tomorrow(name: str, data: bytes) -> bytes:
    """Return the record as a newer release writes it, which copies each text to a field of its own."""
    if not name.startswith(("amended/", "archive/", "journal/", "reminders/", "snapshots/", "turns/")) or not data:
        return data
    record = json.loads(data)
    _copy_texts(record)
    return json.dumps(record, ensure_ascii=False).encode()


def _copy_texts(value: object) -> None:
    if isinstance(value, list):
        for part in value:
            _copy_texts(part)
    elif isinstance(value, dict):
        value.pop("tomorrow", None)
        for part in value.values():
            _copy_texts(part)
        if isinstance(value.get("text"), str) and value["text"]:
            value["tomorrow"] = value["text"]
