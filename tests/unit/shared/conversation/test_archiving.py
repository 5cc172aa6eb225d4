"""Compactions that write segments: killed at any write, two at once, beside withdrawals."""

import contextlib
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shared.adapters.memory import FixedClock, MemoryObjectStore
from shared.conversation.amendment_records import Amendment
from shared.errors import StorageUnavailableError
from shared.handlers.unsend import withdrawal_of
from shared.storage.object_store import ListedObject
from tests.support.archives import archive_of, segments_in
from tests.support.chats import conversations_on, everything_in, reader
from tests.support.inline import InlineExecutor
from tests.support.recaps import IN_TIME, QuotingSummariser, compaction_by, keep_messages

CHAT = "U" + "1" * 32
SIZE = 5
DAY_S = 24 * 3_600
_Written = TypeVar("_Written")


class KilledError(BaseException):
    """The worker is gone."""


class FragileStore(MemoryObjectStore):
    """A bucket whose caller dies at the write number `dies_at`, before or after it; before write `meanwhile[0]`, `meanwhile[1]` happens.

    The listing number `fails_at_archive_listing` of an archive fails; before the listings that `stalls` numbers, something happens.
    """

    def __init__(self) -> None:
        super().__init__()
        self.writes = 0
        self.dies_at: int | None = None
        self.dies_after = False
        self.meanwhile: tuple[int, Callable[[], object]] | None = None
        self.archive_listings = 0
        self.fails_at_archive_listing: int | None = None
        self.stalls: list[tuple[int, Callable[[], object]]] = []

    def list(self, prefix: str, *, since: str | None = None, before: str | None = None) -> tuple[ListedObject, ...]:
        self.archive_listings += prefix.startswith("archive/")
        if self.stalls and self.archive_listings == self.stalls[0][0]:
            self.stalls.pop(0)[1]()
        if self.archive_listings == self.fails_at_archive_listing:
            self.fails_at_archive_listing = None
            raise StorageUnavailableError("503")
        return super().list(prefix, since=since, before=before)

    def create(self, name: str, data: bytes) -> int | None:
        return self._do(lambda: super(FragileStore, self).create(name, data))

    def replace(self, name: str, data: bytes, *, generation: int) -> int | None:
        return self._do(lambda: super(FragileStore, self).replace(name, data, generation=generation))

    def delete(self, name: str, *, generation: int | None = None) -> bool:
        return self._do(lambda: super(FragileStore, self).delete(name, generation=generation))

    def _do(self, effect: Callable[[], _Written]) -> _Written:
        self.writes += 1
        number = self.writes
        if self.meanwhile is not None and self.meanwhile[0] == number:
            other, self.meanwhile = self.meanwhile[1], None
            other()
        if self.dies_at == number and not self.dies_after:
            raise KilledError
        done = effect()
        if self.dies_at == number:
            raise KilledError
        return done


@pytest.fixture
def store() -> FragileStore:
    return FragileStore()


class Archiving:
    """A chat whose messages soon leave the snapshot."""

    def __init__(self, store: FragileStore | None = None) -> None:
        self.store = store or FragileStore()
        self.clock = FixedClock()
        conversations = conversations_on(self.store, InlineExecutor(), self.clock, segment_messages=SIZE)
        self.chat = conversations.of(CHAT)
        self.compaction = compaction_by(QuotingSummariser(), self.clock)
        self.said = 0

    def says(self, messages: int) -> None:
        """So many messages are answered."""
        keep_messages(self.chat, self.clock, range(self.said + 1, self.said + messages + 1))
        self.said += messages

    def compacts(self, times: int = 1) -> None:
        for _ in range(times):
            self.compaction.fold(self.chat, IN_TIME)

    def grows(self, rounds: int) -> None:
        for _ in range(rounds):
            self.says(6)
            self.compacts()

    @property
    def expected(self) -> list[str]:
        return [f"m{number}" for number in range(1, self.said + 1)]

    def known(self) -> list[str]:
        """The messages that a reader finds, each as often as it finds it, oldest first."""
        history = reader().read_newest(self.chat)
        shown = {one.line_message_id: one.timestamp_ms for one in (*history.older, *history.messages)}
        archived = {one.line_message_id: one.timestamp_ms for one in self.chat.archive.read().messages}
        together = archived | shown
        return sorted(together, key=lambda name: together[name])

    def archived(self) -> Counter[str]:
        """How often each message is in the archive, segments that no reader should need included."""
        return Counter(archive_of(*segments_in(self.chat), self.chat.snapshot.read().record).message_ids)


