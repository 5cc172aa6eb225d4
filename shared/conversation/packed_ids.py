"""Ids of messages as one short text: LINE's are numbers, so the difference to the number before takes half the space.

{"450", "460", "m3"}   "ci a =m3"   450 and 10 in base 36; an id that is no number follows "=" unchanged
"""

from collections.abc import Iterable
from itertools import accumulate, pairwise
from typing import Final

from shared.errors import CorruptRecordError

_DIGITS: Final = "0123456789abcdefghijklmnopqrstuvwxyz"
_AS_IT_IS: Final = "="


def packed(ids: Iterable[str]) -> str:
    """Return the ids, each once, as one text.  No id holds a space.

    For example, `packed(["460", "450", "m3"])` is `ci a =m3`.
    """
    each = frozenset(ids)
    numbers = sorted(int(an_id) for an_id in each if _is_number(an_id))
    other_ids = sorted(f"{_AS_IT_IS}{an_id}" for an_id in each if not _is_number(an_id))
    gaps = (_base_36(number - before) for before, number in pairwise([0, *numbers]))
    return " ".join((*gaps, *other_ids))


def unpacked(text: str) -> frozenset[str]:
    """Return the ids of the text: `unpacked("ci a =m3")` is `{"450", "460", "m3"}`.  Raises: CorruptRecordError."""
    parts = text.split()
    try:
        numbers = accumulate(int(part, len(_DIGITS)) for part in parts if not part.startswith(_AS_IT_IS))
        other_ids = (part.removeprefix(_AS_IT_IS) for part in parts if part.startswith(_AS_IT_IS))
        return frozenset((*map(str, numbers), *other_ids))
    except ValueError as cause:
        raise CorruptRecordError("packed ids cannot be read") from cause


def _is_number(an_id: str) -> bool:
    """Whether `str` writes the number in the same way: `_is_number("450")`, but not `_is_number("0450")`."""
    return an_id.isascii() and an_id.isdecimal() and (an_id == "0" or not an_id.startswith("0"))


def _base_36(number: int) -> str:
    digits = ""
    while number or not digits:
        number, digit = divmod(number, len(_DIGITS))
        digits = _DIGITS[digit] + digits
    return digits
