"""With LOG_EXECUTION_ID=true, which Google documents for Python functions, the framework takes over stdout, stderr and the root logger."""

import json
import subprocess
import sys

import pytest

from tests.unit.test_architecture import ENV, FUNCTIONS, ROOT

# The function is made as the platform makes it, and gets one request, in which a library warns with the words of a body.
POSTED = """
import logging, sys
from functions_framework import create_app
app = create_app(sys.argv[1], sys.argv[2])
warn = logging.getLogger("urllib3").warning
app.before_request(lambda: warn("cannot read my pin is 4711"))
print(app.test_client().post("/", data=b"my pin is 4711").status_code, file=sys.stderr)
"""


@pytest.mark.parametrize("function", FUNCTIONS)
def test_lines_stay_whole_and_without_words_when_execution_ids_are_logged(function: str) -> None:
    ended = subprocess.run(
        [sys.executable, "-c", POSTED, function, f"functions/{function}/main.py"],
        env={**ENV, "LOG_EXECUTION_ID": "true"},
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )

    lines = [json.loads(line) for line in ended.stdout.splitlines()]
    assert {line["message"] for line in lines} >= {"library_complained"}
    assert all(line["severity"] and line["time"] for line in lines)
    assert "4711" not in ended.stdout + ended.stderr
    assert ended.stderr.split() in (["400"], ["401"], ["405"])  # 405: the feeds are only read
