"""Mentions in a person's text: where they stand, counted in UTF-16 units.  Source: Messaging API reference, "Text" of the message event."""

from collections.abc import Sequence
from typing import Final

from simulator.line.errors import ImpossibleActionError
from simulator.line.messages import JsonObject, utf16_units
from simulator.line.people import Bot, Person

EVERYBODY: Final = "all"
"""Stands for the mention `@All`, which names nobody and says nothing of the bot."""


def mention_object(text: str, mentioned: Sequence[Person | Bot | str]) -> JsonObject:
    """`{"mentionees": [...]}` for the names in the text, each looked for behind the one before.

    Raises: ImpossibleActionError, when a name does not stand in the text.
    """
    mentionees = []
    position = 0
    for member in mentioned:
        label = "@All" if isinstance(member, str) else f"@{member.display_name}"
        found = text.find(label, position)
        if found < 0:
            raise ImpossibleActionError(f"{label} does not stand in the text, in this order")
        position = found + len(label)
        span = {"index": utf16_units(text[:found]), "length": utf16_units(label)}
        mentionees.append(span | _mentioned(member))
    return {"mentionees": mentionees}


def _mentioned(member: Person | Bot | str) -> JsonObject:
    if isinstance(member, str):
        return {"type": EVERYBODY}
    if isinstance(member, Bot):
        return {"type": "user", "userId": member.user_id, "isSelf": True}
    return {"type": "user"} | ({"userId": member.user_id} if member.has_consented else {}) | {"isSelf": False}
