"""Quoted media unknown to memory, fetched from LINE by their ids.

A text cannot be fetched, nor can anything sent by the bot itself: LINE's endpoint has only the images, videos, voices and files of people,
for an unstated time.  Source: LINE, "Get content"; "Receiving messages": no API returns the text of a quoted message.

An id does not show when its message was sent. Such a medium therefore counts as older than any erasure. It is fetched only if nothing of
the chat was ever erased and no member took back everything. Every later erasure removes it, with every answer that saw it; so does every
later `/forget me`, unless a stored message names another member as the sender.
"""

from collections.abc import Sequence
from concurrent.futures import Future
from contextvars import copy_context
from typing import Final

from shared import logs
from shared.clock import Deadline
from shared.conversation.history import History
from shared.conversation.media import UNKNOWN_MS, Media, MediumLabel
from shared.conversation.records import MessageRecord
from shared.conversation.store import Conversation
from shared.errors import AizuchiError
from shared.frozen import frozen

QUOTES_FETCHED: Final = 3
"""Quotes of a turn, the newest ones."""
QUOTED_FETCH_S: Final = 5.0


@frozen
class QuotedMedia:
    """Finds quoted media beyond memory, in the bucket or at LINE."""

    media: Media

    def find(
        self, conversation: Conversation, history: History, asked: Sequence[MessageRecord], deadline: Deadline
    ) -> History:
        """Return the history with the media quoted by the newest of the messages and unknown to memory.

        For example, of five messages that quote unknown media, the newest three quotes are looked up. A medium not found in time stays
        unknown. Repeated: finds the media stored before. Never raises: the turn goes on without the medium.
        """
        quotable = history.quotable
        unknown = dict.fromkeys(
            message.quoted_message_id
            for message in reversed(asked)
            if quotable.quoted_by(message) == "unknown" and message.quoted_message_id not in quotable.answers
        )
        deadline = deadline.within(QUOTED_FETCH_S)
        searches = [
            self.media.threads.submit(copy_context().run, self._search, conversation, history, quoted_id, deadline)
            for quoted_id in list(unknown)[:QUOTES_FETCHED]
            if quoted_id is not None
        ]
        quoted_messages = tuple(message for search in searches if (message := _result_of(search, deadline)) is not None)
        return history.with_quoted(quoted_messages) if quoted_messages else history

    def _search(
        self, conversation: Conversation, history: History, quoted_id: str, deadline: Deadline
    ) -> MessageRecord | None:
        """Return the quoted medium as a message, once the bytes are stored.  The amendments are looked at before and after."""
        label = self.media.label(conversation, quoted_id)
        timestamp_ms = UNKNOWN_MS if label is None else label.timestamp_ms
        if timestamp_ms == UNKNOWN_MS and history.amendments.members:
            return None
        if conversation.amendments.has_withdrawn(quoted_id, timestamp_ms=timestamp_ms):
            return None
        fetched = self.media.fetch(conversation, _message(quoted_id, timestamp_ms, "file"), deadline)
        if not isinstance(fetched, MediumLabel):
            logs.info("quote_not_found", reason=fetched)
            return None
        kind = fetched.content_type.partition("/")[0]
        return _message(quoted_id, fetched.timestamp_ms, kind if kind in {"image", "audio", "video"} else "file")


def _result_of(search: Future[MessageRecord | None], deadline: Deadline) -> MessageRecord | None:
    try:
        return search.result(timeout=deadline.left_s)
    except (AizuchiError, TimeoutError) as cause:
        logs.warning("quote_not_fetched", error_type=type(cause).__name__)
        return None


def _message(line_message_id: str, timestamp_ms: int, kind: str) -> MessageRecord:
    """Return the medium as a message of an unknown person."""
    return MessageRecord(
        line_message_id=line_message_id,
        webhook_event_id=line_message_id,
        timestamp_ms=timestamp_ms,
        type=kind,
        addressed=False,
        text=f"[{kind}]",
    )
