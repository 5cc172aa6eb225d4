"""Say in a line what pictures, voices, videos and files show: prompts do not hold them any more once they are in the snapshot.

The line takes the place of the placeholder, so it is a word of the message and goes with it. Each is marked before the model is asked: one
that ends its worker keeps its placeholder.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final, Protocol

from shared import logs
from shared.clock import Clock, Deadline
from shared.conversation.amendments import AmendmentLog, Amendments
from shared.conversation.records import MessageRecord, SnapshotRecord
from shared.conversation.snapshot import Snapshots, cleaned
from shared.conversation.store import Memory
from shared.errors import AizuchiError
from shared.line.media import MESSAGE_TYPES

AT_ONCE: Final = 3
_SECONDS: Final = 20.0  # after which no description is begun


class Describer(Protocol):
    """Looks at what people showed."""

    def __call__(self, conversation_id: str, message: MessageRecord) -> str | None:
        """Return one line about an image, voice, video or file; None where its bytes are not kept.

        Raises: AizuchiError, where there is none this time.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Describing:
    """Describes the media in snapshots.  Raises StorageUnavailableError when the bucket does not answer in time."""

    amendments: AmendmentLog
    snapshots: Snapshots
    clock: Clock = field(repr=False)
    describe: Describer = field(repr=False)

    @classmethod
    def on(cls, memory: Memory, *, clock: Clock, describe: Describer) -> "Describing":
        """Return what describes the media of a memory."""
        return cls(amendments=memory.amendments, snapshots=memory.snapshots, clock=clock, describe=describe)

    def __call__(self, conversation_id: str) -> None:
        """The newest few media of the snapshot that nobody has described are, as far as their bytes are kept.  Repeated: finds fewer.

        Somebody else rewrites the snapshot meanwhile: nothing is written.
        """
        seen = self.snapshots.read(conversation_id)
        amendments = self.amendments.look(conversation_id)
        record = cleaned(seen.record, amendments)
        waiting = [
            one for one in record.messages if one.type in MESSAGE_TYPES and not one.is_described and one.line_message_id
        ][-AT_ONCE:]
        if not waiting:
            return
        marked = self.snapshots.swap(conversation_id, seen, _marked(record, {one.line_message_id for one in waiting}))
        if marked is None:
            return
        told, failed = self._described(conversation_id, waiting, amendments)
        if told or failed:
            self.snapshots.swap(conversation_id, marked, _told(marked.record, told, failed))

    def _described(
        self, conversation_id: str, waiting: list[MessageRecord], amendments: Amendments
    ) -> tuple[Mapping[str, str], frozenset[str]]:
        """Return the lines, and what has to be tried again."""
        deadline = Deadline.after(self.clock, _SECONDS)
        told: dict[str, str] = {}
        left = {one.line_message_id: one for one in waiting}
        while left and deadline.left_s and self.amendments.fresh_look(conversation_id) == amendments:
            line_message_id, message = left.popitem()
            try:
                line = self.describe(conversation_id, message)
            except AizuchiError as cause:
                logs.warning("description_failed", error_type=type(cause).__name__)
                left[line_message_id] = message
                break
            if line is not None:
                told[line_message_id] = line
        return told, frozenset(left)


def _marked(record: SnapshotRecord, line_message_ids: set[str]) -> SnapshotRecord:
    return replace(
        record,
        messages=tuple(
            replace(one, is_described=True) if one.line_message_id in line_message_ids else one
            for one in record.messages
        ),
    )


def _told(record: SnapshotRecord, told: Mapping[str, str], failed: frozenset[str]) -> SnapshotRecord:
    """Return the record with the lines behind what LINE told: `[voice message: 12 s: ...]`."""
    return replace(
        record,
        messages=tuple(
            replace(one, text=f"{one.text.removesuffix(']')}: {told[one.line_message_id]}]")
            if one.line_message_id in told
            else replace(one, is_described=one.is_described and one.line_message_id not in failed)
            for one in record.messages
        ),
    )
