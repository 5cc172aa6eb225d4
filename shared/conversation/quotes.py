"""Quotes, looked up in memory when they are shown: a record that quotes stores only the id of the quoted message or bubble."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from shared.conversation.records import MessageRecord, OutcomeRecord

Unquotable = Literal["withdrawn", "unknown"]
"""Why a quote has no words: they were withdrawn, or nothing is kept (any more) under that id."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Quotable:
    """Everything in a chat that can be quoted: messages by their ids, answers by the ids of their bubbles."""

    messages: Mapping[str, MessageRecord] = field(default_factory=dict)
    answers: Mapping[str, OutcomeRecord] = field(default_factory=dict)
    withdrawn: frozenset[str] = frozenset()

    @classmethod
    def of(
        cls, messages: Iterable[MessageRecord], outcomes: Sequence[OutcomeRecord], withdrawn: frozenset[str]
    ) -> "Quotable":
        """Return what can be quoted; what was withdrawn is in neither of the two, or has lost its words."""
        return cls(
            messages={one.line_message_id: one for one in messages},
            answers={bubble: one for one in outcomes for bubble in one.sent_message_ids},
            withdrawn=withdrawn,
        )

    def quoted_by(self, message: MessageRecord) -> MessageRecord | OutcomeRecord | Unquotable | None:
        """Return what the message quotes, or why it cannot be shown; None where it quotes nothing."""
        quoted_id = message.quoted_message_id
        if quoted_id is None:
            return None
        if quoted_id in self.messages:
            return self.messages[quoted_id]
        answer = self.answers.get(quoted_id)
        if answer is not None and answer.text is not None:
            return answer
        return "withdrawn" if quoted_id in self.withdrawn or answer is not None else "unknown"
