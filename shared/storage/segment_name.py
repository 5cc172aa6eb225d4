"""The names of an archive's segments, which tell what lies in them."""

import re
from dataclasses import dataclass
from typing import Final

from shared.errors import UnusableIdError

_SUFFIX: Final = ".json"
_YEAR_10000_MS: Final = 253_402_300_800_000
_DIGEST: Final = re.compile(r"[0-9a-f]{16}", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class SegmentName:
    """The last part of a segment's name: `{first_ms}-{last_ms}-{number}-{digest}.json`.

    All that the segment holds lies between `first_ms` and `last_ms`, by LINE's timestamps. `number` counts the segments of the chat, and
    `digest` is made of the bytes as they were first written. Timestamps are padded, so that names sort by time.
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
        """Parse a segment's name, with or without folders before it.  Raises: UnusableIdError, if it is no segment's."""
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
