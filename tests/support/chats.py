"""A chat's memory on in-memory ports."""

import itertools
from concurrent.futures import Executor

from shared.adapters.memory import FixedClock
from shared.clock import Clock
from shared.conversation.records import MessageRecord, OutcomeKind, OutcomeRecord
from shared.conversation.store import Memory
from shared.knowledge.entry_store import StoredEntries
from shared.knowledge.filed_entries import FiledEntries
from shared.storage.object_store import ObjectStore


def memory_on(
    store: ObjectStore,
    reads: Executor,
    clock: Clock | None = None,
    *,
    lease_s: float = 25.0,
    shows_entries: bool = False,
) -> Memory:
    """Return the memory on a bucket; ids are numbers."""
    numbers = itertools.count(1)
    return Memory.on(
        store,
        reads=reads,
        clock=clock or FixedClock(),
        lease_s=lease_s,
        new_id=lambda: f"id-{next(numbers)}",
        filed=FiledEntries(entries=StoredEntries(store=store, reads=reads), are_shown=shows_entries),
    )


def everything_in(store: ObjectStore) -> str:
    """Return every byte of the bucket, names included, as one text."""
    listed = store.list("")
    bodies = (stored.data.decode() for one in listed if (stored := store.read(one.name)) is not None)
    return " ".join((*(one.name for one in listed), *bodies))


def message(number: int, text: str = "hi", *, addressed: bool = True, timestamp_ms: int | None = None) -> MessageRecord:
    """Return message `m{number}` of event `e{number}`, with token `t{number}`; its number is its timestamp unless another is given."""
    return MessageRecord(
        line_message_id=f"m{number}",
        webhook_event_id=f"e{number}",
        timestamp_ms=number if timestamp_ms is None else timestamp_ms,
        type="text",
        addressed=addressed,
        text=text,
        reply_token=f"t{number}" if addressed else None,
        received_ms=number if timestamp_ms is None else timestamp_ms,
    )


def answer(number: int, text: str | None = "hello", *, saw: tuple[int, ...] = ()) -> OutcomeRecord:
    """Return the outcome of event `e{number}`, which answers message `m{number}` and saw the messages of these numbers."""
    numbers = (*saw, number)
    return OutcomeRecord(
        webhook_event_id=f"e{number}",
        timestamp_ms=number,
        kind=OutcomeKind.REPLIED,
        covers=(f"m{number}",),
        saw=tuple(f"m{one}" for one in saw),
        since_ms=min(numbers),
        until_ms=max(numbers),
        text=text,
    )
