"""Quotes, looked up in memory when shown: a record with a quote stores only the id of the quoted message or bubble."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from typing import Literal

from shared.conversation.amendments import Amendments
from shared.conversation.records import MessageRecord, OutcomeRecord
from shared.frozen import frozen

Unquotable = Literal["withdrawn", "unknown"]
"""Why a quote has no words: withdrawn, or no words are stored under the id."""


@frozen
class Quotable:
    """Everything quotable in a chat: messages by their ids, and by the bubbles that translate them; answers by their bubbles.

    `withdrawn`: withdrawn messages, and the bubbles of answers whose words went with them. Of other bubbles no words are stored, such as
    those of notices, or of a summary for one member.
    """

    messages: Mapping[str, MessageRecord] = field(default_factory=dict)
    answers: Mapping[str, OutcomeRecord] = field(default_factory=dict)
    withdrawn: frozenset[str] = frozenset()

    @classmethod
    def of(
        cls, messages: Iterable[MessageRecord], outcomes: Sequence[OutcomeRecord], amendments: Amendments
    ) -> "Quotable":
        """Return the quotable records; withdrawn messages are left out, and withdrawn answers have no words."""
        wordless = (one for one in outcomes if one.text is None and one.sent_message_ids)
        redacted = (one for one in wordless if one.provenance.is_redacted_by(amendments, one.id))
        by_id = {one.line_message_id: one for one in messages}
        translated = {
            sent_id: by_id[bubble.line_message_id]
            for outcome in outcomes
            if outcome.translations is not None
            for sent_id, bubble in zip(outcome.sent_message_ids, outcome.translations.bubbles, strict=False)
            if bubble.line_message_id in by_id
        }
        return cls(
            messages={**by_id, **translated},
            answers={bubble: one for one in outcomes if one.translations is None for bubble in one.sent_message_ids},
            withdrawn=amendments.withdrawn.union(bubble for one in redacted for bubble in one.sent_message_ids),
        )

    def quoted_by(self, message: MessageRecord) -> MessageRecord | OutcomeRecord | Unquotable | None:
        """Return the quoted record, or why the quote cannot be shown; None where the message quotes nothing.

        For example, the quote of a message older than memory gives `"unknown"`.
        """
        quoted_id = message.quoted_message_id
        if quoted_id is None:
            return None
        if quoted_id in self.messages:
            return self.messages[quoted_id]
        answer = self.answers.get(quoted_id)
        if answer is not None and answer.text is not None:
            return answer
        return "withdrawn" if quoted_id in self.withdrawn else "unknown"
