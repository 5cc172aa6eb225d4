"""Which messages of a chat are one person's."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from shared.adapters.memory import FixedClock, MemoryObjectStore
from shared.conversation.media import UNKNOWN_MS, MediumLabel
from shared.conversation.member_mark import mark_id
from shared.conversation.person_messages import PersonMessages
from shared.conversation.snapshot_records import SnapshotRecord
from shared.conversation.store import Conversation
from shared.storage.codec import encode
from shared.storage.object_store import ListedObject, StoredObject
from tests.support.archives import put_segment
from tests.support.chats import conversations_on, message
from tests.support.inline import InlineExecutor
from tests.support.recaps import QuotingSummariser, compaction_by

YUKI, KENJI = "U" + "1" * 32, "U" + "2" * 32


class CompactedStore(MemoryObjectStore):
    """A bucket in which a compaction passes, once, before the journal is listed or before the first of its messages is read."""

    compact: Callable[[], object] | None = None
    before: str = "list"

    def list(self, prefix: str, *, since: str | None = None, before: str | None = None) -> tuple[ListedObject, ...]:
        if self.before == "list" and prefix.startswith("journal/"):
            self._compact()
        return super().list(prefix, since=since, before=before)

    def read(self, name: str) -> StoredObject | None:
        if self.before == "read" and name.startswith("journal/"):
            self._compact()
        return super().read(name)

    def _compact(self) -> None:
        compact, self.compact = self.compact, None
        if compact is not None:
            compact()


@pytest.mark.parametrize("before", ["list", "read"])
def test_messages_that_are_folded_meanwhile_are_taken_back_too(clock: FixedClock, before: str) -> None:
    store = CompactedStore()
    store.before = before
    group = conversations_on(store, InlineExecutor(), clock).of("C" + "1" * 32)
    for number in range(8):
        record = message(number, addressed=False, timestamp_ms=clock.now_ms() - 1_000 + number)
        store.create(group.names.message(record.line_message_id), encode(replace(record, user_id=YUKI)))
    compaction = compaction_by(QuotingSummariser(), clock)
    store.compact = lambda: compaction.fold(group, None)

    own = PersonMessages.stored_in(group, YUKI, until_ms=clock.now_ms()).own

    assert own == {f"m{number}" for number in range(8)}


def test_a_persons_messages_are_those_up_to_the_command_in_journal_and_snapshot(chat: Conversation) -> None:
    folded = tuple(replace(message(number), user_id=YUKI) for number in (1, 2))
    unnamed = replace(message(3), user_id=YUKI, line_message_id="")  # from before ids were kept
    chat.snapshot.swap(chat.snapshot.read(), SnapshotRecord(messages=(*folded, unnamed, message(4))))
    for number, by in ((5, YUKI), (6, KENJI), (7, YUKI), (8, YUKI)):
        chat.journal.keep(replace(message(number), user_id=by))

    assert PersonMessages.stored_in(chat, YUKI, until_ms=7).own == {"m1", "m2", "m5", "m7"}
    assert PersonMessages.stored_in(chat, KENJI, until_ms=5).own == frozenset()


def test_a_persons_archived_messages_are_their_own(chat: Conversation) -> None:
    put_segment(chat, [replace(message(1), user_id=YUKI), replace(message(2), user_id=KENJI)])
    put_segment(chat, [replace(message(3), user_id=YUKI), replace(message(9), user_id=YUKI)])

    assert PersonMessages.stored_in(chat, YUKI, until_ms=5).own == {"m1", "m3"}


def put_label(chat: Conversation, number: int, *, by: str | None, timestamp_ms: int | None = None) -> None:
    label = MediumLabel(
        timestamp_ms=number if timestamp_ms is None else timestamp_ms,
        content_type="image/jpeg",
        size_bytes=1,
        by=None if by is None else mark_id(by),
    )
    chat.objects.store.create(chat.names.medium_label(f"m{number}"), encode(label))


def test_media_are_a_persons_after_their_messages_have_left_the_memory(chat: Conversation) -> None:
    for number, by in ((4, YUKI), (5, KENJI), (6, YUKI), (7, None)):
        put_label(chat, number, by=by)

    assert PersonMessages.stored_in(chat, YUKI, until_ms=5).own == {"m4"}
    assert PersonMessages.stored_in(chat, YUKI, until_ms=6) == PersonMessages(
        own=frozenset({"m4", "m6"}), unnamed=frozenset()
    )


def test_quoted_media_are_unnamed_until_a_stored_message_names_their_sender(chat: Conversation) -> None:
    for number in (4, 5, 6, 7):
        put_label(chat, number, by=None, timestamp_ms=UNKNOWN_MS)
    put_segment(chat, [replace(message(4), user_id=KENJI)])
    chat.journal.keep(replace(message(5), user_id=None))
    chat.journal.keep(replace(message(6), user_id=YUKI))

    assert PersonMessages.stored_in(chat, YUKI, until_ms=5) == PersonMessages(
        own=frozenset(), unnamed=frozenset({"m5", "m7"})
    )


def test_media_whose_label_was_never_written_or_cannot_be_read_are_unnamed(chat: Conversation) -> None:
    for number in (4, 5):
        chat.objects.store.create(chat.names.medium(f"m{number}"), b"bytes")
    chat.objects.store.create(chat.names.medium_label("m6"), b"{")
    chat.journal.keep(replace(message(5), user_id=KENJI))

    assert PersonMessages.stored_in(chat, YUKI, until_ms=5) == PersonMessages(
        own=frozenset(), unnamed=frozenset({"m4", "m6"})
    )


def test_labels_are_listed_once(clock: FixedClock) -> None:
    store = ListedStore()
    chat = conversations_on(store, InlineExecutor(), clock).of("C" + "1" * 32)
    put_label(chat, 4, by=YUKI)
    put_label(chat, 5, by=None, timestamp_ms=UNKNOWN_MS)

    found = PersonMessages.stored_in(chat, YUKI, until_ms=5)

    assert found == PersonMessages(own=frozenset({"m4"}), unnamed=frozenset({"m5"}))
    assert [one for one in store.listed if one.startswith("media/")] == [chat.names.media_prefix]


class ListedStore(MemoryObjectStore):
    """A bucket that remembers what was listed."""

    def __init__(self) -> None:
        super().__init__()
        self.listed: list[str] = []

    def list(self, prefix: str, *, since: str | None = None, before: str | None = None) -> tuple[ListedObject, ...]:
        self.listed.append(prefix)
        return super().list(prefix, since=since, before=before)
