"""Reading an environment whole: what is missing or malformed is remembered, and told in one message."""

import math
from collections.abc import Callable, Mapping
from typing import TypeVar
from urllib.parse import urlsplit

_Value = TypeVar("_Value")


class SettingsError(SystemExit):
    """The environment does not hold what the function needs; the text names every fault.

    A SystemExit, so that it ends the process with this one line on stderr instead of a stack trace.
    """


class EnvironmentReader:
    """Reads variables and remembers every fault, so that all of them are told at once.  A variable that is set to "" is not set."""

    def __init__(self, env: Mapping[str, str]) -> None:
        self.faults: list[str] = []
        self._env = env

    def optional(self, name: str) -> str | None:
        return self._env.get(name, "").strip() or None

    def required(self, name: str, *, instead: str | None = None) -> str:
        value = self.optional(name)
        if value is None:
            self.faults.append(f"{name} is not set" + (f" (or set {instead})" if instead else ""))
        return value or ""

    def secrets(self, name: str, *, at_most: int) -> tuple[str, ...]:
        secrets = tuple(secret.strip() for secret in self.required(name).split(",") if secret.strip())
        if len(secrets) > at_most:
            self.faults.append(
                f"{name} holds {len(secrets)} secrets; at most {at_most} are taken, separated by a comma"
            )
        elif self.optional(name) and not secrets:
            self.faults.append(f"{name} holds no secret")
        return secrets

    def one_of(self, name: str, allowed: tuple[str, ...], *, default: str) -> str:
        value = self.optional(name) or default
        match = next((one for one in allowed if one.lower() == value.lower()), None)
        if match is None:
            self.faults.append(f"{name} is {value!r}; it must be one of {', '.join(allowed)}")
        return match or default

    def several_of(self, name: str, allowed: tuple[str, ...], *, default: tuple[str, ...]) -> tuple[str, ...]:
        """Return the names of a comma list; a list that is set to "" holds none."""
        if name not in self._env:
            return default
        given = [one.strip().lower() for one in self._env[name].split(",") if one.strip()]
        unknown = [one for one in given if one not in allowed]
        if unknown:
            self.faults.append(f"{name} names {', '.join(map(repr, unknown))}; it takes {', '.join(allowed)}")
        return tuple(one for one in allowed if one in given)

    def number(self, name: str, *, default: float, least: float, most: float) -> float:
        value = self.optional(name)
        if value is None:
            return default
        try:
            number = float(value)
        except ValueError:
            number = math.nan
        if not least <= number <= most:
            self.faults.append(f"{name} is {value!r}; it must be a number from {least:g} to {most:g}")
            return default
        return number

    def url(self, name: str) -> str | None:
        value = self.optional(name)
        if value is None:
            return None
        try:
            parts = urlsplit(value)
            usable = parts.scheme in {"http", "https"} and bool(parts.hostname) and (parts.port or 1) > 0
        except ValueError:
            usable = False
        if not usable:
            self.faults.append(f"{name} is no http(s) address")
        return value.rstrip("/")


def read_settings(env: Mapping[str, str], read: Callable[[EnvironmentReader], _Value]) -> _Value:
    """Return what `read` makes of the environment.  Raises: SettingsError, with every fault that it met."""
    settings = EnvironmentReader(env)
    value = read(settings)
    if settings.faults:
        raise SettingsError("the environment is incomplete: " + "; ".join(settings.faults))
    return value
