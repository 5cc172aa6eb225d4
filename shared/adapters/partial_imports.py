"""Imports of single modules of a package, because the packages of SDKs import all their modules.

importlib's LazyLoader is no help: it runs a package as soon as one of its modules is imported.
Source: Python, "The import system": a package is found in `sys.modules` before anything is run; None there means that a module cannot be
imported; PEP 562, `__getattr__` of modules.
"""

import importlib
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.machinery import ModuleSpec
from importlib.util import find_spec, module_from_spec
from types import ModuleType


def postpone(*packages: str) -> None:
    """Run these packages, each named after its parents, only when a name is looked up in them that is none of their modules.

    Until then their modules can be imported one by one. Afterwards the packages are complete, with the same modules.
    Repeated, or imported already: nothing changes.
    """
    for name in packages:
        spec = None if name in sys.modules else find_spec(name)
        if spec is None:
            continue
        package = sys.modules[name] = module_from_spec(spec)
        package.__getattr__ = _names_of(package, spec)  # type: ignore[method-assign]
        parent, _, child = name.rpartition(".")
        if parent:
            setattr(sys.modules[parent], child, package)


def _names_of(package: ModuleType, spec: ModuleSpec) -> Callable[[str], object]:
    def look_up(name: str) -> object:
        if name.startswith("__") or spec.loader is None:
            raise AttributeError(name, name=name, obj=package)
        module = f"{package.__name__}.{name}"
        if find_spec(module) is not None:
            return importlib.import_module(module)
        del package.__getattr__
        spec.loader.exec_module(package)
        return getattr(package, name)

    return look_up


@contextmanager
def left_out(*modules: str) -> Iterator[None]:
    """Hide these modules from imports in the block: for packages that import them if they are installed, and do not need them."""
    hidden = [one for one in modules if one not in sys.modules]
    sys.modules.update(dict.fromkeys(hidden))  # type: ignore[arg-type]  # None is what the import system asks for
    try:
        yield
    finally:
        for one in hidden:
            del sys.modules[one]
