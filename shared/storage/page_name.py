"""The names of a chat's pages, which sort newest first."""

from dataclasses import dataclass
from typing import Final

from shared.errors import UnusableIdError

_SUFFIX: Final = ".json"
_LAST_NUMBER: Final = 999_999_999
_YEAR_10000_MS: Final = 253_402_300_800_000


@dataclass(frozen=True, slots=True, kw_only=True)
class PageName:
    """The last part of a page's name: `{999999999 - number}-{first_ms}.json`.

    `first_ms` is LINE's timestamp of the first record that was to be put on the page; 0 for page 1, so that it has one name only.
    """

    number: int
    first_ms: int

    def __post_init__(self) -> None:
        """Raises: UnusableIdError, if a part cannot stand in a name."""
        if not 1 <= self.number <= _LAST_NUMBER or not 0 <= self.first_ms < _YEAR_10000_MS:
            raise UnusableIdError("no number or time of a page")

    @classmethod
    def parse(cls, file: str) -> "PageName":
        """Parse a page's name, with or without folders before it.  Raises: UnusableIdError, if it is no page's."""
        file = file.rsplit("/", 1)[-1]
        try:
            place, first = file.removesuffix(_SUFFIX).split("-")
            parsed = cls(number=_LAST_NUMBER - int(place), first_ms=int(first))
        except ValueError as cause:
            raise UnusableIdError("no name of a page") from cause
        if parsed.file != file:
            raise UnusableIdError("no name of a page")
        return parsed

    @property
    def file(self) -> str:
        """The name, without folders."""
        return f"{_LAST_NUMBER - self.number:09d}-{self.first_ms:015d}{_SUFFIX}"


FIRST_PAGE: Final = PageName(number=1, first_ms=0)
