"""Receipt lines: what the code writes below an answer about what a turn did or proposes.  Of these only the quoted names are people's.

Their fixed words, places and times are alike in many answers, so they are no sign that one answer repeats another one.
"""

import re
from typing import Final

_MARKS: Final = ("✓ ", "☐ ")  # no line of the model begins with one: shared/agent/receipts.py, `without_marks`
_NAME: Final = re.compile(r"[“「]([^”」]*)")


def compared_texts(text: str) -> tuple[str, ...]:
    """Return what of an answer's text is compared with other texts: what was said, and each name in a receipt; never nothing of a text."""
    lines = text.split("\n")
    said = "\n".join(one for one in lines if not one.startswith(_MARKS))
    names = (name for one in lines if one.startswith(_MARKS) for name in _NAME.findall(one))
    return tuple(one for one in (said, *names) if one.strip()) or ((text,) if text else ())
