"""The names of due markers: empty objects that a tick lists to find due work."""

import datetime as dt
import re
from dataclasses import field
from typing import Final

from shared.clock import MINUTE_MS
from shared.errors import UnusableIdError
from shared.frozen import frozen
from shared.line.ids import checked_conversation_id, checked_id

DUE_PREFIX: Final = "due/"
_YEAR_10000_MS: Final = 253_402_300_800_000
_KIND: Final = re.compile(r"[a-z-]+", re.ASCII)


@frozen
class DueMarker:
    """An empty object whose name says which work is due in a chat, and from which minute on.

    `due/{minute}/{kind}.{conversation_id}.{id}`: names sort by time, because the minute is written in UTC. Example:
    `due/20261122T0930/reply.U0123….5931`. `due_ms` is the start of the minute; `kind` consists of a to z and hyphens. `generation`: the
    object's generation if the marker was listed, else 0.
    """

    due_ms: int
    kind: str
    conversation_id: str = field(repr=False)
    id: str
    generation: int = field(default=0, compare=False)

    def __post_init__(self) -> None:
        """Raises: UnusableIdError, if a part cannot stand in a name."""
        if self.due_ms % MINUTE_MS or not 0 <= self.due_ms < _YEAR_10000_MS:
            raise UnusableIdError("no whole minute of the years 1970 to 9999")
        if _KIND.fullmatch(self.kind) is None:
            raise UnusableIdError("no kind of a due marker")
        checked_conversation_id(self.conversation_id)
        checked_id(self.id)

    @classmethod
    def at(cls, at_ms: int, *, kind: str, conversation_id: str, id: str) -> "DueMarker":  # noqa: A002 - the field's name
        """Return the marker of the first minute that does not begin before `at_ms`: 09:30:01 gives 09:31, 09:30:00 gives 09:30.

        Raises: UnusableIdError.
        """
        return cls(due_ms=-(-at_ms // MINUTE_MS) * MINUTE_MS, kind=kind, conversation_id=conversation_id, id=id)

    @classmethod
    def parse(cls, name: str) -> "DueMarker":
        """Return the marker of this name.  Raises: UnusableIdError, for any other name."""
        minute, _, marker = name.removeprefix(DUE_PREFIX).partition("/")
        try:
            due_ms = round(dt.datetime.strptime(f"{minute}+0000", "%Y%m%dT%H%M%z").timestamp()) * 1_000
            kind, conversation_id, an_id = marker.split(".")
        except ValueError as cause:
            raise UnusableIdError("no name of a due marker") from cause
        parsed = cls(due_ms=due_ms, kind=kind, conversation_id=conversation_id, id=an_id)
        if parsed.name != name:
            raise UnusableIdError("no name of a due marker")
        return parsed

    @property
    def name(self) -> str:
        """The object's name."""
        return f"{_prefix_of(self.due_ms)}{self.kind}.{self.conversation_id}.{self.id}"


def due_after(now_ms: int) -> str:
    """Return a name between markers: markers due at `now_ms` sort before the name, all others after it.

    Example: at 09:30:59 UTC, `due/20261122T0931/`.
    """
    return _prefix_of((now_ms // MINUTE_MS + 1) * MINUTE_MS)


def _prefix_of(minute_ms: int) -> str:
    return f"{DUE_PREFIX}{dt.datetime.fromtimestamp(minute_ms / 1_000, dt.UTC):%Y%m%dT%H%M}/"
