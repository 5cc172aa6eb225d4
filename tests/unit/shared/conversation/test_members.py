"""Since when members are in a group."""

import io

import pytest

from shared.adapters.memory import MemoryObjectStore
from shared.conversation.members import MOST_MEMBERS
from shared.conversation.store import Conversation
from shared.errors import CorruptRecordError, UnknownRecordVersionError
from tests.support.chats import conversations_on
from tests.support.inline import InlineExecutor

YUKI, KENJI = "U" + "1" * 32, "U" + "2" * 32


@pytest.fixture
def group() -> Conversation:
    return conversations_on(MemoryObjectStore(), InlineExecutor()).of("C" + "1" * 32)


def test_of_several_people_the_last_joining_counts(group: Conversation) -> None:
    group.members.record_joining([YUKI], at_ms=5)
    group.members.record_joining([KENJI], at_ms=9)

    assert group.members.joined_ms([YUKI]) == 5
    assert group.members.joined_ms([YUKI, KENJI]) == 9
    assert group.members.joined_ms(["U" + "3" * 32]) is None


def test_of_a_group_that_nobody_joined_no_joining_is_known(group: Conversation) -> None:
    assert group.members.joined_ms([YUKI]) is None


def test_a_redelivered_joining_does_not_undo_a_later_one(group: Conversation) -> None:
    group.members.record_joining([YUKI], at_ms=9)
    before = group.objects.store.list("")
    group.members.record_joining([YUKI], at_ms=5)

    assert group.members.joined_ms([YUKI]) == 9
    assert group.objects.store.list("") == before  # nothing is written again


def test_a_member_who_left_is_forgotten_unless_they_came_back(group: Conversation) -> None:
    group.members.record_joining([YUKI, KENJI], at_ms=5)
    group.members.record_joining([KENJI], at_ms=9)

    group.members.record_leaving([YUKI, KENJI], at_ms=7)

    assert group.members.joined_ms([YUKI]) is None
    assert group.members.joined_ms([KENJI]) == 9
    group.members.record_leaving([KENJI], at_ms=9)
    assert group.members.joined_ms([KENJI]) is None


def test_who_leaves_a_group_of_which_nothing_is_known_leaves_no_byte(group: Conversation) -> None:
    group.members.record_leaving([YUKI], at_ms=7)
    group.members.erase(until_ms=9)

    assert group.objects.store.list("") == ()


@pytest.mark.parametrize(("joined_ms", "known_ms"), [(6, None), (7, None), (8, 8)])
@pytest.mark.parametrize("joins_first", [True, False])
def test_an_erasure_forgets_older_joinings_in_any_order(
    group: Conversation, joined_ms: int, known_ms: int | None, *, joins_first: bool
) -> None:
    def join() -> None:
        group.members.record_joining([YUKI], at_ms=joined_ms)

    def erase() -> None:
        group.amendments.erase(7)
        group.members.erase(until_ms=7)

    for act in (join, erase) if joins_first else (erase, join):
        act()

    assert group.members.joined_ms([YUKI]) == known_ms


def test_only_the_newest_joinings_are_kept(group: Conversation) -> None:
    for number in range(MOST_MEMBERS + 2):
        group.members.record_joining([f"U{number:032x}"], at_ms=number)

    assert group.members.joined_ms([f"U{1:032x}"]) is None
    assert group.members.joined_ms([f"U{2:032x}"]) == 2


def test_an_erasure_deletes_joinings_that_cannot_be_read(group: Conversation, lines: io.StringIO) -> None:
    group.objects.store.create(group.names.members, b"{")

    group.members.erase(until_ms=7)

    assert group.objects.store.read(group.names.members) is None
    assert "record_unreadable" in lines.getvalue()


def test_an_erasure_leaves_joinings_of_a_newer_version(group: Conversation) -> None:
    group.objects.store.create(group.names.members, b'{"version": 99}')

    with pytest.raises(UnknownRecordVersionError):
        group.members.erase(until_ms=7)

    assert group.objects.store.read(group.names.members) is not None


def test_joinings_that_cannot_be_read_tell_nobody_that_they_were_there_before(
    group: Conversation, lines: io.StringIO
) -> None:
    group.objects.store.create(group.names.members, b"{")

    with pytest.raises(CorruptRecordError):
        group.members.joined_ms([YUKI])
    assert "record_unreadable" in lines.getvalue()
