"""What becomes of an answer that is not ready while its reply token lives."""

from enum import StrEnum


class LateReply(StrEnum):
    """A button that fetches the answer (free), a push (counts against the month's messages), or silence."""

    BUTTON = "button"
    PUSH = "push"
    DROP = "drop"
