"""Friendship with the account, and membership in groups and rooms."""

from dataclasses import replace

from .channel import Channel
from .chats import Chat, ChatKind
from .errors import ImpossibleActionError
from .events import WebhookEvent, follow_event, members_event
from .people import Friendship


class ChatMembership(Channel):
    """Every action raises ImpossibleActionError if the LINE app does not offer the action; otherwise, an event or a chat is returned."""

    def follow(self, user_id: str) -> WebhookEvent:
        """The person adds the account as a friend, or unblocks the account. A friend may repeat this while the chat is empty."""
        person, chat = self.person(user_id), self.chat(user_id)
        if person.friendship is Friendship.FRIEND and chat.entries:
            raise ImpossibleActionError("the person is already a friend")
        self.people[user_id] = replace(person, friendship=Friendship.FRIEND)
        self.notice(chat, "followed", person.display_name)
        return self.emit(chat, follow_event(is_unblocked=person.friendship is Friendship.BLOCKED), by=person)

    def unfollow(self, user_id: str) -> WebhookEvent:
        """The person blocks the account."""
        person, chat = self.person(user_id), self.chat(user_id)
        if person.friendship is not Friendship.FRIEND:
            raise ImpossibleActionError("the person is not a friend")
        self.people[user_id] = replace(person, friendship=Friendship.BLOCKED)
        chat.loading_until_ms = 0
        self.notice(chat, "blocked", person.display_name)
        return self.emit(chat, {"type": "unfollow"}, by=person)

    def create_group(self, name: str, user_ids: tuple[str, ...]) -> Chat:
        """Create a group of people, without the account."""
        return self._create(ChatKind.GROUP, self.ids.group_id(), name, user_ids)

    def create_room(self, user_ids: tuple[str, ...]) -> Chat:
        """Create a multi-person chat with the account; the join event comes with the room's next event.

        Source: Messaging API reference, "Join event".
        """
        chat = self._create(ChatKind.ROOM, self.ids.room_id(), "", user_ids)
        chat.bot_is_member = chat.awaits_join = True
        return chat

    def join(self, group_id: str) -> WebhookEvent:
        """A person invites the account to the group."""
        chat = self.chat(group_id)
        if chat.bot_is_member or chat.kind is ChatKind.USER:
            raise ImpossibleActionError("the account is already in this chat")
        if not self.account.may_join_groups:
            raise ImpossibleActionError("the account may not join groups")
        chat.bot_is_member = True
        self.notice(chat, "joined", self.account.display_name)
        return self.emit(chat, {"type": "join"})

    def leave(self, chat_id: str) -> WebhookEvent:
        """A person removes the account from the group or room. The event is the same as when the account leaves."""
        chat = self.chat(chat_id)
        if not chat.bot_is_member or chat.kind is ChatKind.USER:
            raise ImpossibleActionError("the account is not in this chat")
        return remove_account(self, chat)

    def add_member(self, chat_id: str, *user_ids: str) -> WebhookEvent:
        """People join the group or room. The event names only people with consent."""
        chat = self._gathering_with_bot(chat_id)
        newcomers = [self.person(user_id) for user_id in user_ids if user_id not in chat.member_ids]
        if not newcomers:
            raise ImpossibleActionError("they are already members")
        chat.member_ids += tuple(person.user_id for person in newcomers)
        for person in newcomers:
            self.notice(chat, "member_joined", person.display_name)
        return self.emit(chat, members_event("memberJoined", newcomers))

    def remove_member(self, chat_id: str, *user_ids: str) -> WebhookEvent:
        """People leave the group or room, or are removed; otherwise as `add_member`."""
        chat = self._gathering_with_bot(chat_id)
        leavers = [self.person(user_id) for user_id in user_ids if user_id in chat.member_ids]
        if not leavers:
            raise ImpossibleActionError("they are not members")
        chat.member_ids = tuple(user_id for user_id in chat.member_ids if user_id not in user_ids)
        for person in leavers:
            self.notice(chat, "member_left", person.display_name)
        return self.emit(chat, members_event("memberLeft", leavers))

    def _create(self, kind: ChatKind, chat_id: str, name: str, user_ids: tuple[str, ...]) -> Chat:
        members = tuple(self.person(user_id).user_id for user_id in user_ids)
        chat = self.chats[chat_id] = Chat(chat_id=chat_id, kind=kind, name=name, member_ids=members)
        self.notify_listeners()
        return chat

    def _gathering_with_bot(self, chat_id: str) -> Chat:
        chat = self.chat(chat_id)
        if chat.kind is ChatKind.USER or not chat.bot_is_member:
            raise ImpossibleActionError("no group or room with the account in it")
        return chat


def remove_account(channel: Channel, chat: Chat) -> WebhookEvent:
    """Remove the account from the group or room, and emit the leave event.  Source: Messaging API reference, "Leave event"."""
    chat.bot_is_member = False
    channel.notice(chat, "left", channel.account.display_name)
    return channel.emit(chat, {"type": "leave"})
