import pytest

from shared.conversation.provenance import Provenance, Source
from shared.conversation.records import StagedWrite
from shared.conversation.undo import UndoRecord, format_undo, read_undo, revision_of_undo


def test_an_undo_record_round_trips_through_its_object() -> None:
    record = UndoRecord(
        revision="3.2",
        before=(StagedWrite(path="projects/garden.md", text=None),),
        provenance=Provenance.of_sources((Source(line_message_id="m1", timestamp_ms=5),)),
    )

    assert read_undo(format_undo(record).encode()) == record
    assert revision_of_undo(format_undo(record).encode()) == (3, 2)


@pytest.mark.parametrize("data", [b"", b"{", b'{"version": 2}', b'{"version": 1, "revision": "x"}'])
def test_an_unreadable_undo_record_is_older_than_any_write(data: bytes) -> None:
    assert revision_of_undo(data) == (0, 0)
