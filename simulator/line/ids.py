"""Identifiers and tokens in LINE's formats, drawn from one seeded random source."""

import base64
import string
import uuid
from random import Random
from typing import Final

CROCKFORD: Final = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_ALPHANUMERIC: Final = string.ascii_letters + string.digits
_ULID_CHARACTERS: Final = 26
_BITS_PER_CHARACTER: Final = 5
_MESSAGE_IDS_PER_MS: Final = 100_000


class Ids:
    """The source of all ids on the platform. Equal seeds give equal sequences of ids."""

    def __init__(self, rng: Random) -> None:
        self._rng = rng
        self._newest_message_id = 0

    def user_id(self) -> str:
        """`U` and 32 hex digits.  Source: webhook.yml, `^U[0-9a-f]{32}$`."""
        return f"U{self._hex()}"

    def group_id(self) -> str:
        """`C` and 32 hex digits."""
        return f"C{self._hex()}"

    def room_id(self) -> str:
        """`R` and 32 hex digits."""
        return f"R{self._hex()}"

    def line_message_id(self, now_ms: int) -> str:
        """A decimal number of 18 digits, larger than every earlier id."""
        self._newest_message_id = max(self._newest_message_id + 1, now_ms * _MESSAGE_IDS_PER_MS)
        return str(self._newest_message_id)

    def webhook_event_id(self, now_ms: int) -> str:
        """A ULID.  Source: Messaging API reference, "Common properties"."""
        number = (now_ms << 80) | self._rng.getrandbits(80)
        shifts = range((_ULID_CHARACTERS - 1) * _BITS_PER_CHARACTER, -1, -_BITS_PER_CHARACTER)
        return "".join(CROCKFORD[(number >> shift) & 0b11111] for shift in shifts)

    def reply_token(self) -> str:
        """32 hex digits."""
        return self._hex()

    def quote_token(self) -> str:
        """An opaque string, safe in URLs."""
        return self._opaque(64)

    def mark_as_read_token(self) -> str:
        """An opaque string, safe in URLs."""
        return self._opaque(48)

    def access_token(self) -> str:
        """An opaque string, safe in URLs and headers."""
        return self._opaque(96)

    def key_id(self) -> str:
        """An opaque string, safe in URLs."""
        return self._opaque(32)

    def link_token(self) -> str:
        """32 letters and digits, safe in URLs."""
        return self._opaque(24)

    def liff_suffix(self) -> str:
        """Eight letters and digits, the second part of a LIFF id."""
        return "".join(self._rng.choices(_ALPHANUMERIC, k=8))

    def rich_menu_id(self) -> str:
        """`richmenu-` and 32 hex digits."""
        return f"richmenu-{self._hex()}"

    def request_id(self) -> str:
        """A UUID for `x-line-request-id`."""
        return str(uuid.UUID(int=self._rng.getrandbits(128), version=4))

    def _hex(self) -> str:
        return f"{self._rng.getrandbits(128):032x}"

    def _opaque(self, size_bytes: int) -> str:
        return base64.urlsafe_b64encode(self._rng.randbytes(size_bytes)).rstrip(b"=").decode()
