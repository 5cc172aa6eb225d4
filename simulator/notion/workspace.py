"""A workspace: databases, data sources, pages, blocks and users, saved in one JSON file if a path is given."""

from __future__ import annotations

import datetime as dt
import json
import uuid
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from simulator.line.json_file import write_json_file
from simulator.line.listeners import Listeners

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path
    from random import Random

JsonObject = dict[str, Any]


@dataclass(slots=True, kw_only=True)
class Workspace:
    """All objects of the workspace, in the form of the API's answers.  Lives in one event loop.

    Ids come from `rng`.
    """

    rng: Random
    now_ms: Callable[[], int]
    state_path: Path | None = None
    databases: dict[str, JsonObject] = field(default_factory=dict)
    data_sources: dict[str, JsonObject] = field(default_factory=dict)
    pages: dict[str, JsonObject] = field(default_factory=dict)
    blocks: dict[str, list[JsonObject]] = field(default_factory=dict)
    users: dict[str, JsonObject] = field(default_factory=dict)
    bot_id: str = ""
    _listeners: Listeners = field(default_factory=Listeners)

    def __post_init__(self) -> None:
        if not self.bot_id:
            self.bot_id = self.new_id()
        self.users.setdefault(
            self.bot_id, {"object": "user", "id": self.bot_id, "type": "bot", "name": "Aizuchi", "bot": {}}
        )

    def new_id(self) -> str:
        """Return an unused id."""
        return str(uuid.UUID(int=self.rng.getrandbits(128), version=4))

    def now(self) -> str:
        """Return the current time to the minute, in Notion's format."""
        moment = dt.datetime.fromtimestamp(self.now_ms() / 1_000, tz=dt.UTC)
        return moment.strftime("%Y-%m-%dT%H:%M:00.000Z")

    def add_person(self, name: str) -> str:
        """Add a user; return the id."""
        user_id = self.new_id()
        self.users[user_id] = {"object": "user", "id": user_id, "type": "person", "name": name, "person": {}}
        return user_id

    def add_database(self, title: str, *sources: Mapping[str, JsonObject]) -> str:
        """Add a database with a data source for each mapping of property name to configuration; return the id.

        For example, `add_database("To-do", {"Name": {"title": {}}, "Done": {"checkbox": {}}})`.
        """
        database_id = self.new_id()
        references = []
        for number, columns in enumerate(sources, start=1):
            source_id = self.new_id()
            name = title if len(sources) == 1 else f"{title} {number}"
            references.append({"id": source_id, "name": name})
            self.data_sources[source_id] = {
                "object": "data_source",
                "id": source_id,
                "parent": {"type": "database_id", "database_id": database_id},
                "title": rich_text(name),
                "properties": {column: self._column(column, config) for column, config in columns.items()},
                "in_trash": False,
            }
        self.databases[database_id] = {
            "object": "database",
            "id": database_id,
            "title": rich_text(title),
            "data_sources": references,
            "in_trash": False,
        }
        return database_id

    def option(self, name: str) -> JsonObject:
        """Return an option of a select, multi_select or status."""
        return {"id": self.new_id(), "name": name, "color": "default"}

    def save_and_notify(self) -> None:
        """Write the state file, and call the listeners."""
        if self.state_path is not None:
            state = {name: getattr(self, name) for name in _KEPT}
            write_json_file(self.state_path, state)
        self._listeners.notify()

    def listen(self, listener: Callable[[], None]) -> Callable[[], None]:
        """Call the listener after every change.  Returns: a function to remove the listener."""
        return self._listeners.add(listener)

    def load(self) -> bool:
        """Restore the saved state.  Returns: False, if there is none."""
        if self.state_path is None or not self.state_path.exists():
            return False
        state = json.loads(self.state_path.read_text(encoding="utf-8"))
        for name in _KEPT:
            setattr(self, name, state[name])
        return True

    def _column(self, name: str, config: JsonObject) -> JsonObject:
        type_ = next(iter(config))
        inner = dict(config[type_])
        if "options" in inner:
            inner["options"] = [self.option(item) for item in inner["options"]]
        return {"id": "title" if type_ == "title" else self.new_id()[:4], "name": name, "type": type_, type_: inner}


_KEPT = ("databases", "data_sources", "pages", "blocks", "users", "bot_id")


def rich_text(text: str) -> list[JsonObject]:
    """Return the text in Notion's form: `rich_text("Milk")[0]["plain_text"]` is "Milk"."""
    return [{"type": "text", "text": {"content": text, "link": None}, "plain_text": text, "href": None}] if text else []
