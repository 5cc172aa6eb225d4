"""Segments of the archive as stored: immutable but for removed words, named by their span, their number and their content."""

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final, TypeVar

from shared.conversation.amendments import Amendments
from shared.conversation.numbering import Numbered
from shared.conversation.records import MessageRecord, OutcomeRecord, by_time
from shared.conversation.snapshot_records import ArchivedAnswer, Recap, Segment
from shared.storage.codec import decode, encode
from shared.storage.segment_name import SegmentName

_DIGEST_BYTES: Final = 8
_LATEST_MS: Final = 2**47  # a name holds no later timestamp
_Answer = TypeVar("_Answer", OutcomeRecord, ArchivedAnswer)


def archived_message(message: MessageRecord) -> MessageRecord:
    """Return the message as archived: without reply token and quote token."""
    return replace(message, reply_token=None, quote_token=None)


def archived_answer(outcome: OutcomeRecord) -> ArchivedAnswer:
    """Return the archived part of an outcome."""
    return ArchivedAnswer(
        webhook_event_id=outcome.webhook_event_id,
        timestamp_ms=outcome.timestamp_ms,
        kind=outcome.kind,
        text=outcome.text,
        answered_ids=outcome.answered_ids,
        provenance=outcome.provenance,
        sent_message_ids=outcome.sent_message_ids,
        model_name=outcome.audit.model_name,
    )


def encode_segment(segment: Segment) -> bytes:
    """Return the bytes of a segment; the sources of all answers are stored once."""
    numbered = Numbered.of({one.webhook_event_id: one.provenance for one in segment.answers})
    return encode(replace(segment, answers=tuple(map(without_provenance, segment.answers)), numbered=numbered))


def decode_segment(data: bytes) -> Segment:
    """Read the bytes back.  Raises: CorruptRecordError, UnknownRecordVersionError."""
    stored = decode(Segment, data)
    return replace(stored, answers=with_provenance(stored.answers, stored.numbered), numbered=Numbered())


def without_provenance(answer: _Answer) -> _Answer:
    """Return the answer as stored where the sources of all answers are numbered."""
    return replace(answer, provenance=answer.provenance.only_messages(frozenset()))


def with_provenance(answers: Iterable[_Answer], numbered: Numbered) -> tuple[_Answer, ...]:
    """Return the answers as read: each with its sources."""
    stored = tuple(answers)
    provenances = numbered.restored({one.webhook_event_id: one.provenance for one in stored})
    return tuple(replace(one, provenance=provenances[one.webhook_event_id]) for one in stored)


def name_of(segment: Segment, data: bytes, *, number: int) -> SegmentName:
    """Return the name under which the bytes of the segment are written as the chat's segment `number`.

    For example, messages from 1,000 to 9,000 ms as number 3 give `SegmentName(first_ms=1000, last_ms=9000, number=3, ...)`.
    """
    records: tuple[MessageRecord | ArchivedAnswer | Recap, ...] = (*segment.messages, *segment.answers, *segment.recaps)
    times = [one.timestamp_ms for one in records]
    first, last = min(times, default=0), max(times, default=0)
    return SegmentName(
        first_ms=_bounded(first),
        last_ms=_bounded(last),
        number=number,
        digest=hashlib.blake2b(data, digest_size=_DIGEST_BYTES).hexdigest(),
    )


def cleaned_segment(segment: Segment, amendments: Amendments) -> Segment:
    """Return the segment without withdrawn words, and with the newest words of edited messages."""
    return replace(
        segment,
        unknown_fields=segment.wordless_fields,
        messages=tuple(amendments.overlay(one) for one in segment.messages if not amendments.is_withdrawn(one)),
        answers=tuple(
            answer.redacted(text=None) if answer.provenance.is_redacted_by(amendments, answer.id) else answer
            for answer in segment.answers
            if answer.timestamp_ms > amendments.erased_ms
        ),
        recaps=tuple(
            recap.without_words()
            if recap.provenance.is_redacted_by(amendments, recap.id) or recap.is_outdated_by(amendments.edited_ms)
            else recap
            for recap in segment.recaps
            if recap.timestamp_ms > amendments.erased_ms
        ),
    )


def in_order(messages: Iterable[MessageRecord]) -> tuple[MessageRecord, ...]:
    """Return each message once, by LINE's timestamp; of two copies the last edited."""
    newest_by_id: dict[str, MessageRecord] = {}
    for message in messages:
        earlier = newest_by_id.get(message.line_message_id)
        if earlier is None or message.edited_ms > earlier.edited_ms:
            newest_by_id[message.line_message_id] = message
    return tuple(sorted(newest_by_id.values(), key=by_time))


def answers_in_order(answers: Sequence[ArchivedAnswer]) -> tuple[ArchivedAnswer, ...]:
    """Return each answer once, by LINE's timestamp; without words, where one of several copies has none."""
    answers_by_id: dict[str, ArchivedAnswer] = {}
    for answer in answers:
        if answer.webhook_event_id not in answers_by_id or answer.text is None:
            answers_by_id[answer.webhook_event_id] = answer
    return tuple(sorted(answers_by_id.values(), key=lambda answer: answer.timestamp_ms))


def _bounded(timestamp_ms: int) -> int:
    return min(max(timestamp_ms, 0), _LATEST_MS)
