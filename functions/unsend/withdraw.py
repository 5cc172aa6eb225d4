"""Withdraw a message: after this no object of the bucket holds its words.

Source: LINE, "Processing on receipt of unsend event": respect the user's intent, so that the message can't be seen or used in the future.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from shared import logs
from shared.bus.envelope import Envelope
from shared.conversation.calls import withdraw_from_calls
from shared.conversation.journal import Journal
from shared.line.events import parse_event


@dataclass(frozen=True, slots=True, kw_only=True)
class Withdraw:
    """Handles unsend events."""

    journal: Journal

    def __call__(self, event: Mapping[str, object], _: Envelope) -> str:
        """The message is gone and stays gone.  Returns what came of the event.

        Repeated: does nothing new. Message unknown (yet): the amendment waits for it.
        Raises: UnusableIdError; StorageUnavailableError, safe to deliver again.
        """
        parsed = parse_event(event)
        if parsed.type != "unsend" or parsed.subject_id is None:
            return "ignored"
        with logs.bound(
            webhook_event_id=parsed.webhook_event_id, conversation_id=logs.pseudonym(parsed.conversation_id)
        ):
            self.journal.withdraw(parsed.conversation_id, parsed.subject_id, timestamp_ms=parsed.timestamp_ms)
            withdraw_from_calls(self.journal.store, parsed.conversation_id, {parsed.subject_id})
            logs.info("message_withdrawn")
            return "withdrawn"
