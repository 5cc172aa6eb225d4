"""The hosts open to the bot other than LINE's: `--allow HOST[:PORT]`."""

import argparse
from dataclasses import dataclass
from typing import Final

from ..line_hosts import LINE_HOSTS

HTTPS_PORT: Final = 443
_LOCAL: Final = frozenset({"localhost", "127.0.0.1"})
_MOST_PORT: Final = 65_535


@dataclass(frozen=True, slots=True, kw_only=True)
class Allowance:
    """A host and a port open to the bot."""

    host: str
    port: int

    @property
    def is_local(self) -> bool:
        """Whether the host is on this machine, e.g. a database."""
        return self.host in _LOCAL


def allowance(text: str) -> Allowance:
    """Return the allowance for `db.example:5432` or `example.com`; the default port is HTTPS's.  Raises: argparse.ArgumentTypeError.

    For example, `allowance("db.example:5432")` opens port 5432 of db.example, `allowance("example.com")` port 443.
    """
    host, colon, port = text.partition(":")
    if not host or (colon and not (port.isascii() and port.isdecimal() and 0 < int(port) <= _MOST_PORT)):
        raise argparse.ArgumentTypeError(f"{text!r} is no HOST or HOST:PORT")
    if host in LINE_HOSTS:
        raise argparse.ArgumentTypeError(f"{host} is played by the simulator")
    return Allowance(host=host.lower(), port=int(port or HTTPS_PORT))
