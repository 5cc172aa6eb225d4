"""A person's own data: messages and derived records, exported from a chat, and withdrawn in every chat."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import msgspec

from operations.conversations import Forget, object_line
from shared import logs
from shared.clock import Clock
from shared.conversation.member_mark import mark_id
from shared.conversation.records import MessageRecord
from shared.conversation.redaction.sweep import Sweep
from shared.conversation.store import Conversation, Conversations
from shared.conversation.undo import UndoRecord
from shared.conversation.withdrawal import Withdrawal
from shared.errors import UnreadableRecordError, UnusableIdError
from shared.expenses.expense import Expense
from shared.expenses.store import ExpenseStore
from shared.features.stored_feature import StoredFeature
from shared.features.stored_features import STORED_FEATURES
from shared.handlers.persons import messages_of
from shared.line.ids import checked_conversation_id, is_conversation_id
from shared.storage.object_store import ObjectStore

_KINDS: Final = (
    "amended/",
    "archive/",
    "edited/",
    "journal/",
    "snapshots/",
    "turns/",
    *(f"{feature.folder}/" for feature in STORED_FEATURES),
)
"""The kinds that may be all there is of a chat: retention deletes each kind at its own time, and an edit may precede every message."""
_SECRET: Final = ("reply_token", "quote_token")


def checked_person_id(value: str) -> str:
    """Return the id.  Raises: UnusableIdError, if the id is not a user's, for example a group's "C4af…"."""
    if checked_conversation_id(value).startswith("U"):
        return value
    raise UnusableIdError("no LINE id of a person: U and 32 digits")


def exported_person(
    conversation: Conversation, user_id: str, *, now_ms: int, features: Sequence[StoredFeature] = STORED_FEATURES
) -> Iterator[str]:
    """Yield a line of JSON for each of the person's messages in this chat, each medium, and each derived object of a feature.

    Raises: UnusableIdError, StorageUnavailableError.
    """
    messages = messages_of(conversation, checked_person_id(user_id), until_ms=now_ms, features=features)
    own, sources = messages.own, messages.own | messages.source_only
    for message in _messages(conversation, own):
        fields: dict[str, Any] = msgspec.to_builtins(message)
        name = conversation.names.message(message.line_message_id)
        yield json.dumps(
            {"name": name, "json": {key: fields[key] for key in fields if key not in _SECRET}}, ensure_ascii=False
        )
    for line_message_id in sorted(own):
        for name in (conversation.names.medium(line_message_id), conversation.names.medium_label(line_message_id)):
            yield from object_line(conversation.objects.store, name)
    for feature in features:
        for name, provenance in feature.sources(conversation):
            if sources & provenance.message_ids:
                yield from object_line(conversation.objects.store, name)


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgetPerson:
    """Withdraws a person's messages in every chat."""

    conversations: Conversations
    withdrawal: Withdrawal
    forget: Forget
    clock: Clock = field(repr=False)

    def __call__(self, user_id: str) -> dict[str, int]:
        """Withdraw every stored message of the person with all derived records, and erase the 1:1 chat.

        Returns the number of withdrawn messages by chat, and of deleted objects for the 1:1 chat, for example `{"C4af…": 12, "U8d3…": 40}`.
        Takes a little longer than a lease.
        Repeated: no further effect. Raises: UnusableIdError, StorageUnavailableError; safe to repeat. UnreadableRecordError, once every
        readable chat has forgotten the person; the log names the other chats.
        """
        person, now_ms = checked_person_id(user_id), self.clock.now_ms()
        message_ids: dict[str, frozenset[str]] = {}
        unreadable = 0
        for conversation_id in chats_in(self.conversations.objects.store):
            if conversation_id == person:
                continue
            try:
                message_ids[conversation_id] = self._withdraw_messages(conversation_id, person, now_ms)
            except UnreadableRecordError as cause:
                logs.error("chat_unreadable", cause=cause, conversation_id=logs.pseudonym(conversation_id))
                unreadable += 1
        withdrawn = {conversation_id: own for conversation_id, own in message_ids.items() if own}
        counts = {conversation_id: len(own) for conversation_id, own in withdrawn.items()}
        counts[person] = self.forget(person)  # waits until every writer that had read the chats has ended
        for conversation_id, own in withdrawn.items():
            self.withdrawal.finish_withdrawal(self.conversations.of(conversation_id), max(own))
        for conversation_id in message_ids.keys() - withdrawn.keys():
            self._remove_names(self.conversations.of(conversation_id), person, now_ms)
        if unreadable:
            raise UnreadableRecordError(
                f"{unreadable} chats hold a record that cannot be read, and keep what the person said"
            )
        return counts

    def _withdraw_messages(self, conversation_id: str, person: str, now_ms: int) -> frozenset[str]:
        """Withdraw the person's messages in the chat; return the ids."""
        conversation = self.conversations.of(conversation_id)
        before = messages_of(conversation, person, until_ms=now_ms)
        own = before.own | before.source_only | conversation.amendments.edited_by(person, until_ms=now_ms)
        if own:
            conversation.amendments.forget_member(person, until_ms=now_ms)
            own |= messages_of(conversation, person, until_ms=now_ms).ids
            own |= conversation.amendments.edited_by(person, until_ms=now_ms)
            self.withdrawal.withdraw_all(conversation, own, timestamp_ms=now_ms)
        return own

    def _remove_names(self, conversation: Conversation, person: str, now_ms: int) -> None:
        """No expense that another member told holds the person's display name; for a chat without a message of the person."""
        mark, undo = mark_id(person), UndoRecord.stored(conversation)
        if any(isinstance(one, Expense) and mark in one.names for one in ExpenseStore(conversation).read_all()) or any(
            mark in (write.text or "") for write in undo.before
        ):
            conversation.amendments.forget_member(person, until_ms=now_ms)
            self.withdrawal.clear_holders(conversation)


def chats_in(store: ObjectStore) -> tuple[str, ...]:
    """Return the ids of all chats with an object in the bucket.  Raises: StorageUnavailableError."""
    parts = {listing.name.split("/")[1].removesuffix(".json") for kind in _KINDS for listing in store.list(kind)}
    return tuple(sorted(part for part in parts if is_conversation_id(part)))  # other names were made by hand


def _messages(conversation: Conversation, own: frozenset[str]) -> list[MessageRecord]:
    journalled, snapshot = conversation.journal.read_messages(), conversation.snapshot.read().record
    newest: dict[str, MessageRecord] = {}
    for segment in (*Sweep(archive=conversation.archive).find(own), snapshot.leaving):
        newest |= {one.line_message_id: one for one in segment.messages}
    newest |= {one.line_message_id: one for one in (*snapshot.messages, *journalled)}
    return sorted((newest[one] for one in own & newest.keys()), key=lambda message: message.timestamp_ms)
