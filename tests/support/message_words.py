"""The words of a message, as the local LINE platform keeps it."""

from collections.abc import Mapping
from typing import Any


def words_of(content: Mapping[str, Any]) -> str:
    """Return the text of a message; of a card the text that is read out, and "None" of a message without words."""
    return str(content.get("altText" if content.get("type") == "flex" else "text"))
