"""Whether a PDF opens without a password.  Its text is not read: the model reads PDFs.

A PDF that only forbids printing or copying is encrypted with the empty password, and opens. So the empty password is tried.
Source: ISO 32000-2, 7.5.5 (trailer), 7.6.4 (standard security handler: algorithms 2, 2.B, 4, 5, 6 and 11).
"""

import hashlib
import re
from collections import deque
from collections.abc import Iterator, Mapping
from typing import Final

_REFERENCE: Final = re.compile(rb"/Encrypt[\s\0]{1,9}(\d{1,9})[\s\0]{1,9}(\d{1,5})[\s\0]{1,9}R")
_DIRECT: Final = re.compile(rb"/Encrypt[\s\0]{0,9}<<")
_IDS: Final = re.compile(rb"/ID[\s\0]{0,9}\[")
_DICTIONARY_BYTES: Final = 4_096
"""Bytes in which a dictionary of a security handler has to end."""
_MOST_TRAILERS: Final = 3
_TOKEN: Final = re.compile(
    rb"<<|>>|/[^\s\0()<>\[\]{}/%]*|<[0-9A-Fa-f\s\0]*>|\((?:\\.|[^\\()]|\((?:\\.|[^\\()])*+\))*+\)|[-+]?\d+|true|false",
    re.DOTALL,
)
_ESCAPE: Final = re.compile(rb"\\([0-7]{1,3}|\r\n|.)", re.DOTALL)
_LETTERS: Final[Mapping[bytes, bytes]] = {
    b"n": b"\n",
    b"r": b"\r",
    b"t": b"\t",
    b"b": b"\b",
    b"f": b"\f",
    b"\n": b"",
    b"\r\n": b"",
}
_EMPTY_PASSWORD: Final = bytes.fromhex("28bf4e5e4e758a4164004e56fffa01082e2e00b6d0683e802f0ca9fe6453697a")
_RC4_REVISION: Final = 2  # of 40 bits
_AES_256_REVISION: Final = 5
_HARDENED_REVISION: Final = 6
_METADATA_REVISION: Final = 4
_LEAST_ROUNDS: Final = 64


def needs_password(data: bytes) -> bool:
    """Whether the PDF is encrypted, and does not open with the empty password.  A damaged PDF, or another file, needs none."""
    handler = _security_handler(data)
    if handler.get("Filter") not in {None, b"/Standard"}:
        return True  # a certificate opens it
    owner, user = handler.get("O", b""), handler.get("U", b"")
    revision = _number(handler, "R")
    if not owner or not user or not revision:
        return False
    if revision >= _AES_256_REVISION:
        digest = (
            _hardened_digest(user[32:40]) if revision >= _HARDENED_REVISION else hashlib.sha256(user[32:40]).digest()
        )
        return digest != user[:32]
    return not _opens_by_rc4(handler, revision, _first_id(data))


def _security_handler(data: bytes) -> Mapping[str, bytes]:
    """Return the encryption dictionary that the last trailer names: names and numbers as they stand, strings as bytes; {}: none."""
    for reference in reversed(deque(_REFERENCE.finditer(data), maxlen=_MOST_TRAILERS)):
        begin = data.rfind(b"%d %d obj" % (int(reference[1]), int(reference[2])))
        if begin >= 0 and (handler := _entries(data[begin : begin + _DICTIONARY_BYTES])):
            return handler
    direct = _DIRECT.search(data)
    return _entries(data[direct.end() - 2 : direct.end() + _DICTIONARY_BYTES]) if direct else {}


def _entries(text: bytes) -> Mapping[str, bytes]:
    """Return the entries of the first dictionary in the text, without nested dictionaries.

    For example, `<< /R 6 /CF << /R 1 >> /U (a) >>` is `{"R": b"6", "U": b"a"}`.
    """
    entries: dict[str, bytes] = {}
    depth, key = 0, ""
    for token in _tokens(text):
        if token == b"<<":
            depth, key = depth + 1, ""
        elif token == b">>":
            depth -= 1
            if depth <= 0:
                break
        elif depth == 1 and key:
            entries.setdefault(key, _plain(token))
            key = ""
        elif depth == 1 and token.startswith(b"/"):
            key = token[1:].decode("ascii", errors="replace")
    return entries


