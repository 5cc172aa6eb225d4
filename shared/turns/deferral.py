"""Deferrals: the text that a turn sends if the model is not ready before the token dies, and the answer to a press of its button.

`button`: "still thinking", with a button; the answer is stored, and goes out on the token of a later press.
`push`: the answer is pushed. `drop`: the answer is dropped, and history says so. The id of a deferral is the id of its button. A press
may be deferred as well; the second deferral continues the first. A button works only in its own chat: the id of another chat's
deferral is unknown here.
"""

from enum import StrEnum
from typing import Final

LATE_SUFFIX: Final = "-late"
CONFIRMED_WITHIN_MS: Final = 10 * 60_000
"""How long a button that asks for a confirmation counts, from LINE's timestamp of what its question answers."""
DEFER_AT_MS: Final = 50_000  # age of the freshest token, which then has ten seconds to live
DEFER_IN_GROUPS_AT_MS: Final = 20_000
"""The age of the freshest token at which a group, where LINE shows no loading animation, is told that the model is still thinking."""


class LateReply(StrEnum):
    """The fate of a late answer: a button (free), a push (counts against the quota), or silence."""

    BUTTON = "button"
    PUSH = "push"
    DROP = "drop"


def stored_id(deferral_id: str) -> str:
    """Return the id under which the answer of a deferral is stored: `stored_id("01KA") == "01KA-late"`."""
    return f"{deferral_id[: 64 - len(LATE_SUFFIX)]}{LATE_SUFFIX}"
