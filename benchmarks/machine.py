"""The header of the table: machine, time and versions."""

import datetime as dt
import os
import platform
from importlib import metadata
from typing import Final

from shared.clock import Clock

PACKAGES: Final = (
    "functions-framework",
    "gunicorn",
    "google-cloud-pubsub",
    "grpcio",
    "protobuf",
    "google-cloud-storage",
    "google-genai",
    "line-bot-sdk",
)


def header_line(clock: Clock) -> str:
    """Return one line, such as `2 cores, Python 3.11.7, 2026-11-21 23:58 UTC; functions-framework 3.10.2, ...`."""
    now = dt.datetime.fromtimestamp(clock.now_ms() / 1_000, tz=dt.UTC)
    versions = ", ".join(f"{package} {metadata.version(package)}" for package in PACKAGES)
    return f"{_cores()} cores, Python {platform.python_version()}, {now:%Y-%m-%d %H:%M} UTC; {versions}"


def _cores() -> int:
    """Return the number of cores available to the process; a container may have fewer than the machine."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
