"""The pushes of a chat on a day, and whether another push is allowed: reminders/{conversation_id}/pushes.json.

Each push is counted once, by its id, after the claim and before the push: a repeated tick, or a write whose answer was lost, counts nothing
twice.
"""

from collections.abc import Iterable
from dataclasses import field, replace
from typing import Final, Literal

from shared import logs
from shared.clock import Clock
from shared.conversation.store import Conversation
from shared.errors import CorruptRecordError, StorageUnavailableError
from shared.frozen import frozen
from shared.line.quota import PushBudget, renewal_ms
from shared.storage.codec import VERSION, decode, encode
from shared.storage.compare_and_swap import update_by_swap
from shared.unknown_fields import Extensible

_FILE: Final = "pushes"
_IDS_RETAINED: Final = 1_000
Refusal = Literal["quota_spent", "share_spent", "day_spent"]
"""Why a chat may not have a push: the account's quota, the chat's share or the chat's reminders of the day are spent."""


@frozen
class PushesRecord(Extensible):
    """The pushes of one day in the deployment's time zone: the number of reminders, the messages of the quota used, and the ids.

    `ids_before` belong to the day before: a push of unknown fate is repeated for less than a day.
    """

    version: int = VERSION
    day: str
    count: int = 0
    messages: int = 0
    ids: tuple[str, ...] = ()
    ids_before: tuple[str, ...] = ()

    def on(self, day: str) -> "PushesRecord":
        """Return the record of the day; no day comes again, whatever clock an instance has.

        For example, a record of 2026-11-22 on 2026-11-23 counts from 0; on 2026-11-21 it is unchanged.
        """
        return self if day <= self.day else replace(self, day=day, count=0, messages=0, ids=(), ids_before=self.ids)

    def has_counted(self, push_id: str) -> bool:
        """Whether the push was counted before."""
        return push_id in self.ids or push_id in self.ids_before

    def plus(self, push_id: str, *, messages: int, is_reminder: bool) -> "PushesRecord":
        """Return the record with one more push."""
        return replace(
            self,
            count=self.count + is_reminder,
            messages=self.messages + messages,
            ids=(*self.ids, push_id)[-_IDS_RETAINED:],
        )


@frozen
class PushAllowance:
    """Decides about pushes to chats.  A chat gets at most `reminders_per_day`, 0: any number, and its share of the account's quota.

    `refusal` and `take` raise StorageUnavailableError.
    """

    budget: PushBudget
    reminders_per_day: int = 0
    clock: Clock = field(repr=False)

    def refusal(self, conversation: Conversation, push_id: str, *, is_reminder: bool) -> Refusal | None:
        """Return why the chat may not have this push; None: allowed, or counted before.  Counts nothing."""
        if not self._is_limited(is_reminder=is_reminder):
            return None
        stored = conversation.objects.store.read(conversation.names.reminder(_FILE))
        record = self._today(conversation, stored.data if stored is not None else None)
        if record.has_counted(push_id):
            return None
        return self._refusal(conversation, record, is_reminder=is_reminder)

    def take(self, conversation: Conversation, push_id: str, *, is_reminder: bool) -> Refusal | None:
        """Count the push, or return why the chat may not have it.  Repeated for the same push: counted once."""
        if not self._is_limited(is_reminder=is_reminder):
            return None
        refused: Refusal | None = None
        cost, is_new = self.budget.cost_of(conversation.id) or 1, False

        def with_one_more(data: bytes | None) -> bytes | None:
            nonlocal refused, is_new
            record = self._today(conversation, data)
            if record.has_counted(push_id):
                refused = None
                return None
            is_new, refused = True, self._refusal(conversation, record, is_reminder=is_reminder)
            return None if refused else encode(record.plus(push_id, messages=cost, is_reminder=is_reminder))

        name = conversation.names.reminder(_FILE)
        update_by_swap(conversation.objects.store, name, with_one_more, what="the count of pushes")
        if is_new and refused is None:
            self.budget.count(cost)
        return refused

    def cost_of(self, conversation_id: str) -> int | None:
        """Return the cost of a push to the chat, as PushBudget does."""
        return self.budget.cost_of(conversation_id)

    @property
    def renewal_ms(self) -> int:
        """When the account's quota is renewed."""
        return renewal_ms(self.clock.now_ms())

    def carried(self, conversation: Conversation, pushes: Iterable[tuple[int, bool]]) -> int | None:
        """Return how many of the counted pushes fit in the month's quota, if no other chat pushes; None: all of them.

        `pushes` are all pushes due in the chat until the quota is renewed, as time and whether to count.
        """
        quota = self.budget.quota()
        if quota is None or quota.limit is None:
            return None
        day = conversation.turn.ledger.day
        due = [(day(at_ms), is_counted) for at_ms, is_counted in sorted(pushes)]
        carried = quota.carries(
            due,
            cost=self.cost_of(conversation.id) or 1,
            today=day(self.clock.now_ms()),
            sent_today=self._sent_today(conversation),
        )
        return None if carried == sum(is_counted for _, is_counted in due) else carried

    def _sent_today(self, conversation: Conversation) -> int:
        """Return the messages of the quota used by the chat's pushes of the day; 0 where the bucket does not answer."""
        try:
            stored = conversation.objects.store.read(conversation.names.reminder(_FILE))
        except StorageUnavailableError:
            return 0
        return self._today(conversation, stored.data if stored is not None else None).messages

    def _is_limited(self, *, is_reminder: bool) -> bool:
        return (is_reminder and self.reminders_per_day > 0) or self.budget.is_limited

    def _refusal(self, conversation: Conversation, record: PushesRecord, *, is_reminder: bool) -> Refusal | None:
        if is_reminder and 0 < self.reminders_per_day <= record.count:
            return "day_spent"
        if self.budget.allows(conversation.id, sent_today=record.messages):
            return None
        if self.budget.carries(conversation.id):
            return "share_spent"
        logs.error("push_quota_spent")
        return "quota_spent"

    def _today(self, conversation: Conversation, data: bytes | None) -> PushesRecord:
        day = conversation.turn.ledger.day(self.clock.now_ms())
        try:
            return decode(PushesRecord, data).on(day) if data is not None else PushesRecord(day=day)
        except CorruptRecordError:  # count anew; otherwise no reminder would be pushed again
            return PushesRecord(day=day)
