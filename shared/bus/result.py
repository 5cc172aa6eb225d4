"""The result of an event: the `outcome` field of a worker's closing log line."""

from enum import StrEnum


class EventResult(StrEnum):
    """The result of a use case.  The first eight are the kinds of a turn's outcome."""

    REPLIED = "replied"
    SKIPPED = "skipped"
    APOLOGISED = "apologised"
    DEFERRED = "deferred"
    STORED = "stored"
    UNDELIVERED = "undelivered"
    UNKNOWN = "unknown"
    """The fate of an answer is unknown; or an unsend named a message that was never recorded."""
    WITHDRAWN = "withdrawn"
    FOLDED = "folded"
    """The message belongs to a flood, and another message gets the answer for all."""
    HANDED_OVER = "handed_over"
    ALREADY_ANSWERED = "already_answered"
    EDITED = "edited"
    ERASED = "erased"
    IGNORED = "ignored"
    KEPT_AS_CONTEXT = "kept_as_context"
    LEFT_BEFORE = "left_before"
    NOT_ADMITTED = "not_admitted"
    NOT_ANSWERABLE = "not_answerable"
    PAUSED = "paused"
    """The message was sent in a pause, so nothing of it is recorded; or a button was pressed in a silence."""
    TICKED = "ticked"
    TICK_LOST = "tick_lost"
    """A tick could not read what is due; the next one can."""
