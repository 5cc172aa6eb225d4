"""How the instructions of a request are computed from two runs."""

import pytest

from benchmarks.ack_instructions import a_request, instructions_in

ARBITER = "==21== \n==21== I refs:        1,140,332,955\n"
WORKER = "==22== \n==22== I refs:        1,237,202,570\n"


def test_the_worker_is_the_process_with_more_instructions() -> None:
    assert instructions_in([ARBITER, WORKER]) == instructions_in([WORKER, ARBITER]) == 1_237_202_570


def test_a_run_without_a_count_is_an_error() -> None:
    with pytest.raises(ValueError, match="empty"):
        instructions_in(["==21== the tool could not start\n"])


@pytest.mark.parametrize("runs", [[(30, 1_000), (230, 3_000)], [(230, 3_000), (30, 1_000)]])
def test_what_both_runs_share_counts_for_no_request(runs: list[tuple[int, int]]) -> None:
    assert a_request(runs) == 10
