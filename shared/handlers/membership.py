"""Events of members who join or leave a group: the time of joining is stored, so that recall shows a member nothing from before."""

from typing import TYPE_CHECKING

from shared.bus.result import EventResult
from shared.conversation.store import Conversations
from shared.frozen import frozen
from shared.line.events import LineEvent

if TYPE_CHECKING:
    from shared.handlers.calendar import CalendarHandler


@frozen
class MembershipHandler:
    """Handles joinings and leavings of members."""

    conversations: Conversations
    calendar: "CalendarHandler | None" = None

    def joined(self, event: LineEvent) -> EventResult:
        """The members' time of joining is stored.  Repeated: changes nothing.  Raises: StorageUnavailableError; safe to deliver again."""
        members = self.conversations.of(event.conversation_id).members
        members.record_joining(event.member_ids, at_ms=event.timestamp_ms)
        return EventResult.KEPT_AS_CONTEXT

    def left(self, event: LineEvent) -> EventResult:
        """The members' time of joining is deleted, and the chat's calendar has another address, which they do not know.

        Repeated: changes nothing.  Raises: StorageUnavailableError; safe to deliver again.
        """
        members = self.conversations.of(event.conversation_id).members
        members.record_leaving(event.member_ids, at_ms=event.timestamp_ms)
        if self.calendar is not None:
            self.calendar.renew_after(event)
        return EventResult.ERASED
