"""Apply a committed outcome's staged writes once, whichever worker ends the turn: one writer for every feature that stages."""

from collections.abc import Sequence
from contextvars import copy_context
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from shared.conversation.records import OutcomeRecord, StagedWrite
from shared.conversation.store import Conversation
from shared.conversation.write_key import WriteKey
from shared.errors import AizuchiError
from shared.turns.basis import HeldLease


class FeatureWriting(Protocol):
    """One outcome's writes to the objects of one feature.  Every method raises StorageUnavailableError."""

    def write(self, write: StagedWrite, *, key: WriteKey) -> None:
        """Make the write, unless the object has the same key or a larger key, so that a later turn's write stays.

        Called on several threads, each time for another path; starts no further thread.
        """
        ...

    def finish(self, lease: HeldLease) -> bool:
        """Bring up to date what is derived from the feature's objects; also called where the outcome writes nothing.

        False: the lease was over. Repeated: does the rest.
        """
        ...


class FeatureWriter(Protocol):
    """Applies the staged writes of one feature."""

    def owns(self, path: str) -> bool:
        """Whether the path of a staged write is of this feature: for example, `reminders/r0123456789` of reminders."""
        ...

    def begin(self, conversation: Conversation, outcome: OutcomeRecord) -> FeatureWriting:
        """Begin to apply the outcome's writes; begins no request where the outcome writes nothing of this feature, and writes nothing."""
        ...


_Job: TypeAlias = tuple[FeatureWriting, StagedWrite, WriteKey]


@dataclass(frozen=True, slots=True)
class StagedWrites:
    """Applies the staged writes of all features; a StagedWriter.  Only the holder of the chat's turn calls `apply`."""

    writers: Sequence[FeatureWriter]

    def apply(self, conversation: Conversation, outcome: OutcomeRecord, lease: HeldLease) -> bool:
        """Return whether every staged write of the outcome is in its object; False: the lease was over.

        Writes are made in parallel, but a feature's deletions after what the feature creates or changes: a worker that dies in the middle
        of a move leaves two entries, and not none. The lease is checked before each write, because a late write could bring back what a
        later turn deleted. A write's key is the outcome's sequence and the write's place: for example, the third write of outcome 12 has
        the key `(12, 2)`.
        Repeated: does the rest, also after a partial run. Raises: StorageUnavailableError, once no write is under way any more.
        """
        jobs: list[_Job] = []
        writings: list[FeatureWriting] = []
        for writer in self.writers:
            writings.append(writing := writer.begin(conversation, outcome))
            jobs += (
                (writing, write, (outcome.sequence, number))
                for number, write in enumerate(outcome.writes)
                if writer.owns(write.path)
            )
        changing = {id(writing) for writing, write, _ in jobs if write.text is not None}
        later = [job for job in jobs if job[1].text is None and id(job[0]) in changing]
        first = [job for job in jobs if job not in later]
        are_written = _write_all(conversation, first, lease) and _write_all(conversation, later, lease)
        return are_written and all(writing.finish(lease) for writing in writings)


def _write_all(conversation: Conversation, jobs: Sequence[_Job], lease: HeldLease) -> bool:
    """Make the writes in parallel; return whether all were made before the lease was over.

    Raises: as the writes do, once all have ended.
    """

    def make(job: _Job) -> bool | AizuchiError:
        writing, write, key = job
        if lease.is_over:
            return False
        try:
            writing.write(write, key=key)
        except AizuchiError as cause:
            return cause
        return True

    running = [conversation.objects.reads.submit(copy_context().run, make, job) for job in jobs[1:]]
    results = [*map(make, jobs[:1]), *(future.result() for future in running)]
    for result in results:
        if isinstance(result, AizuchiError):
            raise result
    return all(results)
