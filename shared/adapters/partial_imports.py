"""Imports of single modules of a package, because the packages of SDKs import all their modules.

importlib's LazyLoader is no help: it runs a package with the first import of a module.
Source: Python, "The import system": a package is found in `sys.modules` before anything is run; None there means "cannot be
imported"; PEP 562, `__getattr__` of modules.
"""

import importlib
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.machinery import ModuleSpec
from importlib.util import find_spec, module_from_spec
from types import ModuleType


def postpone(*packages: str) -> None:
    """Run these packages, each named after its parents, only when code looks up a name in them other than a module.

    Until then modules can be imported one by one. Afterwards the packages are complete, with the same modules.
    Repeated, or imported already: nothing changes.
    Example: after `postpone("google.pubsub_v1")`, an import of `google.pubsub_v1.types.pubsub` loads no client.
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
def without_modules(*modules: str) -> Iterator[None]:
    """Hide these modules from imports in the block: for packages that import optional modules whenever possible.

    Example: `with without_modules("aiohttp", "httpx"): from google import genai`.
    """
    hidden = [module for module in modules if module not in sys.modules]
    sys.modules.update(dict.fromkeys(hidden))  # type: ignore[arg-type]  # None hides a module from the import system
    try:
        yield
    finally:
        for module in hidden:
            del sys.modules[module]
