"""The file of one language: read once, and handed out a table at a time, checked against the type that its reader wants it as."""

import tomllib
from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Final, Literal, TypeAlias, TypeVar, get_args

import msgspec
from msgspec import inspect

from shared.errors import AizuchiError

Table: TypeAlias = Literal["phrases", "digest", "quote", "proposal", "receipt", "reminder", "times"]
_Shape = TypeVar("_Shape")

LOCALES: Final = ("ja", "en", "zh-TW", "th")
FOLDER: Final = Path(__file__).parent


class LanguageFileError(AizuchiError):
    """The file of a language does not hold exactly what its readers need; the text names the file and every key at fault."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LanguageFile:
    """What a language's file says, by table and key."""

    name: str
    tables: Mapping[str, object] = field(repr=False)

    @classmethod
    def parse(cls, text: str, *, name: str) -> "LanguageFile":
        """Return the file that this text stands in.  Raises: LanguageFileError."""
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
        found = self.tables[table]
        faults = tuple(_faults(found, inspect.type_info(shape), path=(table,)))
        if faults:
            raise LanguageFileError(f"{self.name}: {'; '.join(faults)}")
        return msgspec.convert(found, shape)


@cache
def language_file(locale: str) -> LanguageFile:
    """Return the file of one of LOCALES.  Raises: LanguageFileError."""
    file = FOLDER / f"{locale}.toml"
    return LanguageFile.parse(file.read_text(encoding="utf-8"), name=file.name)


def _faults(found: object, wanted: inspect.Type, *, path: tuple[str, ...]) -> Iterator[str]:
    types: Mapping[str, inspect.Type]
    match wanted:
        case inspect.StrType():
            if not isinstance(found, str) or not found.strip():
                yield f"{'.'.join(path)} must be a text and not blank"
            return
        case inspect.BoolType():
            if not isinstance(found, bool):
                yield f"{'.'.join(path)} must be true or false"
            return
        case inspect.DataclassType(fields=fields):
            types = {one.encode_name: one.type for one in fields}
        case inspect.DictType(key_type=inspect.EnumType(cls=members), value_type=of_value):
            types = {str(one.value): of_value for one in members}
        case _:
            raise TypeError(f"{'.'.join(path)} cannot be read as {wanted}")
    if not isinstance(found, dict):
        yield f"{'.'.join(path)} must be a table"
        return
    yield from _faults_of_keys(found, types.keys(), path=path)
    for key in types:
        if key in found:
            yield from _faults(found[key], types[key], path=(*path, key))


def _faults_of_keys(found: Mapping[str, object], wanted: AbstractSet[str], *, path: tuple[str, ...]) -> Iterator[str]:
    yield from (f"{'.'.join((*path, key))} is missing" for key in sorted(wanted - found.keys()))
    yield from (f"{'.'.join((*path, key))} is unknown" for key in sorted(found.keys() - wanted))
