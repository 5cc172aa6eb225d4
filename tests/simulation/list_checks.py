"""What became of the items of shared lists: none was cleared that was not ticked, and none was put there twice."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from shared.agent.handles import ENTRY, handle_of
from shared.conversation.records import OutcomeRecord
from shared.knowledge.entry import Entry
from shared.knowledge.entry_file import read_entry
from shared.knowledge.schema import DONE, LIST, Category
from shared.knowledge.shared_lists import key_of_list
from shared.search.folding import fold
from tests.simulation.people import People
from tests.simulation.world import World

_ITEMS = f"{Category.ITEMS}/"
_TAKES_OFF = frozenset({"delete_entry", "move_entry", "undo_last_change"})
"""Calls that may take an open item off a list; a turn without these deletes only what is ticked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ListStory:
    """One chat, and what was staged in it.  `is_lost`: whether a delivery about a message became a dead letter in an outage."""

    people: People
    world: World
    is_lost: Callable[[str], bool]

    def carried_out(self) -> Iterator[OutcomeRecord]:
        """Yield the outcomes whose writes were carried out, in the order of their commits."""
        truth, chat = self.world.truth, self.people.conversation_id
        for owner, outcome in truth.staged:
            if owner == chat and (chat, outcome.webhook_event_id, outcome.sequence) not in truth.voided:
                yield outcome

    @property
    def has_taken_back(self) -> bool:
        """Whether anything that an item may come from was withdrawn, edited or erased, or is not known."""
        people = self.people
        is_erased = people.erased_s >= 0 or people.erased_entries_s >= 0
        return is_erased or any(
            one.is_withdrawn or len(one.words) > 1 or self.is_lost(one.id) for one in people.messages
        )


def check_lists(story: ListStory) -> Iterator[str]:
    """Each turn takes off a list only what is ticked, unless it was asked to, and puts nothing there that is open on the list."""
    items: dict[str, Entry] = {}
    for outcome in story.carried_out():
        tools = frozenset(outcome.audit.tools_used)
        open_before = {_place(item) for item in items.values() if item.status != DONE}
        added = list[tuple[str, str]]()
        for write in outcome.writes:
            if not write.path.startswith(_ITEMS):
                continue
            before = items.pop(write.path, None)
            if write.text is not None:
                items[write.path] = item = read_entry(write.path, write.text.encode())
                added += [_place(item)] if before is None else []
            elif before is None or before.status == DONE or not tools.isdisjoint(_TAKES_OFF):
                continue
            elif not _is_ticked_first(story, outcome, before):
                yield "I9: an item was cleared that was not ticked"
        if tools.isdisjoint(_TAKES_OFF) and not story.has_taken_back and not open_before.isdisjoint(added):
            yield "I6: an item was put on its list twice"


def _is_ticked_first(story: ListStory, outcome: OutcomeRecord, item: Entry) -> bool:
    """Whether the turn was asked to tick the item, and did so before it cleared: of both only the deletion is written."""
    calls, handle = outcome.audit.tools_used, handle_of(ENTRY, item.id)
    asked = any((story.people.conversation_id, handle, one) in story.world.truth.ticked for one in outcome.answered_ids)
    return asked and calls.index("update_entry") < calls.index("clear_list")


def _place(item: Entry) -> tuple[str, str]:
    return key_of_list(str(item.fields[LIST])), fold(item.name)
