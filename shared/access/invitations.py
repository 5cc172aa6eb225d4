"""Invitations: codes with which a chat is admitted.  Only a code's hash is stored; the operator hands the code to the invited people.

invitations/{first half of the hash}.json   the whole hash, the end of validity, and the chat that used the code up
"""

import hashlib
import hmac
import secrets
import unicodedata
from dataclasses import field, replace
from typing import Final

from shared.clock import Clock
from shared.frozen import frozen
from shared.storage.codec import VERSION, decode, decode_if_readable, encode
from shared.storage.compare_and_swap import update_by_swap
from shared.storage.object_names import INVITATION_PREFIX, invitation_name
from shared.storage.object_store import ListedObject, ObjectStore
from shared.unknown_fields import Extensible

CODE_LENGTH: Final = 16  # characters of five bits: 80 bits, too many to guess
_ALPHABET: Final = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"  # Crockford's base 32, without letters that look like others
_LOOK_ALIKES: Final = str.maketrans("OIL", "011")
_GROUP: Final = 4
_NAME_DIGITS: Final = 32
_LONGEST_CODE: Final = 64
_PREFIX: Final = b"aizuchi invitation "


@frozen
class InvitationRecord(Extensible):
    """invitations/{digest}.json.

    `code_sha256`: the hash of the code. The invitation counts until `expires_ms`. `used_by`: the chat admitted by a single-use code.
    `is_open`: until `expires_ms`, every chat that follows the bot, or invites it, is admitted without the code.
    """

    version: int = VERSION
    code_sha256: str = field(repr=False)
    expires_ms: int
    is_single_use: bool = True
    is_open: bool = False
    used_by: str | None = field(default=None, repr=False)

    def is_valid_for(self, conversation_id: str, *, now_ms: int) -> bool:
        """Whether the invitation may admit this chat.

        The chat that has used up a single-use code stays valid, so that a redelivered code is not refused.
        """
        return now_ms < self.expires_ms and (self.used_by is None or self.used_by == conversation_id)


@frozen
class Invitations:
    """The invitations of one bucket.  Every method raises StorageUnavailableError."""

    store: ObjectStore
    clock: Clock = field(repr=False)

    def invite(self, *, expires_ms: int, is_single_use: bool = True, is_open: bool = False) -> str:
        """Return a new code, for example `7K3M-Q9TX-0V2H-WB5N`; no copy is stored.  Expired invitations are removed."""
        self._remove_expired()
        code = "".join(secrets.choice(_ALPHABET) for _ in range(CODE_LENGTH))
        digest = _digest(code)
        record = InvitationRecord(
            code_sha256=digest, expires_ms=expires_ms, is_single_use=is_single_use, is_open=is_open
        )
        self.store.create(invitation_name(digest[:_NAME_DIGITS]), encode(record))
        return "-".join(code[start : start + _GROUP] for start in range(0, CODE_LENGTH, _GROUP))

    def redeem(self, code: str, conversation_id: str) -> bool:
        """Return whether the code admits the chat; afterwards a single-use code admits no other chat.

        The object is found by half of the hash, to reveal nothing about other codes; the whole hash is compared in constant time.
        Repeated by the same chat: True again.
        """
        digest = _digest(_normalised(code))
        is_redeemed = False

        def redeemed(data: bytes | None) -> bytes | None:
            nonlocal is_redeemed
            record = decode(InvitationRecord, data) if data is not None else None
            is_known = record is not None and hmac.compare_digest(record.code_sha256, digest)
            is_redeemed = (
                is_known and record is not None and record.is_valid_for(conversation_id, now_ms=self.clock.now_ms())
            )
            if record is None or not is_redeemed or not record.is_single_use or record.used_by is not None:
                return None
            return encode(replace(record, used_by=conversation_id))

        update_by_swap(self.store, invitation_name(digest[:_NAME_DIGITS]), redeemed, what="an invitation")
        return is_redeemed

    def is_any_open(self) -> bool:
        """Whether some invitation admits, without a code, chats that follow or invite the bot."""
        now_ms = self.clock.now_ms()
        return any(one.is_open and now_ms < one.expires_ms for _, one in self._read_all())

    def count_valid(self) -> int:
        """Return how many invitations could still admit a chat."""
        now_ms = self.clock.now_ms()
        return sum(one.used_by is None and now_ms < one.expires_ms for _, one in self._read_all())

    def _remove_expired(self) -> None:
        now_ms = self.clock.now_ms()
        for entry, record in self._read_all():
            if record.expires_ms <= now_ms:
                self.store.delete(entry.name, generation=entry.generation)

    def _read_all(self) -> list[tuple[ListedObject, InvitationRecord]]:
        listing = self.store.list(INVITATION_PREFIX)
        read = ((entry, self.store.read(entry.name)) for entry in listing)
        records = (
            (entry, decode_if_readable(InvitationRecord, stored.data if stored else None)) for entry, stored in read
        )
        return [(entry, record) for entry, record in records if record is not None]


def _normalised(code: str) -> str:
    """Return the code in its original form: any width and case, with or without hyphens and blanks, O for 0, and I or L for 1.

    Example: `_normalised("7k3m q9tx") == "7K3MQ9TX"`.
    """
    letters = unicodedata.normalize("NFKC", code[:_LONGEST_CODE]).upper()
    return "".join(one for one in letters if one.isalnum()).translate(_LOOK_ALIKES)


def _digest(code: str) -> str:
    return hashlib.sha256(_PREFIX + code.encode()).hexdigest()
