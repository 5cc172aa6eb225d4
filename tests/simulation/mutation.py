"""A mutation takes one guard out of one function, for as long as schedules are played.

It names the function, and the rule that changes it.  The function is recompiled from its changed syntax tree.
"""

import ast
import importlib
import inspect
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FunctionType
from typing import Any

from tests.simulation.rules import Rule, Substitute


@dataclass(frozen=True, slots=True)
class Mutation:
    """A rule for one function.  `function` is `module:name` or `module:Class.name`."""

    function: str
    rule: Rule
    lacks: str
    """What goes wrong under the mutation, in a few words."""

    @contextmanager
    def active(self) -> Iterator[None]:
        """Replace the function until the block ends.

        Raises: LookupError, which names function and rule, if there is no such function or the rule does not match exactly once.
        """
        owner, name, before = self._locate()
        try:
            after = _recompile(before, self.rule.apply(self.definition()))
        except LookupError as cause:
            raise LookupError(f"{self.function}: {cause}") from cause
        setattr(owner, name, after)
        try:
            yield
        finally:
            setattr(owner, name, before)

    def definition(self) -> ast.FunctionDef:
        """Return the syntax tree of the function, from its file."""
        *_, before = self._locate()
        code = _unwrap(before).__code__
        source = Path(code.co_filename).read_text(encoding="utf-8")
        for node in ast.walk(ast.parse(source)):
            # The first line of a code object is that of its first decorator.
            if isinstance(node, ast.FunctionDef) and code.co_firstlineno == min(
                [node.lineno, *(decorator.lineno for decorator in node.decorator_list)]
            ):
                return node
        raise LookupError("it is not defined by a `def`")

    def _locate(self) -> tuple[Any, str, Any]:
        module_name, _, path = self.function.partition(":")
        owner: Any = importlib.import_module(module_name)
        *outer, name = path.split(".")
        try:
            for part in outer:
                owner = getattr(owner, part)
            return owner, name, inspect.getattr_static(owner, name)
        except AttributeError as cause:
            raise LookupError(f"{self.function}: there is no such function") from cause


def _unwrap(decorated: Any) -> FunctionType:  # noqa: ANN401 - a function, or the result of a decorator
    function = inspect.unwrap(decorated.fget if isinstance(decorated, property) else decorated)  # type: ignore[arg-type]
    assert isinstance(function, FunctionType)
    return function


def _recompile(before: Any, tree: ast.FunctionDef) -> Any:  # noqa: ANN401 - as above
    """Return the function compiled from the tree, with the same decorators, globals, closure and line numbers."""
    function = _unwrap(before)
    cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
    free = {name: cell.cell_contents for name, cell in cells}
    free |= {one.id: one.target for one in ast.walk(tree) if isinstance(one, Substitute)}
    # Wrap it in a function whose parameters are its free variables.
    arguments = [ast.arg(one) for one in free]
    scope = ast.FunctionDef(
        name="_scope",
        args=ast.arguments(posonlyargs=[], args=arguments, kwonlyargs=[], kw_defaults=[], defaults=[]),
        body=[tree, ast.Return(ast.Name(tree.name, ast.Load()))],
        decorator_list=[],
    )
    module = ast.fix_missing_locations(ast.Module(body=[scope], type_ignores=[]))
    code = compile(module, function.__code__.co_filename, "exec", dont_inherit=True)
    made: dict[str, Any] = {}
    exec(code, function.__globals__, made)  # noqa: S102 - the product's own source
    after = made["_scope"](**free)
    return property(after.fget, before.fset, before.fdel) if isinstance(before, property) else after
