"""`python -m benchmarks.page_costs`: what memory costs as snapshot and archive, and as pages, for the same records.

The same messages and answers are folded by the code of both into two buckets in memory. Nothing else of a turn is played: what it reads of
the journal, the amendments and the index is the same in both.
"""

import sys
import threading
import time
from bisect import bisect_left
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from statistics import mean, median
from typing import Final

from benchmarks.bucket_log import BucketRequest, round_trips
from shared.adapters.memory import FixedClock, MemoryObjectStore
from shared.clock import Deadline
from shared.conversation.amendments import Amendments
from shared.conversation.archive import SEGMENTS_READ
from shared.conversation.compaction import Compaction
from shared.conversation.page_fold import PageFold
from shared.conversation.page_recaps import PageRecapWriter
from shared.conversation.page_records import reaches
from shared.conversation.pages import Pages
from shared.conversation.recap import RecapWriter
from shared.conversation.records import Audit, MessageRecord, OutcomeKind, OutcomeRecord
from shared.conversation.snapshot import MemoryLimits
from shared.conversation.store import Conversation, Conversations
from shared.storage.object_store import ListedObject, StoredObject
from tests.support.chats import reader

_CHAT, _PERSON = "U" + "1" * 32, "U" + "2" * 32
_REQUEST_S: Final = 0.006
_DAY_MS: Final = 24 * 3_600_000


class CountingStore(MemoryObjectStore):
    """A bucket in memory that notes its requests, and sends no bytes for an object that its reader has."""

    def __init__(self) -> None:
        super().__init__()
        self.request_s = 0.0
        self.requests: list[tuple[BucketRequest, str]] = []
        self._noting = threading.Lock()

    def read(self, name: str) -> StoredObject | None:
        found = self._timed("media", name, lambda: super(CountingStore, self).read(name))
        return found

    def read_again(self, name: str, known: StoredObject) -> StoredObject | None:
        started_s = time.monotonic()
        time.sleep(self.request_s)
        with self._lock:
            found = self._objects.get(name)
        is_known = found is not None and found.generation == known.generation
        self._note("media", name, started_s, 0 if found is None or is_known else len(found.data))
        return known if is_known else found

    def _write(self, name: str, data: bytes, *, generation: int) -> int | None:
        started_s = time.monotonic()
        time.sleep(self.request_s)
        written = super()._write(name, data, generation=generation)
        self._note("insert", name, started_s, len(data))
        return written

    def delete(self, name: str, *, generation: int | None = None) -> bool:
        started_s = time.monotonic()
        time.sleep(self.request_s)
        is_free = super().delete(name, generation=generation)
        self._note("delete", name, started_s, 0)
        return is_free

    def list(self, prefix: str, *, since: str | None = None, before: str | None = None) -> tuple[ListedObject, ...]:
        started_s = time.monotonic()
        time.sleep(self.request_s)
        found = super().list(prefix, since=since, before=before)
        self._note("list", prefix, started_s, 0)
        return found

    def _timed(self, operation: str, name: str, work: object) -> StoredObject | None:
        started_s = time.monotonic()
        time.sleep(self.request_s)
        found: StoredObject | None = work()  # type: ignore[operator]
        self._note(operation, name, started_s, len(found.data) if found is not None else 0)
        return found

    def _note(self, operation: str, name: str, started_s: float, body_bytes: int) -> None:
        request = BucketRequest(
            operation=operation, started_s=started_s, ended_s=time.monotonic(), body_bytes=body_bytes
        )
        with self._noting:
            self.requests.append((request, name))

    def take(self) -> tuple[tuple[BucketRequest, str], ...]:
        """Return the requests since the last time."""
        with self._noting:
            taken, self.requests = tuple(self.requests), []
        return taken


class Summariser:
    """Sums up in two hundred characters."""

    def sum_up(
        self,
        conversation: Conversation,
        messages: Sequence[MessageRecord],
        answers: Sequence[OutcomeRecord],
        amendments: Amendments,
    ) -> str:
        assert messages or answers
        assert isinstance(amendments, Amendments)
        return f"{len(messages)}件のまとめ。{messages[0].text if messages else ''}" + "宿と電車について話した。" * 16


