"""Archives that are written directly, as compactions would leave them."""

from collections.abc import Iterable
from dataclasses import replace

from shared.conversation.records import ArchivedAnswer, MessageRecord, OutcomeRecord, Recap, Segment
from shared.conversation.segments import archived_answer, archived_message, encode_segment, name_of
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
