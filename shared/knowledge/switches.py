"""Shared lists with open items as a row of what is on."""

from collections.abc import Sequence

from shared.conversation.store import Conversation
from shared.conversation.switch import Switch, counted_row
from shared.knowledge.overview import FiledEntries
from shared.knowledge.shared_lists import lists_in
from shared.line.phrases import Phrase


def list_switches(conversation: Conversation) -> Sequence[Switch]:
    """Return how many items are open on the chat's lists; nothing if none are."""
    count = sum(len(shared_list.open_rows) for shared_list in lists_in(FiledEntries.read(conversation).rows))
    return (counted_row(Phrase.SWITCH_LISTS, Phrase.SWITCH_LISTS_OPEN, count),) if count else ()
