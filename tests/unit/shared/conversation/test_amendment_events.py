import pytest

from shared.conversation.amendment_events import (
    AmendmentEvent,
    AmendmentKind,
    erasure_of,
    event_in,
    events_of,
    parsed,
    plan_of,
    withdrawal_of,
)
from shared.conversation.amendment_records import Watermark
from shared.errors import UnknownRecordVersionError
from shared.storage.codec import decode, encode
from shared.storage.object_names import AmendedName, ObjectNames
from tests.support import recorded

NAMES = ObjectNames(recorded.USER)


def named(kind: str, an_id: str) -> AmendedName:
    return AmendedName(written_ms=7, kind=kind, id=an_id, digest="0a1b2c3d")


def test_a_watermark_stands_for_a_reset_and_an_erasure_of_entries() -> None:
    events = events_of(Watermark(timestamp_ms=9, entries_ms=4))

    assert events == (erasure_of(9, spares_entries=True), erasure_of(4, spares_entries=False))
    assert [one.kind for one in events] == [AmendmentKind.RESET, AmendmentKind.ERASURE]


@pytest.mark.parametrize(
    ("kind", "an_id", "timestamp_ms", "withdrawn_ids"),
    [
        ("edit", "4711", 0, ()),  # its words tell when
        ("withdrawal", "4711", 0, ("4711",)),
        ("plan", "4711", 0, ()),
        ("erasure", "4711", 4711, ()),
        ("reset", "4711", 4711, ()),
        ("erasure", "by-hand", 0, ()),
        ("member", "member-1", 7, ()),
    ],
)
@pytest.mark.parametrize("data", [b"changed by hand", b"[" * 100_000, b'{"version":1}'])
def test_an_event_that_cannot_be_read_counts_by_its_name(
    kind: str, an_id: str, timestamp_ms: int, withdrawn_ids: tuple[str, ...], data: bytes
) -> None:
    event = event_in(named(kind, an_id), data)

    assert event == AmendmentEvent(
        kind=AmendmentKind(kind), id=an_id, timestamp_ms=timestamp_ms, withdrawn_ids=withdrawn_ids
    )


def test_an_event_of_an_unknown_kind_says_nothing_and_one_of_a_newer_version_is_refused() -> None:
    assert event_in(named("fresh", "1"), b'{"version":1,"kind":"fresh","id":"1"}') is None
    with pytest.raises(UnknownRecordVersionError):
        event_in(named("withdrawal", "1"), b'{"version":2}')


def test_the_name_of_an_event_tells_its_kind_its_id_and_which_of_two_it_is() -> None:
    first = plan_of("5", redacted_ids=["a"], cleared_ids=["b"])
    second = plan_of("5", redacted_ids=["a", "c"], cleared_ids=["b"])

    names = [NAMES.amended_name_in(one.name(NAMES, written_ms=7)) for one in (first, second)]

    assert [(one.written_ms, one.kind, one.id) for one in names] == [(7, "plan", "5")] * 2
    assert len({one.digest for one in names}) == 2
    assert decode(AmendmentEvent, encode(first)).name(NAMES, written_ms=7) == first.name(NAMES, written_ms=7)


def test_messages_that_are_withdrawn_together_have_the_id_of_the_last() -> None:
    event = withdrawal_of(["b", "c", "a"], timestamp_ms=9)

    assert event.id == "c"
    assert event.withdrawn_ids == ("a", "b", "c")


def test_other_names_than_those_of_events_are_left_out() -> None:
    event = withdrawal_of(["1"], timestamp_ms=9).name(NAMES, written_ms=7)

    listed = [
        event,
        NAMES.amended_fold,
        f"{NAMES.amended_prefix}1.json",
        f"{NAMES.amended_prefix}7.withdrawal.1.0.json",
    ]

    assert list(parsed(NAMES, listed)) == [event]