def test_a_long_chat_is_archived_and_nothing_of_it_is_lost_or_doubled() -> None:
    chat = Archiving()

    chat.grows(20)

    archived = chat.archived()
    assert chat.known() == chat.expected
    assert len(archived) > 60
    assert set(archived.values()) == {1}
    assert len(chat.chat.snapshot.read().record.leaving.messages) < SIZE + 6
    answers = {one.text for one in chat.chat.archive.read().answers}
    assert {f"answer-{number}" for number in range(1, 61)} <= answers


def test_a_chat_without_the_model_is_archived_too() -> None:
    chat = Archiving()
    for _ in range(30):
        chat.says(6)
        chat.compaction.fold(chat.chat, None)

    assert chat.known() == chat.expected
    assert len(chat.archived()) > 60


def test_an_archive_is_listed_only_where_a_segment_is_full() -> None:
    chat = Archiving()
    chat.grows(1)
    assert chat.store.archive_listings == 0

    chat.grows(10)

    assert chat.store.archive_listings
    assert segments_in(chat.chat)


def test_a_compaction_fails_where_needless_segments_cannot_be_removed_and_the_next_one_removes_them() -> None:
    chat = Archiving()
    chat.grows(6)
    chat.store.archive_listings = 0
    chat.store.fails_at_archive_listing = 2  # the first one is for the numbers of the segments

    with pytest.raises(StorageUnavailableError):
        chat.grows(10)

    chat.grows(4)
    assert chat.known() == chat.expected


def test_a_compaction_that_stalls_deletes_no_segment_that_was_written_after_an_erasure() -> None:
    chat = Archiving()
    chat.grows(6)

    def erase_and_grow() -> None:
        withdrawal_of(chat.clock).erase(chat.chat, until_ms=chat.clock.now_ms() - 100_000 + erased * 1_000)
        chat.grows(10)

    erased = chat.said + 6
    chat.store.archive_listings = 0
    chat.store.stalls = [(2, erase_and_grow)]  # the first listing is for the numbers
    chat.grows(1)

    assert chat.store.stalls == []
    assert chat.known() == chat.expected[erased:]


def test_without_an_archive_nothing_is_written_or_waits() -> None:
    chat = Archiving()
    chat.chat = replace(chat.chat, archive=replace(chat.chat.archive, days=0))

    chat.grows(20)

    assert segments_in(chat.chat) == []
    assert chat.chat.snapshot.read().record.leaving.messages == ()


@settings(max_examples=40)
@given(st.integers(1, 40), st.booleans(), st.integers(0, 3))
def test_a_compaction_that_dies_at_any_write_loses_nothing_and_leaves_no_double(
    write: int, dies_after: bool, rounds: int
) -> None:
    chat = Archiving()
    chat.grows(6 + rounds)
    chat.says(6)
    chat.store.dies_at, chat.store.dies_after = chat.store.writes + write, dies_after

    try:
        chat.compacts()
    except KilledError:
        chat.store.dies_at = None
    assert chat.known() == chat.expected

    chat.store.dies_at = None
    chat.grows(4)
    assert chat.known() == chat.expected
    assert set(chat.archived().values()) == {1}


@settings(max_examples=40)
@given(st.integers(1, 40), st.booleans())
def test_an_archive_survives_two_compactions_at_once(write: int, grows: bool) -> None:
    chat = Archiving()
    chat.grows(7)
    chat.says(6)

    def other() -> None:
        if grows:
            chat.says(6)
        chat.compacts()

    chat.store.meanwhile = (chat.store.writes + write, other)
    chat.compacts()

    assert chat.known() == chat.expected
    chat.store.meanwhile = None
    chat.grows(4)
    assert chat.known() == chat.expected
    assert set(chat.archived().values()) == {1}


@settings(max_examples=40)
@given(st.integers(1, 40), st.booleans(), st.integers(1, 40), st.booleans())
def test_a_message_that_is_unsent_while_it_moves_is_in_no_object(
    write: int, dies: bool, number: int, dies_after: bool
) -> None:
    chat = Archiving()
    chat.grows(7)
    chat.says(6)
    withdrawal = withdrawal_of(chat.clock)
    first = chat.store.writes
    chat.store.meanwhile = (
        first + write,
        lambda: withdrawal.withdraw(chat.chat, f"m{number}", timestamp_ms=chat.clock.now_ms()),
    )
    if dies:
        chat.store.dies_at, chat.store.dies_after = first + write, dies_after
    with contextlib.suppress(KilledError):
        chat.compacts()
    chat.store.dies_at = None
    if chat.store.meanwhile is not None:
        chat.store.meanwhile = None
        withdrawal.withdraw(chat.chat, f"m{number}", timestamp_ms=chat.clock.now_ms())

    withdrawal.finish_withdrawal(chat.chat, f"m{number}")

    left = [one for one in chat.expected if one != f"m{number}"]
    assert not leaves_words(chat, number)
    assert chat.known() == left
    chat.grows(4)
    assert not leaves_words(chat, number)


