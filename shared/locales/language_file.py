"""The file of one language: read once, and served a table at a time, checked against the reader's type."""

import tomllib
from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import field
from functools import cache
from pathlib import Path
from typing import Final, Literal, TypeAlias, TypeVar, get_args

import msgspec
from msgspec import inspect

from shared.errors import AizuchiError
from shared.frozen import frozen
from shared.locales import LOCALES as LOCALES  # noqa: PLC0414 - also imported from here

Table: TypeAlias = Literal[
    "phrases", "digest", "holdings", "lists", "polls", "quote", "proposal", "receipt", "reminder", "rich_menu", "times"
]
_Shape = TypeVar("_Shape")

FOLDER: Final = Path(__file__).parent


class LanguageFileError(AizuchiError):
    """A language's file does not hold exactly what the readers need; the text names the file and every key at fault."""


@frozen
class LanguageFile:
    """The texts of a language's file, by table and key."""

    name: str
    tables: Mapping[str, object] = field(repr=False)

    @classmethod
    def parse(cls, text: str, *, name: str) -> "LanguageFile":
        """Return the file with this content.  Raises: LanguageFileError, for example "th.toml: times.date is missing"."""
        try:
            tables = tomllib.loads(text)
        except tomllib.TOMLDecodeError as cause:
            raise LanguageFileError(f"{name}: {cause}") from cause
        faults = tuple(_faults_of_keys(tables, frozenset(get_args(Table)), path=()))
        if faults:
            raise LanguageFileError(f"{name}: {'; '.join(faults)}")
        return cls(name=name, tables=tables)

    def table(self, table: Table, shape: type[_Shape]) -> _Shape:
        """Return the table as `shape`: a dataclass, or a dict with a key for every member of a StrEnum.

        Raises: LanguageFileError: a key is missing, unknown or of another type, or a text is blank.
        """
        content = self.tables[table]
        faults = tuple(_faults(content, inspect.type_info(shape), path=(table,)))
        if faults:
            raise LanguageFileError(f"{self.name}: {'; '.join(faults)}")
        return msgspec.convert(content, shape)


@cache
def language_file(locale: str) -> LanguageFile:
    """Return the file of one of LOCALES: `language_file("th")`.  Raises: LanguageFileError."""
    file = FOLDER / f"{locale}.toml"
    return LanguageFile.parse(file.read_text(encoding="utf-8"), name=file.name)


def _faults(value: object, shape: inspect.Type, *, path: tuple[str, ...]) -> Iterator[str]:
    types: Mapping[str, inspect.Type]
    match shape:
        case inspect.StrType():
            if not isinstance(value, str) or not value.strip():
                yield f"{'.'.join(path)} must be a text and not blank"
            return
        case inspect.BoolType():
            if not isinstance(value, bool):
                yield f"{'.'.join(path)} must be true or false"
            return
        case inspect.DataclassType(fields=fields):
            types = {one.encode_name: one.type for one in fields}
        case inspect.DictType(key_type=inspect.EnumType(cls=members), value_type=of_value):
            types = {str(one.value): of_value for one in members}
        case _:
            raise TypeError(f"{'.'.join(path)} cannot be read as {shape}")
    if not isinstance(value, dict):
        yield f"{'.'.join(path)} must be a table"
        return
    yield from _faults_of_keys(value, types.keys(), path=path)
    for key in types:
        if key in value:
            yield from _faults(value[key], types[key], path=(*path, key))


def _faults_of_keys(value: Mapping[str, object], keys: AbstractSet[str], *, path: tuple[str, ...]) -> Iterator[str]:
    yield from (f"{'.'.join((*path, key))} is missing" for key in sorted(keys - value.keys()))
    yield from (f"{'.'.join((*path, key))} is unknown" for key in sorted(value.keys() - keys))
