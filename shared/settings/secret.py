"""Secrets: a fixed text, or a file that is read again, so that a changed secret needs no deployment.

Source: Cloud Run, "Configure secrets for services": reading a mounted secret always fetches its value from Secret Manager, so the file
of the version `latest` holds the newest value; a read fails while the secret cannot be accessed.
"""

import threading
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Protocol

from shared import logs
from shared.clock import Clock, SystemClock

FRESH_S: Final = 60.0
"""How long a value is used before its file is read again."""
LEAST_S: Final = 5.0
"""The shortest time between two reads, after any number of refusals: each read is a call of Secret Manager."""


class Secret(Protocol):
    """A value that may change while the process runs; safe to share between threads."""

    def value(self) -> str:
        """Return the value; never empty."""
        ...

    def read_again(self) -> bool:
        """Read the value again after a refusal; return whether it has changed.

        Example: LINE answers 401, so the caller asks `token.read_again()`, and repeats the call if the answer is True.
        """
        ...


@dataclass(frozen=True, slots=True)
class FixedSecret:
    """A secret that stays the same for as long as the process runs."""

    text: str = field(repr=False)

    def value(self) -> str:
        return self.text

    def read_again(self) -> bool:
        return False


class SecretFile:
    """A secret in a file.  If the file cannot be read, or holds no secret, the last value stays in use."""

    def __init__(self, path: Path, *, clock: Clock | None = None) -> None:
        """Read the file.  Raises: OSError; ValueError, if the file holds no secret."""
        self._path = path
        self._clock = clock or SystemClock()
        self._reading = threading.Lock()
        self._value = _read(path)
        self._read_at_s = self._clock.monotonic_s()

    def value(self) -> str:
        if self._clock.monotonic_s() - self._read_at_s >= FRESH_S and self._reading.acquire(blocking=False):
            try:  # one thread reads; the others continue with the old value
                self._refresh()
            finally:
                self._reading.release()
        return self._value

    def read_again(self) -> bool:
        before = self._value
        with self._reading:
            if self._value == before and self._clock.monotonic_s() - self._read_at_s >= LEAST_S:
                self._refresh()
            return self._value != before

    def _refresh(self) -> None:
        try:
            value = _read(self._path)
        except (OSError, ValueError) as cause:
            logs.error("secret_unreadable", cause=cause, file=self._path.parent.name)
        else:
            if value != self._value:
                logs.info("secret_changed", file=self._path.parent.name)
            self._value = value
        self._read_at_s = self._clock.monotonic_s()


def _read(path: Path) -> str:
    value = path.read_text(encoding="utf-8").strip()
    if not value or not is_sendable(value):
        raise ValueError("the file holds no secret")
    return value


def is_sendable(secret: str) -> bool:
    """Whether a header can carry the secret: a line break inside, for example of a wrapped copy, would fail every call."""
    return secret.isascii() and secret.isprintable()
