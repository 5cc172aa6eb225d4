import subprocess
import sys

import pytest

from tests.support.hostile_texts import ALLOWED_S, DONE, FUNCTIONS, LENGTH


@pytest.fixture(scope="module")
def reached() -> dict[str, str]:
    """The text that each function read last, or DONE."""
    command = [sys.executable, "-m", "tests.support.hostile_texts"]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    return dict(line.split("\t", 1) for line in done.stdout.split("\n") if line)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_processor_time_grows_with_the_length_of_a_text_and_not_its_square(name: str, reached: dict[str, str]) -> None:
    assert reached[name] == DONE, f"{name} of {LENGTH} characters took more than {ALLOWED_S} s, or failed"
