import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.errors import UnusableIdError
from shared.storage.object_names import ObjectNames
from shared.storage.segment_name import SegmentName

CHAT = "U" + "1" * 32
TIMES_MS = st.integers(min_value=0, max_value=253_402_300_740_000)


@given(
    TIMES_MS,
    TIMES_MS,
    st.integers(1, 10**9),
    st.from_regex(r"[0-9a-f]{16}", fullmatch=True),
)
def test_a_segment_is_read_back_from_its_name(one_ms: int, other_ms: int, number: int, digest: str) -> None:
    first_ms, last_ms = sorted((one_ms, other_ms))
    name = SegmentName(first_ms=first_ms, last_ms=last_ms, number=number, digest=digest)

    written = ObjectNames(CHAT).segment(name)
    assert written.startswith(ObjectNames(CHAT).archive_prefix)
    assert SegmentName.parse(written) == SegmentName.parse(name.file) == name


@given(TIMES_MS, TIMES_MS)
def test_segments_sort_by_their_first_timestamps(one_ms: int, other_ms: int) -> None:
    one, other = (SegmentName(first_ms=at, last_ms=at, number=1, digest="0" * 16) for at in (one_ms, other_ms))

    assert (one.file < other.file) is (one_ms < other_ms)


@given(st.text())
def test_any_text_is_a_segments_name_or_refused(text: str) -> None:
    for file in (text, f"{text}-1-0123456789abcdef.json", f"000000000000001-000000000000002-{text}.json"):
        try:
            assert SegmentName.parse(file).file == file.rsplit("/", 1)[-1]
        except UnusableIdError:
            continue


@pytest.mark.parametrize(
    "file",
    [
        "1-2-1-0123456789abcdef.json",  # not padded
        "000000000000001-000000000000002-01-0123456789abcdef.json",
        "000000000000001-000000000000002-1-0123456789abcdef",
        "000000000000001-000000000000002-0123456789abcdef.json",
    ],
)
def test_a_name_that_no_segment_has_is_refused(file: str) -> None:
    with pytest.raises(UnusableIdError, match="no name of a segment"):
        SegmentName.parse(file)


@pytest.mark.parametrize(
    ("first_ms", "last_ms", "number", "digest"),
    [
        (-1, 5, 1, "0" * 16),
        (6, 5, 1, "0" * 16),
        (5, 253_402_300_800_000, 1, "0" * 16),
        (5, 6, 0, "0" * 16),
        (5, 6, 1, "0" * 15),
        (5, 6, 1, "g" * 16),
    ],
)
def test_a_segment_that_could_not_be_found_again_gets_no_name(
    first_ms: int, last_ms: int, number: int, digest: str
) -> None:
    with pytest.raises(UnusableIdError, match="of a segment"):
        SegmentName(first_ms=first_ms, last_ms=last_ms, number=number, digest=digest)
