"""Mentions in a person's text, with their positions in UTF-16 units.  Source: Messaging API reference, "Text" of the message event."""

from collections.abc import Sequence
from typing import Final

from .errors import ImpossibleActionError
from .messages import JsonObject, utf16_units
from .people import Bot, Person

ALL_MEMBERS: Final = "all"
"""The mention `@All`, which has neither a user id nor `isSelf`."""


def mention_object(text: str, mentioned: Sequence[Person | Bot | str]) -> JsonObject:
    """Return `{"mentionees": [...]}` for the names, in the order of the text: `mention_object("hi @Yuki", [yuki])` has index 3, length 5.

    Raises: ImpossibleActionError, for a name outside the text.
    """
    mentionees = []
    position = 0
    for member in mentioned:
        label = "@All" if isinstance(member, str) else f"@{member.display_name}"
        start = text.find(label, position)
        if start < 0:
            raise ImpossibleActionError(f"{label} is not in the text in this order")
        position = start + len(label)
        span = {"index": utf16_units(text[:start]), "length": utf16_units(label)}
        mentionees.append(span | _mentionee(member))
    return {"mentionees": mentionees}


def _mentionee(member: Person | Bot | str) -> JsonObject:
    if isinstance(member, str):
        return {"type": ALL_MEMBERS}
    if isinstance(member, Bot):
        return {"type": "user", "userId": member.user_id, "isSelf": True}
    return {"type": "user"} | ({"userId": member.user_id} if member.has_consented else {}) | {"isSelf": False}
