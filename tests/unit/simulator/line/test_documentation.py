"""The table in simulator/README.md has every modelled endpoint, and every test that it names exists."""

import re

from simulator.functions import REPOSITORY
from simulator.line.endpoints import ENDPOINTS

README = (REPOSITORY / "simulator" / "README.md").read_text(encoding="utf-8")
TESTS = "\n".join(
    path.read_text(encoding="utf-8") for path in (REPOSITORY / "tests").rglob("simulator/line/**/test_*.py")
)


def test_every_modelled_endpoint_stands_in_the_table() -> None:
    named = set(re.findall(r"`((?:GET|POST|PUT|DELETE) /(?:v2|oauth2|liff)/[^`]+)`", README))

    assert {f"{endpoint.method} {endpoint.path}" for endpoint in ENDPOINTS if endpoint.is_modelled} == named


def test_every_test_of_the_tables_exists() -> None:
    named = re.findall(r"\| `(test_\w+)` \|", README)

    assert len(named) > 30
    assert [name for name in named if f"def {name}(" not in TESTS] == []
