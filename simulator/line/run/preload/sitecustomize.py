"""Loaded by the bot's Python at the start: LINE's names lead to the simulator, and other names are refused unless allowed.

The module runs in the bot's environment and therefore imports only the standard library. Another `sitecustomize` is loaded afterwards.
"""

import os
import socket
import sys
from importlib.machinery import PathFinder
from importlib.util import module_from_spec
from pathlib import Path

_HERE = str(Path(__file__).parent)
_HOSTS = frozenset({"api.line.me", "api-data.line.me", "access.line.me", "manager.line.biz"})
_PORT = int(os.environ.get("LINE_SIMULATOR_TLS_PORT", "0"))  # noqa: TID251 - no caller can pass the variable
_ALLOWED = frozenset(os.environ.get("LINE_SIMULATOR_ALLOWED", "").split(",")) - {""}  # noqa: TID251 - likewise
_LOCAL = frozenset({"localhost", "127.0.0.1", "0.0.0.0", "::1", "::", "", socket.gethostname()})
_resolve = socket.getaddrinfo


def _getaddrinfo(host, port, family=0, type=0, proto=0, flags=0):  # noqa: A002, ANN001, ANN202, PLR0913, PLR0917 - as in socket
    name = host.decode() if isinstance(host, bytes) else (host or "")
    if name.lower() in _HOSTS and port in {443, "443", "https"}:
        address = ("127.0.0.1", _PORT)
        return [(socket.AF_INET, type or socket.SOCK_STREAM, proto or socket.IPPROTO_TCP, "", address)]
    if name.lower() not in _LOCAL | _ALLOWED:
        raise socket.gaierror(socket.EAI_NONAME, f"{name} is not allowed by line-simulator; see --allow")
    return _resolve(host, port, family, type, proto, flags)


def _load_next() -> None:
    elsewhere = [path for path in sys.path if path != _HERE]
    spec = PathFinder.find_spec("sitecustomize", elsewhere)
    if spec is not None and spec.loader is not None:
        spec.loader.exec_module(module_from_spec(spec))


if _PORT:
    socket.getaddrinfo = _getaddrinfo
_load_next()
