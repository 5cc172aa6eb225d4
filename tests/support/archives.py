"""Archives that are written directly, as compactions would leave them."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from shared.conversation.records import MessageRecord, OutcomeRecord
from shared.conversation.segments import archived_answer, archived_message, decode_segment, encode_segment, name_of
from shared.conversation.snapshot_records import ArchivedAnswer, Recap, Segment, SnapshotRecord
from shared.conversation.store import Conversation

_NAMED = 8


def put_segment(
    conversation: Conversation,
    messages: Iterable[MessageRecord] = (),
    answers: Iterable[OutcomeRecord | ArchivedAnswer] = (),
    recaps: Iterable[Recap] = (),
) -> str:
    """The chat's archive has one more segment, which its snapshot names as the last one; return the object's name."""
    segment = Segment(
        messages=tuple(map(archived_message, messages)),
        answers=tuple(archived_answer(one) if isinstance(one, OutcomeRecord) else one for one in answers),
        recaps=tuple(recaps),
    )
    data = encode_segment(segment)
    seen = conversation.snapshot.read()
    name = name_of(segment, data, number=len(conversation.archive.list_segments()) + 1)
    conversation.objects.store.create(conversation.names.segment(name), data)
    conversation.snapshot.swap(seen, replace(seen.record, segments=(*seen.record.segments, name.file)[-_NAMED:]))
    return conversation.names.segment(name)


@dataclass(frozen=True, slots=True, kw_only=True)
class Archived:
    """What an archive holds, by ids, as often as it holds it."""

    message_ids: tuple[str, ...]
    answer_ids: tuple[str, ...]


def archive_of(*held: SnapshotRecord | Segment) -> Archived:
    """Return what waits in snapshots, and what is in segments."""
    segments = [one.leaving if isinstance(one, SnapshotRecord) else one for one in held]
    return Archived(
        message_ids=tuple(one.line_message_id for segment in segments for one in segment.messages),
        answer_ids=tuple(one.webhook_event_id for segment in segments for one in segment.answers),
    )


def segments_in(conversation: Conversation) -> list[Segment]:
    """Return every segment of the chat, named or not."""
    listed = conversation.objects.store.list(conversation.names.archive_prefix)
    found = (conversation.objects.store.read(one.name) for one in listed)
    return [decode_segment(one.data) for one in found if one is not None]
