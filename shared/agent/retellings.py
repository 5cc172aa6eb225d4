"""Retellings: answers and recaps in a prompt, whose words repeat messages; and the messages quoted by shown messages.

A tool that stores words of the prompt must name every possible source message, also of words from an earlier answer or a recap.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field, replace

from shared.conversation.history import History
from shared.conversation.member_mark import mark_id
from shared.conversation.provenance import LATEST_MS, Provenance, Source
from shared.conversation.quotes import Unquotable
from shared.conversation.recollection import Recollection
from shared.conversation.records import MessageRecord, OutcomeRecord
from shared.conversation.snapshot_records import Recap
from shared.frozen import frozen
from shared.line.media_content import MESSAGE_TYPES


@frozen
class RetoldMessage:
    """A message whose words a retelling may repeat.

    `text`: None if no comparison is possible, because the words are no longer stored, or the message is an image, voice, video or file.
    `words_ms`: LINE's timestamp of the words. `is_covered`: the retelling answers the message, answers a message that quotes the message,
    or sums the message up; otherwise only the prompt of the retelling held the message. `by`: the sender's hash (`member_mark`); empty if
    unknown.
    """

    line_message_id: str
    words_ms: int
    by: str = ""
    text: str | None = field(default=None, repr=False)
    is_covered: bool = True

    @property
    def source(self) -> Source:
        """The message as a source for records made of its words."""
        return Source(line_message_id=self.line_message_id, timestamp_ms=self.words_ms, by=self.by)


@frozen
class Retelling:
    """Words that repeat messages: an answer of the bot in bubbles with the ids `sent_message_ids`, a recap, or a reminder.

    `provenance` names all sources of the words, including messages behind entries read by the answer's turn.
    """

    text: str = field(repr=False)
    messages: tuple[RetoldMessage, ...]
    sent_message_ids: tuple[str, ...] = ()
    provenance: Provenance = field(default_factory=Provenance)


def messages_in_prompt(history: History, asked: Sequence[MessageRecord]) -> tuple[MessageRecord, ...]:
    """Return the messages whose words or media the prompt holds: the shown messages and the messages quoted there, each once."""
    quoted = (one for one in _quoted_records(history, asked) if isinstance(one, MessageRecord))
    return tuple({one.line_message_id: one for one in (*quoted, *history.messages)}.values())


def sources_beyond_memory(history: History, asked: Sequence[MessageRecord], recalled: Recollection) -> Provenance:
    """Return the sources of the prompt's recaps and answers outside memory, and the time span of these sources.

    Without ids: nothing in the prompt was made of a message older than memory, so memory holds every message for the comparison.
    """
    remembered, answers = _messages_by_id(history, asked, recalled), _answers(history, asked, recalled)
    oldest_ms = min(
        (one.timestamp_ms for one in _messages_by_id(history, asked, Recollection()).values()), default=LATEST_MS
    )
    unshown = _unshown(history, answers)
    retelling: tuple[Recap | OutcomeRecord, ...] = (*history.recaps, *answers)
    sources = (_provenance_of(one, unshown) for one in retelling)
    return Provenance.union(one for one in sources if one.since_ms < oldest_ms).without_messages(remembered.keys())


def retellings_in_prompt(
    history: History,
    asked: Sequence[MessageRecord],
    recalled: Recollection | None = None,
    beyond_memory: Sequence[MessageRecord] = (),
) -> tuple[Retelling, ...]:
    """Return the recaps and answers in the prompt, including quoted and `recalled` answers, each once, and the things in its blocks.

    `beyond_memory`: source messages that only the archive holds.
    """
    recalled = recalled or Recollection()
    remembered = {one.line_message_id: one for one in beyond_memory} | _messages_by_id(history, asked, recalled)
    answers, quotable = _answers(history, asked, recalled), history.quotable
    unshown = _unshown(history, answers)
    deferred = {one.webhook_event_id: one.answered_ids for one in history.outcomes if one.offer.is_deferral}

    def about(answer: OutcomeRecord) -> Iterable[str]:
        """Return the ids of the messages that an answer is about; for a late answer, of the question before the press."""
        return dict.fromkeys(
            (*_answered_ids(answer), *(one for root in answer.answers for one in deferred.get(root, ())))
        )

    def retold(about_ids: Iterable[str], provenance: Provenance, *, latest_ms: int) -> tuple[RetoldMessage, ...]:
        own = frozenset(about_ids)
        covered = own.union(*(_ids_behind(quotable.quoted_by(remembered[one])) for one in own if one in remembered))
        only_read_ids = (one for one in provenance.message_ids - covered if one in remembered)
        authors = {one.line_message_id: one.by for one in provenance.sources}
        retold_messages = (
            _retold_message(history, remembered, message_id, is_covered=message_id in covered, latest_ms=latest_ms)
            for message_id in (*sorted(covered), *sorted(only_read_ids))
        )
        return tuple(replace(one, by=one.by or authors.get(one.line_message_id, "")) for one in retold_messages)

    def retelling(record: Recap | OutcomeRecord, about_ids: Iterable[str], bubbles: tuple[str, ...] = ()) -> Retelling:
        provenance = _provenance_of(record, unshown)
        messages = retold(about_ids, provenance, latest_ms=record.timestamp_ms)
        return Retelling(text=record.text or "", messages=messages, sent_message_ids=bubbles, provenance=provenance)

    recaps = (retelling(one, one.summed_up_ids) for one in history.recaps)
    spoken = (retelling(one, about(one), one.sent_message_ids) for one in answers)
    things = (
        Retelling(
            text=row.words,
            messages=retold(row.provenance.message_ids, row.provenance, latest_ms=_newest_words_ms(row.provenance)),
            provenance=row.provenance,
        )
        for block in history.blocks
        for row in block.rows
    )
    return tuple(one for one in (*recaps, *spoken, *things) if one.text)


def _newest_words_ms(provenance: Provenance) -> int:
    return max((source.timestamp_ms for source in provenance.sources), default=0)


def _messages_by_id(
    history: History, asked: Sequence[MessageRecord], recalled: Recollection
) -> dict[str, MessageRecord]:
    messages = (*recalled.messages, *history.hidden, *history.older, *history.unshown, *history.messages, *asked)
    return {one.line_message_id: one for one in messages}


def _answers(history: History, asked: Sequence[MessageRecord], recalled: Recollection) -> tuple[OutcomeRecord, ...]:
    quoted = (one for one in _quoted_records(history, asked) if isinstance(one, OutcomeRecord))
    return tuple({one.webhook_event_id: one for one in (*recalled.answers, *quoted, *history.answers)}.values())


def _unshown(history: History, answers: Iterable[OutcomeRecord]) -> dict[str, Provenance]:
    """Return the provenance of the other answers and recaps in memory, by their own ids."""
    shown = {one.webhook_event_id for one in answers}
    return {
        **{one.id: one.provenance for one in history.unshown_recaps},
        **{one.webhook_event_id: one.provenance for one in history.outcomes if one.webhook_event_id not in shown},
    }


def _provenance_of(record: Recap | OutcomeRecord, unshown: Mapping[str, Provenance]) -> Provenance:
    """Return the provenance of a recap or an answer, with that of the answers and recaps behind it outside the prompt, however far back.

    For example, an answer in the prompt names e2, which left the prompt and names recap-1, which names m1: m1 is behind all three.
    """
    parts, named_ids = [record.provenance], set[str]()
    while added_ids := (parts[-1].derived_ids & unshown.keys()) - named_ids:
        named_ids |= added_ids
        parts.append(Provenance.union(unshown[own_id] for own_id in sorted(added_ids)))
    return Provenance.union(parts)


def _answered_ids(outcome: OutcomeRecord) -> tuple[str, ...]:
    """Return the messages behind an answer; a reminder answers no message, so the source messages are returned."""
    return outcome.answered_ids or tuple(sorted(outcome.provenance.message_ids))


def _ids_behind(quoted: MessageRecord | OutcomeRecord | Unquotable | None) -> tuple[str, ...]:
    """Return the messages that a quote stands for."""
    match quoted:
        case MessageRecord():
            return (quoted.line_message_id,)
        case OutcomeRecord():
            return _answered_ids(quoted)
        case "withdrawn" | "unknown" | None:
            return ()


def _retold_message(
    history: History, remembered: dict[str, MessageRecord], line_message_id: str, *, is_covered: bool, latest_ms: int
) -> RetoldMessage:
    """Return the message; outside memory, the words count as written at `latest_ms`, or at a later edit."""
    record = remembered.get(line_message_id)
    is_comparable = record is not None and not (is_covered and record.type in MESSAGE_TYPES)
    edited_ms = history.amendments.edited_ms.get(line_message_id, 0)
    return RetoldMessage(
        line_message_id=line_message_id,
        words_ms=record.words_ms if record else max(latest_ms, edited_ms),
        by=mark_id(record.user_id) if record else "",
        text=record.text if record and is_comparable else None,
        is_covered=is_covered,
    )


def _quoted_records(history: History, asked: Sequence[MessageRecord]) -> tuple[MessageRecord | OutcomeRecord, ...]:
    quotable = history.quotable
    quoted_records = (quotable.quoted_by(one) for one in (*history.messages, *asked))
    return tuple(one for one in quoted_records if isinstance(one, MessageRecord | OutcomeRecord))
