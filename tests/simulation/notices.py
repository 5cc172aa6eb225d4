"""Notices of other systems, as they were sent and as a bubble shows them."""

import re
from dataclasses import dataclass
from typing import Final

_WORD: Final = re.compile(r"notice\d+n")


@dataclass(frozen=True, slots=True, kw_only=True)
class SentNotice:
    """A notice that a system sent to a hook; `is_revoked`: its token had been revoked or replaced before."""

    conversation_id: str
    hook_id: str
    word: str
    is_revoked: bool


def words_in(text: str) -> tuple[str, ...]:
    """Return the words of notices in a bubble; a bubble of anything else has none."""
    return tuple(_WORD.findall(text)) if text.startswith("🔔") else ()


def is_of_notices(webhook_event_id: str) -> bool:
    """Whether an outcome of this id tells of notices that were shown alone: `notice-0f3a…`, pushed, or `event-5-notice`."""
    return webhook_event_id.startswith("notice-") or webhook_event_id.endswith("-notice")
