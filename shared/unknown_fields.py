"""Unknown fields: a newer release wrote them into a record; this release keeps them when it rewrites the record.

    {"version": 1, "text": "see you at 7", "mood": "sunny"}   read by a release without `mood`
    {"version": 1, "text": "see you at 8", "mood": "sunny"}   and rewritten

An unknown field may hold words of people. A redaction therefore keeps only numbers, truth values and null.
"""

from dataclasses import field, fields, replace
from typing import Any, Self

import msgspec

from shared.frozen import frozen


@frozen
class Extensible:
    """A record, or a part of a record, with unknown fields: the text of a JSON object, or UNSET without such fields.

    Only the codec reads and writes `unknown_fields`. Other code passes them on by `dataclasses.replace`, or by `redacted`.
    """

    unknown_fields: str | msgspec.UnsetType = field(default=msgspec.UNSET, repr=False)

    @property
    def wordless_fields(self) -> str | msgspec.UnsetType:
        """The unknown fields without possible words, for a record that is cleaned part by part."""
        return _wordless(self.unknown_fields) if isinstance(self.unknown_fields, str) else msgspec.UNSET

    @property
    def holds_unknown_words(self) -> bool:
        """Whether an unknown field may hold words."""
        return self.wordless_fields != self.unknown_fields

    def redacted(self, **changes: Any) -> Self:  # noqa: ANN401 - the fields of any record
        """Return the record with these redacting changes, and without unknown fields that may hold words, at every level.

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
    wordless = {name: value for name, value in values.items() if not _may_hold_words(value)}
    return msgspec.json.encode(wordless).decode() if wordless else msgspec.UNSET


def _may_hold_words(value: object) -> bool:
    """Whether the value contains a string anywhere; the keys of an object are strings, too."""
    if isinstance(value, list):
        return any(map(_may_hold_words, value))
    return isinstance(value, str | dict)
