"""Two identical effects count once, unless the askers' words order another."""

import re
from collections.abc import Iterable
from typing import Final

from shared.late_patterns import late
from shared.search.folding import fold

_ANOTHER: Final = late(
    re.compile,
    r"\b(?:two|twice|both|another|second|again|once more|one more|duplicate|[2-9] (?:times|reminders|notes|entries))\b"
    r"|もう[一1]|もうひと|別に|再度|[二2-9](?:つ|個|件|回|度)|ふたつ|にかい"
    r"|[再另][一1設加記提]?|[兩两二2-9](?:個|个|次|則|条|條|份)"
    r"|อีก|สอง|ซ้ำ|[2-9] (?:ครั้ง|อัน|รายการ)",
)
"""Words of the four languages that ask for a second effect, folded."""


def asks_for_another(texts: Iterable[str]) -> bool:
    """Whether the texts order an existing thing once more; for example, "remind me twice", "もう一つ追加して"."""
    return any(_ANOTHER.search(fold(one)) is not None for one in texts)
