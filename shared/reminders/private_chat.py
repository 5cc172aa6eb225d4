"""A member's own 1:1 chat, to which a summary of a group is pushed for that member alone.

What was said in a group reaches another chat only here: checked when the member asks, and again right before the push.
"""

from dataclasses import field
from enum import StrEnum

from shared.access.admission import Access, Admissions, is_admitted
from shared.clock import Clock
from shared.conversation.store import Conversation, Conversations
from shared.errors import LineUnavailableError
from shared.frozen import frozen
from shared.line.display_names import Profiles, sanitised


class Undeliverable(StrEnum):
    """Why nothing of a group may be pushed to a person's 1:1 chat."""

    UNNAMED = "unnamed"
    """LINE does not say who asked."""
    NO_MEMBER = "no_member"
    NO_CHAT = "no_chat"
    """The person has no 1:1 chat with the bot, or has blocked the bot, or the chat was not admitted."""
    SILENT = "silent"
    """The 1:1 chat is paused, or a person of the operator answers there."""


@frozen
class PrivateChats:
    """Finds the 1:1 chats of a group's members."""

    conversations: Conversations
    profiles: Profiles
    access: Access
    admissions: Admissions
    clock: Clock = field(repr=False)

    def of(self, user_id: str) -> Conversation:
        """Return the person's 1:1 chat, whose id is the person's.  Source: LINE, webhook.yml: ids of users begin with U."""
        return self.conversations.of(user_id)

    def refusal(self, group: Conversation, user_id: str | None) -> Undeliverable | None:
        """Return why nothing of the group may be pushed to the person; None: it may, at this moment.

        The person is a member of the group, and LINE shows the profile in the 1:1 chat, which it does not after a block. Source: LINE, "Get
        group chat member profile", "Get profile": 404 for others.
        Raises: LineUnavailableError, if LINE did not answer; StorageUnavailableError.
        """
        if user_id is None:
            return Undeliverable.UNNAMED
        if not self._is_member(group.id, user_id):
            return Undeliverable.NO_MEMBER
        if not is_admitted(self.access, self.admissions, user_id) or not self._is_member(user_id, user_id):
            return Undeliverable.NO_CHAT
        is_silent = self.of(user_id).silences.read().now(self.clock.now_ms()) is not None
        return Undeliverable.SILENT if is_silent else None

    def name_of(self, group: Conversation) -> str | None:
        """Return the group's name as a line of a push; None, where there is none."""
        return sanitised(self.profiles.group_name(group.id) or "")

    def _is_member(self, conversation_id: str, user_id: str) -> bool:
        is_member = self.profiles.is_member(conversation_id, user_id)
        if is_member is None:
            raise LineUnavailableError("LINE did not say whether the person is a member")
        return is_member
