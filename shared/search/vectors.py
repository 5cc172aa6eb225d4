"""Embeddings as they are kept and compared: small, and by direction only."""

import base64
import math
from array import array
from collections.abc import Sequence
from operator import mul
from typing import Final, TypeAlias

_LARGEST: Final = 127

Vector: TypeAlias = "array[int]"
"""A packed embedding, a signed byte for each dimension."""


def pack(values: Sequence[float]) -> str:
    """Return a vector as text: a signed byte for each dimension, in base64; empty where it has no direction."""
    largest = max(map(abs, values), default=0.0)
    if not largest or not math.isfinite(largest):
        return ""
    return base64.b64encode(array("b", (round(one / largest * _LARGEST) for one in values)).tobytes()).decode()


def unpack(text: str) -> Vector:
    """Return the packed vector; an empty one where the text is none."""
    try:
        return array("b", base64.b64decode(text, validate=True))
    except ValueError:
        return array("b")


def closeness(one: Vector, other: Vector) -> float:
    """Return the cosine of the angle between two vectors, from -1 to 1; 0 where they cannot be compared."""
    if not one or len(one) != len(other):
        return 0.0
    length = math.sqrt(sum(map(mul, one, one)) * sum(map(mul, other, other)))
    return sum(map(mul, one, other)) / length if length else 0.0
