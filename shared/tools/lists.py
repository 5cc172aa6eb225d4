"""The toolset of shared lists: put items on a list, show it, and clear what is ticked.

An item is an entry, so that ticking one, renaming it or taking it off are the calls of the knowledge toolset. Which list is meant is code.
"""

import zoneinfo
from collections.abc import Callable, Iterable, Sequence
from dataclasses import field, replace
from functools import partial
from typing import Final

from shared.agent.grounding import Asked, is_note_grounded
from shared.agent.model import Json
from shared.agent.tools import NeedsTap, Tool, ToolFault
from shared.conversation.provenance import Provenance
from shared.frozen import frozen
from shared.knowledge.entry import NAME_LIMIT
from shared.knowledge.entry_editor import Occasion
from shared.knowledge.list_cards import list_card
from shared.knowledge.list_editor import ListEditor, clear
from shared.knowledge.schema import one_line
from shared.knowledge.shared_lists import (
    LIST_NAME_UTF16,
    UNNAMED,
    SharedList,
    key_of_list,
    list_meant,
    lists_in,
    reference_to,
)
from shared.knowledge.staging import EntryOverlay
from shared.line.cards.card import Card
from shared.search.folding import fold
from shared.tools.knowledge import Action, entry_tool

MOST_CLEARED: Final = 20
"""Items that one call deletes: as many things as a turn may change."""
_WHICH_LIST: Final = "Pass one of the lists, or ask which"
_ATTACHED: Final[Json] = {
    "shown": "This system puts the list below your answer: reply with one short sentence, and repeat none of it."
}


@frozen
class ListTools:
    """The tools for shared lists.

    `elsewhere`: the names of databases in Notion, which stay the lists of their names in the chats `elsewhere_in`; None: in all chats.
    """

    editor: ListEditor
    time_zone: zoneinfo.ZoneInfo = field(repr=False)
    elsewhere: frozenset[str] = frozenset()
    elsewhere_in: frozenset[str] | None = None

    def tools(self) -> tuple[Tool, ...]:
        """Return the tools in order of declaration."""
        return (
            self._staging(
                "add_to_list",
                "Put items on a shared list of this chat, such as a shopping list.",
                self._add,
                is_plain=_is_added_as_asked,
            ),
            entry_tool(
                "show_list",
                "Show a shared list, with a button for each item that ticks it.",
                _show,
                time_zone=self.time_zone,
                is_reading=True,
            ),
            self._staging(
                "clear_list",
                "Delete from a shared list what is ticked.",
                _clear,
                is_plain=lambda asked, _: "items" not in asked,  # what was asked for by name may still be open
            ),
        )

    def _staging(self, name: str, description: str, action: Action, *, is_plain: Callable[[Json, Json], bool]) -> Tool:
        tool = entry_tool(name, description, action, time_zone=self.time_zone)
        return replace(tool, stages=True, is_plain=is_plain)

    def _add(self, arguments: Json, overlay: EntryOverlay, occasion: Occasion) -> Json | ToolFault | NeedsTap:
        names = _names(arguments)
        if not names:
            return ToolFault(message="Name the items.", may_retry=True)
        lists = lists_in(overlay.rows())
        name = _list_name(arguments)
        existing_list = list_meant(lists, name)
        if existing_list is None and not key_of_list(name) and lists:
            return _which(lists, name)
        target = existing_list or SharedList(name=name if key_of_list(name) else "", rows=())
        if self._is_in_notion(target.name, overlay.conversation.id):
            return ToolFault(message=f"{target.name} is a database in Notion: use create_page.", may_retry=False)
        if not occasion.is_ordered(partial(_is_grounded, names=names, target=target, lists=lists)):
            return NeedsTap(name="\n".join(names), arguments={"list": reference_to(target, lists), "items": names})
        addition = self.editor.add(overlay, target, names, occasion)
        return {
            "list": target.name,
            "added": list(addition.added),
            **({"alreadyThere": list(addition.present)} if addition.present else {}),
        }

    def _is_in_notion(self, name: str, conversation_id: str) -> bool:
        """Whether the chat has the list of this name in Notion."""
        has_access = self.elsewhere_in is None or conversation_id in self.elsewhere_in
        return has_access and key_of_list(name) in {key_of_list(database) for database in self.elsewhere} - {""}


