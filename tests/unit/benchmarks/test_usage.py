import os
import subprocess
import sys
import time

import pytest

from benchmarks import usage

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")


def test_the_cpu_time_of_a_process_matches_its_own_clock() -> None:
    before_s = time.process_time()
    seen_s = usage.cpu_s(os.getpid())

    assert seen_s is not None
    assert before_s <= seen_s <= time.process_time()


def test_a_process_has_private_and_shared_memory() -> None:
    held = usage.memory(os.getpid())

    assert held is not None
    assert held.rss_mb >= held.pss_mb > 1


def test_the_worker_of_an_arbiter_is_found() -> None:
    starts_one_and_tells_its_id = (
        "import subprocess, sys; child = subprocess.Popen([sys.executable, '-c', 'input()'], stdin=subprocess.PIPE);"
        "print(child.pid, flush=True); input(); child.kill(); child.wait()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", starts_one_and_tells_its_id], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as parent:
        assert parent.stdin is not None
        assert parent.stdout is not None
        started = int(parent.stdout.readline())

        assert usage.worker_pid(parent.pid) == started
        parent.stdin.write("\n")


def test_the_peak_of_a_process_is_what_it_held_at_most_since_the_reset() -> None:
    before_mb = usage.reset_peak(os.getpid())
    held = bytearray(b"x" * 30_000_000)
    del held
    peak_mb = usage.peak_mb(os.getpid())

    assert before_mb is not None
    assert peak_mb is not None
    assert peak_mb - before_mb > 20
    assert usage.reset_peak(os.getpid()) == pytest.approx(before_mb, abs=10)


def test_an_absent_process_has_no_figures() -> None:
    assert usage.cpu_s(None) is None
    assert usage.memory(None) is None
    assert usage.worker_pid(0x7FFFFFFF) is None
    assert usage.reset_peak(None) is None
    assert usage.peak_mb(None) is None
