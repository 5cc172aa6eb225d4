"""Embeddings in storage and comparison: small, and by direction only."""

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
    """Return a vector as text: a signed byte for each dimension, in base64; empty for a vector without direction.

    Example: `pack([0.0, 0.5, 1.0])` is `AEB/`, the bytes 0, 64 and 127.
    """
    largest = max(map(abs, values), default=0.0)
    if not largest or not math.isfinite(largest):
        return ""
    return base64.b64encode(array("b", (round(one / largest * _LARGEST) for one in values)).tobytes()).decode()


def unpack(text: str) -> Vector:
    """Return the packed vector; an empty vector for any other text."""
    try:
        return array("b", base64.b64decode(text, validate=True))
    except ValueError:
        return array("b")


def closeness(first: Vector, second: Vector) -> float:
    """Return the cosine of the angle between two vectors, from -1 to 1; 0 if their lengths differ or a vector is empty."""
    if not first or len(first) != len(second):
        return 0.0
    length = math.sqrt(sum(map(mul, first, first)) * sum(map(mul, second, second)))
    return sum(map(mul, first, second)) / length if length else 0.0
