from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from shared.adapters.memory import MemoryObjectStore
from shared.conversation.amendment_records import Amendment, EditedWords, MadeOfMessage
from shared.conversation.edits import Edits
from shared.errors import CorruptRecordError
from shared.storage.codec import decode, encode
from shared.storage.object_store import ListedObject
from tests.support.chats import conversations_on
from tests.support.inline import InlineExecutor

CHAT = "U" + "1" * 32


class ForgetfulStore(MemoryObjectStore):
    """A bucket whose retention deletes everything right after it was listed, if it is due."""

    is_due = False

    def list(self, prefix: str, *, since: str | None = None, before: str | None = None) -> tuple[ListedObject, ...]:
        listed = super().list(prefix, since=since, before=before)
        for listed_object in listed if self.is_due else ():
            super().delete(listed_object.name)
        return listed


@pytest.fixture
def bucket() -> ForgetfulStore:
    return ForgetfulStore()


@pytest.fixture
def edits(bucket: ForgetfulStore) -> Edits:
    return conversations_on(bucket, InlineExecutor()).of(CHAT).amendments.edits


def edit(an_id: str, text: str, *, at_ms: int) -> Amendment:
    return Amendment(line_message_id=an_id, timestamp_ms=at_ms, text=text)


def stored(edits: Edits) -> dict[str, EditedWords]:
    store, names = edits.objects.store, edits.names
    bodies = {Path(one.name).stem: store.read(one.name) for one in store.list(names.edited_prefix)}
    return {an_id: decode(EditedWords, body.data) for an_id, body in bodies.items() if body is not None}


def test_the_newest_words_stand_and_of_one_moment_the_first(edits: Edits) -> None:
    for text, at_ms in (("b", 5), ("a", 4), ("c", 5)):
        edits.put(edit("m1", text, at_ms=at_ms))
    assert stored(edits) == {"m1": EditedWords(timestamp_ms=5, text="b")}

    edits.put(edit("m1", "d", at_ms=6))

    assert stored(edits) == {"m1": EditedWords(timestamp_ms=6, text="d")}


def test_an_edit_of_the_first_millisecond_and_one_without_letters_count(edits: Edits) -> None:
    edits.put(edit("m1", "", at_ms=0))
    edits.put(edit("m1", "a", at_ms=1))

    assert stored(edits) == {"m1": EditedWords(timestamp_ms=1, text="a")}


def test_words_that_cannot_be_read_are_replaced_by_no_edit(edits: Edits, bucket: ForgetfulStore) -> None:
    bucket.create(edits.names.edited("m1"), b"{")

    with pytest.raises(CorruptRecordError):
        edits.put(edit("m1", "a", at_ms=9))

    assert edits.begin_reading({"m1"})() == {"m1": None}
    edits.drop({"m1"})
    assert stored(edits) == {"m1": EditedWords(timestamp_ms=0)}


def test_dropped_words_are_final_also_where_there_were_none(edits: Edits) -> None:
    edits.put(edit("m1", "a", at_ms=5))
    edits.drop({"m1", "m2"})
    for an_id in ("m1", "m2"):
        edits.put(edit(an_id, "b", at_ms=9))

    assert stored(edits) == {"m1": EditedWords(timestamp_ms=5), "m2": EditedWords(timestamp_ms=0)}


def test_an_erasure_takes_the_words_up_to_it_and_what_cannot_be_read(edits: Edits, bucket: ForgetfulStore) -> None:
    for an_id, at_ms in (("m4", 4), ("m5", 5), ("m6", 6)):
        edits.put(edit(an_id, "a", at_ms=at_ms))
    edits.drop({"m7"})
    bucket.create(edits.names.edited("m8"), b"{")

    edits.erase(5)

    texts = {an_id: words.text for an_id, words in stored(edits).items()}
    assert texts == {"m4": None, "m5": None, "m6": "a", "m7": None, "m8": None}


def test_an_erasure_creates_nothing_for_words_that_retention_has_deleted(edits: Edits, bucket: ForgetfulStore) -> None:
    edits.put(edit("m1", "a", at_ms=4))
    bucket.is_due = True

    edits.erase(5)

    bucket.is_due = False
    assert stored(edits) == {}


def test_an_edit_from_before_an_erasure_has_no_words(bucket: ForgetfulStore) -> None:
    chat = conversations_on(bucket, InlineExecutor()).of(CHAT)
    edits = chat.amendments.edits
    chat.amendments.erase(5)
    for an_id, at_ms in (("m5", 5), ("m6", 6)):
        edits.put(edit(an_id, "a", at_ms=at_ms))
    bucket.create(edits.names.edited("m7"), encode(EditedWords(timestamp_ms=7)))

    dropped = [edits.drop_erased(an_id) for an_id in ("m5", "m6", "m7", "m8", "m5")]

    assert dropped == [True, False, False, False, False]
    assert {an_id: words.text for an_id, words in stored(edits).items()} == {"m5": None, "m6": "a", "m7": None}


NOTE = MadeOfMessage(notes=("2026-11-23T08:00",), is_one_note=True)
OTHER = MadeOfMessage(reminders=("r1",))


def test_what_an_edit_removes_is_stored_until_it_is_told(edits: Edits) -> None:
    edits.put(replace(edit("m1", "b", at_ms=5), made=NOTE))
    edits.put(edit("m1", "b", at_ms=5))  # delivered again, after the sweep

    assert edits.untold("m1", timestamp_ms=5) == NOTE
    for _ in range(2):
        edits.mark_told("m1", timestamp_ms=5)

    assert edits.untold("m1", timestamp_ms=5) == MadeOfMessage()
    assert stored(edits) == {"m1": EditedWords(timestamp_ms=5, text="b")}


def test_a_newer_edit_tells_what_the_older_one_did_not(edits: Edits) -> None:
    edits.put(replace(edit("m1", "b", at_ms=5), made=NOTE))
    edits.put(replace(edit("m1", "c", at_ms=6), made=OTHER))
    edits.mark_told("m1", timestamp_ms=5)

    assert edits.untold("m1", timestamp_ms=5) == MadeOfMessage()
    assert edits.untold("m1", timestamp_ms=6) == NOTE | OTHER


@pytest.mark.parametrize("takes_back", [Edits.drop, lambda edits, _: edits.erase(9)], ids=["withdrawn", "erased"])
def test_a_message_that_is_taken_back_has_nothing_to_tell(
    edits: Edits, takes_back: Callable[[Edits, list[str]], None]
) -> None:
    edits.put(replace(edit("m1", "b", at_ms=5), made=NOTE))

    takes_back(edits, ["m1"])

    assert stored(edits)["m1"].made == MadeOfMessage()


def test_parts_of_what_was_made_are_united_without_counting_twice() -> None:
    two_of_one_minute = MadeOfMessage(notes=("t", "t"))

    assert NOTE | MadeOfMessage() == NOTE
    assert NOTE | NOTE == NOTE
    assert two_of_one_minute | MadeOfMessage(notes=("t",), is_one_note=True) == two_of_one_minute
    assert not MadeOfMessage()
