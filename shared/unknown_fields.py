"""What a newer release has written into a record and this one does not know: kept when the record is written again.

    {"version": 1, "text": "see you at 7", "mood": "sunny"}   read by a release that does not know `mood`
    {"version": 1, "text": "see you at 8", "mood": "sunny"}   and written by it

An unknown field may hold words of people. Whatever takes words out of a record keeps only what cannot: numbers, truth values and null.
"""

from dataclasses import dataclass, field, fields, replace
from typing import Any, Self

import msgspec


@dataclass(frozen=True, slots=True, kw_only=True)
class Extensible:
    """A record, or a part of one, that keeps unknown fields: as the text of a JSON object, or UNSET where there are none.

    Only the codec reads and writes `unknown_fields`. Everything else passes them on by `dataclasses.replace`, or by `redacted`.
    """

    unknown_fields: str | msgspec.UnsetType = field(default=msgspec.UNSET, repr=False)

    @property
    def wordless_fields(self) -> str | msgspec.UnsetType:
        """The unknown fields without those that may hold words, for a record that is cleaned part by part."""
        return _wordless(self.unknown_fields) if isinstance(self.unknown_fields, str) else msgspec.UNSET

    @property
    def holds_unknown_words(self) -> bool:
        """Whether an unknown field may hold words."""
        return self.wordless_fields != self.unknown_fields

    def redacted(self, **changes: Any) -> Self:  # noqa: ANN401 - the fields of any record
        """Return the record with these changes, which take words out of it, and without unknown fields that may hold words, at every level.

        For example, of `{"mood": "sunny", "is_late": true, "ids": ["m1"]}` only `is_late` stays.
        """
        parts = {one.name: _redacted(getattr(self, one.name)) for one in fields(self)}
        return replace(self, **{**parts, "unknown_fields": self.wordless_fields, **changes})


def _redacted(value: object) -> object:
    if isinstance(value, tuple):
        return tuple(map(_redacted, value))
    return value.redacted() if isinstance(value, Extensible) else value


def _wordless(unknown_fields: str) -> str | msgspec.UnsetType:
    values: dict[str, object] = msgspec.json.decode(unknown_fields)
    rest = {name: value for name, value in values.items() if not _may_hold_words(value)}
    return msgspec.json.encode(rest).decode() if rest else msgspec.UNSET


def _may_hold_words(value: object) -> bool:
    """Whether there is a string anywhere in the value; the keys of an object are strings, too."""
    if isinstance(value, list):
        return any(map(_may_hold_words, value))
    return isinstance(value, str | dict)
