"""The preconditions of a request on an object.

Source: Cloud Storage, "Request preconditions": a failed Match of a generation or metageneration is a 412, a failed NotMatch is a
304. Where the page says nothing, as on absent objects, Google's storage-testbench (gcs/database.py) decides.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple, Self

from simulator.storage.errors import bad_parameter, condition_not_met, no_such_object, not_modified


class Target(NamedTuple):
    """An object's bucket and name."""

    bucket: str
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Version:
    """The generation and metageneration of an object; both are 0 where there is no object."""

    generation: int = 0
    metageneration: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Conditions:
    """The four conditions of an object; None if the request has no such condition."""

    generation: int | None = None
    not_generation: int | None = None
    metageneration: int | None = None
    not_metageneration: int | None = None

    @classmethod
    def of(cls, params: Mapping[str, str], *, prefix: str = "if") -> Self:
        """Return the conditions in the parameters; the conditions on a copy's source begin with `ifSource`.

        For example, `{"ifGenerationMatch": "0"}` requires that the object does not exist.
        Raises: RefusedError, for a condition without a number.
        """
        return cls(
            generation=number(params, f"{prefix}GenerationMatch"),
            not_generation=number(params, f"{prefix}GenerationNotMatch"),
            metageneration=number(params, f"{prefix}MetagenerationMatch"),
            not_metageneration=number(params, f"{prefix}MetagenerationNotMatch"),
        )

    def check(self, version: Version) -> None:
        """Raise RefusedError where a condition does not hold."""
        if self.generation not in {None, version.generation} or self.metageneration not in {
            None,
            version.metageneration,
        }:
            raise condition_not_met()
        if self.not_generation == version.generation or self.not_metageneration == version.metageneration:
            raise not_modified()


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """The conditions on an object that a request reads or writes.

    `generation` is named by the request; None means the live generation. `may_be_absent`: a write may create the object, and then compares
    with generation 0; any other request for a missing object is answered 404 before the conditions are checked.
    """

    target: Target
    conditions: Conditions
    generation: int | None = None
    may_be_absent: bool = False

    @property
    def is_needed(self) -> bool:
        """Whether the version of the object has to be read."""
        return self.generation is not None or self.conditions != Conditions()

    def check(self, version: Version | None) -> None:
        """Raise RefusedError, as Cloud Storage answers, where the request may not go on."""
        if version is None and not self.may_be_absent:
            raise no_such_object(*self.target)
        if self.generation is not None and (version is None or self.generation != version.generation):
            raise no_such_object(*self.target)
        self.conditions.check(version or Version())


def number(params: Mapping[str, str], name: str) -> int | None:
    """Return a numeric parameter, for example 5 for `{"generation": "5"}`; None if missing.  Raises: RefusedError."""
    value = params.get(name)
    if value is None:
        return None
    try:
        return int(value)
    except ValueError as cause:
        raise bad_parameter(name, value) from cause
