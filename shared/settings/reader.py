"""Reads an environment as a whole: one message reports every missing or malformed variable."""

import math
import re
import unicodedata
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final, TypeVar
from urllib.parse import urlsplit

from shared.settings.secret import FixedSecret, Secret, SecretFile, is_sendable

LEAST_LEASE_S: Final = 16
"""The shortest lease.  A holder uses 17/25: a call to LINE of 7 s fits in, and 5 s remain for the difference between clocks."""
LEAST_HOOK_KEY: Final = 32
"""Characters of the key from which the tokens of hooks are made: `openssl rand -hex 32` gives 64."""

_SPACE: Final = re.compile(r"\s")
_BREAKS: Final = frozenset({"Cc", "Zl", "Zp"})  # categories of Unicode: controls, separators of lines and paragraphs
_LOOPBACK: Final = re.compile(r"http://(localhost|127\.0\.0\.1|\[::1\])(:[0-9]+)?(/|$)", re.IGNORECASE)
_Value = TypeVar("_Value")


class SettingsError(SystemExit):
    """Variables are missing or malformed; the text names every fault.

    A SystemExit, so that the process ends with one line on stderr instead of a stack trace. Example:
    `the environment is incomplete: HISTORY_BUCKET is not set; LEASE_S is '5'; it must be a number from 16 to 60`.
    """