class Moving:
    """A chat whose next compaction moves a message to the archive; before it writes the segment, something else happens."""

    def __init__(self, meanwhile: Callable[["Moving"], object]) -> None:
        self.chat, twin = _about_to_archive(), _about_to_archive()
        before = _in_segments(twin)
        twin.compacts()
        self.moved = min(_in_segments(twin) - before, key=lambda message_id: int(message_id[1:]))
        self.chat.store.meanwhile = (self.chat.store.writes + 1, lambda: meanwhile(self))
        self.chat.compacts()

    def begins_to_unsend(self) -> None:
        now_ms = self.chat.clock.now_ms()
        self.chat.chat.amendments.amend(Amendment(line_message_id=self.moved, timestamp_ms=now_ms))

    def unsends(self) -> None:
        now_ms = self.chat.clock.now_ms()
        withdrawal_of(self.chat.clock).withdraw(self.chat.chat, self.moved, timestamp_ms=now_ms)

    @property
    def leaves_words(self) -> bool:
        return leaves_words(self.chat, int(self.moved[1:]))


def _about_to_archive() -> Archiving:
    chat = Archiving()
    chat.grows(8)
    chat.says(6)
    return chat


def _in_segments(chat: Archiving) -> set[str]:
    return {one.line_message_id for segment in segments_in(chat.chat) for one in segment.messages}


def test_a_segment_that_is_written_while_a_message_is_unsent_keeps_nothing_of_it() -> None:
    assert not Moving(Moving.begins_to_unsend).leaves_words


def test_a_segment_whose_swap_is_lost_to_an_unsend_keeps_nothing_of_the_message() -> None:
    assert not Moving(Moving.unsends).leaves_words


def test_a_segment_of_a_lost_swap_is_removed_at_once_where_no_snapshot_can_name_it() -> None:
    def unsend_and_compact(moving: Moving) -> None:
        moving.unsends()
        moving.chat.says(6)
        moving.chat.compacts()

    moving = Moving(unsend_and_compact)

    assert set(moving.chat.archived().values()) == {1}
    assert not moving.leaves_words


def leaves_words(chat: Archiving, number: int) -> bool:
    everything = everything_in(chat.store).split()
    return any(f"word-{number}" in one.replace('"', " ").replace(",", " ").split() for one in everything)


def test_a_segment_of_a_lost_swap_is_removed_with_the_next_one() -> None:
    chat = Archiving()
    chat.grows(6)
    chat.says(6)
    before = {one.listed_object.name for one in chat.chat.archive.list_segments()}
    chat.store.dies_at = next_creation_dies(chat)
    with pytest.raises(KilledError):
        chat.compacts()
    chat.store.dies_at = None
    [orphan] = {one.listed_object.name for one in chat.chat.archive.list_segments()} - before

    chat.grows(2)

    names = {one.listed_object.name for one in chat.chat.archive.list_segments()}
    assert orphan not in names
    assert before <= names


def next_creation_dies(chat: Archiving) -> int:
    """Return the number of the write after a segment was created: the snapshot's swap."""
    return chat.store.writes + 2


def test_segments_older_than_the_archive_reaches_back_are_removed_when_one_is_written() -> None:
    chat = Archiving()
    chat.grows(10)
    first = chat.chat.archive.list_segments()[0]
    chat.clock.move(366 * DAY_S)

    chat.grows(10)

    left = chat.chat.archive.list_segments()
    assert first not in left
    assert min(one.name.last_ms for one in left) >= chat.clock.now_ms() - 365 * DAY_S * 1_000


def test_a_failed_write_of_a_segment_leaves_everything_where_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    chat = Archiving()
    chat.grows(6)
    chat.says(6)

    def fail(*_: object) -> None:
        raise StorageUnavailableError("the bucket does not answer")

    with monkeypatch.context() as patched:
        patched.setattr(FragileStore, "create", fail)
        with pytest.raises(StorageUnavailableError, match="does not answer"):
            chat.compacts()

    assert chat.known() == chat.expected
