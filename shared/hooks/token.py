"""Tokens of hooks, made and checked with HOOK_KEY alone: the webhook learns hook and chat from the token, without storage.

    h7k2m4q9x3b5n8w6 . sealed chat id and nonce . MAC

The first two parts are the hook's address, which is no secret: an address alone opens nothing. The MAC covers the text of the address, so
every other spelling of the same bytes is refused, too. Sealing is encryption with HMAC-SHA256 as a keystream, encrypt-then-MAC; hook id and
nonce together are used for one chat id only.
Source: RFC 2104 (HMAC); Bellare and Namprempre, "Authenticated Encryption" (2000): encrypt-then-MAC.
"""

import base64
import hmac
import re
from dataclasses import field
from typing import Final

from shared.frozen import frozen
from shared.line.ids import is_conversation_id

_NONCE_BYTES: Final = 12
_CHAT_BYTES: Final = 17  # a letter, and 32 hexadecimal digits
_ID_DIGITS: Final = 16
_SEALED_CHARACTERS: Final = 39
_MAC_CHARACTERS: Final = 43
HOOK_ID: Final = re.compile(rf"h[0-9a-v]{{{_ID_DIGITS}}}", re.ASCII)
_ADDRESS: Final = re.compile(
    rf"(?P<hook_id>h[0-9a-v]{{{_ID_DIGITS}}})\.(?P<sealed>[0-9A-Za-z_-]{{{_SEALED_CHARACTERS}}})", re.ASCII
)
TOKEN_CHARACTERS: Final = 1 + _ID_DIGITS + 1 + _SEALED_CHARACTERS + 1 + _MAC_CHARACTERS


@frozen
class HookAddress:
    """The hook and the chat that a token names, and the token's `mark`: each rotation of a hook gives a token with another mark."""

    hook_id: str
    conversation_id: str = field(repr=False)
    mark: str


def is_hook_id(text: str) -> bool:
    """Whether the text can be the id of a hook, for example `h7k2m4q9v3b5n8a6o`."""
    return HOOK_ID.fullmatch(text) is not None


def new_address(key: str, *, conversation_id: str, seed: str, hook_id: str = "") -> str:
    """Return an address for a hook of the chat: a new hook, or `hook_id` with another mark.

    The same seed gives the same address, so a repeated delivery of the press that makes a hook makes no second hook.
    """
    own_id = hook_id or "h" + base64.b32hexencode(_derived(key, "id", seed)[:10]).decode().lower()
    nonce = _derived(key, "nonce", f"{own_id} {seed}")[:_NONCE_BYTES]
    chat = conversation_id[:1].encode() + bytes.fromhex(conversation_id[1:])
    return f"{own_id}.{_text_of(nonce + _crypted(key, own_id, nonce, chat))}"


def token_of(address: str, key: str) -> str:
    """Return the token of an address: whoever has the token may send notices."""
    return f"{address}.{_text_of(_derived(key, 'mac', address))}"


def address_in(token: str, key: str) -> HookAddress | None:
    """Return the address in a token; None for a token that was not made with this key.  The comparison takes constant time."""
    if len(token) != TOKEN_CHARACTERS or not token.isascii():
        return None
    address = token.rpartition(".")[0]
    is_genuine = hmac.compare_digest(token_of(address, key), token)
    return read_address(address, key) if is_genuine else None


def read_address(address: str, key: str) -> HookAddress | None:
    """Return the hook and the chat of an address, which anybody may have altered; None for a text that is no address of a chat.

    Only a signature made with the address's token shows that a sender may use the address.
    """
    match = _ADDRESS.fullmatch(address)
    if match is None:
        return None
    hook_id, sealed = match["hook_id"], _bytes_of(match["sealed"])
    nonce, crypted = sealed[:_NONCE_BYTES], sealed[_NONCE_BYTES:]
    chat = _crypted(key, hook_id, nonce, crypted)
    conversation_id = chat[:1].decode("latin-1") + chat[1:].hex()
    if not is_conversation_id(conversation_id):
        return None
    return HookAddress(hook_id=hook_id, conversation_id=conversation_id, mark=nonce.hex())


def _crypted(key: str, hook_id: str, nonce: bytes, text: bytes) -> bytes:
    """Return the text sealed, or the sealed text opened."""
    stream = hmac.digest(_derived(key, "seal", ""), hook_id.encode() + nonce, "sha256")[:_CHAT_BYTES]
    return bytes(a ^ b for a, b in zip(stream, text, strict=True))


def _derived(key: str, purpose: str, text: str) -> bytes:
    purpose_key = hmac.digest(key.encode(), f"aizuchi hook {purpose}".encode(), "sha256")
    return hmac.digest(purpose_key, text.encode(), "sha256")


def _text_of(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def _bytes_of(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
