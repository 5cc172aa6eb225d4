from random import Random

from hypothesis import given
from hypothesis import strategies as st

from simulator.line.ids import CROCKFORD, Ids

TIMES_MS = st.integers(min_value=1_600_000_000_000, max_value=2**48 - 1)


@given(TIMES_MS, st.integers())
def test_a_webhook_event_id_begins_with_its_time(now_ms: int, seed: int) -> None:
    event_id = Ids(Random(seed)).webhook_event_id(now_ms)

    time_ms = 0
    for character in event_id[:10]:
        time_ms = time_ms * 32 + CROCKFORD.index(character)
    assert (len(event_id), time_ms) == (26, now_ms)


@given(st.lists(TIMES_MS, max_size=20))
def test_message_ids_grow_even_if_the_clock_goes_back(times_ms: list[int]) -> None:
    ids = Ids(Random(1))

    drawn = [int(ids.line_message_id(now_ms)) for now_ms in times_ms]

    assert drawn == sorted(set(drawn))


def test_one_seed_gives_one_sequence() -> None:
    one, other = Ids(Random(3)), Ids(Random(3))

    assert [one.user_id(), one.quote_token(), one.request_id()] == [
        other.user_id(),
        other.quote_token(),
        other.request_id(),
    ]
