"""The chats of one bucket.  `Conversations.of("U4af4...")` binds an id to everything stored of the chat."""

import uuid
from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import field

from shared.clock import Clock
from shared.conversation.amendment_log import AmendmentLog
from shared.conversation.amendment_views import AmendmentViews
from shared.conversation.archive import ARCHIVE_DAYS, SEGMENT_MESSAGES, Archive
from shared.conversation.journal import Journal
from shared.conversation.members import Members
from shared.conversation.silences import SilencedChats, Silences
from shared.conversation.snapshot import Snapshot
from shared.conversation.spending import Ledger
from shared.conversation.turn import FENCE, Turn
from shared.frozen import frozen
from shared.storage.object_cache import ObjectCache
from shared.storage.object_names import ObjectNames
from shared.storage.object_store import ObjectStore


def _new_id() -> str:
    return uuid.uuid4().hex


@frozen
class Conversation:
    """One chat.  Its id crosses wires only; all other code is handed the conversation."""

    names: ObjectNames
    objects: ObjectCache = field(repr=False)
    amendments: AmendmentLog = field(repr=False)
    journal: Journal = field(repr=False)
    snapshot: Snapshot = field(repr=False)
    archive: Archive = field(repr=False)
    turn: Turn = field(repr=False)
    members: Members = field(repr=False)
    silences: Silences = field(repr=False)

    @property
    def id(self) -> str:
        """LINE's id of the user, group or room."""
        return self.names.conversation_id

    @property
    def is_one_on_one(self) -> bool:
        """Whether the chat is with one person.  Source: LINE, webhook.yml: ids of users begin with U."""
        return self.id.startswith("U")


@frozen
class Conversations:
    """The chats of one bucket.

    `lease_s`: how long a dead worker holds the chat's turn. `archive_days`: how far archives reach back; 0: nothing is archived.
    `segment_messages`: how many messages fill a segment of an archive.
    """

    objects: ObjectCache = field(repr=False)
    clock: Clock = field(repr=False)
    lease_s: float
    new_id: Callable[[], str] = field(default=_new_id, repr=False)
    ledger: Ledger = field(default_factory=Ledger, repr=False)
    views: AmendmentViews = field(default_factory=AmendmentViews, repr=False)
    silenced: SilencedChats = field(default_factory=SilencedChats, repr=False)
    archive_days: int = ARCHIVE_DAYS
    segment_messages: int = SEGMENT_MESSAGES

    @classmethod
    def on(  # noqa: PLR0913 - a store, its threads, and what tests replace
        cls,
        store: ObjectStore,
        *,
        reads: Executor,
        clock: Clock,
        lease_s: float,
        new_id: Callable[[], str] = _new_id,
        ledger: Ledger | None = None,
        archive_days: int = ARCHIVE_DAYS,
        segment_messages: int = SEGMENT_MESSAGES,
    ) -> "Conversations":
        """Return the chats of a bucket, read on the threads of `reads`."""
        objects = ObjectCache(store=store, reads=reads)
        return cls(
            objects=objects,
            clock=clock,
            lease_s=lease_s,
            new_id=new_id,
            ledger=ledger or Ledger(),
            archive_days=archive_days,
            segment_messages=segment_messages,
        )

    def of(self, conversation_id: str) -> Conversation:
        """Return the chat of an id; reads nothing.  Raises: UnusableIdError."""
        names, objects = ObjectNames(conversation_id), self.objects
        amendments = AmendmentLog(
            names=names,
            objects=objects,
            clock=self.clock,
            views=self.views,
            look_s=self.lease_s * FENCE,
        )
        snapshot = Snapshot(names=names, objects=objects)
        return Conversation(
            names=names,
            objects=objects,
            amendments=amendments,
            journal=Journal(names=names, objects=objects, amendments=amendments),
            snapshot=snapshot,
            archive=Archive(
                names=names,
                objects=objects,
                amendments=amendments,
                snapshot=snapshot,
                clock=self.clock,
                days=self.archive_days,
                size=self.segment_messages,
            ),
            turn=Turn(
                names=names,
                store=objects.store,
                clock=self.clock,
                new_id=self.new_id,
                ledger=self.ledger,
                lease_s=self.lease_s,
            ),
            members=Members(names=names, store=objects.store, amendments=amendments),
            silences=Silences(names=names, store=objects.store, clock=self.clock, silenced=self.silenced),
        )
