import subprocess
import sys

import pytest

from tests.support.hostile_texts import ALLOWED_S, FUNCTIONS, LENGTH


@pytest.mark.parametrize("name", FUNCTIONS)
def test_processor_time_grows_with_the_length_of_a_text_and_not_its_square(name: str) -> None:
    command = [sys.executable, "-m", "tests.support.hostile_texts", name]

    done = subprocess.run(command, capture_output=True, text=True, check=False)

    read = done.stdout.splitlines()
    assert done.returncode == 0, (
        f"{name} of {LENGTH} characters took more than {ALLOWED_S} s: {read[-1:]} {done.stderr[-500:]}"
    )
