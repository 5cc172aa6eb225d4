"""Whose a message was that nobody remembers, but that something names."""

from dataclasses import replace

from shared.conversation.authors import authors_after, with_authors
from shared.conversation.leaving import with_leaving
from shared.conversation.member_mark import mark_id
from shared.conversation.snapshot_records import Segment, SnapshotRecord
from tests.support.chats import answer, message

YUKI, KENJI = "U" + "1" * 32, "U" + "2" * 32
BY_YUKI, BY_KENJI = mark_id(YUKI), mark_id(KENJI)


def said(number: int, by: str | None) -> SnapshotRecord:
    return SnapshotRecord(messages=(replace(message(number), user_id=by, timestamp_ms=number),))


def test_what_leaves_the_memory_is_told_apart_by_who_sent_it() -> None:
    before = SnapshotRecord(messages=(*said(1, YUKI).messages, *said(2, KENJI).messages, *said(3, None).messages))

    assert with_authors(before, SnapshotRecord(), named=None).authors == {BY_YUKI: {"m1": 1}, BY_KENJI: {"m2": 2}}


def test_a_message_that_stays_or_waits_for_the_archive_needs_no_author() -> None:
    before = said(1, YUKI)

    assert with_authors(before, before, named=None).authors == {}
    assert with_authors(before, with_leaving(before, SnapshotRecord()), named=None).authors == {}


def test_a_message_without_an_id_has_no_author() -> None:
    before = SnapshotRecord(messages=(replace(message(1), user_id=YUKI, line_message_id=""),))

    assert with_authors(before, SnapshotRecord(), named=None).authors == {}


def test_an_author_is_kept_until_nothing_names_the_message() -> None:
    names_it = answer(5, saw=(1,))
    left = with_authors(said(1, YUKI), SnapshotRecord(outcomes=(names_it,)), named=frozenset())
    waits = Segment(answers=with_leaving(left, SnapshotRecord()).leaving.answers)

    assert with_authors(left, left, named=frozenset()).authors == {BY_YUKI: {"m1": 1}}
    assert with_authors(left, SnapshotRecord(leaving=waits), named=frozenset()).authors == {BY_YUKI: {"m1": 1}}
    assert with_authors(left, SnapshotRecord(), named=frozenset({"m1"})).authors == {BY_YUKI: {"m1": 1}}
    assert with_authors(left, SnapshotRecord(), named=None).authors == {BY_YUKI: {"m1": 1}}
    assert with_authors(left, SnapshotRecord(), named=frozenset()).authors == {}


def test_an_erasure_takes_the_authors_of_what_is_older() -> None:
    authors = {BY_YUKI: {"m1": 1, "m2": 2}, BY_KENJI: {"m3": 1}}

    assert authors_after(1, authors) == {BY_YUKI: {"m2": 2}}
    assert authors_after(-1, authors) == authors
