"""Recorded deliveries in LINE's format, one file for each kind, and their signatures."""

import base64
import hashlib
import hmac
import json
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parents[1] / "deliveries"
NAMES = sorted(path.stem for path in FOLDER.glob("*.json"))
USER = "U4af4980629b1e5a3b9d0f2c7a8e61d35"
GROUP = "Ca56f94637c4b2d1e0f9a8b7c6d5e4f30"


def body(name: str) -> bytes:
    """Return the delivery's bytes."""
    return (FOLDER / f"{name}.json").read_bytes()


def events(name: str) -> list[dict[str, Any]]:
    """Return the delivery's events."""
    found: list[dict[str, Any]] = json.loads(body(name))["events"]
    return found


def event(name: str, **changes: object) -> dict[str, Any]:
    """Return the delivery's first event, with fields changed."""
    return {**events(name)[0], **changes}


def signature(raw: bytes, secret: str) -> str:
    """Return the value of x-line-signature for a body."""
    return base64.b64encode(hmac.new(secret.encode(), raw, hashlib.sha256).digest()).decode()
