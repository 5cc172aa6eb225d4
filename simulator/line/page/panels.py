"""A stack's additions to the page: files, markup at the page's slots, routes, a part of the state, and events of the stream."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from starlette.routing import BaseRoute, Mount
from starlette.staticfiles import StaticFiles

from ..messages import JsonObject

SLOTS: Final = ("head", "top", "wire", "desk")
_SLOT: Final = re.compile(r"[ \t]*<!-- panels: (\w+) -->\n")

Listen = Callable[[Callable[[], None]], Callable[[], None]]
"""Calls the callback after every change.  Returns: a function that removes it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Panel:
    """An addition to the page. The files are served below `/panels/{name}/`.

    `static` has `panel.js`, a caller of `addPanel` of the page's `panels.js`; an optional `style.css` follows the page's style. A file
    `{slot}.html` is inserted at the slot, for example `desk.html` at `desk`. `state` is merged into the page's state. `changes` maps the
    name of an event of the stream to the function for listening; `changed` makes the page read the state again.
    """

    name: str
    static: Path
    routes: Sequence[BaseRoute] = ()
    state: Callable[[], JsonObject] = dict
    changes: Sequence[tuple[str, Listen]] = field(default=())

    def mount(self) -> Mount:
        """Return the route of the panel's files."""
        return Mount(f"/panels/{self.name}", StaticFiles(directory=self.static))

    def markup(self) -> Mapping[str, str]:
        """Return the markup for each slot."""
        files = {slot: self.static / f"{slot}.html" for slot in SLOTS}
        markup = {slot: file.read_text(encoding="utf-8") for slot, file in files.items() if file.exists()}
        style = f'<link rel="stylesheet" href="/panels/{self.name}/style.css">\n' if self._has("style.css") else ""
        script = (
            f'<script src="/panels/{self.name}/panel.js" type="module"></script>\n' if self._has("panel.js") else ""
        )
        return {**markup, "head": style + script}

    def _has(self, name: str) -> bool:
        return (self.static / name).exists()


def fill_slots(html: str, panels: Sequence[Panel]) -> str:
    """Return the page with the panels' markup at the slots."""
    markups = [panel.markup() for panel in panels]
    return _SLOT.sub(lambda slot: "".join(markup.get(slot[1], "") for markup in markups), html)
