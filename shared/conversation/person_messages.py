"""Which of a chat's messages a person sent, in journal, snapshot and archive."""

from itertools import chain

from shared.conversation.media import UNKNOWN_MS, media_labels
from shared.conversation.member_mark import mark_id
from shared.conversation.provenance import Provenance
from shared.conversation.redaction.sweep import Sweep
from shared.conversation.store import Conversation
from shared.frozen import frozen


@frozen
class PersonMessages:
    """The records stored of a person in a chat.

    `own`: the ids of the person's messages whose words or medium are stored. `source_only`: messages of which only derived records are
    stored. `unnamed`: media without a sender in a stored message, quoted or without a readable label.
    """

    own: frozenset[str]
    unnamed: frozenset[str]
    source_only: frozenset[str] = frozenset()

    @property
    def ids(self) -> frozenset[str]:
        """The ids withdrawn when the person takes back everything."""
        return self.own | self.source_only | self.unnamed

    @classmethod
    def stored_in(cls, conversation: Conversation, user_id: str, *, until_ms: int) -> "PersonMessages":
        """Find the person's messages up to the timestamp, and the unnamed media of any time.

        The journal is read before the snapshot, and the snapshot before the archive, to find everything moved meanwhile by a compaction.
        Raises: StorageUnavailableError.
        """
        labels, mark = media_labels(conversation), mark_id(user_id)
        sent = {own_id for own_id, one in labels.items() if one and one.by == mark and one.timestamp_ms <= until_ms}
        quoted = {own_id for own_id, one in labels.items() if one is None or one.timestamp_ms == UNKNOWN_MS}
        journalled, recorded = conversation.journal.read_messages(), conversation.journal.read_outcomes()
        snapshot = conversation.snapshot.read().record
        segments = tuple(Sweep(archive=conversation.archive).find({user_id, mark, *quoted}))
        archived = (one for segment in segments for one in segment.messages)
        attributed_ids: set[str] = set()
        for message in chain(journalled, snapshot.messages, snapshot.leaving.messages, archived):
            if message.user_id is None or not message.line_message_id:
                continue
            attributed_ids.add(message.line_message_id)
            if message.user_id == user_id and message.timestamp_ms <= until_ms:
                sent.add(message.line_message_id)
        provenance = Provenance.union(
            (
                snapshot.provenance,
                *(one.provenance for one in recorded),
                *(one.provenance for segment in segments for one in segment.answers),
                *(one.provenance for segment in segments for one in segment.recaps),
            )
        )
        sources = {own_id for own_id, said_ms in provenance.messages.get(mark, {}).items() if said_ms <= until_ms}
        return cls(
            own=frozenset(sent), source_only=frozenset(sources - sent), unnamed=frozenset(quoted - attributed_ids)
        )
