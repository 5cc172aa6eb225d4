"""The problems of a request body, each with LINE's message and the path of the property.

A missing or empty property of a request or a message "May not be empty". Inside of actions, templates and rich menus, a missing property
"must be specified", and an empty text "must be non-empty text".
Source: Messaging API reference, "Error responses": all errors of a body come in one answer; github.com/cofacts/rumors-line-bot/issues/157;
github.com/line/line-bot-sdk-python/issues/728; github.com/openclaw/openclaw/issues/113365. Templates have separate texts for excessive
length or number: github.com/zaoldyeck/cross-platform-chatbot/pull/1; github.com/cofacts/rumors-line-bot/issues/125 and 23.
"""

from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from typing import Any, Final

from .errors import Detail, invalid_body, invalid_property
from .messages import JsonObject, graphemes, utf16_units


@dataclass(frozen=True, slots=True, kw_only=True)
class Wording:
    """LINE's texts for a part of a request. `units` is for texts counted in UTF-16 units, `graphemes` for all other texts."""

    missing: str = "May not be empty"
    empty: str = "May not be empty"
    units: str = "Length must be between 0 and {most}"
    graphemes: str = "Length must be between 0 and {most}"
    too_many: str = "Size must be between {least} and {most}"
    wrong_count: str = "Size must be between {least} and {most}"


BODY: Final = Wording()
PARTS: Final = Wording(missing="must be specified", empty="must be non-empty text")
TEMPLATES: Final = Wording(
    missing="must be specified",
    empty="must be non-empty text",
    units="size must be between 0 and {most}",
    graphemes="must not be longer than {most} characters",
    too_many="must not be more than {most} items",
    wrong_count="must be {most} items",
)


@dataclass(slots=True)
class Problems:
    """The details so far. Every check takes an object, the name of a property, and the object's path.

    For example, `problems.text(message, "text", "messages[0]", most=5_000)` may add a detail at `messages[0].text`.
    """

    details: list[Detail] = field(default_factory=list)
    wording: Wording = BODY

    def of_parts(self) -> "Problems":
        """Return the same problems with the texts for the parts of a message: actions, quick replies, rich menus."""
        return self if self.wording is TEMPLATES else Problems(details=self.details, wording=PARTS)

    def add(self, message: str, path: str) -> None:
        """Add a problem."""
        self.details.append(Detail(message=message, property=path))

    def raise_any(self) -> None:
        """Raise a LineError 400 with all problems, if there are any."""
        if self.details:
            raise invalid_body(self.details)

    def text(self, holder: JsonObject, name: str, path: str, *, most: int, required: bool = True) -> str:
        """Return a string of 1 to `most` UTF-16 units; "" if absent or wrong."""
        value = self._present(holder, name, path, required=required)
        if value is None:
            return ""
        return self._measured(value, name, path, most, utf16_units, self.wording.units)

    def graphemes(self, holder: JsonObject, name: str, path: str, *, most: int, required: bool = True) -> str:
        """Return a string of 1 to `most` graphemes; "" if absent or wrong.

        Source: docs/messaging-api/text-character-count, for labels, template texts and names of rich menus.
        """
        value = self._present(holder, name, path, required=required)
        return "" if value is None else self._measured(value, name, path, most, graphemes, self.wording.graphemes)

    def flag(self, holder: JsonObject, name: str, path: str, *, required: bool = True) -> None:
        """Check for a boolean."""
        value = self._present(holder, name, path, required=required)
        if value is not None and not isinstance(value, bool):
            raise invalid_property(_join(path, name))

    def _present(self, holder: JsonObject, name: str, path: str, *, required: bool) -> Any:  # noqa: ANN401 - any JSON
        value = holder.get(name)
        if value is None or value == "":
            if required or value == "":
                self.add(self.wording.missing if value is None else self.wording.empty, _join(path, name))
            return None
        return value

    def _measured(  # noqa: PLR0913, PLR0917 - what differs between the two measures
        self,
        value: Any,  # noqa: ANN401 - likewise
        name: str,
        path: str,
        most: int,
        measure: Callable[[str], int],
        too_long: str,
    ) -> str:
        if not isinstance(value, str):
            raise invalid_property(_join(path, name))
        if measure(value) > most:
            self.add(too_long.format(most=most), _join(path, name))
        return value

    def choice(self, holder: JsonObject, name: str, path: str, *, of: Collection[str]) -> str | None:
        """Return one of the allowed values; None for any other."""
        value = holder.get(name)
        if isinstance(value, str) and value in of:
            return value
        if value is None and self.wording is not BODY:
            self.add(self.wording.missing, _join(path, name))
            return None
        self.add(f"Must be one of the following values: [{', '.join(of)}]", _join(path, name))
        return None

    def items(self, holder: JsonObject, name: str, path: str, *, least: int, most: int) -> list[JsonObject]:
        """Return a list of objects; [] for a list of a wrong size."""
        value = holder.get(name)
        if value is None:
            value = []
        if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
            raise invalid_property(_join(path, name))
        if not least <= len(value) <= most:
            text = self.wording.wrong_count if least == most else self.wording.too_many
            too_few = len(value) < least < most
            self.add((BODY.too_many if too_few else text).format(least=least, most=most), _join(path, name))
            return []
        return value

    def object(self, holder: JsonObject, name: str, path: str) -> JsonObject:
        """Return an object; {} if absent."""
        value = holder.get(name)
        if value is None:
            self.add(self.wording.missing, _join(path, name))
            return {}
        if not isinstance(value, dict):
            raise invalid_property(_join(path, name))
        return value

    def number(self, holder: JsonObject, name: str, path: str, *, least: float, most: float) -> None:
        """Check a number against bounds."""
        value = holder.get(name)
        if value is None:
            self.add(self.wording.missing, _join(path, name))
        elif not is_number(value):
            raise invalid_property(_join(path, name))
        elif not least <= value <= most:
            self.add(f"Must be between {least:g} and {most:g}", _join(path, name))

    def https_url(self, holder: JsonObject, name: str, path: str, *, required: bool = True) -> None:
        """Check a URL for `https://` at the start and at most 2,000 characters."""
        url = self.text(holder, name, path, most=2_000, required=required)
        if url and not url.startswith("https://"):
            self.add("Must be a valid HTTPS URL", _join(path, name))


def is_number(value: Any) -> bool:  # noqa: ANN401 - any JSON
    """Whether a JSON value is a number; booleans are not."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def _join(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name
