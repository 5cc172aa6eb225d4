"""LINE's ids taken out of what goes to the model and of what it says.

Source: LINE, webhook.yml: ids of users, groups and rooms are U, C or R followed by 32 hexadecimal digits.
"""

import re
from typing import Final, TypeVar, cast

_ID: Final = re.compile(r"[UCR][0-9a-fA-F]{32}", re.ASCII)
_MASK: Final = "[ID]"
_Json = TypeVar("_Json")


def mask_ids(text: str) -> str:
    """Return the text with every id of a person, group or room as `[ID]`, also where it stands inside a longer word."""
    return _ID.sub(_MASK, text)


def mask_ids_in(value: _Json) -> _Json:
    """Return JSON data with the ids masked in every string of it, names of fields included."""
    return cast("_Json", _masked(value))


def _masked(value: object) -> object:
    match value:
        case str():
            return mask_ids(value)
        case dict():
            return {_masked(name): _masked(member) for name, member in value.items()}
        case list() | tuple():
            return type(value)(map(_masked, value))
        case _:
            return value
