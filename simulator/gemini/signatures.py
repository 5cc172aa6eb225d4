"""Thought signatures: opaque to clients; a valid signature proves to the stand-in that a client returns a call unchanged.

Real signatures contain encrypted thoughts; the stand-in's contain an HMAC.
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
    from simulator.gemini.request import FunctionCall

VALIDATOR_SKIP = "skip_thought_signature_validator"
_VALIDATOR_SKIP_ENCODED = base64.urlsafe_b64encode(VALIDATOR_SKIP.encode()).decode()


@dataclass(frozen=True, slots=True, kw_only=True)
class Signer:
    """Signs calls with a key from the seed, so signatures stay valid after a restart."""

    seed: int

    def sign(self, call: FunctionCall) -> str:
        """Return the call's signature over name, id and arguments, in urlsafe base64."""
        signed = json.dumps([call.name, call.id, call.args], sort_keys=True, separators=(",", ":"))
        digest = hmac.new(f"thoughts of {self.seed}".encode(), signed.encode(), hashlib.sha256).digest()
        return base64.urlsafe_b64encode(digest).decode()

    def accepts(self, call: FunctionCall, signature: str) -> bool:
        """Whether the signature is the given call's, or Google's documented placeholder for imported histories.

        Both base64 alphabets are valid, as in protobuf's JSON mapping.
        """
        urlsafe = signature.replace("+", "-").replace("/", "_")
        if urlsafe in {VALIDATOR_SKIP, _VALIDATOR_SKIP_ENCODED}:
            return True
        return hmac.compare_digest(urlsafe.encode(), self.sign(call).encode())
