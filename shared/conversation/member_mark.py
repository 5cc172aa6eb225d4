"""Member marks: until when a person took back everything in a chat, for the person's messages that are delivered only afterwards.

A member erasure is an amendment event whose id is the member's mark.  Alone it removes nothing: it hides a late message from every reader,
and the message's own delivery withdraws it as an unsend would. It lasts for 30 days, which is longer than any event waits.
"""

import hashlib
from functools import lru_cache
from typing import Final

MARK_PREFIX: Final = "member-"  # no message's id of LINE's begins so
_DIGITS: Final = 32
_MARKS_CACHED: Final = 4_096  # people of all chats of an instance: every turn computes a mark for each message


def mark_id(user_id: str | None) -> str:
    """Return the id of a person's mark; empty for a person without an id.

    It is a digest: it identifies the person only to a reader who knows LINE's id of them.
    """
    return _mark_of(user_id) if user_id is not None else ""


@lru_cache(maxsize=_MARKS_CACHED)
def _mark_of(user_id: str) -> str:
    return MARK_PREFIX + hashlib.sha256(f"aizuchi member {user_id}".encode()).hexdigest()[:_DIGITS]
