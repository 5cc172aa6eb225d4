"""What a deletion leaves at an entry's path."""

import pytest

from shared.conversation.provenance import Provenance, Source
from shared.knowledge.tombstone import Tombstone, encoded_tombstone, tombstone_in
from tests.support.knowledge import FilingChat, message

M1, M2 = Source(line_message_id="m1", timestamp_ms=5), Source(line_message_id="m2", timestamp_ms=9)


def tombstone_of(*sources: Source) -> Tombstone:
    return Tombstone(revision="3.2", deleted_ms=7, provenance=Provenance.of_sources(sources))


def test_a_tombstone_names_the_messages_of_its_entry() -> None:
    chat = FilingChat()
    path = chat.file("庭の工事", message(1, "庭の工事"))

    buried = tombstone_in(encoded_tombstone(path, chat.file_text(path).encode(), key=(3, 2), deleted_ms=7))

    assert buried == tombstone_of(Source(line_message_id="m1", timestamp_ms=1_000))
    assert buried.key == (3, 2)


def test_the_tombstone_of_an_unreadable_entry_names_what_the_object_names() -> None:
    chat = FilingChat()
    path = chat.file("庭の工事", message(1, "庭の工事"))
    broken = chat.file_text(path).replace("confidence:", "confidence: [")

    buried = tombstone_in(encoded_tombstone(path, broken.encode(), key=(3, 2), deleted_ms=7))

    assert buried is not None
    assert [one.line_message_id for one in buried.provenance.sources] == ["m1"]


@pytest.mark.parametrize(
    ("sources", "withdrawn", "goes"),
    [
        ((M1, M2), {("m2", 9)}, True),
        ((M1, M2), {("m3", 9)}, False),
        ((M1,), set(), False),
        ((), set(), True),  # its path may repeat anything
    ],
)
def test_a_tombstone_goes_with_the_first_of_its_messages(
    sources: tuple[Source, ...], withdrawn: set[tuple[str, int]], *, goes: bool
) -> None:
    assert tombstone_of(*sources).is_withdrawn(lambda one, at_ms: (one, at_ms) in withdrawn) is goes


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"---\nname: x\n---\n",
        b"{",
        b'{"version": 2, "revision": "3.2", "deleted_ms": 7}',
        b'{"version": 1, "revision": "x", "deleted_ms": 7}',
    ],
)
def test_an_object_that_is_no_tombstone_holds_none(data: bytes) -> None:
    assert tombstone_in(data) is None
