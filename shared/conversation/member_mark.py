"""Member marks: until when a person took back everything in a chat, for the person's messages delivered only afterwards.

A member erasure is an amendment event with the member's mark as id.  Alone it removes nothing: it hides the messages, and what was made
from them, from every reader. `/forget me` withdraws the messages that are stored, like unsends, and a late message is withdrawn by its own
delivery. It lasts for 30 days, longer than any event waits.
"""

import hashlib
from functools import lru_cache
from typing import Final

MARK_PREFIX: Final = "member-"  # no message's id of LINE's begins so
_DIGITS: Final = 32
_MARKS_CACHED: Final = 4_096  # people of all chats of an instance: every turn computes a mark for each message


def mark_id(user_id: str | None) -> str:
    """Return the id of a person's mark; empty for a person without an id.

    The id is a digest, such as `member-` and 32 hex digits: only a reader who knows the person's id at LINE can identify the person.
    """
    return _mark_of(user_id) if user_id is not None else ""


@lru_cache(maxsize=_MARKS_CACHED)
def _mark_of(user_id: str) -> str:
    return MARK_PREFIX + hashlib.sha256(f"aizuchi member {user_id}".encode()).hexdigest()[:_DIGITS]
