"""Thought signatures: opaque to clients, and proof to the stand-in that a call comes back as it went out.

The real ones hold encrypted thoughts; these hold an HMAC.
Source: https://ai.google.dev/gemini-api/docs/thought-signatures.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from simulator.gemini.wire import FunctionCall

VALIDATOR_SKIP = "skip_thought_signature_validator"
_VALIDATOR_SKIP_ENCODED = base64.urlsafe_b64encode(VALIDATOR_SKIP.encode()).decode()


@dataclass(frozen=True, slots=True, kw_only=True)
class Signer:
    """Signs calls with a key made from the seed, so that a restarted stand-in knows its own."""

    seed: int

    def sign(self, call: FunctionCall) -> str:
        """The call's signature: urlsafe base64, over name, id and arguments."""
        signed = json.dumps([call.name, call.id, call.args], sort_keys=True, separators=(",", ":"))
        digest = hmac.new(f"thoughts of {self.seed}".encode(), signed.encode(), hashlib.sha256).digest()
        return base64.urlsafe_b64encode(digest).decode()

    def accepts(self, call: FunctionCall, signature: str) -> bool:
        """Whether the signature is this call's, or Google's documented way round for imported histories.

        Either base64 alphabet counts, as protobuf's JSON mapping reads both.
        """
        urlsafe = signature.replace("+", "-").replace("/", "_")
        if urlsafe in {VALIDATOR_SKIP, _VALIDATOR_SKIP_ENCODED}:
            return True
        return hmac.compare_digest(urlsafe.encode(), self.sign(call).encode())
