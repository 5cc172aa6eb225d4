"""The records of a chat in memory, beyond those in a prompt: messages and answers of the bot, each once, by LINE's timestamp.

A turn has read the journal and the snapshot with its history; the archive is read after. The outcome names the records shown to the model.
"""

from collections.abc import Iterable
from dataclasses import field, replace

from shared.conversation.archive import ArchivedSpan
from shared.conversation.history import History
from shared.conversation.provenance import LATEST_MS, Provenance
from shared.conversation.records import Audit, MessageRecord, OutcomeKind, OutcomeRecord, by_time
from shared.conversation.snapshot_records import ArchivedAnswer
from shared.frozen import frozen


@frozen
class Recollection:
    """Messages and answers, oldest first; none were withdrawn at the time of reading."""

    messages: tuple[MessageRecord, ...] = field(default=(), repr=False)
    answers: tuple[OutcomeRecord, ...] = field(default=(), repr=False)

    @classmethod
    def of(cls, records: Iterable[MessageRecord | OutcomeRecord]) -> "Recollection":
        """Return the records; of several with one id the last counts."""
        messages: dict[str, MessageRecord] = {}
        answers: dict[str, OutcomeRecord] = {}
        for record in records:
            if isinstance(record, MessageRecord):
                messages[record.line_message_id] = record
            else:
                answers[record.webhook_event_id] = record
        return cls(
            messages=tuple(sorted(messages.values(), key=by_time)), answers=tuple(sorted(answers.values(), key=by_time))
        )

    @classmethod
    def of_history(cls, history: History) -> "Recollection":
        """Return the records read by a turn, including the sources of recaps, and answers not shown in the prompt."""
        messages = (*history.older, *history.unshown, *history.messages)
        return cls.of((*filter(_is_said, messages), *filter(_is_answer, history.outcomes)))

    @classmethod
    def of_archive(cls, span: ArchivedSpan) -> "Recollection":
        """Return the records read from the archive."""
        return cls.of((*filter(_is_said, span.messages), *filter(_is_answer, map(_outcome_of, span.answers))))

    def __or__(self, newer: "Recollection") -> "Recollection":
        """Return both; where both hold an id, the record of `newer` counts.

        For example, message 450 in `newer` replaces an unedited 450.
        """
        return Recollection.of((*self.records, *newer.records))

    @property
    def records(self) -> tuple[MessageRecord | OutcomeRecord, ...]:
        """All records, oldest first."""
        return tuple(sorted((*self.messages, *self.answers), key=by_time))

    @property
    def provenance(self) -> Provenance:
        """The sources of the words."""
        return replace(
            Provenance.of_sources(one.source for one in self.messages),
            derived_ids=frozenset(one.webhook_event_id for one in self.answers),
            since_ms=min((one.timestamp_ms for one in self.records), default=LATEST_MS),
        )


def _outcome_of(archived: ArchivedAnswer) -> OutcomeRecord:
    return OutcomeRecord(
        webhook_event_id=archived.webhook_event_id,
        timestamp_ms=archived.timestamp_ms,
        kind=archived.kind,
        text=archived.text,
        answered_ids=archived.answered_ids,
        provenance=archived.provenance,
        sent_message_ids=archived.sent_message_ids,
        audit=Audit(model_name=archived.model_name),
    )


def _is_said(message: MessageRecord) -> bool:
    """Whether the words may be recalled: a press of a button has none, and a message without an id cannot be withdrawn."""
    return message.presses is None and bool(message.line_message_id)


def _is_answer(outcome: OutcomeRecord) -> bool:
    """Whether the model wrote the outcome and people may have seen it: fixed texts are not worth recalling."""
    shown = {OutcomeKind.REPLIED, OutcomeKind.UNKNOWN}
    return outcome.text is not None and outcome.audit.model_name is not None and outcome.kind in shown
