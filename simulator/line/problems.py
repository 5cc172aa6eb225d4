"""The problems of a request body, each with LINE's message and the path of the property.

A property of a request or a message that is missing or empty "May not be empty". Inside of actions, templates and rich menus one that is
missing "must be specified", and an empty text "must be non-empty text".
Source: Messaging API reference, "Error responses": all errors of a body come in one answer; github.com/cofacts/rumors-line-bot/issues/157;
github.com/line/line-bot-sdk-python/issues/728; github.com/openclaw/openclaw/issues/113365.
"""

from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from typing import Any

from .errors import Detail, invalid_body, invalid_property
from .messages import JsonObject, graphemes, utf16_units


@dataclass(slots=True)
class Problems:
    """The details so far. Every check takes the object, the name of its property, and the path of the object."""

    details: list[Detail] = field(default_factory=list)
    missing: str = "May not be empty"
    empty: str = "May not be empty"

    def of_parts(self) -> "Problems":
        """Return the same problems with the texts for the parts of a message: actions, templates, rich menus."""
        return Problems(details=self.details, missing="must be specified", empty="must be non-empty text")

    def add(self, message: str, path: str) -> None:
        """Add a problem."""
        self.details.append(Detail(message=message, property=path))

    def raise_any(self) -> None:
        """Raise a LineError 400 with all problems, if there are any."""
        if self.details:
            raise invalid_body(self.details)

    def text(self, holder: JsonObject, name: str, path: str, *, most: int, required: bool = True) -> str:
        """Return a string of 1 to `most` UTF-16 units; "" where it is absent or wrong."""
        value = self._present(holder, name, path, required=required)
        if value is None:
            return ""
        return self._measured(value, name, path, most, utf16_units)

    def graphemes(self, holder: JsonObject, name: str, path: str, *, most: int, required: bool = True) -> str:
        """Return a string of 1 to `most` graphemes; "" where it is absent or wrong.

        Source: docs/messaging-api/text-character-count: labels, template texts and names of rich menus are counted so.
        """
        value = self._present(holder, name, path, required=required)
        return "" if value is None else self._measured(value, name, path, most, graphemes)

    def flag(self, holder: JsonObject, name: str, path: str, *, required: bool = True) -> None:
        """Check that a value is a boolean."""
        value = self._present(holder, name, path, required=required)
        if value is not None and not isinstance(value, bool):
            raise invalid_property(_join(path, name))

    def _present(self, holder: JsonObject, name: str, path: str, *, required: bool) -> Any:  # noqa: ANN401 - whatever JSON brought
        value = holder.get(name)
        if value is None or value == "":
            if required or value == "":
                self.add(self.missing if value is None else self.empty, _join(path, name))
            return None
        return value

    def _measured(self, value: Any, name: str, path: str, most: int, measure: Callable[[str], int]) -> str:  # noqa: ANN401 - likewise
        if not isinstance(value, str):
            raise invalid_property(_join(path, name))
        if measure(value) > most:
            self.add(f"Length must be between 0 and {most}", _join(path, name))
        return value

    def choice(self, holder: JsonObject, name: str, path: str, *, of: Collection[str]) -> str | None:
        """Return one of the values; None for any other."""
        value = holder.get(name)
        if isinstance(value, str) and value in of:
            return value
        if value is None and self.missing == "must be specified":
            self.add(self.missing, _join(path, name))
            return None
        self.add(f"Must be one of the following values: [{', '.join(of)}]", _join(path, name))
        return None

    def items(self, holder: JsonObject, name: str, path: str, *, least: int, most: int) -> list[JsonObject]:
        """Return a list of objects; [] where its size is wrong."""
        value = holder.get(name)
        if value is None:
            value = []
        if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
            raise invalid_property(_join(path, name))
        if not least <= len(value) <= most:
            self.add(f"Size must be between {least} and {most}", _join(path, name))
            return []
        return value

    def object(self, holder: JsonObject, name: str, path: str) -> JsonObject:
        """Return an object; {} where it is absent."""
        value = holder.get(name)
        if value is None:
            self.add(self.missing, _join(path, name))
            return {}
        if not isinstance(value, dict):
            raise invalid_property(_join(path, name))
        return value

    def number(self, holder: JsonObject, name: str, path: str, *, least: float, most: float) -> None:
        """Check that a number is within its bounds."""
        value = holder.get(name)
        if value is None:
            self.add(self.missing, _join(path, name))
        elif not is_number(value):
            raise invalid_property(_join(path, name))
        elif not least <= value <= most:
            self.add(f"Must be between {least:g} and {most:g}", _join(path, name))

    def https_url(self, holder: JsonObject, name: str, path: str, *, required: bool = True) -> None:
        """Check that a URL begins with `https://` and has at most 2,000 characters."""
        url = self.text(holder, name, path, most=2_000, required=required)
        if url and not url.startswith("https://"):
            self.add("Must be a valid HTTPS URL", _join(path, name))


def is_number(value: Any) -> bool:  # noqa: ANN401 - whatever JSON brought
    """Whether a JSON value is a number; booleans are not."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def _join(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name
