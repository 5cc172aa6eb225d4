"""LINE's webhook signature: base64 of the HMAC-SHA256 of the raw body, keyed with the channel secret.

Source: LINE, "Verify webhook signature": the signature covers the exact bytes received; parse nothing before the check.
"""

import binascii
import hmac
from collections.abc import Sequence

from shared.errors import BadSignatureError


def verify_signature(body: bytes, signature: str | None, *, channel_secrets: Sequence[str]) -> None:
    """Check that the body was signed with one of the secrets; there are two while the secret is being changed.

    The comparisons take constant time. Raises: BadSignatureError.
    """
    received = (signature or "").encode(errors="replace")
    matches = [hmac.compare_digest(received, _sign(body, secret)) for secret in channel_secrets]
    if not any(matches):
        raise BadSignatureError("the x-line-signature header is missing or wrong; check LINE_CHANNEL_SECRET")


def _sign(body: bytes, channel_secret: str) -> bytes:
    return binascii.b2a_base64(hmac.digest(channel_secret.encode(), body, "sha256"), newline=False)
