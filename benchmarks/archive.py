"""`python -m benchmarks.archive`: the cost of a turn, a read of the archive and an unsend in chats of 10,000 and 100,000 messages.

The newest 200 messages are played through the worker's real code; all older messages are written as segments, as by compactions.
The bucket is in memory and takes 20 ms for each request, so concurrent requests overlap. A cold worker has read nothing before.
"""

import argparse
import sys
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Final

from benchmarks import built, machine
from benchmarks.bucket_log import BucketRequest, round_trips
from benchmarks.built import Built
from benchmarks.samples import Comparison
from benchmarks.table import Goal, Row, Section, at_most, render, times
from shared.adapters.memory import MemoryObjectStore
from shared.clock import SystemClock
from shared.conversation.archive import SEGMENT_MESSAGES
from shared.conversation.records import MessageRecord, OutcomeKind
from shared.conversation.segments import encode_segment, name_of
from shared.conversation.snapshot_records import ArchivedAnswer, Segment
from shared.conversation.store import Conversation, Conversations
from shared.handlers.unsend import withdrawal_of
from shared.storage.object_store import ListedObject, StoredObject
from tests.support.chats import made_of

SHORT: Final = 200
LONG: Final = (10_000, 100_000)
_REQUEST_S: Final = 0.02
_READ_THREADS: Final = 32
_GROUP, _PERSON = "C" + "e" * 32, "U" + "e" * 32
_ANSWERED_EVERY: Final = 5
_SAW: Final = 60
_APART_MS: Final = 20_000
_SAID: Final = "{}番目の案について、宿と電車の時間をもう一度調べておいたほうがいいと思う。"
_FLAT: Final = times(1.05)
_IN_TIME: Final = at_most(2_000)


class SlowStore(MemoryObjectStore):
    """A slow bucket in memory with a log of requests."""

    def __init__(self) -> None:
        super().__init__()
        self.request_s = 0.0
        self._requests: list[BucketRequest] = []
        self._noting = threading.Lock()

    def take(self) -> tuple[BucketRequest, ...]:
        """Return the requests since the last call."""
        with self._noting:
            requests, self._requests = tuple(self._requests), []
        return requests

    def read(self, name: str) -> StoredObject | None:
        started_s = time.monotonic()
        stored = super().read(name)
        self._note("media", started_s, len(stored.data) if stored is not None else 0)
        return stored

    def create(self, name: str, data: bytes) -> int | None:
        return self.replace(name, data, generation=0)

    def replace(self, name: str, data: bytes, *, generation: int) -> int | None:
        started_s = time.monotonic()
        new_generation = super().replace(name, data, generation=generation)
        self._note("insert", started_s, len(data))
        return new_generation

    def delete(self, name: str, *, generation: int | None = None) -> bool:
        started_s = time.monotonic()
        is_free = super().delete(name, generation=generation)
        self._note("delete", started_s, 0)
        return is_free

    def list(self, prefix: str, *, since: str | None = None, before: str | None = None) -> tuple[ListedObject, ...]:
        started_s = time.monotonic()
        objects = super().list(prefix, since=since, before=before)
        self._note("list", started_s, sum(len(one.name) for one in objects))
        return objects

    def _note(self, operation: str, started_s: float, body_bytes: int) -> None:
        if self.request_s:
            time.sleep(self.request_s)
            request = BucketRequest(
                operation=operation, started_s=started_s, ended_s=time.monotonic(), body_bytes=body_bytes
            )
            with self._noting:
                self._requests.append(request)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """The time, requests and bytes of one piece of work."""

    requests: int
    kilobytes: float
    round_trips: int
    milliseconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Costs:
    """The costs in a chat of one length."""

    turn: Cost
    cold_read: Cost
    warm_read: Cost
    unsend: Cost
    objects: int
    kilobytes: float


