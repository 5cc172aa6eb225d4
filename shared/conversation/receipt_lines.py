"""Receipt lines: lines that the code adds below an answer, about what the turn did or proposes.  Only the names in quotes come from people.

Their fixed words, places and times occur in many answers, so they are no sign that one answer repeats another one. The same holds for the
names of fields, places and times in the arguments of proposed calls, and for the folders of entries.
"""

import re
from typing import Final

import msgspec

from shared.storage.object_names import ENTRY_SUFFIX

_MARKS: Final = ("✓ ", "☐ ")  # the model begins no line so: `without_receipt_symbols`
_NAME: Final = re.compile(r"[“「]([^”」]*)")
_FIXED: Final = frozenset({"at", "database_name", "digest", "id", "page_id", "rule"})


def compared_texts(text: str) -> tuple[str, ...]:
    """Return the parts of an answer that are compared with other texts: the lines that are no receipts, and each name in a receipt.

    If all of these are blank, the whole text is compared.
    """
    lines = text.split("\n")
    said = "\n".join(one for one in lines if not one.startswith(_MARKS))
    names = (name for one in lines if one.startswith(_MARKS) for name in _NAME.findall(one))
    return tuple(one for one in (said, *names) if one.strip()) or ((text,) if text else ())


def compared_arguments(arguments: str) -> tuple[str, ...]:
    """Return the parts of a proposed call's arguments (the text of a JSON object) that are compared: all values but places and times."""
    found, left = [], [_read(arguments)]
    while left:
        match left.pop():
            case str() as text if text.strip():
                found.append(text)
            case bool():
                pass
            case int() | float() as number:
                found.append(str(number))
            case list() as values:
                left.extend(reversed(values))
            case dict() as fields:
                left.extend(_value_of(name, value) for name, value in reversed(fields.items()) if name not in _FIXED)
    return tuple(found)


def compared_path(path: str) -> str:
    """Return the part of a path that is compared: of an entry the name, of any other object the whole path."""
    return path.rpartition("/")[2].removesuffix(ENTRY_SUFFIX) if path.endswith(ENTRY_SUFFIX) else path


def _value_of(name: str, value: object) -> object:
    match name, value:
        case "properties", str():  # an object, or its text
            return _read(value)
        case "path", str():
            return compared_path(value)
    return value


def _read(text: str) -> object:
    """Return the value of a JSON text; any other text as it is."""
    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError):
        return text
