"""The question whether everything may be erased, and its button.

A button names its question, which lies in its own chat: another chat's is not found there. It is good for ten minutes.
"""

from typing import Final

from shared.conversation.history import History

GOOD_FOR_MS: Final = 10 * 60_000


def is_confirmed(history: History, question_id: str, *, pressed_ms: int) -> bool:
    """Whether the chat was asked this, not too long before the press; both by LINE's timestamp."""
    asked = next((one for one in history.outcomes if one.webhook_event_id == question_id), None)
    return asked is not None and asked.asks_to_forget and 0 <= pressed_ms - asked.timestamp_ms <= GOOD_FOR_MS
