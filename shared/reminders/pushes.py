"""How many reminders were pushed to a chat on a day: reminders/{conversation_id}/pushes.json."""

from dataclasses import dataclass, replace
from typing import Final

from shared.conversation.store import Conversation
from shared.errors import CorruptRecordError
from shared.storage.codec import VERSION, decode, encode
from shared.storage.compare_and_swap import update_by_swap
from shared.unknown_fields import Extensible

_FILE: Final = "pushes"


@dataclass(frozen=True, slots=True, kw_only=True)
class PushesRecord(Extensible):
    """The pushes of one day; the day is that of the deployment's time zone."""

    version: int = VERSION
    day: str
    count: int = 0


def take_push(conversation: Conversation, *, day: str, most: int) -> bool:
    """Return whether the chat may get another push on this day, and count it; `most` 0: no limit, and nothing is counted.

    Repeated: counted again. Raises: StorageUnavailableError.
    """
    if not most:
        return True
    is_taken = True

    def with_one_more(data: bytes | None) -> bytes | None:
        nonlocal is_taken
        there = _record(data, day=day)
        is_taken = there.count < most
        return encode(replace(there, count=there.count + 1)) if is_taken else None

    update_by_swap(
        conversation.objects.store, conversation.names.reminder(_FILE), with_one_more, what="the count of pushes"
    )
    return is_taken


def _record(data: bytes | None, *, day: str) -> PushesRecord:
    try:
        there = decode(PushesRecord, data) if data is not None else PushesRecord(day=day)
    except CorruptRecordError:  # count anew; otherwise no reminder would be pushed again
        there = PushesRecord(day=day)
    return there if there.day == day else replace(there, day=day, count=0)
