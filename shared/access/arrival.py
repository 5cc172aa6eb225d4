"""Waiting for an admission: on the bus an event may overtake the `/start` that lets its chat in.

A message waits in its request before it is refused. An unsend, an edit or a departure waits before it is ignored, because the affected
message may be let in meanwhile. Waiting stores nothing and fails no push, because failed pushes slow down all chats.
Source: Pub/Sub, "Push backoff".
"""

from collections.abc import Sequence
from typing import Final

from shared.access.admission import AdmissionRecord, Admissions
from shared.access.unadmitted_chats import UnadmittedChats

MESSAGE_WAITS_S: Final = (0.25, 0.5, 0.75, 1.5)
"""A message's pauses before it looks for the admission again."""
FORGETTING_WAITS_S: Final = (*MESSAGE_WAITS_S, 3.0)
"""The pauses of an unsend, an edit or a departure: longer, because such an event may come before a waiting message."""


def wait_for_admission(
    admissions: Admissions, unadmitted: UnadmittedChats, conversation_id: str, pauses_s: Sequence[float]
) -> AdmissionRecord | None:
    """Return the chat's admission as soon as one is stored, within these pauses; beyond the limits of UnadmittedChats, no event waits.

    Example: a message looks again 0.25 s, 0.75 s, 1.5 s and 3 s after the first look.
    Raises: StorageUnavailableError, UnreadableRecordError.
    """
    with unadmitted.waiting(conversation_id) as may_wait:
        for pause_s in pauses_s if may_wait else ():
            unadmitted.clock.sleep(pause_s)
            admission = admissions.of(conversation_id)
            if admission is not None:
                return admission
    return None
