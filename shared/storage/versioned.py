"""A stored record with its version: what a swap expects to find."""

from typing import Generic, TypeVar

from shared.frozen import frozen

_Record = TypeVar("_Record")


@frozen
class Versioned(Generic[_Record]):
    """A record as read at `generation`; 0 where no object was stored.  Example: `Versioned(record=TurnRecord(), generation=0)`."""

    record: _Record
    generation: int
