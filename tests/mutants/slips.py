"""Plausible slips in a module: each is one change to one function's syntax tree.  The file itself is never changed."""

import ast
import hashlib
import inspect
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import CodeType
from typing import Final, TypeAlias

_Function: TypeAlias = ast.FunctionDef | ast.Lambda
_Change: TypeAlias = tuple[str, ast.AST]
"""What a slip does, and the node that takes the place of another."""

_TIME_OR_COUNT: Final = re.compile(r"_m?s\b|\b\d+\b", re.IGNORECASE)
_OFF_BY_ONE: Final[Mapping[type[ast.cmpop], type[ast.cmpop]]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
}
_OPPOSITES: Final = {
    "min": "max",
    "max": "min",
    "any": "all",
    "all": "any",
    "union": "intersection",
    "intersection": "union",
}
_NEUTRAL: Final = (
    (re.compile(r"bool$"), ("True", "False")),
    (re.compile(r".*\| None$"), ("None",)),
    (re.compile(r"(int|float)$"), ("0",)),
    (re.compile(r"str$"), ("''",)),
    (re.compile(r"bytes$"), ("b''",)),
    (re.compile(r"(tuple|Sequence|Iterable|list)\["), ("()",)),
    (re.compile(r"(frozenset|set)\["), ("frozenset()",)),
    (re.compile(r"(dict|Mapping)\["), ("{}",)),
)
_NEEDED: Final = (
    "logs.",
    "super()",
)  # what is logged changes nothing; a function without `super` has other free variables
_SKIPPED_FIELDS: Final = {"annotation", "args", "decorator_list", "returns"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Slip:
    """One change to a function.  `function` is `module:name`; `before` is the source of what is changed, on one line.

    `key` names the slip for as long as its function stays as it is.
    """

    key: str
    function: str
    kind: str
    before: str
    lineno: int
    path: Path
    tree: ast.Module = field(repr=False)
    place: "_Place" = field(repr=False)
    new: ast.AST = field(repr=False)

    def codes(self) -> dict[tuple[str, int], CodeType]:
        """Return the code of every function of the changed module."""
        with self.place.holding(self.new):
            return codes_of(compile(ast.fix_missing_locations(self.tree), str(self.path), "exec"))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Place:
    """A place in a tree, and the node that stands there; `enclosing` is the innermost function around it."""

    owner: ast.AST
    name: str
    number: int | None
    node: ast.AST
    enclosing: _Function

    @contextmanager
    def holding(self, new: ast.AST) -> Iterator[None]:
        """Put another node into the place until the block ends."""
        self._put(ast.copy_location(new, self.node))
        try:
            yield
        finally:
            self._put(self.node)

    def _put(self, node: ast.AST) -> None:
        if self.number is None:
            setattr(self.owner, self.name, node)
        else:
            getattr(self.owner, self.name)[self.number] = node


def slips_in(path: Path, module: str) -> Iterator[Slip]:
    """Return every slip in a module, in the order of its functions; two that make the same function are one."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for name, function in functions_in(tree):
        original = ast.dump(function)
        known = {original}
        for place in _places(function, function):
            for kind, new in _changes(place):
                with place.holding(new):
                    changed = ast.dump(function)
                if changed in known:
                    continue
                known.add(changed)
                yield Slip(
                    key=hashlib.sha256(f"{module}:{name}:{original}:{changed}".encode()).hexdigest()[:16],
                    function=f"{module}:{name}",
                    kind=kind,
                    before=" ".join(ast.unparse(place.node).split())[:160],
                    lineno=getattr(place.node, "lineno", function.lineno),
                    path=path,
                    tree=tree,
                    place=place,
                    new=new,
                )


def marking_codes(path: Path, module: str, *, mark: str) -> dict[tuple[str, int], CodeType]:
    """Return the code of every function of a module, each of which first calls the global `mark` with its own name, `module:name`."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for name, function in functions_in(tree):
        call = ast.Call(ast.Name(mark, ast.Load()), [ast.Constant(f"{module}:{name}")], [])
        if isinstance(function, ast.Lambda):
            both = ast.Tuple([call, function.body], ast.Load())
            function.body = ast.Subscript(both, ast.Constant(1), ast.Load())
        else:
            function.body.insert(0, ast.Expr(call))
    return codes_of(compile(ast.fix_missing_locations(tree), str(path), "exec"))


def functions_in(tree: ast.AST, prefix: str = "") -> Iterator[tuple[str, _Function]]:
    """Return the functions that stand in no other function, with their qualified names."""
    for node in ast.iter_child_nodes(tree):
        match node:
            case ast.FunctionDef(name=name):
                yield prefix + name, node
            case ast.Lambda():
                yield f"{prefix}<lambda>", node
            case ast.ClassDef(name=name):
                yield from functions_in(node, f"{prefix}{name}.")
            case _:
                yield from functions_in(node, prefix)


def codes_of(module: CodeType) -> dict[tuple[str, int], CodeType]:
    """Return the code of the functions that stand in no other function, by qualified name and first line."""
    found: dict[tuple[str, int], CodeType] = {}
    for code in (one for one in module.co_consts if isinstance(one, CodeType)):
        if code.co_flags & inspect.CO_OPTIMIZED:  # a function, not the body of a class
            found[code.co_qualname, code.co_firstlineno] = code
        else:
            found |= codes_of(code)
    return found


def _places(node: ast.AST, enclosing: _Function) -> Iterator[_Place]:
    """Return every place in the body of a function."""
    for name, value in ast.iter_fields(node):
        if name in _SKIPPED_FIELDS and not isinstance(node, ast.Call):
            continue
        for number, child in enumerate(value) if isinstance(value, list) else [(None, value)]:
            if isinstance(child, ast.AST) and not isinstance(child, ast.JoinedStr | ast.Assert):
                yield _Place(owner=node, name=name, number=number, node=child, enclosing=enclosing)
                yield from _places(child, child if isinstance(child, ast.FunctionDef | ast.Lambda) else enclosing)


def _changes(place: _Place) -> Iterator[_Change]:
    """Return what may go wrong at a place."""
    yield from _changes_of_statement(place.node, place.enclosing)
    yield from _changes_of_value(place.node)
    is_condition = place.name in {"test", "ifs"} or isinstance(place.owner, ast.BoolOp)
    yield from _changes_of_condition(place.node, is_condition=is_condition)


def _changes_of_statement(node: ast.AST, enclosing: _Function) -> Iterator[_Change]:
    match node:
        case ast.If(test=test, body=body, orelse=orelse):
            yield "branch removed", ast.If(ast.Constant(value=False), body, orelse)
            if orelse:
                yield "else removed", ast.If(test, body, [])
        case ast.Match(subject=subject, cases=cases):
            for case in cases[:-1]:
                yield "case removed", ast.Match(subject, [other for other in cases if other is not case])
        case ast.Expr(value=ast.Call(func=called)) if not ast.unparse(called).startswith(_NEEDED):
            yield "call dropped", ast.Pass()
        case ast.Return(value=ast.expr()) if isinstance(enclosing, ast.FunctionDef) and enclosing.returns is not None:
            yield from (("returns nothing", ast.Return(one)) for one in _neutral_values(enclosing.returns))
        case ast.AugAssign(target=target, op=operator, value=value) if swapped := _swapped(operator, node):
            yield "operator swapped", ast.AugAssign(target, swapped, value)


def _changes_of_value(node: ast.AST) -> Iterator[_Change]:
    match node:
        case ast.Call(func=ast.Name(id=name)) if name in _OPPOSITES:
            yield "opposite called", ast.Call(ast.Name(_OPPOSITES[name], ast.Load()), node.args, node.keywords)
        case ast.Call(func=ast.Attribute(value=of, attr=name)) if name in _OPPOSITES:
            opposite = ast.Attribute(of, _OPPOSITES[name], ast.Load())
            yield "opposite called", ast.Call(opposite, node.args, node.keywords)
        case ast.keyword(arg=name, value=ast.Constant(value=bool(value))):
            yield "flag flipped", ast.keyword(name, ast.Constant(not value))
        case ast.Call(args=[*_, ast.Constant(value=bool(value))]):
            yield "flag flipped", ast.Call(node.func, [*node.args[:-1], ast.Constant(not value)], node.keywords)
        case ast.BinOp(left=left, op=operator, right=right) if swapped := _swapped(operator, node):
            yield "operator swapped", ast.BinOp(left, swapped, right)


def _changes_of_condition(node: ast.AST, *, is_condition: bool) -> Iterator[_Change]:
    match node:
        case ast.IfExp(body=body, orelse=orelse):
            yield "branch removed", orelse
            yield "else removed", body
        case ast.BoolOp(op=operator, values=values):
            yield "and/or swapped", ast.BoolOp(ast.Or() if isinstance(operator, ast.And) else ast.And(), values)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield "not dropped", operand
            return
        case ast.Compare(left=left, ops=operators, comparators=others):
            for number, comparison in enumerate(operators):
                slipped = _OFF_BY_ONE.get(type(comparison), type(comparison))()
                yield "off by one", ast.Compare(left, [*operators[:number], slipped, *operators[number + 1 :]], others)
            is_condition = True
    if is_condition and isinstance(node, ast.expr):
        yield "condition negated", ast.UnaryOp(ast.Not(), node)


def _swapped(operator: ast.operator, node: ast.AST) -> ast.operator | None:
    match operator:
        case ast.BitOr():
            return ast.BitAnd()
        case ast.BitAnd():
            return ast.BitOr()
        case ast.Add() | ast.Sub() if _TIME_OR_COUNT.search(ast.unparse(node)):
            return ast.Sub() if isinstance(operator, ast.Add) else ast.Add()
        case _:
            return None


def _neutral_values(annotation: ast.expr) -> Iterator[ast.expr]:
    plain = ast.unparse(annotation).strip("'")
    values = next((values for pattern, values in _NEUTRAL if pattern.match(plain)), ())
    return (ast.parse(one, mode="eval").body for one in values)
