"""Waiting for an admission: on the bus an event may overtake the `/start` that lets its chat in.

A message waits in its request before it is refused. An unsend, an edit or a departure waits before it is ignored, because the message that
it takes back may be let in meanwhile. Nothing is stored by waiting, and no push fails, which would slow the pushes of all chats.
Source: Pub/Sub, "Push backoff".
"""

from collections.abc import Sequence
from typing import Final

from shared.access.admission import AdmissionRecord, Admissions
from shared.access.doorstep import Doorstep

MESSAGE_WAITS_S: Final = (0.25, 0.5, 0.75, 1.5)
"""The pauses after which a message looks for the admission once more."""
FORGETTING_WAITS_S: Final = (*MESSAGE_WAITS_S, 3.0)
"""Those of what takes something back: longer, because it may come before the message that waits."""


def wait_for_admission(
    admissions: Admissions, doorstep: Doorstep, conversation_id: str, pauses_s: Sequence[float]
) -> AdmissionRecord | None:
    """Return the admission of a chat that has none, if it comes within these pauses; too many events do not wait.

    Raises: StorageUnavailableError, UnreadableRecordError.
    """
    with doorstep.waiting(conversation_id) as may_wait:
        for pause_s in pauses_s if may_wait else ():
            doorstep.clock.sleep(pause_s)
            admission = admissions.of(conversation_id)
            if admission is not None:
                return admission
    return None
