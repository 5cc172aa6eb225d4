"""Notion for the workers: a shopping list in memory, whose answers are slow and get lost, before or after the effect."""

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Final, TypeVar

from shared.adapters.memory import MemoryNotion
from shared.agent.model import Json
from shared.clock import Deadline
from shared.tools.notion.port import Block, NotionUnavailableError, Page, Person, PropertyValues, QueryResult, Schema
from tests.simulation.scheduler import Process
from tests.simulation.world import WORD, ProcessClock, World
from tests.support.notion import shopping_list

_ResultT = TypeVar("_ResultT")
DATABASE: Final = "shopping"
_TIMEOUT_S: Final = 5.0


class Workspace:
    """A `Notion` with one database, called "shopping"."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._memory = MemoryNotion(ProcessClock(world, Process("Notion")))
        self.database_id = self._memory.add_database(shopping_list())

    def page_counts(self) -> Counter[str]:
        """Return how many pages there are for each word."""
        return Counter(word for page in self._memory.pages for word in set(WORD.findall(str(page.properties))))

    def lose_pages(self) -> None:
        """Every page is gone, although nobody deleted one."""
        self._memory = MemoryNotion(ProcessClock(self._world, Process("Notion")))

    def schema(self, database_id: str, deadline: Deadline) -> Schema:
        return self._call("schema", lambda: self._memory.schema(database_id, deadline))

    def query(self, data_source_id: str, filter_: Json | None, *, limit: int, deadline: Deadline) -> QueryResult:
        return self._call("query", lambda: self._memory.query(data_source_id, filter_, limit=limit, deadline=deadline))

    def people(self, deadline: Deadline) -> tuple[Person, ...]:
        return self._call("people", lambda: self._memory.people(deadline))

    def create_page(self, data_source_id: str, properties: PropertyValues, deadline: Deadline) -> Page:
        return self._call(
            "create page", lambda: self._memory.create_page(data_source_id, properties, deadline), writes=True
        )

    def page(self, page_id: str, deadline: Deadline) -> Page | None:
        return self._call("page", lambda: self._memory.page(page_id, deadline))

    def update_page(self, page_id: str, properties: PropertyValues, deadline: Deadline) -> Page:
        return self._call("update page", lambda: self._memory.update_page(page_id, properties, deadline), writes=True)

    def append_blocks(self, page_id: str, blocks: Sequence[Json], deadline: Deadline) -> None:
        self._call("append blocks", lambda: self._memory.append_blocks(page_id, blocks, deadline), writes=True)

    def blocks(self, page_id: str, *, limit: int, deadline: Deadline) -> tuple[Block, ...] | None:
        return self._call("blocks", lambda: self._memory.blocks(page_id, limit=limit, deadline=deadline))

    def _call(self, about: str, effect: Callable[[], _ResultT], *, writes: bool = False) -> _ResultT:
        world, lossiness = self._world, self._world.weather.lossiness
        lost = world.rng.random()
        if lost < lossiness / 2:
            world.scheduler.give_way(f"Notion {about}, lost", world.rng.random() * _TIMEOUT_S)
            raise NotionUnavailableError("no answer", may_have_effect=writes)
        result = world.call(f"Notion {about}", effect)
        if lost < lossiness:
            raise NotionUnavailableError("the answer was lost", may_have_effect=writes)
        return result
