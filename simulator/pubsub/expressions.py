"""A filter as an immutable tree: each node decides whether the attributes of a message match."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Has:
    """The attribute exists."""

    key: str

    def matches(self, attributes: Mapping[str, str]) -> bool:
        """Whether the attributes match."""
        return self.key in attributes


@dataclass(frozen=True, slots=True, kw_only=True)
class Equals:
    """The attribute exists with the value."""

    key: str
    value: str

    def matches(self, attributes: Mapping[str, str]) -> bool:
        """Whether the attributes match."""
        return attributes.get(self.key) == self.value


@dataclass(frozen=True, slots=True, kw_only=True)
class HasPrefix:
    """The attribute exists, and the value starts with the prefix: `hasPrefix(attributes.type, "un")` matches `unsend`."""

    key: str
    prefix: str

    def matches(self, attributes: Mapping[str, str]) -> bool:
        """Whether the attributes match."""
        value = attributes.get(self.key)
        return value is not None and value.startswith(self.prefix)


@dataclass(frozen=True, slots=True, kw_only=True)
class Not:
    """The operand does not match."""

    operand: "Expression"

    def matches(self, attributes: Mapping[str, str]) -> bool:
        """Whether the attributes match."""
        return not self.operand.matches(attributes)


@dataclass(frozen=True, slots=True, kw_only=True)
class And:
    """All operands match."""

    operands: "tuple[Expression, ...]"

    def matches(self, attributes: Mapping[str, str]) -> bool:
        """Whether the attributes match."""
        return all(operand.matches(attributes) for operand in self.operands)


@dataclass(frozen=True, slots=True, kw_only=True)
class Or:
    """At least one operand matches."""

    operands: "tuple[Expression, ...]"

    def matches(self, attributes: Mapping[str, str]) -> bool:
        """Whether the attributes match."""
        return any(operand.matches(attributes) for operand in self.operands)


Expression = Has | Equals | HasPrefix | Not | And | Or
