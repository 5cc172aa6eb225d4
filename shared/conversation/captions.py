"""Captions: a line about a picture, voice, video or file, because prompts show no media from the snapshot.

A caption replaces the placeholder, so belongs to the message's words and is withdrawn with them. The attempt is recorded before the model
is asked: a medium that crashes its worker keeps the placeholder.
"""

from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from typing import Final, Protocol

from shared import logs
from shared.clock import Clock, Deadline
from shared.conversation.amendments import Amendments
from shared.conversation.provenance import FILE, MEDIA
from shared.conversation.records import MessageRecord, provenance_of
from shared.conversation.snapshot import cleaned
from shared.conversation.snapshot_records import SnapshotRecord
from shared.conversation.store import Conversation
from shared.errors import AizuchiError
from shared.frozen import frozen
from shared.line.media_content import MESSAGE_TYPES

AT_ONCE: Final = 3
_SECONDS: Final = 20.0  # after which no caption is begun
_CAPTION_S: Final = 20.0


class Captioner(Protocol):
    """Looks at media sent by people."""

    def caption(self, conversation: Conversation, message: MessageRecord) -> str | None:
        """Return one line about an image, voice, video or file; None where the bytes are not stored.

        Raises: AizuchiError, if this attempt failed.
        """
        ...


@frozen
class CaptionWriter:
    """Writes captions into snapshots.  Raises StorageUnavailableError when the bucket does not answer in time."""

    captioner: Captioner = field(repr=False)
    clock: Clock = field(repr=False)

    def write(self, conversation: Conversation, request: Deadline) -> None:
        """The newest few media of the snapshot without a caption, and with stored bytes, get a caption.  Repeated: finds fewer.

        A caption is begun only if the model can answer before the end of the `request`. If another worker rewrites the snapshot meanwhile,
        nothing is written. Captions of media withdrawn meanwhile are removed.
        """
        snapshot = conversation.snapshot.read()
        amendments = conversation.amendments.look()
        record = cleaned(snapshot.record, amendments)
        waiting = uncaptioned(record)[-AT_ONCE:]
        if not waiting or request.left_s < _CAPTION_S:
            return
        attempted = conversation.snapshot.swap(
            snapshot, _with_attempts(record, {one.line_message_id for one in waiting})
        )
        if attempted is None:
            return
        deadline = request.earlier(_CAPTION_S).within(_SECONDS)
        captions, failed = self._captions(conversation, waiting, amendments, deadline)
        if captions or failed:
            conversation.snapshot.swap(attempted, _with_captions(attempted.record, captions, failed))
        conversation.snapshot.settle(conversation.amendments, amendments)

    def _captions(
        self, conversation: Conversation, waiting: Sequence[MessageRecord], amendments: Amendments, deadline: Deadline
    ) -> tuple[Mapping[str, str], frozenset[str]]:
        """Return the captions, and the messages to be tried again."""
        captions: dict[str, str] = {}
        remaining = {one.line_message_id: one for one in waiting}
        while remaining and deadline.left_s and conversation.amendments.fresh_look() == amendments:
            line_message_id, message = remaining.popitem()
            try:
                line = self.captioner.caption(conversation, message)
            except AizuchiError as cause:
                logs.warning("description_failed", error_type=type(cause).__name__)
                remaining[line_message_id] = message
                break
            if line is not None:
                captions[line_message_id] = line
        return captions, frozenset(remaining)


def uncaptioned(record: SnapshotRecord) -> tuple[MessageRecord, ...]:
    """Return the media not tried by any worker, or to be tried again."""
    return tuple(
        message
        for message in record.messages
        if message.type in MESSAGE_TYPES and not message.is_described and message.line_message_id
    )


def _with_attempts(record: SnapshotRecord, line_message_ids: set[str]) -> SnapshotRecord:
    return replace(
        record,
        messages=tuple(
            replace(message, is_described=True) if message.line_message_id in line_message_ids else message
            for message in record.messages
        ),
    )


def _with_captions(record: SnapshotRecord, captions: Mapping[str, str], failed: frozenset[str]) -> SnapshotRecord:
    """Return the record with each caption after LINE's part of the placeholder.

    For example, `[voice message: 12 s]` becomes `[voice message: 12 s: asks for the train times]`.
    """
    return replace(
        record,
        messages=tuple(
            _captioned(message, captions[message.line_message_id])
            if message.line_message_id in captions
            else replace(message, is_described=message.is_described and message.line_message_id not in failed)
            for message in record.messages
        ),
    )


def _captioned(message: MessageRecord, caption: str) -> MessageRecord:
    provenance = replace(provenance_of((message,)), outside=frozenset({FILE if message.type == "file" else MEDIA}))
    return replace(message, text=f"{message.text.removesuffix(']')}: {caption}]", provenance=provenance)
