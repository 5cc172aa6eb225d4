"""Holdings: how much is stored of a chat, counted for the question whether to erase it."""

from collections.abc import Mapping, Sequence

from shared.conversation.redaction.sweep import Sweep
from shared.conversation.store import Conversation
from shared.features.stored_feature import StoredFeature
from shared.features.stored_features import STORED_FEATURES


def holdings_of(conversation: Conversation, features: Sequence[StoredFeature] = STORED_FEATURES) -> Mapping[str, int]:
    """Count everything that the chat would lose, by the features' folders: `{"messages": 212, "entries": 8, "media": 3, "reminders": 1}`.

    The features count on this thread, because some read in parallel themselves. Raises: StorageUnavailableError.
    """
    snapshot, names = conversation.objects.reads.submit(conversation.snapshot.read), conversation.names
    counts = {one.folder: one.count(conversation) for one in features if one.count is not None}
    journal = conversation.journal.list_objects()
    record = snapshot.result().record
    message_ids = {names.message_id_in(one.name) for one in journal.messages}
    message_ids |= {one.line_message_id for one in (*record.messages, *record.leaving.messages)}
    for segment in Sweep(archive=conversation.archive).segments_after(-1):
        message_ids |= {one.line_message_id for one in segment.messages}
    return {"messages": len(message_ids), **counts}
