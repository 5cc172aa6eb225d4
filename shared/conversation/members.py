"""When members joined a group, if the bot saw the event: recall shows a member nothing from before.

    members/{conversation_id}.json

A member who was in the group before the bot, or the person of a 1:1 chat, has no joining. A joining is deleted when the member leaves, and
by an erasure of the time before, because then nothing older remains. While the object cannot be read, recall shows nothing to anyone; an
erasure deletes the unreadable object.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import field, replace
from typing import Final

from shared import logs
from shared.conversation.amendment_log import AmendmentLog
from shared.errors import CorruptRecordError, UnreadableRecordError
from shared.frozen import frozen
from shared.storage.codec import VERSION, decode, encode, is_corrupt
from shared.storage.compare_and_swap import update_by_swap
from shared.storage.object_names import ObjectNames
from shared.storage.object_store import ObjectStore
from shared.unknown_fields import Extensible

MOST_MEMBERS: Final = 500  # Source: LINE, "Group chats": at most 500 members


@frozen
class MembersRecord(Extensible):
    """When members joined, by LINE's timestamp."""

    version: int = VERSION
    joined_ms: Mapping[str, int] = field(default_factory=dict, repr=False)


@frozen
class Members:
    """One chat's members.

    Every method raises StorageUnavailableError when the bucket does not answer in time, and UnreadableRecordError, but for `erase`, which
    raises only UnknownRecordVersionError.
    """

    names: ObjectNames
    store: ObjectStore = field(repr=False)
    amendments: AmendmentLog = field(repr=False)

    def joined_ms(self, user_ids: Collection[str]) -> int | None:
        """Return when the last of the people joined; None if the bot saw none of the joinings.

        For example, Yuki joined at 5 and Kenji at 9: `joined_ms(["Yuki", "Kenji"])` is 9. An unreadable object is logged here, because
        callers go on without an answer.
        """
        stored = self.store.read(self.names.members)
        try:
            joined_ms = decode(MembersRecord, stored.data).joined_ms if stored is not None else {}
        except UnreadableRecordError as cause:
            logs.error("record_unreadable", cause=cause)
            raise
        return max((joined_ms[one] for one in user_ids if one in joined_ms), default=None)

    def last_joined_ms(self) -> int | None:
        """Return when somebody joined last; None if the bot saw nobody join.  An unreadable object is logged here, as above."""
        stored = self.store.read(self.names.members)
        try:
            record = decode(MembersRecord, stored.data) if stored is not None else MembersRecord()
        except UnreadableRecordError as cause:
            logs.error("record_unreadable", cause=cause)
            raise
        return max(record.joined_ms.values(), default=None)

    def record_joining(self, user_ids: Collection[str], *, at_ms: int) -> None:
        """The people are members since `at_ms`, or since a later joining.  Repeated: changes nothing."""

        def joined(joined_ms: Mapping[str, int]) -> dict[str, int]:
            newer = {one: max(at_ms, joined_ms.get(one, at_ms)) for one in user_ids}
            newest = sorted({**joined_ms, **newer}.items(), key=lambda item: item[1])[-MOST_MEMBERS:]
            return dict(newest)

        self._update(joined)
        erased_ms = self.amendments.watermark().timestamp_ms
        if erased_ms >= at_ms:  # an erasure may have passed just before
            self.erase(until_ms=erased_ms)

    def record_leaving(self, user_ids: Collection[str], *, at_ms: int) -> None:
        """No joining of the people is stored, except joinings after `at_ms`.  Repeated: changes nothing."""
        self._update(lambda joined_ms: {one: at for one, at in joined_ms.items() if one not in user_ids or at > at_ms})

    def erase(self, *, until_ms: int) -> None:
        """No joining up to the timestamp is stored; an unreadable object is deleted whole.  Repeated: changes nothing."""
        try:
            self._update(lambda joined_ms: {one: at for one, at in joined_ms.items() if at > until_ms})
        except CorruptRecordError as cause:
            logs.error("record_unreadable", cause=cause)
            stored = self.store.read(self.names.members)
            if stored is not None and is_corrupt(MembersRecord, stored.data):
                self.store.delete(self.names.members, generation=stored.generation)

    def _update(self, change: Callable[[Mapping[str, int]], dict[str, int]]) -> None:
        def changed(data: bytes | None) -> bytes | None:
            record = decode(MembersRecord, data) if data is not None else MembersRecord()
            joined_ms = change(record.joined_ms)
            if joined_ms == record.joined_ms:
                return None
            is_removal = not record.joined_ms.keys() <= joined_ms.keys()
            return encode(record.redacted(joined_ms=joined_ms) if is_removal else replace(record, joined_ms=joined_ms))

        update_by_swap(self.store, self.names.members, changed, what="the members of a chat")
