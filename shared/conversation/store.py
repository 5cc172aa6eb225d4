"""The parts of a bucket's memory, put together once: what every function and every test of them begins with."""

import uuid
from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass

from shared.clock import Clock
from shared.conversation.amendments import AmendmentLog
from shared.conversation.external_calls import CallCopies
from shared.conversation.filed import Filed, NothingFiled
from shared.conversation.history import Reader
from shared.conversation.journal import Journal
from shared.conversation.media import MediaCopies
from shared.conversation.snapshot import Snapshots
from shared.conversation.turn import FENCE, Turns
from shared.conversation.withdrawal import Withdrawal
from shared.storage.object_cache import Bodies
from shared.storage.object_store import ObjectStore


def _new_id() -> str:
    return uuid.uuid4().hex


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """What was said in the chats of one bucket."""

    bodies: Bodies
    amendments: AmendmentLog
    journal: Journal
    snapshots: Snapshots
    reader: Reader
    turns: Turns
    withdrawal: Withdrawal
    filed: Filed

    @classmethod
    def on(  # noqa: PLR0913 - everything that time, chance and the outside bring in
        cls,
        store: ObjectStore,
        *,
        reads: Executor,
        clock: Clock,
        lease_s: float,
        new_id: Callable[[], str] = _new_id,
        filed: Filed | None = None,
    ) -> "Memory":
        """Return the memory on a bucket, read on the threads of `reads`."""
        filed = filed or NothingFiled()
        bodies = Bodies(store=store, reads=reads)
        amendments = AmendmentLog(bodies=bodies, clock=clock, look_s=lease_s * FENCE)
        journal = Journal(bodies=bodies, amendments=amendments)
        snapshots = Snapshots(store=store)
        turns = Turns(store=store, clock=clock, new_id=new_id, lease_s=lease_s)
        return cls(
            bodies=bodies,
            amendments=amendments,
            journal=journal,
            snapshots=snapshots,
            reader=Reader(bodies=bodies, amendments=amendments, snapshots=snapshots, filed=filed),
            turns=turns,
            filed=filed,
            withdrawal=Withdrawal(
                journal=journal,
                amendments=amendments,
                snapshots=snapshots,
                turns=turns,
                clock=clock,
                copies=(CallCopies(store=store), MediaCopies(store=store), filed),
            ),
        )