def _show(arguments: Json, overlay: EntryOverlay, occasion: Occasion) -> Json | ToolFault:
    lists = lists_in(overlay.rows())
    target = list_meant(lists, _list_name(arguments))
    if target is None:
        return _which(lists, _list_name(arguments))
    overlay.mark_shown(Provenance.union(row.provenance for row in target.rows))
    listed_ms = round(occasion.now.timestamp() * 1_000)

    def draw(locale: str) -> Card | None:
        """Draw the list as the turn leaves it."""
        newest = next((one for one in lists_in(overlay.rows()) if one.name == target.name), None)
        return list_card(newest, locale=locale, listed_ms=listed_ms) if newest is not None else None

    occasion.attach_drawn(draw)
    return {
        "list": target.name,
        "open": [row.name for row in target.open_rows],
        "done": [row.name for row in target.done_rows],
        **_ATTACHED,
    }


def _clear(arguments: Json, overlay: EntryOverlay, occasion: Occasion) -> Json | ToolFault | NeedsTap:
    lists = lists_in(overlay.rows())
    target = list_meant(lists, _list_name(arguments))
    if target is None:
        return _which(lists, _list_name(arguments))
    asked_names = frozenset(map(fold, _names(arguments)))
    done_rows = [row for row in target.done_rows if not asked_names or fold(row.name) in asked_names]
    if not done_rows:
        return ToolFault(message="Nothing of it is ticked, so nothing was deleted.", may_retry=False)
    cleared_rows = done_rows[:MOST_CLEARED]
    if occasion.needs_tap:
        items = [row.name for row in cleared_rows]
        arguments = {"list": reference_to(target, lists), "items": items}
        return NeedsTap(name=target.name or "\n".join(items), arguments=arguments)
    return {
        "list": target.name,
        "deleted": list(clear(overlay, [row.path for row in cleared_rows])),
        **({"left": len(done_rows) - MOST_CLEARED} if len(done_rows) > MOST_CLEARED else {}),
    }


def _names(arguments: Json) -> Sequence[str]:
    """Return the items of a call, each once: `["milk", "Milk", " "]` gives `["milk"]`."""
    items = arguments.get("items")
    lines = (one_line(str(item), limit=NAME_LIMIT) for item in (items if isinstance(items, list | tuple) else ()))
    return list({fold(line): line for line in reversed([line for line in lines if fold(line)])}.values())[::-1]


def _list_name(arguments: Json) -> str:
    return one_line(str(arguments.get("list") or ""), limit=LIST_NAME_UTF16)


def _which(lists: Iterable[SharedList], name: str) -> ToolFault:
    """Return the fault of a call that means none of the lists, or several."""
    names = ", ".join(one.name or UNNAMED for one in lists)
    if not names:
        return ToolFault(message="There is no list in this chat.", may_retry=False)
    is_unknown = key_of_list(name) and not any(key_of_list(name) in key_of_list(one.name) for one in lists)
    text = (
        "No list has this name: it is empty, or was never begun. Say so. The lists are" if is_unknown else _WHICH_LIST
    )
    return ToolFault(message=f"{text}: {names}.", may_retry=True)


def _is_grounded(asked: Asked, *, names: Iterable[str], target: SharedList, lists: Sequence[SharedList]) -> bool:
    """Whether the author's own words hold each item, and the list unless it is the only one."""
    is_only = all(one is target for one in lists) and (bool(lists) or not target.name)
    return all(is_note_grounded(asked, text=name) for name in names) and (
        is_only or is_note_grounded(asked, text=key_of_list(target.name))
    )


def _is_added_as_asked(asked: Json, result: Json) -> bool:
    """Whether every item was put on the list of the given name: only then may a reply be written before the result."""
    return result["added"] == asked["items"] and key_of_list(str(asked.get("list") or result["list"])) == key_of_list(
        str(result["list"])
    )
