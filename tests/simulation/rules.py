"""Rules that take one thing out of a function's syntax tree.

A rule identifies what it changes by the last parts of a dotted name: `journal.drop` matches a call of `self.of.journal.drop`.  A rule
depends neither on the names of local variables nor on the layout of the source.  An expression "holds" the names and the constants in it,
such as `refused` and `None`.
"""

import ast
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

_Node = TypeVar("_Node", bound=ast.AST)
_Tree = TypeVar("_Tree", bound=ast.AST)
_Match = TypeVar("_Match")


class Rule(Protocol):
    """A change to a function."""

    def apply(self, tree: _Tree) -> _Tree:
        """Return the tree, changed in place.  Raises: LookupError, which names the rule, unless it matches exactly once."""
        ...


class Substitute(ast.Name):
    """A name in a changed tree that stands for an object from outside the function."""

    def __init__(self, target: object) -> None:
        super().__init__(id=f"_substitute_{id(target)}", ctx=ast.Load())
        self.target = target


@dataclass(frozen=True, slots=True)
class Never:
    """Make the condition that holds the name false, without evaluating it; without a name, the only condition."""

    name: str | None = None

    def apply(self, tree: _Tree) -> _Tree:
        return _fix_condition(self, tree, self.name, value=False)


@dataclass(frozen=True, slots=True)
class Always:
    """Make the condition that holds the name true, without evaluating it; without a name, the only condition."""

    name: str | None = None

    def apply(self, tree: _Tree) -> _Tree:
        return _fix_condition(self, tree, self.name, value=True)


@dataclass(frozen=True, slots=True)
class DropClause:
    """Remove the clause of `and` or `or` that holds the name."""

    name: str

    def apply(self, tree: _Tree) -> _Tree:
        found = [(whole, one) for whole in _all(tree, ast.BoolOp) for one in whole.values if _holds(one, self.name)]
        whole, dropped = _only_match(self, found)
        whole.values = [one for one in whole.values if one is not dropped]
        return _replace_node(tree, whole, whole.values[0]) if len(whole.values) == 1 else tree


@dataclass(frozen=True, slots=True)
class DropItem:
    """Remove the item of a tuple, list or set display that holds the name."""

    name: str

    def apply(self, tree: _Tree) -> _Tree:
        displays = [one for one in ast.walk(tree) if isinstance(one, ast.Tuple | ast.List | ast.Set)]
        found = [(whole, one) for whole in displays for one in whole.elts if _holds(one, self.name)]
        whole, dropped = _only_match(self, found)
        whole.elts = [one for one in whole.elts if one is not dropped]
        return tree


@dataclass(frozen=True, slots=True)
class DropArgument:
    """Remove the keyword argument from the call."""

    call: str
    name: str

    def apply(self, tree: _Tree) -> _Tree:
        found = [(call, one) for call in _calls(tree, self.call) for one in call.keywords if one.arg == self.name]
        call, dropped = _only_match(self, found)
        call.keywords = [one for one in call.keywords if one is not dropped]
        return tree


@dataclass(frozen=True, slots=True)
class ReplaceConstant:
    """Replace a constant by another value."""

    value: bool | str | float | None
    by: bool | str | float | None

    def apply(self, tree: _Tree) -> _Tree:
        found = (
            constant
            for constant in _all(tree, ast.Constant)
            if (type(constant.value), constant.value) == (type(self.value), self.value)
        )
        return _replace_node(tree, _only_match(self, found), ast.Constant(self.by))


@dataclass(frozen=True, slots=True)
class Bypass:
    """Replace the call by its first argument."""

    call: str

    def apply(self, tree: _Tree) -> _Tree:
        call = _only_match(self, (one for one in _calls(tree, self.call) if one.args))
        return _replace_node(tree, call, call.args[0])


@dataclass(frozen=True, slots=True)
class Instead:
    """Call `by` in place of the function.  For a method, its owner is passed before the arguments."""

    call: str
    by: Callable[..., object]

    def apply(self, tree: _Tree) -> _Tree:
        call = _only_match(self, _calls(tree, self.call))
        owner = [call.func.value] if isinstance(call.func, ast.Attribute) else []
        call.func, call.args = ast.copy_location(Substitute(self.by), call.func), [*owner, *call.args]
        return tree


@dataclass(frozen=True, slots=True)
class Skip:
    """Remove the statement that makes the call: an expression, or an augmented assignment.

    If the function has `of` such statements, `nth` selects one, counted from 0 in the order of the source.
    """

    call: str
    nth: int = 0
    of: int = 1

    def apply(self, tree: _Tree) -> _Tree:
        found = sorted(
            _statements_with(tree, self.call), key=lambda statement: (statement.lineno, statement.col_offset)
        )
        if len(found) != self.of:
            raise _mismatch(self, len(found))
        return _replace_node(tree, found[self.nth], ast.Pass())


@dataclass(frozen=True, slots=True)
class Postpone:
    """Make the call last: its statement moves behind all others of the function; what the function returns is computed before."""

    call: str

    def apply(self, tree: _Tree) -> _Tree:
        late, rest = _statement_and_rest(self, tree, self.call)
        match rest[-1]:
            case ast.Return(value=ast.expr() as value) as last:
                kept = ast.copy_location(ast.Assign([ast.Name("_returned", ast.Store())], value), last)
                returned = ast.copy_location(ast.Return(ast.Name("_returned", ast.Load())), last)
                _set_body(tree, [*rest[:-1], kept, late, returned])
            case _:
                _set_body(tree, [*rest, late])
        return tree


