"""Regular expressions, compiled at the first use or by `compile_all`: no cold start waits for the compilation.

An answer is searched with hundreds of alternatives in four languages; the compilation takes as long as a tenth of the imports.
"""

from collections.abc import Callable
from typing import Any, Final, TypeVar, cast

_Pattern = TypeVar("_Pattern")


class _LatePattern:
    """Has the attributes of the pattern that `compile_now` returns."""

    def __init__(self, compile_now: Callable[[], object]) -> None:
        self.compile_now = compile_now

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - an attribute of the pattern
        """Compile the pattern, and store the attribute, so that only the first use comes here."""
        attribute = getattr(self.compile_now(), name)
        setattr(self, name, attribute)
        return attribute


_LATE: Final[list[_LatePattern]] = []


def late(compiled_by: Callable[[str, int], _Pattern], pattern: str, flags: int = 0) -> _Pattern:
    """Return a pattern for a constant of a module; `compiled_by`, of `re` or `regex`, compiles the pattern at the first use.

    Example: `_DIGITS = late(re.compile, "[0-9]+")`, then `_DIGITS.findall("4 of 12")`.
    """
    pattern_of_module = _LatePattern(lambda: compiled_by(pattern, flags))
    _LATE.append(pattern_of_module)
    return cast("_Pattern", pattern_of_module)


def compile_all() -> None:
    """Compile the late patterns of every imported module, so that no answer waits for a pattern.  Repeated: `re` and `regex` cache."""
    for pattern in _LATE:
        pattern.search  # noqa: B018 - compiles the pattern
