"""The key of a staged write: the sequence of the outcome and the place of the write; a larger key is a later write.

For example, the third write of outcome 12 has the key `(12, 2)`, stored as `12.2`.
"""

import re
from typing import Final, TypeAlias

WriteKey: TypeAlias = tuple[int, int]

_KEY: Final = re.compile(r"(\d{1,15})\.(\d{1,6})")


def format_key(key: WriteKey) -> str:
    """Return the text of a key: `format_key((12, 0)) == "12.0"`."""
    return f"{key[0]}.{key[1]}"


def read_key(value: object) -> WriteKey:
    """Read a key: `read_key("12.0")` is `(12, 0)`.  Raises: ValueError."""
    key_match = _KEY.fullmatch(str(value))
    if key_match is None:
        raise ValueError("no key of a write")
    return int(key_match[1]), int(key_match[2])