@dataclass(frozen=True, slots=True)
class Hasten:
    """Make the call early: its statement moves in front of the one that calls `before`."""

    call: str
    before: str

    def apply(self, tree: _Tree) -> _Tree:
        early, rest = _statement_and_rest(self, tree, self.call)
        place = next((number for number, one in enumerate(rest) if any(_calls(one, self.before))), None)
        if place is None:
            raise _mismatch(self, 0)
        _set_body(tree, [*rest[:place], early, *rest[place:]])
        return tree


@dataclass(frozen=True, slots=True)
class Return:
    """Return the value: at once, or in place of the statement that makes the call `instead_of`."""

    value: bool | str | float | None
    instead_of: str | None = None

    def apply(self, tree: _Tree) -> _Tree:
        returned = ast.Return(ast.Constant(self.value))
        if self.instead_of is not None:
            return _replace_node(tree, _only_match(self, _statements_with(tree, self.instead_of)), returned)
        if not isinstance(tree, ast.FunctionDef):
            raise _mismatch(self, 0)
        tree.body = [ast.copy_location(returned, tree.body[0])]
        return tree


@dataclass(frozen=True, slots=True)
class Once:
    """End the `for` loop whose iterable holds the name after its first pass."""

    name: str

    def apply(self, tree: _Tree) -> _Tree:
        loop = _only_match(self, (one for one in _all(tree, ast.For) if _holds(one.iter, self.name)))
        items = ast.List([ast.Starred(loop.iter, ast.Load())], ast.Load())
        first = ast.Subscript(items, ast.Slice(upper=ast.Constant(1)), ast.Load())
        loop.iter = ast.copy_location(first, loop.iter)
        return tree


@dataclass(frozen=True, slots=True)
class Within:
    """Apply the rule to one place: an `if`, a loop or a conditional expression whose head holds the name, or a call of it."""

    name: str
    rule: Rule

    def apply(self, tree: _Tree) -> _Tree:
        loops = [(one, one.iter) for one in _all(tree, ast.For)]
        heads = [one for one, head in (*_conditions(tree), *loops) if _holds(head, self.name)]
        places: list[ast.AST] = [*heads, *_calls(tree, self.name)]
        place = _only_match(self, places)
        return _replace_node(tree, place, self.rule.apply(place))


def _fix_condition(rule: Rule, tree: _Tree, name: str | None, *, value: bool) -> _Tree:
    conditions = [test for _, test in _conditions(tree)]
    conditions += [test for one in _all(tree, ast.comprehension) for test in one.ifs]
    found = _only_match(rule, (one for one in conditions if name is None or _holds(one, name)))
    return _replace_node(tree, found, ast.Constant(value))


def _conditions(tree: ast.AST) -> Iterator[tuple[ast.AST, ast.expr]]:
    return ((one, one.test) for one in ast.walk(tree) if isinstance(one, ast.If | ast.While | ast.IfExp))


def _statements_with(tree: ast.AST, call: str) -> Iterator[ast.stmt]:
    statements = (*_all(tree, ast.Expr), *_all(tree, ast.AugAssign))
    return (one for one in statements if any(_calls(one, call)))


def _statement_and_rest(rule: Rule, tree: ast.AST, call: str) -> tuple[ast.stmt, list[ast.stmt]]:
    """Return the statement of the function's own body that makes the call, and the others."""
    body = tree.body if isinstance(tree, ast.FunctionDef) else []
    chosen = _only_match(rule, (one for one in body if any(_calls(one, call))))
    return chosen, [one for one in body if one is not chosen]


def _set_body(tree: ast.AST, body: list[ast.stmt]) -> None:
    assert isinstance(tree, ast.FunctionDef)
    tree.body = body


def _calls(tree: ast.AST, name: str) -> Iterator[ast.Call]:
    return (one for one in _all(tree, ast.Call) if _is_named(one.func, name))


def _holds(tree: ast.AST, name: str) -> bool:
    return any(_is_named(one, name) for one in ast.walk(tree))


def _is_named(node: ast.AST, name: str) -> bool:
    match node:
        case ast.Constant(value):
            return name == str(value)
        case ast.Name() | ast.Attribute():
            return f".{_dotted_name(node)}".endswith(f".{name}")
        case _:
            return False


def _dotted_name(node: ast.AST) -> str:
    match node:
        case ast.Name(name):
            return name
        case ast.Attribute(owner, name):
            return f"{_dotted_name(owner)}.{name}"
        case _:
            return ""


def _all(tree: ast.AST, kind: type[_Node]) -> Iterator[_Node]:
    return (one for one in ast.walk(tree) if isinstance(one, kind))


def _only_match(rule: Rule, found: Iterable[_Match]) -> _Match:
    matches = [*found]
    if len(matches) != 1:
        raise _mismatch(rule, len(matches))
    return matches[0]


def _mismatch(rule: Rule, count: int) -> LookupError:
    return LookupError(f"{rule} matches {count} times")


def _replace_node(tree: _Tree, old: ast.AST, new: ast.AST) -> _Tree:
    """Return the tree with `new` in place of `old`."""
    changed: _Tree = _Replacement(old, ast.copy_location(new, old)).visit(tree)
    return changed


class _Replacement(ast.NodeTransformer):
    def __init__(self, old: ast.AST, new: ast.AST) -> None:
        self._old, self._new = old, new

    def visit(self, node: ast.AST) -> Any:  # noqa: ANN401 - as in the base class
        return self._new if node is self._old else self.generic_visit(node)