@dataclass(kw_only=True)
class Shape:
    """A chat: one message in `answered_every` is answered; how long texts are."""

    name: str
    answered_every: int
    message_characters: int
    answer_characters: int


SHAPES: Final = (
    Shape(name="1:1, each answered", answered_every=1, message_characters=30, answer_characters=80),
    Shape(name="group, 1 in 5 answered", answered_every=5, message_characters=30, answer_characters=80),
    Shape(name="group, long messages", answered_every=5, message_characters=600, answer_characters=400),
)


@dataclass(kw_only=True)
class Costs:
    """What was counted for one kind of memory."""

    cold: list[int] = field(default_factory=list)
    cold_requests: list[int] = field(default_factory=list)
    written: int = 0
    folds: list[tuple[int, int, int]] = field(default_factory=list)  # requests, round trips, bytes written
    quotes: int = 0
    fresh: int = 0
    held: int = 0


def _message(number: int, shape: Shape, at_ms: int) -> MessageRecord:
    addressed = number % shape.answered_every == 0
    return MessageRecord(
        line_message_id=f"{90_000_000_000_000_000 + number}",
        webhook_event_id=f"01OLDER{number:019d}",
        timestamp_ms=at_ms,
        type="text",
        addressed=addressed,
        text=f"{number}番目の案".ljust(shape.message_characters, "宿"),
        user_id=_PERSON,
        reply_token=f"{number:032d}" if addressed else None,
        received_ms=at_ms,
    )


def played(shape: Shape, messages: int, *, slow_from: int) -> tuple[Costs, Costs]:
    """Play a chat in both; return what each cost."""
    clock = FixedClock()
    stores = (CountingStore(), CountingStore())
    now, then = Costs(), Costs()
    with ThreadPoolExecutor(16) as reads:
        chat, paged = (Conversations.on(one, reads=reads, clock=clock, lease_s=25.0).of(_CHAT) for one in stores)
        pages = Pages(names=paged.names, objects=paged.objects, amendments=paged.amendments, clock=clock, days=365)
        limits = MemoryLimits()
        compaction = Compaction(
            recaps=RecapWriter(summariser=Summariser(), limits=limits, clock=clock), limits=limits, clock=clock
        )
        fold = PageFold(
            recaps=PageRecapWriter(summariser=Summariser(), clock=clock), journalled=limits.journalled, clock=clock
        )
        for number in range(messages):
            clock.move(60)
            message = _message(number, shape, clock.now_ms())
            for each in (chat, paged):
                each.journal.keep(message)
            if not message.addressed:
                continue
            history = reader().read_newest(chat)
            outcome = OutcomeRecord(
                webhook_event_id=message.webhook_event_id,
                timestamp_ms=message.timestamp_ms,
                kind=OutcomeKind.REPLIED,
                answered_ids=(message.line_message_id,),
                provenance=history.provenance,
                text="わかりました。".ljust(shape.answer_characters, "調"),
                sent_message_ids=(f"{80_000_000_000_000_000 + number}",),
                audit=Audit(model_name="gemini-3.5-flash-lite", prompt_version="abcdef012345"),
            )
            for each in (chat, paged):
                each.journal.record_outcome(outcome)
            for store in stores:
                store.request_s = _REQUEST_S if number >= slow_from else 0.0
            for store, costs, work in (
                (stores[0], now, lambda: compaction.fold(chat, Deadline.after(clock, 100))),
                (stores[1], then, lambda: fold.fold(paged, pages, Deadline.after(clock, 100))),
            ):
                if len(paged.journal.list_objects().messages) <= limits.journalled and costs is then:
                    continue
                if len(chat.journal.list_objects().messages) <= limits.journalled and costs is now:
                    continue
                store.take()
                work()
                requests = store.take()
                writes = sum(one.body_bytes for one, _ in requests if one.operation == "insert")
                costs.written += writes
                if number >= slow_from:
                    costs.folds.append((len(requests), round_trips(one for one, _ in requests), writes))
            _look_at_memory(chat, pages, number, now, then, stores)
    for store, costs in zip(stores, (now, then), strict=True):
        costs.held = sum(len(one.data) for one in store._objects.values())
    return now, then


