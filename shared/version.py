"""The version of the project, from `shared/VERSION`, the one place where it is written."""

from functools import cache
from pathlib import Path
from typing import Final

FILE: Final = Path(__file__).with_name("VERSION")


@cache
def version() -> str:
    """Return the version, for example `"0.1.0"`."""
    return FILE.read_text(encoding="ascii").strip()
