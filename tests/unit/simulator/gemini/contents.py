"""Contents of requests, and the signer of their calls."""

from __future__ import annotations

from typing import Any

from simulator.gemini.signatures import Signer

SIGNER = Signer(seed=0)


def user_content(*parts: dict[str, Any]) -> dict[str, Any]:
    return {"role": "user", "parts": list(parts)}
