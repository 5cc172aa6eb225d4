"""The process that reads a file has less than this one: memory, time, and no file to write."""

import subprocess
import sys
from pathlib import Path

import pytest

from shared.files.reading_process import CPU_S, MEMORY_BYTES

LIMITED = """
import resource
from shared.files.reading_process import limit_resources
limit_resources()
print([resource.getrlimit(getattr(resource, name))[1] for name in ("RLIMIT_AS", "RLIMIT_CPU", "RLIMIT_FSIZE")])
"""


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not limit the memory of a process")
def test_the_limits_cannot_be_raised_again() -> None:
    ended = subprocess.run(
        [sys.executable, "-c", LIMITED], cwd=Path(__file__).parents[4], capture_output=True, text=True, check=True
    )

    assert ended.stdout.strip() == str([MEMORY_BYTES, CPU_S, 0])
