"""The messages of a person, also those of which only an answer, a feature's object or the undo record remains."""

from collections.abc import Sequence
from dataclasses import replace

from shared.conversation.member_mark import mark_id
from shared.conversation.person_messages import PersonMessages
from shared.conversation.provenance import Provenance
from shared.conversation.store import Conversation
from shared.conversation.undo import UndoRecord
from shared.features.stored_feature import StoredFeature
from shared.features.stored_features import STORED_FEATURES


def messages_of(
    conversation: Conversation, user_id: str, *, until_ms: int, features: Sequence[StoredFeature] = STORED_FEATURES
) -> PersonMessages:
    """Return the person's messages up to this timestamp, as far as the chat's objects show.

    Raises: StorageUnavailableError, UnknownRecordVersionError.
    """
    stored, mark = PersonMessages.stored_in(conversation, user_id, until_ms=until_ms), mark_id(user_id)
    of_features = (provenance for one in features for _, provenance in one.sources(conversation))
    filed = Provenance.union((*of_features, UndoRecord.stored(conversation).provenance))
    behind = {own_id for own_id, said_ms in filed.messages.get(mark, {}).items() if said_ms <= until_ms}
    return replace(stored, source_only=stored.source_only | (behind - stored.own))
