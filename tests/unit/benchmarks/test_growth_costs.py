"""A turn costs the same in an old chat as in a young one: requests and bytes, counted on the worker's code; nothing is timed."""

from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import pytest

from benchmarks.archive import archive_messages, archived_id
from benchmarks.built import Built
from shared.adapters.memory import MemoryObjectStore
from shared.clock import SystemClock
from shared.conversation.store import Conversations
from shared.handlers.unsend import withdrawal_of
from shared.storage.object_store import ListedObject, StoredObject

GROUP, PERSON = "C" + "9" * 32, "U" + "9" * 32
PLAYED = 120
TURNS = 21
"""The twenty-first folds."""
_ResultT = TypeVar("_ResultT")
AN_ITEM = 60
"""Bytes of an item in a listing, besides its name."""


class CountingStore(MemoryObjectStore):
    """A bucket that counts requests, and the bytes of their bodies, by kind and by the first part of the name."""

    def __init__(self) -> None:
        super().__init__()
        self.requests: Counter[tuple[str, str]] = Counter()
        self.sent_bytes = 0

    def read(self, name: str) -> StoredObject | None:
        found = super().read(name)
        return self._count("read", name, found, 0 if found is None else len(found.data))

    def read_again(self, name: str, known: StoredObject) -> StoredObject | None:
        found = super().read(name)
        if found is not None and found.generation == known.generation:
            return self._count("read", name, known, 0)
        return self._count("read", name, found, 0 if found is None else len(found.data))

    def create(self, name: str, data: bytes) -> int | None:
        return self._count("write", name, super().create(name, data), len(data))

    def replace(self, name: str, data: bytes, *, generation: int) -> int | None:
        return self._count("write", name, super().replace(name, data, generation=generation), len(data))

    def delete(self, name: str, *, generation: int | None = None) -> bool:
        return self._count("delete", name, super().delete(name, generation=generation), 0)

    def list(self, prefix: str, *, since: str | None = None, before: str | None = None) -> tuple[ListedObject, ...]:
        found = super().list(prefix, since=since, before=before)
        return self._count("list", prefix, found, sum(len(one.name) + AN_ITEM for one in found))

    def _count(self, kind: str, name: str, result: _ResultT, sent_bytes: int) -> _ResultT:
        self.requests[kind, name.partition("/")[0]] += 1
        self.sent_bytes += sent_bytes
        return result


@pytest.fixture(scope="module")
def pool() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(16) as threads:
        yield threads


def chat(pool: ThreadPoolExecutor) -> tuple[Built, CountingStore]:
    store = CountingStore()
    return Built(group_id=GROUP, user_id=PERSON, messages=PLAYED, pool=pool, store=store), store


def cost(built: Built, store: CountingStore) -> tuple[int, int]:
    """Return the requests and the bytes of so many turns that one of them folds, of an instance that knows the chat."""
    built.waits(1_200)
    built.asks(1_000)
    store.requests.clear()
    store.sent_bytes = 0
    for number in range(TURNS):
        built.asks(2_000 + number)
    assert store.requests["delete", "journal"] > 0
    return store.requests.total(), store.sent_bytes


def test_a_turn_costs_the_same_however_much_was_said_taken_back_or_filed_before(pool: ThreadPoolExecutor) -> None:
    young, few_entries = chat(pool), chat(pool)
    few_entries[0].file(100)
    long, amended, filed = chat(pool), chat(pool), chat(pool)
    archive_messages(long[0].conversations.of(GROUP), 10_000 - PLAYED)
    amended[0].amend(1_000)
    filed[0].file(1_000)

    requests, sent_bytes = cost(*young)

    for grown, (least, fewest_bytes) in (
        (long, (requests, sent_bytes)),
        (amended, (requests, sent_bytes)),
        (filed, cost(*few_entries)),
    ):
        more, more_bytes = cost(*grown)
        assert more <= 1.05 * least
        assert more_bytes <= 1.05 * fewest_bytes


def first_turn(built: Built, store: CountingStore) -> tuple[int, int]:
    """Return the requests and the bytes of a turn of an instance that is new to the chat."""
    built.restart()
    store.requests.clear()
    store.sent_bytes = 0
    built.asks(3_000)
    return store.requests.total(), store.sent_bytes


def test_a_first_turn_costs_the_same_however_much_was_taken_back_an_hour_before(pool: ThreadPoolExecutor) -> None:
    (young, few_amendments), (amended, store) = chat(pool), chat(pool)
    amended.amend(1_000)
    for built in (young, amended):
        built.waits(3_601)
        built.restart()
        built.asks(2_999)  # reads every event, and folds them

    requests, sent_bytes = first_turn(young, few_amendments)
    more, more_bytes = first_turn(amended, store)

    assert more <= requests + 1  # the fold
    assert more_bytes <= sent_bytes + 10_500  # its bytes, 10 for each message


def unsend(store: CountingStore, line_message_id: str) -> int:
    """Return how many requests a new instance makes for the first pass of the unsend."""
    store.requests.clear()
    with ThreadPoolExecutor(4) as reads:
        chat = Conversations.on(store, reads=reads, clock=SystemClock(), lease_s=25.0).of(GROUP)
        withdrawal_of(SystemClock()).withdraw(chat, line_message_id, timestamp_ms=SystemClock().now_ms())
    return store.requests.total()


def test_an_unsend_reads_only_the_part_of_the_archive_that_may_name_its_message(pool: ThreadPoolExecutor) -> None:
    built, store = chat(pool)
    segments = archive_messages(built.conversations.of(GROUP), 40_000)
    recent = built.conversations.of(GROUP).snapshot.read().record.messages[-1].line_message_id

    of_recent = unsend(store, recent)
    recent_reads = store.requests["read", "archive"]
    of_archived = unsend(store, archived_id(20_000))

    a_day_of_segments = 24 * 3_600 // (20 * 200) + 2  # a message every 20 s, 200 in a segment
    assert recent_reads <= a_day_of_segments < segments
    assert (
        segments <= store.requests["read", "archive"] <= segments + 20
    )  # each once, and what names it when it is rewritten
    assert of_archived - store.requests["read", "archive"] <= of_recent + 20
