"""Facts in entries from a person's own words: listed with dates, and forgotten one by one, together with the source messages."""

import zoneinfo
from dataclasses import field
from typing import Final

from shared.agent.chat_lines import local_moment
from shared.agent.chat_memory import ChatMemory
from shared.agent.model import Json
from shared.agent.overlay import StagingFault
from shared.agent.recall_request import NothingToRecallError
from shared.agent.tools import NeedsTap, Tool, ToolFault, load_schema
from shared.agent.turn_context import TurnContext
from shared.conversation.member_mark import mark_id
from shared.frozen import frozen
from shared.knowledge.own_facts import facts_of, without_fact
from shared.line.utf16 import without_lone_surrogates
from shared.tools.knowledge import by_path, overlay_of, path_of, revision_of_entry

_FACTS: Final = 30
_MOST_ENTRIES: Final = 100
_WHO_ASKS: Final = ToolFault(
    message="Not done: it is unclear who is meant, because several people ask at once. Say so.", may_retry=False
)
_NOT_THIS_TIME: Final = ToolFault(message="Earlier messages cannot be looked up this time.", may_retry=False)
_NOT_THERE: Final = ToolFault(
    message="The entry holds no such words; pass them as list_own_facts or get_entry returns them.", may_retry=True
)


@frozen
class OwnFactTools:
    """The tools about what is filed of the asking person's words."""

    memory: ChatMemory
    time_zone: zoneinfo.ZoneInfo = field(repr=False)

    def tools(self) -> tuple[Tool, ...]:
        """Return the tools in order of declaration."""
        return (
            Tool(
                name="list_own_facts",
                description=(
                    "List what is filed of the words of the person who asks, each fact with the date on which they said it. Use it when "
                    "they ask what you know about them, or before they want one fact forgotten."
                ),
                parameters=load_schema("list_own_facts.parameters"),
                response=load_schema("list_own_facts.response"),
                run=self._list,
                is_reading=True,
            ),
            Tool(
                name="forget_fact",
                description=(
                    "Forget one fact of an entry: the fields and notes that hold it are removed, and an entry of which nothing else is "
                    "left is deleted. Use it when the person wants something forgotten that was filed."
                ),
                parameters=load_schema("forget_fact.parameters"),
                response=load_schema("forget_fact.response"),
                run=self._forget,
                stages=True,
                revision=revision_of_entry,
            ),
        )

    def _list(self, arguments: Json, context: TurnContext) -> Json | ToolFault:
        asker = _asker_of(context)
        if asker is None:
            return _WHO_ASKS
        overlay = overlay_of(context)
        try:
            own_ids = self.memory.own_ids(context)
        except NothingToRecallError:
            return _NOT_THIS_TIME
        if own_ids is not None:  # entries still name the authors of messages that the memory no longer holds
            mark = mark_id(asker)
            own_ids = own_ids.union(*(row.provenance.messages.get(mark, {}) for row in overlay.rows()))
        rows = [row for row in overlay.rows() if own_ids is None or not own_ids.isdisjoint(row.provenance.message_ids)]
        newest = sorted(rows, key=lambda row: row.updated_at, reverse=True)[:_MOST_ENTRIES]
        entries = overlay.show_entries([row.path for row in newest])
        facts = [
            fact
            for entry in entries
            for fact in facts_of(entry, lambda message_id: own_ids is None or message_id in own_ids)
        ]
        facts.sort(key=lambda fact: fact.said_ms, reverse=True)
        limit = arguments.get("limit", _FACTS)
        shown = facts[: int(limit) if isinstance(limit, int | float) else _FACTS]
        return {
            "facts": [
                {
                    "path": fact.entry.path,
                    "name": fact.entry.name,
                    "fact": fact.text,
                    "since": local_moment(fact.said_ms, self.time_zone).date().isoformat(),
                }
                for fact in shown
            ],
            "leftOut": len(facts) - len(shown),
        }

    def _forget(self, arguments: Json, context: TurnContext) -> Json | ToolFault | NeedsTap:
        if _asker_of(context) is None:
            return _WHO_ASKS
        fact = without_lone_surrogates(str(arguments["fact"]))
        overlay = overlay_of(context)
        stamp = local_moment(context.now_ms, self.time_zone).isoformat(timespec="seconds")
        try:
            with overlay.together():
                path = path_of(arguments["path"], context, is_change=True)
                entry = overlay.show_entry(path)
                remaining_entry, message_ids = without_fact(entry, fact, stamp=stamp)
                if not message_ids:
                    return _NOT_THERE
                if context.needs_tap:
                    return by_path(NeedsTap(name=entry.name), arguments, path)
                overlay.stage({path: remaining_entry})
        except StagingFault as fault:
            return ToolFault(message=str(fault), may_retry=fault.may_retry)
        try:
            proposed = self.memory.propose(context, message_ids).lines
        except NothingToRecallError:
            proposed = ()
        return {"path": path, "name": entry.name, "isDeleted": remaining_entry is None, "proposed": list(proposed)}


def _asker_of(context: TurnContext) -> str | None:
    """Return the asking person's user id; None if several people ask."""
    askers = {one.user_id for one in context.to_answer}
    return askers.pop() if len(askers) == 1 else None