def main(arguments: Sequence[str]) -> int:
    """Measure and print.  Returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.archive", description=__doc__)
    parser.add_argument("--messages", type=int, nargs="*", default=LONG, help="lengths of chats")
    options = parser.parse_args(arguments)
    with built.builder() as pool:
        short = costs_of(SHORT, pool)
        sections = [_section(messages, costs_of(messages, pool), short) for messages in options.messages]
    print(f"Aizuchi benchmarks: {machine.header_line(SystemClock())}\n\n{render(sections)}")
    return 0


def costs_of(messages: int, pool: ThreadPoolExecutor) -> Costs:
    """Build a chat of so many messages and return the costs."""
    store = SlowStore()
    chat = Built(group_id=_GROUP, user_id=_PERSON, messages=SHORT, pool=pool, store=store)
    archived = messages - SHORT
    archive_messages(chat.conversations.of(_GROUP), archived)
    objects = store.list("")
    stored_bytes = sum(len(stored.data) for one in objects if (stored := store.read(one.name)) is not None)
    store.request_s = _REQUEST_S
    with ThreadPoolExecutor(_READ_THREADS) as reads:
        cold = Conversations.on(store, reads=reads, clock=SystemClock(), lease_s=25.0).of(_GROUP)
        turn = _cost(store, lambda: chat.asks(SHORT))
        cold_read = _cost(store, cold.archive.read)
        warm_read = _cost(store, cold.archive.read)
        unsending = Conversations.on(store, reads=reads, clock=SystemClock(), lease_s=25.0).of(_GROUP)
        withdrawn = archived_id(archived // 2) if archived else cold.snapshot.read().record.messages[0].line_message_id
        unsend = _cost(store, lambda: _unsend(unsending, withdrawn))
    return Costs(
        turn=turn,
        cold_read=cold_read,
        warm_read=warm_read,
        unsend=unsend,
        objects=len(objects),
        kilobytes=stored_bytes / 1_000,
    )


def _unsend(conversation: Conversation, line_message_id: str) -> None:
    now_ms = SystemClock().now_ms()
    withdrawal_of(SystemClock()).withdraw(conversation, line_message_id, timestamp_ms=now_ms)


def _cost(store: SlowStore, work: Callable[[], object]) -> Cost:
    store.take()
    started_s = time.monotonic()
    work()
    took_s = time.monotonic() - started_s
    requests = store.take()
    return Cost(
        requests=len(requests),
        kilobytes=sum(one.body_bytes for one in requests) / 1_000,
        round_trips=round_trips(requests),
        milliseconds=took_s * 1_000,
    )


def archive_messages(conversation: Conversation, messages: int) -> int:
    """The chat's archive holds so many messages, older than all others; every fifth was answered.  Returns the number of segments."""
    newest_ms = min((one.timestamp_ms for one in conversation.snapshot.read().record.messages), default=0)
    names: list[str] = []
    for first in range(0, messages, SEGMENT_MESSAGES):
        numbers = range(first, min(first + SEGMENT_MESSAGES, messages))
        batch = tuple(_message(number, newest_ms - (messages - number) * _APART_MS) for number in numbers)
        answers = tuple(_answer(number, batch[number - first]) for number in numbers if number % _ANSWERED_EVERY == 0)
        segment = Segment(messages=batch, answers=answers)
        data = encode_segment(segment)
        name = name_of(segment, data, number=len(names) + 1_000)
        conversation.objects.store.create(conversation.names.segment(name), data)
        names.append(name.file)
    snapshot = conversation.snapshot.read()
    conversation.snapshot.swap(snapshot, replace(snapshot.record, segments=tuple(names[-8:])))
    return len(names)


def archived_id(number: int) -> str:
    """Return the id of the archived message with the given number: `archived_id(1)` is "90000000000000001"."""
    return f"{90_000_000_000_000_000 + number}"


def _message(number: int, timestamp_ms: int) -> MessageRecord:
    return MessageRecord(
        line_message_id=archived_id(number),
        webhook_event_id=f"01OLDER{number:019d}",
        timestamp_ms=timestamp_ms,
        type="text",
        addressed=number % _ANSWERED_EVERY == 0,
        text=_SAID.format(number),
        user_id=_PERSON,
    )


def _answer(number: int, question: MessageRecord) -> ArchivedAnswer:
    return ArchivedAnswer(
        webhook_event_id=question.webhook_event_id,
        timestamp_ms=question.timestamp_ms,
        kind=OutcomeKind.REPLIED,
        text="わかりました。その案で調べておきますね。",
        model_name="gemini-3.5-flash-lite",
        answered_ids=(question.line_message_id,),
        provenance=made_of(
            question.line_message_id,
            *tuple(archived_id(one) for one in range(max(0, number - _SAW), number + 1)),
            since_ms=question.timestamp_ms - _SAW * _APART_MS,
            until_ms=question.timestamp_ms,
        ),
    )


def _section(messages: int, long: Costs, short: Costs) -> Section:
    def rows(work: str, cost: Cost, other: Cost, *, slow: Goal | None = None, flat: Goal | None = None) -> list[Row]:
        figures = [
            ("requests", "", cost.requests, other.requests, flat),
            ("both bodies", "kB", cost.kilobytes, other.kilobytes, flat),
            ("round trips", "", cost.round_trips, other.round_trips, flat),
            ("takes", "ms", cost.milliseconds, other.milliseconds, slow),
        ]
        return [
            _row(f"{work}: {name}", unit, value, other_value, goal) for name, unit, value, other_value, goal in figures
        ]

    return Section(
        title=f"A group of {messages} messages",
        rows=[
            *rows("a turn", long.turn, short.turn, flat=_FLAT),
            *rows("the archive, cold", long.cold_read, short.cold_read),
            *rows("the archive, warm", long.warm_read, short.warm_read),
            *rows("an unsend, first pass", long.unsend, short.unsend, slow=_IN_TIME),
            _row("objects in the bucket", "", long.objects, short.objects),
            _row("bytes in the bucket", "kB", long.kilobytes, short.kilobytes),
            _row("bytes a message", "", long.kilobytes * 1_000 / messages, short.kilobytes * 1_000 / SHORT),
        ],
        note="a request takes 20 ms; the archive is read as far as a reader goes, the newest 100 segments",
    )


def _row(label: str, unit: str, figure: float, other: float, goal: Goal | None = None) -> Row:
    comparison = Comparison.of([(float(figure), float(other))])
    return Row(label=label, against=f"{SHORT} messages", unit=unit, comparison=comparison, goal=goal)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