def _look_at_memory(
    chat: Conversation, pages: Pages, number: int, now: Costs, then: Costs, stores: tuple[CountingStore, CountingStore]
) -> None:
    if number < 250:
        return
    quoted = f"{90_000_000_000_000_000 + number - 100}"
    snapshot = stores[0]._objects[chat.names.snapshot].data
    record = chat.snapshot.read().record
    now.cold.append(len(snapshot))
    now.cold_requests.append(1)
    journalled = {chat.names.message_id_in(one.name) for one in chat.journal.list_objects().messages}
    ids = {one.line_message_id for one in record.messages} | journalled
    now.quotes += quoted in ids
    now.fresh += all(set(one.summed_up_ids) <= ids for one in record.recaps)
    listed = pages.list_newest()
    then.cold.append(sum(len(stores[1]._objects[pages.names.page(one)].data) for one in listed))
    then.cold_requests.append(1 + len(listed))
    memory = pages.read_newest(listed)
    ids = {one.line_message_id for one in memory.messages} | {
        pages.names.message_id_in(one.name) for one in stores[1].list(pages.names.journal_prefix)
    }
    then.quotes += quoted in ids
    then.fresh += all(set(one.summed_up_ids) <= ids for one in memory.recaps)


def _recall(messages: int, answers: float, apart_ms: int, slack_ms: int) -> tuple[float, float]:
    """Return how many objects a recall of one day reads of the archive and of pages, over fifty days."""
    per_page = 200 / (1 + answers + 0.1)
    starts = [round(number * per_page) * apart_ms for number in range(round(messages / per_page) + 1)]
    today, paged = [], []
    whole = messages * apart_ms
    for day in range(1, 51):
        since = round(whole * day / 52)
        until = since + _DAY_MS
        segments = [
            first
            for first in range(0, messages, 200)
            if first * apart_ms <= until and (first + 199) * apart_ms >= since
        ]
        today.append(1 + 1 + 1 + min(len(segments), SEGMENTS_READ))
        low, high = bisect_left(starts, since - slack_ms) - 1, bisect_left(starts, until + slack_ms)
        paged.append(1 + -(-len(starts) // 1000) + min(max(high - max(low, 0), 1), SEGMENTS_READ))
    assert reaches(0, None, since_ms=0, until_ms=0)
    return mean(today), mean(paged)


def main() -> int:
    """Count and print.  Returns the exit status."""
    messages = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000
    for shape in SHAPES:
        for what, costs in zip(("today", "pages"), played(shape, messages, slow_from=messages - 250), strict=True):
            folds = sorted(costs.folds)
            print(
                f"{shape.name} | {what} | cold kB median {median(costs.cold) / 1e3:.1f} max {max(costs.cold) / 1e3:.1f}"
                f" | written by folds, bytes a message {costs.written / messages:.0f}"
                f" | fold: requests median {median(one[0] for one in folds):.0f} max {max(one[0] for one in folds)},"
                f" round trips median {median(one[1] for one in folds):.0f} max {max(one[1] for one in folds)},"
                f" kB written median {median(one[2] for one in folds) / 1e3:.0f} max {max(one[2] for one in folds) / 1e3:.0f}"
                f" | quote 100 back {costs.quotes / len(costs.cold):.2f}"
                f" | recaps with all sources {costs.fresh / len(costs.cold):.2f} | held kB {costs.held / 1e3:.0f}"
            )
    for answers in (0.2, 1.0):
        for name, apart_ms in (("a year", 365 * _DAY_MS // 100_000), ("20 s apart", 20_000)):
            for slack, slack_ms in (("a day", _DAY_MS), ("an hour", 3_600_000)):
                today, paged = _recall(100_000, answers, apart_ms, slack_ms)
                print(
                    f"recall of a day | {answers} answers a message | {name} | slack {slack} | {today:.1f} | {paged:.1f}"
                )
    return 0


if __name__ == "__main__":
    sys.exit(main())