def _tokens(text: bytes) -> Iterator[bytes]:
    return (match[0] for match in _TOKEN.finditer(text))


def _plain(token: bytes) -> bytes:
    """Return the bytes of a string, for example `b"a)"` of `<6129>`; any other token as it stands."""
    if token.startswith(b"("):
        return _ESCAPE.sub(_unescaped, token[1:-1])
    if token.startswith(b"<"):
        digits = token[1:-1].translate(None, b" \t\r\n\v\f\0").decode()
        return bytes.fromhex(digits + "0" * (len(digits) % 2))
    return token


def _unescaped(escape: re.Match[bytes]) -> bytes:
    if escape[1][:1] in b"01234567":
        return bytes([int(escape[1], 8) & 0xFF])
    return _LETTERS.get(escape[1], escape[1])


def _number(handler: Mapping[str, bytes], key: str) -> int:
    text = handler.get(key, b"")
    return int(text) if re.fullmatch(rb"[-+]?\d{1,11}", text) else 0


def _first_id(data: bytes) -> bytes:
    ids = deque(_IDS.finditer(data), maxlen=1)
    if not ids:
        return b""
    end = ids[-1].end()
    return next((_plain(token) for token in _tokens(data[end : end + _DICTIONARY_BYTES])), b"")


def _opens_by_rc4(handler: Mapping[str, bytes], revision: int, file_id: bytes) -> bool:
    """Whether the empty password opens a PDF of the revisions 2 to 4."""
    permissions = (_number(handler, "P") & 0xFFFFFFFF).to_bytes(4, "little")
    is_without_metadata = revision >= _METADATA_REVISION and handler.get("EncryptMetadata") == b"false"
    key = _md5(
        _EMPTY_PASSWORD + handler["O"][:32] + permissions + file_id + (b"\xff" * 4 if is_without_metadata else b"")
    )
    if revision == _RC4_REVISION:
        return _rc4(key[:5], _EMPTY_PASSWORD) == handler["U"][:32]
    bits = 128 if _number(handler, "V") == _METADATA_REVISION else _number(handler, "Length")
    size = min(max(bits // 8, 5), 16)
    for _ in range(50):
        key = _md5(key[:size])
    digest = _md5(_EMPTY_PASSWORD + file_id)
    for number in range(20):
        digest = _rc4(bytes(byte ^ number for byte in key[:size]), digest)
    return digest == handler["U"][:16]


def _md5(text: bytes) -> bytes:
    return hashlib.md5(text, usedforsecurity=False).digest()


def _rc4(key: bytes, text: bytes) -> bytes:
    state = list(range(256))
    place = 0
    for step in range(256):
        place = (place + state[step] + key[step % len(key)]) % 256
        state[step], state[place] = state[place], state[step]
    first = second = 0
    written = bytearray()
    for byte in text:
        first = (first + 1) % 256
        second = (second + state[first]) % 256
        state[first], state[second] = state[second], state[first]
        written.append(byte ^ state[(state[first] + state[second]) % 256])
    return bytes(written)


def _hardened_digest(salt: bytes) -> bytes:
    """Return the hash of the empty password with a salt, by algorithm 2.B."""
    from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes  # noqa: PLC0415 - only for such a PDF

    digest, rounds = hashlib.sha256(salt).digest(), 0
    while True:
        encryptor = Cipher(algorithms.AES(digest[:16]), modes.CBC(digest[16:32])).encryptor()
        encrypted = encryptor.update(digest * 64)
        digest = (hashlib.sha256, hashlib.sha384, hashlib.sha512)[sum(encrypted[:16]) % 3](encrypted).digest()
        rounds += 1
        if rounds >= _LEAST_ROUNDS and encrypted[-1] <= rounds - 32:
            return digest[:32]
