"""What a chat's list shows, and the presses beside it."""

from shared.knowledge.catalog import Catalog, Row
from shared.knowledge.entry_cards import handle_of
from shared.knowledge.entry_store import CATALOG_FILE
from shared.line.postback_data import TickPress
from shared.storage.codec import decode
from shared.storage.object_names import ObjectNames
from tests.simulation.people import Order, People
from tests.simulation.world import World


def listed_rows(world: World, people: People) -> tuple[Row, ...]:
    """Return the rows of the chat's entries, as they are at this moment."""
    stored = world.objects.read(ObjectNames(people.conversation_id).entry(CATALOG_FILE))
    return decode(Catalog, stored.data).rows if stored is not None else ()


def ticks(world: World, people: People, row: Row, *, by: str | None = None) -> Order:
    """A member presses "Done" beside the entry, at this moment; `by` is the member, else the members press in turn.

    Nothing is delivered yet.
    """
    press = TickPress(handle=handle_of(row), listed_ms=0)
    return people.press_listed(press.data, at_s=world.now_s, by=by)
