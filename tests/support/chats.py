"""Chats on in-memory ports, and their records."""

import itertools
import re
from concurrent.futures import Executor
from dataclasses import replace
from typing import Final, TypeVar

from shared.adapters.memory import FixedClock
from shared.clock import Clock
from shared.conversation.amendment_fold import fold_events
from shared.conversation.amendment_log import AmendmentLog
from shared.conversation.amendment_records import Amendment, EditedWords
from shared.conversation.amendments import Amendments
from shared.conversation.archive import ARCHIVE_DAYS, SEGMENT_MESSAGES
from shared.conversation.history_reader import HistoryReader
from shared.conversation.provenance import LATEST_MS, Provenance, Source
from shared.conversation.records import MessageRecord, OutcomeKind, OutcomeRecord
from shared.conversation.snapshot_records import ArchivedAnswer, Recap
from shared.conversation.store import Conversation, Conversations
from shared.knowledge.prompt_index import KnowledgeIndex
from shared.line.messaging import ReplyToken
from shared.storage.object_store import ObjectStore
from shared.turns.basis import Basis
from shared.turns.lease import Lease

_DERIVED: Final = re.compile(r"(e\d|recap-)")
_Made = TypeVar("_Made", OutcomeRecord, ArchivedAnswer, Recap)


def conversations_on(
    store: ObjectStore,
    reads: Executor,
    clock: Clock | None = None,
    *,
    lease_s: float = 25.0,
    segment_messages: int = SEGMENT_MESSAGES,
    archive_days: int = ARCHIVE_DAYS,
) -> Conversations:
    """Return the chats of a bucket; new ids are consecutive numbers."""
    numbers = itertools.count(1)
    return Conversations.on(
        store,
        reads=reads,
        clock=clock or FixedClock(),
        lease_s=lease_s,
        new_id=lambda: f"id-{next(numbers)}",
        segment_messages=segment_messages,
        archive_days=archive_days,
    )


def reader(*, shows_entries: bool = False) -> HistoryReader:
    """Return a reader of chats."""
    return HistoryReader(index=KnowledgeIndex(is_shown=shows_entries))


def withdraw_from_turn(conversation: Conversation, line_message_id: str) -> None:
    """Withdraw a message and change the turn as an unsend does, and leave the rest of the chat."""
    conversation.amendments.amend(Amendment(line_message_id=line_message_id, timestamp_ms=1))
    amendments = Amendments(withdrawn=frozenset({line_message_id}))
    conversation.turn.amend(is_affected=lambda outcome: outcome.provenance.is_affected_by(amendments))


def fold_amendments(log: AmendmentLog) -> None:
    """Fold all amendments, as second passes do an hour later, and let this instance begin anew, so that it finds them in the fold."""
    fold_events(log.objects, log.names, before_ms=10**15 - 1, retained_since_ms=0)
    long_ago = replace(log.list_events(), listed_s=log.clock.monotonic_s() - 2 * log.views.times.seen_s)
    log.views.cache(log.names, long_ago, Amendments())


def edited_words(conversation: Conversation, line_message_id: str) -> EditedWords | None:
    """Return the newest words of an edited message, as they are stored."""
    return conversation.amendments.edits.begin_reading({line_message_id})()[line_message_id]


def basis_of(lease: Lease, *line_message_ids: str, since_ms: int = LATEST_MS) -> Basis:
    """Return the basis of a prompt that holds these messages, read now."""
    return Basis(
        conversation=lease.conversation,
        lease=lease,
        prompt=made_of(*line_message_ids, since_ms=since_ms),
        before=lease.conversation.amendments.look(),
    )


def everything_in(store: ObjectStore) -> str:
    """Return every byte of the bucket, names included, as one text."""
    listed = store.list("")
    bodies = (stored.data.decode() for one in listed if (stored := store.read(one.name)) is not None)
    return " ".join((*(one.name for one in listed), *bodies))


def message(number: int, text: str = "hi", *, addressed: bool = True, timestamp_ms: int | None = None) -> MessageRecord:
    """Return message `m{number}` of event `e{number}`, with token `t{number}`; its number is its timestamp unless another is given."""
    received_ms = number if timestamp_ms is None else timestamp_ms
    return MessageRecord(
        line_message_id=f"m{number}",
        webhook_event_id=f"e{number}",
        timestamp_ms=received_ms,
        type="text",
        addressed=addressed,
        text=text,
        reply_token=ReplyToken(value=f"t{number}", received_ms=received_ms) if addressed else None,
    )


def received_at(message: MessageRecord, received_ms: int) -> MessageRecord:
    """Return the message with its token as a delivery at that time brings the token."""
    token = message.reply_token
    assert token is not None
    return replace(message, reply_token=replace(token, received_ms=received_ms))


def answer(number: int, text: str | None = "hello", *, saw: tuple[int, ...] = ()) -> OutcomeRecord:
    """Return the outcome of event `e{number}`, which answers message `m{number}` and saw the messages of these numbers, and no entry."""
    numbers = (*saw, number)
    return OutcomeRecord(
        webhook_event_id=f"e{number}",
        timestamp_ms=number,
        kind=OutcomeKind.REPLIED,
        answered_ids=(f"m{number}",),
        provenance=made_of(*(f"m{one}" for one in numbers), since_ms=min(numbers), until_ms=max(numbers)),
        text=text,
    )


def made_of(*ids: str, since_ms: int = LATEST_MS, until_ms: int = -1, entries_since_ms: int = LATEST_MS) -> Provenance:
    """Return the provenance that names these: events, such as `e1`, and recaps, such as `recap-1`, are derived; the rest are messages."""
    derived_ids = frozenset(one for one in ids if _DERIVED.match(one))
    messages = (Source(line_message_id=one, timestamp_ms=0) for one in ids if one not in derived_ids)
    return replace(
        Provenance.of_sources(messages),
        derived_ids=derived_ids,
        since_ms=since_ms,
        until_ms=until_ms,
        entries_since_ms=entries_since_ms,
    )


def made_with(record: _Made, *ids: str, **interval: int) -> _Made:
    """Return the answer or the recap as it is if its prompt held these, beside what it answers or sums up, and was of this interval."""
    named = made_of(*_about(record), *(ids or record.provenance.ids))
    before = {
        "since_ms": record.provenance.since_ms,
        "until_ms": record.provenance.until_ms,
        "entries_since_ms": record.provenance.entries_since_ms,
    }
    made = replace(made_of(**{**before, **interval}), messages=named.messages, derived_ids=named.derived_ids)
    return replace(record, provenance=made)


def _about(record: OutcomeRecord | ArchivedAnswer | Recap) -> tuple[str, ...]:
    return record.summed_up_ids if isinstance(record, Recap) else record.answered_ids
