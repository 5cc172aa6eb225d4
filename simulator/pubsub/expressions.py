"""What a filter says, as an immutable tree: each node tells whether the attributes of a message match it."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Has:
    """The attribute is there."""

    key: str

    def matches(self, attributes: Mapping[str, str]) -> bool:
        """Whether it holds."""
        return self.key in attributes


@dataclass(frozen=True, slots=True, kw_only=True)
class Equals:
    """The attribute is there and has this value."""

    key: str
    value: str

    def matches(self, attributes: Mapping[str, str]) -> bool:
        """Whether it holds."""
        return attributes.get(self.key) == self.value


@dataclass(frozen=True, slots=True, kw_only=True)
class HasPrefix:
    """The attribute is there and its value starts so."""

    key: str
    prefix: str

    def matches(self, attributes: Mapping[str, str]) -> bool:
        """Whether it holds."""
        value = attributes.get(self.key)
        return value is not None and value.startswith(self.prefix)


@dataclass(frozen=True, slots=True, kw_only=True)
class Not:
    """The operand does not hold."""

    operand: "Expression"

    def matches(self, attributes: Mapping[str, str]) -> bool:
        """Whether it holds."""
        return not self.operand.matches(attributes)


@dataclass(frozen=True, slots=True, kw_only=True)
class And:
    """All operands hold."""

    operands: "tuple[Expression, ...]"

    def matches(self, attributes: Mapping[str, str]) -> bool:
        """Whether it holds."""
        return all(operand.matches(attributes) for operand in self.operands)


@dataclass(frozen=True, slots=True, kw_only=True)
class Or:
    """At least one operand holds."""

    operands: "tuple[Expression, ...]"

    def matches(self, attributes: Mapping[str, str]) -> bool:
        """Whether it holds."""
        return any(operand.matches(attributes) for operand in self.operands)


Expression = Has | Equals | HasPrefix | Not | And | Or
