"""The names of an archive's segments; each name shows the content of the segment."""

import re
from typing import Final

from shared.errors import UnusableIdError
from shared.frozen import frozen

_SUFFIX: Final = ".json"
_YEAR_10000_MS: Final = 253_402_300_800_000
_DIGEST: Final = re.compile(r"[0-9a-f]{16}", re.ASCII)


@frozen
class SegmentName:
    """The last part of a segment's name: `{first_ms}-{last_ms}-{number}-{digest}.json`.

    By LINE's timestamps, every record of the segment lies between `first_ms` and `last_ms`. `number` counts the segments of the chat;
    `digest` is computed from the first written bytes. Timestamps are padded to 15 digits, so that names sort by time. Example:
    `001795510800000-001795511400000-3-0f3a5c7e9b1d2f40.json`.
    """

    first_ms: int
    last_ms: int
    number: int
    digest: str

    def __post_init__(self) -> None:
        """Raises: UnusableIdError, if a part cannot stand in a name."""
        if not 0 <= self.first_ms <= self.last_ms < _YEAR_10000_MS or self.number < 1:
            raise UnusableIdError("no span or number of a segment")
        if _DIGEST.fullmatch(self.digest) is None:
            raise UnusableIdError("no digest of a segment")

    @classmethod
    def parse(cls, file: str) -> "SegmentName":
        """Parse a segment's name, with or without folders before it.  Raises: UnusableIdError, for any other name."""
        file = file.rsplit("/", 1)[-1]
        try:
            first, last, number, digest = file.removesuffix(_SUFFIX).split("-")
            parsed = cls(first_ms=int(first), last_ms=int(last), number=int(number), digest=digest)
        except ValueError as cause:
            raise UnusableIdError("no name of a segment") from cause
        if parsed.file != file:
            raise UnusableIdError("no name of a segment")
        return parsed

    @property
    def file(self) -> str:
        """The name, without folders."""
        return f"{self.first_ms:015d}-{self.last_ms:015d}-{self.number}-{self.digest}{_SUFFIX}"
