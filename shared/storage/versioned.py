"""A stored record with its version: what a swap expects to find."""

from dataclasses import dataclass
from typing import Generic, TypeVar

_Record = TypeVar("_Record")


@dataclass(frozen=True, slots=True, kw_only=True)
class Versioned(Generic[_Record]):
    """A record as read at `generation`; 0 where no object was stored.  Example: `Versioned(record=TurnRecord(), generation=0)`."""

    record: _Record
    generation: int
