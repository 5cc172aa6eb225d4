"""Receipt lines: lines added by the code below an answer, about effects and proposals.  Only the quoted names come from people.

The fixed words, places and times occur in many answers, so are no sign that one answer repeats another. The same holds for the names of
fields, places and times in the arguments of proposed calls, and for the folders of entries.
"""

import re
from typing import Final

import msgspec

from shared.storage.object_names import ENTRY_SUFFIX

_MARKS: Final = ("✓ ", "☐ ")  # the model begins no line so: `without_receipt_symbols`
_NAME: Final = re.compile(r"[“「]([^”」]*)")
_FIXED: Final = frozenset({"at", "database_name", "digest", "id", "page_id", "rule"})


def compared_texts(text: str) -> tuple[str, ...]:
    """Return the parts of an answer to be compared with other texts: the lines that are no receipts, and each name in a receipt.

    If all parts are blank, the whole text is compared. For example, `Done.` and the receipt `✓ Saved “Milk”` give `("Done.", "Milk")`.
    """
    lines = text.split("\n")
    unmarked_text = "\n".join(one for one in lines if not one.startswith(_MARKS))
    names = (name for one in lines if one.startswith(_MARKS) for name in _NAME.findall(one))
    return tuple(one for one in (unmarked_text, *names) if one.strip()) or ((text,) if text else ())


def compared_arguments(arguments: str) -> tuple[str, ...]:
    """Return the compared parts of a proposed call's arguments (the text of a JSON object): all values but places and times.

    For example, `compared_arguments('{"title": "Milk", "at": "12:00"}')` is `("Milk",)`.
    """
    texts, unvisited = [], [_read(arguments)]
    while unvisited:
        match unvisited.pop():
            case str() as text if text.strip():
                texts.append(text)
            case bool():
                pass
            case int() | float() as number:
                texts.append(str(number))
            case list() as values:
                unvisited.extend(reversed(values))
            case dict() as fields:
                unvisited.extend(
                    _value_of(name, value) for name, value in reversed(fields.items()) if name not in _FIXED
                )
    return tuple(texts)


def compared_path(path: str) -> str:
    """Return the compared part of a path: of an entry the name, of any other object the whole path.

    For example, `compared_path("shopping/milk.md")` is `milk`.
    """
    return path.rpartition("/")[2].removesuffix(ENTRY_SUFFIX) if path.endswith(ENTRY_SUFFIX) else path


def _value_of(name: str, value: object) -> object:
    match name, value:
        case "properties", str():  # an object, or its text
            return _read(value)
        case "path", str():
            return compared_path(value)
    return value


def _read(text: str) -> object:
    """Return the value of a JSON text; any other text unchanged."""
    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError):
        return text
