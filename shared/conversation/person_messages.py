"""Which of a chat's messages are one person's, wherever compactions have put them."""

from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from itertools import chain

from shared.conversation.media import UNKNOWN_MS, media_labels
from shared.conversation.member_mark import mark_id
from shared.conversation.records import MessageRecord
from shared.conversation.store import Conversation
from shared.conversation.sweep import Sweep


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonMessages:
    """What is stored of a person in a chat.

    `own` are the ids of the person's messages of which the words or the medium are stored. `unnamed` are quoted media of which neither
    their label nor a stored message tells who sent them.
    """

    own: frozenset[str]
    unnamed: frozenset[str]

    @classmethod
    def stored_in(cls, conversation: Conversation, user_id: str, *, until_ms: int) -> "PersonMessages":
        """Find what the person sent up to this timestamp, and the unnamed media of any time.

        The journal is read before the snapshot, and the snapshot before the archive, so that what a compaction moves meanwhile is found.
        Raises: StorageUnavailableError.
        """
        labels, mark = media_labels(conversation), mark_id(user_id)
        sent = {own_id for own_id, one in labels.items() if one.by == mark and one.timestamp_ms <= until_ms}
        quoted = {own_id for own_id, one in labels.items() if one.timestamp_ms == UNKNOWN_MS}
        named: set[str] = set()
        for message in _stored(conversation, naming={user_id, *quoted}):
            if message.user_id is None or not message.line_message_id:
                continue
            named.add(message.line_message_id)
            if message.user_id == user_id and message.timestamp_ms <= until_ms:
                sent.add(message.line_message_id)
        return cls(own=frozenset(sent), unnamed=frozenset(quoted - named))


def _stored(conversation: Conversation, *, naming: AbstractSet[str]) -> Iterator[MessageRecord]:
    """Yield the messages that are stored; of the archive those in segments that name any of these ids."""
    journalled = conversation.journal.read_messages()
    snapshot = conversation.snapshot.read().record
    archived = (one for segment in Sweep(archive=conversation.archive).naming(naming) for one in segment.messages)
    return chain(journalled, snapshot.messages, snapshot.leaving.messages, archived)
