"""The long texts that a question may be about, shown whole in a prompt: an article, and then 「要約して」 in the next bubble.

The transcript shows the beginning of a long text only, so that its lines stay the same from turn to turn.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from shared.agent import transcript
from shared.agent.chat_lines import LONGEST_QUOTE
from shared.agent.token_estimate import estimated_tokens
from shared.conversation.history import History
from shared.conversation.records import MessageRecord, OutcomeRecord, by_time

MOST_TEXTS: Final = 2
_SHORTLY_MS: Final = 10 * 60_000
_MESSAGES_BEFORE: Final = 3


def long_texts(history: History, pending: Sequence[MessageRecord]) -> tuple[MessageRecord | OutcomeRecord, ...]:
    """Return at most two records: quoted texts, then the newest long text of the three messages before the question.

    For example, an article of 5,000 characters that was sent three minutes before "sum it up".
    """
    by_id = {
        record.id if isinstance(record, OutcomeRecord) else record.line_message_id: record
        for record in _quoted(history, pending)
    }
    for message in _sent_before(history, pending):
        by_id.setdefault(message.line_message_id, message)
    return tuple(by_id.values())[:MOST_TEXTS]


def _quoted(history: History, pending: Sequence[MessageRecord]) -> Iterator[MessageRecord | OutcomeRecord]:
    asked_ids = {one.line_message_id for one in pending}
    for message in pending:
        record = history.quotable.quoted_by(message)
        if isinstance(record, MessageRecord) and (record.type != "text" or record.line_message_id in asked_ids):
            continue
        if isinstance(record, MessageRecord | OutcomeRecord) and len(record.text or "") > LONGEST_QUOTE:
            yield record


def _sent_before(history: History, pending: Sequence[MessageRecord]) -> Iterator[MessageRecord]:
    if not pending:
        return
    first = min(pending, key=by_time)
    asked_ids = {one.line_message_id for one in pending}
    earlier = [
        message
        for message in history.messages
        if message.presses is None and message.line_message_id not in asked_ids and by_time(message) < by_time(first)
    ]
    for message in reversed(sorted(earlier, key=by_time)[-_MESSAGES_BEFORE:]):
        is_recent = message.timestamp_ms >= first.timestamp_ms - _SHORTLY_MS
        if is_recent and message.type == "text" and estimated_tokens(message.text) > transcript.MESSAGE_TOKENS:
            yield message
            return
