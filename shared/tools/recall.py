"""The memory toolset, always on: `recall` looks up what was said in the chat, also long ago.

What it returns is people's words, as lines of the transcript; ids of messages and people stay in the code.
"""

import datetime as dt
import re
import zoneinfo
from dataclasses import dataclass, field
from typing import Final

from shared.agent.chat_memory import (
    SPAN_MESSAGES,
    SPAN_TOKENS,
    ChatMemory,
    NothingToRecallError,
    UnknownNameError,
    Wanted,
)
from shared.agent.model import Json
from shared.agent.tools import Tool, ToolFault, load_schema
from shared.agent.turn_context import TurnContext

_FOUND_LIMIT: Final = 10
_MOST_FOUND: Final = 50
_JSON_TOKENS: Final = 4_000  # what quotes and keys add to the lines
_DATE: Final = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
_TIME: Final = re.compile(r"\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2})?", re.ASCII)
_NOT_THIS_TIME: Final = ToolFault(message="Earlier messages cannot be looked up this time.", may_retry=False)
_BACKWARDS: Final = ToolFault(message="Wrong arguments: `since` must not be later than `until`.", may_retry=True)


class _UnreadableTimeError(Exception):
    """A text that is no date and no time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallTools:
    """The tools that read the chat's memory."""

    memory: ChatMemory
    time_zone: zoneinfo.ZoneInfo = field(repr=False)

    def tools(self) -> tuple[Tool, ...]:
        """Return them in the order in which they are declared."""
        return (
            Tool(
                name="recall",
                description=(
                    "Look up what was said in this chat, word by word, however long ago. Use it when somebody asks what was said, decided "
                    "or promised and the conversation does not hold it. Without any argument it returns what was said since the person "
                    "who asks spoke last: what they missed."
                ),
                parameters=load_schema("recall.parameters"),
                response=load_schema("recall.response"),
                run=self._recall,
                is_reading=True,
                most_calls=6,
                result_tokens=SPAN_TOKENS + _JSON_TOKENS,
            ),
        )

    def _recall(self, arguments: Json, context: TurnContext) -> Json | ToolFault:
        try:
            wanted = self._wanted(arguments)
        except _UnreadableTimeError:
            return ToolFault(
                message="Wrong arguments: a time is a local YYYY-MM-DD or YYYY-MM-DDTHH:MM that exists.", may_retry=True
            )
        if wanted.since_ms is not None and wanted.until_ms is not None and wanted.since_ms > wanted.until_ms:
            return _BACKWARDS
        try:
            found = self.memory.find(context, wanted)
        except NothingToRecallError:
            return _NOT_THIS_TIME
        except UnknownNameError as unknown:
            known = ", ".join(unknown.known) or "none"
            return ToolFault(
                message=f"`who` is not the name of exactly one person. Names here: {known}.", may_retry=True
            )
        since = {} if found.since is None else {"since": found.since}
        partial = {"isPartial": True} if found.is_partial else {}
        return {"lines": list(found.lines), "leftOut": found.left_out, **since, **partial}

    def _wanted(self, arguments: Json) -> Wanted:
        """Return what the arguments ask for.  Raises: _UnreadableTimeError."""
        query, others, who = arguments.get("query"), arguments.get("alternatives"), arguments.get("who")
        queries = (query, *(others if isinstance(others, list | tuple) else ()))
        asked = tuple(one for one in queries if isinstance(one, str) and one.strip())
        most = _MOST_FOUND if asked else SPAN_MESSAGES
        limit = arguments.get("limit", _FOUND_LIMIT if asked else SPAN_MESSAGES)
        return Wanted(
            queries=asked,
            who=str(who) if who is not None else None,
            since_ms=self._ms(arguments.get("since"), is_end=False),
            until_ms=self._ms(arguments.get("until"), is_end=True),
            limit=min(most, int(limit)) if isinstance(limit, int | float) else most,
        )

    def _ms(self, text: object, *, is_end: bool) -> int | None:
        """Return the local date or time as LINE's timestamp; of a date the first millisecond, or the last one."""
        if text is None:
            return None
        try:
            if _DATE.fullmatch(str(text)):
                time = dt.time.max if is_end else dt.time.min
                moment = dt.datetime.combine(dt.date.fromisoformat(str(text)), time, self.time_zone)
            elif _TIME.fullmatch(str(text)):
                moment = dt.datetime.fromisoformat(str(text)).replace(tzinfo=self.time_zone)
            else:
                raise _UnreadableTimeError
            return int(moment.timestamp() * 1_000)
        except (ValueError, OverflowError) as cause:
            raise _UnreadableTimeError from cause