class EnvironmentReader:
    """Reads variables and collects every fault for one report.  A variable set to "" counts as unset."""

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

    def one_line(self, name: str, *, most: int) -> str | None:
        """Read a text without a line break, of at most `most` characters."""
        value = self.optional(name)
        if value is not None and (len(value) > most or any(unicodedata.category(one) in _BREAKS for one in value)):
            self.faults.append(f"{name} must be one line of at most {most} characters")
        return value

    def name(self, name: str) -> str:
        """Read the name of a project, bucket or topic, which is neither a path nor an address."""
        value = self.required(name)
        self._check_is_name(name, value)
        return value

    def optional_name(self, name: str) -> str | None:
        """Read a name as `name` does, or nothing."""
        value = self.optional(name)
        self._check_is_name(name, value or "")
        return value

    def optional_host(self, name: str) -> str | None:
        """Read a host and port, without a scheme, for example `localhost:8085`."""
        value = self.optional(name)
        self._check_is_name(name, value or "")
        return value

    def secret(self, name: str, *, instead: str | None = None) -> Secret:
        """Read the variable, or the file named by the variable NAME_FILE; the file is read again while the process runs."""
        path = self.optional(f"{name}_FILE")
        if path is None:
            text = self.required(name, instead=instead)
            if not is_sendable(text):
                self.faults.append(f"{name} holds characters that no secret has")
            return FixedSecret(text)
        try:
            return SecretFile(Path(path))
        except (OSError, ValueError) as cause:
            self.faults.append(
                f"{name}_FILE names a file that cannot be read, or holds no secret ({type(cause).__name__})"
            )
            return FixedSecret("")

    def secrets(self, name: str, *, at_most: int) -> Secret:
        """Read a secret that may hold several, separated by commas: `old,new` while a secret is being changed."""
        secret = self.secret(name)
        values = split_secrets(secret.value())
        if len(values) > at_most:
            self.faults.append(f"{name} holds {len(values)} secrets; at most {at_most} are taken, separated by a comma")
        elif secret.value() and not values:
            self.faults.append(f"{name} holds no secret")
        return secret

    def one_of(self, name: str, allowed: tuple[str, ...], *, default: str) -> str:
        value = self.optional(name) or default
        match = next((option for option in allowed if option.lower() == value.lower()), None)
        if match is None:
            self.faults.append(f"{name} is {value!r}; it must be one of {', '.join(allowed)}")
        return match or default

    def several_of(self, name: str, allowed: tuple[str, ...], *, default: tuple[str, ...]) -> tuple[str, ...]:
        """Read names separated by commas; here "" is a value and means no names."""
        value = self._env.get(name)
        if value is None:
            return default
        values = tuple(dict.fromkeys(part.strip().lower() for part in value.split(",") if part.strip()))
        unknown = [member for member in values if member not in allowed]
        if unknown:
            self.faults.append(f"{name} names {', '.join(unknown)}; there are {', '.join(allowed)}")
        return tuple(member for member in values if member in allowed)

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

    def whole_number(self, name: str, *, default: int, least: int, most: int) -> int:
        """Read a whole number.  A fraction is a fault: cut off, 0.5 would be 0, which often means no limit."""
        number = float(self.number(name, default=default, least=least, most=most))
        if not number.is_integer():
            self.faults.append(f"{name} is {self.optional(name)!r}; it must be a whole number from {least} to {most}")
        return int(number)

    def lease_s(self) -> float:
        """Read the duration of a lease; functions that share a bucket need the same value.

        On an emulator's bucket the lease may be shorter, so that a test need not wait for the lease of a worker that it killed.
        """
        least = 1 if self.optional("STORAGE_EMULATOR_HOST") else LEAST_LEASE_S
        return self.number("LEASE_S", default=25, least=least, most=60)

    def hook_key(self) -> Secret | None:
        """Read HOOK_KEY if HOOKS is on; functions that make or check tokens need the same value.  None: hooks are off."""
        if self.one_of("HOOKS", ("off", "on"), default="off") == "off":
            return None
        key = self.secret("HOOK_KEY")
        if 0 < len(key.value()) < LEAST_HOOK_KEY:
            self.faults.append(f"HOOK_KEY has fewer than {LEAST_HOOK_KEY} characters")
        return key

    def handover_minutes(self) -> int:
        """Read after how many minutes a handover to a person ends by itself."""
        return self.whole_number("HANDOVER_MINUTES", default=60, least=1, most=10_080)

    def clock_offset_file(self) -> Path | None:
        """Read the path of the file that moves the clock of a local stack; a fault with a real bucket."""
        path = self.optional("CLOCK_OFFSET_FILE")
        if path is not None and not self.optional("STORAGE_EMULATOR_HOST"):
            self.faults.append("CLOCK_OFFSET_FILE moves the clock of a local stack only; unset it")
        return Path(path) if path is not None else None

    def url(self, name: str) -> str | None:
        value = self.optional(name)
        if value is None:
            return None
        try:
            parts = urlsplit(value)
            usable = parts.scheme in {"http", "https"} and bool(parts.hostname) and (parts.port or 1) > 0
            usable = usable and _SPACE.search(value) is None
        except ValueError:
            usable = False
        if not usable:
            self.faults.append(f"{name} is no http(s) address")
        return value.rstrip("/")

    def line_api_base_url(self) -> str | None:
        """Read the address of LINE's API.  The access token is sent to this address.

        Plain http is therefore allowed only for stand-ins: on this machine, or along with an emulator.
        """
        value = self.url("LINE_API_BASE_URL")
        is_safe = value is None or value.lower().startswith("https:") or is_on_this_machine(value)
        if not is_safe and not self.optional("STORAGE_EMULATOR_HOST"):
            self.faults.append("LINE_API_BASE_URL must be https; the channel access token is sent there")
        return value

    def _check_is_name(self, name: str, value: str) -> None:
        if "/" in value or _SPACE.search(value) is not None:
            self.faults.append(f"{name} is {value!r}; it must be a name, without a slash or a space")


def is_on_this_machine(url: str) -> bool:
    """Whether the address is one of this machine's, over plain http: `is_on_this_machine("http://127.0.0.1:8080/mcp")`."""
    return _LOOPBACK.match(url) is not None


def split_secrets(text: str) -> tuple[str, ...]:
    """Return the secrets in a text with commas between them: `split_secrets("a, b") == ("a", "b")`."""
    return tuple(part.strip() for part in text.split(",") if part.strip())


def read_settings(env: Mapping[str, str], read: Callable[[EnvironmentReader], _Value]) -> _Value:
    """Return the settings that `read` makes of the environment.  Raises: SettingsError, which names every fault."""
    settings = EnvironmentReader(env)
    value = read(settings)
    if settings.faults:
        raise SettingsError("the environment is incomplete: " + "; ".join(settings.faults))
    return value
