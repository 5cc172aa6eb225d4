"""Calls against the order of the layers, as they happen: a function of a lower layer calls a function of a higher one.

The linter of imports keeps a lower layer from naming a higher one.  It does not see what a lower layer is handed: an object whose methods
it calls, or a function.  Such a call is in order where the lower layer declares it, by a port:

- a Protocol of the caller's layer, or of one below, has the method, and the object has all of that Protocol's members,
- the method overrides one of a class of the caller's layer, or of one below,
- the function is the value of a parameter, or of an attribute of a class, that is annotated as a `Callable` (a parameter also as a Protocol
  with `__call__`, or as a tuple of functions).

Any other call is one against the order.  Generator expressions that are handed down are values, and the steps of their loops no calls.
"""

import ast
import dataclasses
import inspect
import sys
import threading
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, Final, Literal

_ROOT: Final = Path(__file__).parents[2]
SHARED: Final = f"{_ROOT / 'shared'}/"
"""The beginning of the paths of the modules of `shared`."""
_COMPREHENSIONS: Final = frozenset({"<genexpr>", "<listcomp>", "<dictcomp>", "<setcomp>"})


def heights() -> dict[str, int]:
    """Return the height of each layer of `shared`, by the contract in pyproject.toml: `{"version": 0, "clock": 1, …}`."""
    pyproject = tomllib.loads((_ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    [contract] = [one for one in pyproject["tool"]["importlinter"]["contracts"] if one["type"] == "layers"]
    rows = reversed(contract["layers"])
    return {name.strip(): height for height, row in enumerate(rows) for name in row.split(":")}


@dataclass(frozen=True, slots=True, order=False)
class UpwardCall:
    """A call from a function of a lower layer to one of a higher layer, and the kind of port that declares the call."""

    caller: str
    callee: str
    port: Literal["Protocol", "base class", "Callable"] | None

    def __str__(self) -> str:
        return f"{self.caller} calls {self.callee}"


@dataclass(slots=True)
class LayerCalls:
    """Collects the upward calls of this thread, and of the threads that begin meanwhile."""

    layers: Mapping[str, int] = field(default_factory=heights)
    calls: set[UpwardCall] = field(default_factory=set)
    _seen: set[tuple[CodeType, CodeType, type | None]] = field(default_factory=set)

    @contextmanager
    def collecting(self) -> Iterator[None]:
        """Collect inside the block.  Threads that already run are not seen."""
        threading.setprofile(self._see)
        sys.setprofile(self._see)
        try:
            yield
        finally:
            sys.setprofile(None)
            threading.setprofile(None)

    @property
    def against_order(self) -> list[UpwardCall]:
        """The calls that no port declares."""
        return sorted((one for one in self.calls if one.port is None), key=str)

    def _see(self, frame: FrameType, event: str, _: object) -> None:
        if event != "call" or frame.f_code.co_name in _COMPREHENSIONS:
            return
        height = self._height(frame.f_code)
        if height is None:
            return
        caller = frame.f_back
        while caller is not None and self._height(caller.f_code) is None:
            caller = caller.f_back
        if caller is None:
            return
        lower = self._height(caller.f_code)
        if lower is None or lower >= height:
            return
        owner = _owner_of(frame)
        key = (caller.f_code, frame.f_code, owner)
        if key not in self._seen:
            self._seen.add(key)
            port = self._port_of(caller, frame.f_code, owner, lower)
            self.calls.add(UpwardCall(_name_of(caller.f_code), _name_of(frame.f_code), port))

    def _port_of(
        self, caller: FrameType, callee: CodeType, owner: type | None, lower: int
    ) -> Literal["Protocol", "base class", "Callable"] | None:
        if owner is not None and any(_is_member(owner, callee.co_name, port) for port in self._protocols_up_to(lower)):
            return "Protocol"
        if owner is not None and self._overrides_up_to(owner, callee.co_name, lower):
            return "base class"
        return "Callable" if any(_holds(value, callee) for value in _callables_of(caller)) else None

    def _protocols_up_to(self, lower: int) -> list[type]:
        loaded = [module for name, module in list(sys.modules.items()) if name.startswith("shared.")]
        return [
            value
            for module in loaded
            if self.layers[module.__name__.split(".")[1]] <= lower
            for value in vars(module).values()
            if isinstance(value, type) and value.__module__ == module.__name__ and _is_protocol(value)
        ]

    def _overrides_up_to(self, owner: type, name: str, lower: int) -> bool:
        bases = [base for base in owner.__mro__ if base.__module__.startswith("shared.")]
        return any(name in vars(base) and self.layers[base.__module__.split(".")[1]] <= lower for base in bases)

    def _height(self, code: CodeType) -> int | None:
        if not code.co_filename.startswith(SHARED):
            return None
        return self.layers[code.co_filename[len(SHARED) :].split("/")[0].removesuffix(".py")]


def _name_of(code: CodeType) -> str:
    """Return module and name of a function; a lambda's lines are left out: `turns.outbox:Outbox.finish`."""
    module = code.co_filename[len(SHARED) :].removesuffix(".py").replace("/", ".")
    return f"{module}:{getattr(code, 'co_qualname', code.co_name)}"


def _owner_of(frame: FrameType) -> type | None:
    """Return the class of the object whose method the frame runs; None for a function.  The method's first argument is `self`."""
    code = frame.f_code
    if not code.co_argcount or code.co_varnames[0] != "self":
        return None
    owner: Any = frame.f_locals.get("self")
    return None if owner is None else type(owner)


def _is_protocol(value: object) -> bool:
    return isinstance(value, type) and bool(getattr(value, "_is_protocol", False))


@cache
def _members(port: type) -> frozenset[str]:
    bases = [base for base in port.__mro__ if _is_protocol(base) and base.__name__ != "Protocol"]
    names = {name for base in bases for name in (*vars(base), *getattr(base, "__annotations__", ()))}
    ours = {name for name in names if not name.startswith("_")}
    return frozenset(ours | ({"__call__"} if any("__call__" in vars(base) for base in bases) else set()))


@cache
def _is_member(owner: type, name: str, port: type) -> bool:
    members = _members(port)
    fields = {one.name for one in dataclasses.fields(owner)} if dataclasses.is_dataclass(owner) else set()
    return name in members and all(hasattr(owner, member) or member in fields for member in members)


def _callables_of(caller: FrameType) -> Iterator[object]:
    """Yield the functions that the caller was handed by declaration: in its parameters, or in attributes of the objects at hand."""
    declared = _callable_parameters(caller)
    for name, value in caller.f_locals.items():
        if name in declared:
            yield from value if isinstance(value, tuple) else (value,)
        kind: Any = type(value)
        for attribute in _callable_attributes(kind):
            held = getattr(value, attribute, None)
            yield from held.values() if isinstance(held, Mapping) else (held,)


@cache
def _callable_attributes(kind: type) -> tuple[str, ...]:
    """Return the attributes of a class of `shared` that are annotated as functions, or as functions by name."""
    ours = [base for base in kind.__mro__ if base.__module__.startswith("shared.")]
    annotations = [pair for base in ours for pair in inspect.get_annotations(base).items()]
    return tuple(name for name, annotation in annotations if "Callable" in str(annotation))


def _callable_parameters(caller: FrameType) -> frozenset[str]:
    """Return the parameters of the function, and of the functions around it, that are declared as functions."""
    code = caller.f_code
    annotations = _annotations(code.co_filename, code.co_firstlineno, code.co_name)
    return frozenset(name for name, text in annotations if _is_callable(text, caller.f_globals))


@cache
def _annotations(path: str, line: int, name: str) -> tuple[tuple[str, str], ...]:
    """Return the annotated parameters of the function that begins in this line, and of the functions around it."""
    tree = ast.parse(Path(path).read_text(encoding="utf-8"))
    functions = [one for one in ast.walk(tree) if isinstance(one, ast.FunctionDef | ast.Lambda)]
    first = {one: min([one.lineno, *(each.lineno for each in getattr(one, "decorator_list", ()))]) for one in functions}
    own = next((one for one in functions if first[one] == line and getattr(one, "name", "<lambda>") == name), None)
    if own is None:
        return ()
    around = [one for one in functions if one.lineno <= own.lineno and (one.end_lineno or 0) >= (own.end_lineno or 0)]
    arguments = [each for one in around for each in (*one.args.posonlyargs, *one.args.args, *one.args.kwonlyargs)]
    return tuple((one.arg, ast.unparse(one.annotation)) for one in arguments if one.annotation is not None)


def _is_callable(annotation: str, names: dict[str, Any]) -> bool:
    """Whether the annotation is a `Callable`, a name for one, or a Protocol of a function."""
    meant: Any = names.get(annotation.strip("'\"").split("[")[0].split(" |")[0], annotation)
    return "Callable" in annotation or "Callable" in str(meant) or (_is_protocol(meant) and "__call__" in vars(meant))


def _holds(value: object, code: CodeType) -> bool:
    """Whether the value, or what it is wrapped around, is the function with this code."""
    function: Any = value
    while isinstance(function, partial):
        function = function.func
    function = getattr(function, "__func__", function)
    if getattr(function, "__code__", None) is code:
        return True
    method = vars(type(function)).get("__call__")
    return getattr(method, "__code__", None) is code
