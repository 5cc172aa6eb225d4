"""The local stack's additions to the page: traces, the knowledge base, due reminders, lists in Notion, the clock."""

from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path
from typing import Final

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from simulator.gemini.app import GeminiStandIn
from simulator.line.answers import answer, refusal
from simulator.line.control.fields import MalformedBodyError, check_body, number
from simulator.line.json_body import MalformedJsonError, parse_json, read_body
from simulator.line.messages import JsonObject
from simulator.line.page.panels import Panel
from simulator.line.platform import LinePlatform
from simulator.notion.lists import lists_view
from simulator.notion.workspace import Workspace
from simulator.panels.knowledge_reader import KnowledgeReader
from simulator.panels.memory_reader import MemoryReader
from simulator.panels.reminder_reader import ReminderReader
from simulator.time_lapse import TimeLapse
from simulator.trace.steps import flag_repeats
from simulator.trace.trace import EventTrace, Trace

STATIC: Final = Path(__file__).parent / "static"
_BODY_BYTES: Final = 1_000
_MONTH: Final = 7  # characters of 2026-11
_LONGEST_QUERY: Final = 200
_LONGEST_LAPSE_S: Final = 31 * 24 * 3_600
_LONGEST_THOUGHT_S: Final = 60
_MODEL_FIELDS: Final = {"seconds": number(least=0, most=_LONGEST_THOUGHT_S)}
_LAPSE_FIELDS: Final = {"seconds": number(least=1, most=_LONGEST_LAPSE_S)}


@dataclass(frozen=True, slots=True, kw_only=True)
class StackParts:
    """The parts of a stack for the panel; None shows nothing.

    `trace` has the steps of each event, `time_lapse` moves the clock, `gemini` is the model's stand-in, which may be slow.
    `has_tool_servers`: the bot is connected to the two tool servers, so the page offers sentences for their tools.
    """

    platform: LinePlatform
    trace: Trace
    notion: Workspace | None = None
    knowledge: KnowledgeReader | None = None
    reminders: ReminderReader | None = None
    memory: MemoryReader | None = None
    time_lapse: TimeLapse | None = None
    gemini: GeminiStandIn | None = None
    has_tool_servers: bool = False


def stack_panel(parts: StackParts) -> Panel:
    """Return the panel of the parts."""
    views = _Views(parts)
    memory_view = _MemoryView(parts.platform, parts.memory)
    listened = (
        ("traced", parts.trace),
        ("changed", parts.notion),
        ("filed", parts.knowledge),
        ("due", parts.reminders),
        ("said", parts.memory),
        ("changed", parts.time_lapse.clock if parts.time_lapse is not None else None),
    )
    return Panel(
        name="stack",
        static=STATIC,
        routes=(
            Route("/simulator/trace/{webhook_event_id}", views.trace),
            Route("/simulator/filed/{chat_id}", views.knowledge),
            Route("/simulator/filed/{chat_id}/{path:path}", views.entry),
            Route("/simulator/due/{chat_id}", views.due),
            Route("/simulator/memory/{chat_id}", memory_view.read),
            Route("/simulator/clock", views.move_clock, methods=["POST"]),
            Route("/simulator/model", views.slow_model, methods=["POST"]),
        ),
        state=views.state,
        changes=[(name, part.listen) for name, part in listened if part is not None],
    )


class _Views:
    def __init__(self, parts: StackParts) -> None:
        self._platform = parts.platform
        self._trace = parts.trace
        self._notion = parts.notion
        self._knowledge = parts.knowledge
        self._reminders = parts.reminders
        self._time_lapse = parts.time_lapse
        self._gemini = parts.gemini
        self._has_tool_servers = parts.has_tool_servers

    def state(self) -> JsonObject:
        clock = self._time_lapse.clock if self._time_lapse is not None else None
        return {
            "lists": [] if self._notion is None else lists_view(self._notion),
            "clock": None if clock is None else {"now_ms": clock.now_ms(), "offset_ms": clock.offset_ms},
            "model_latency_s": None if self._gemini is None else self._gemini.latency_s,
            "has_tool_servers": self._has_tool_servers,
        }

    async def move_clock(self, request: Request) -> Response:
        """Move the clock of the whole stack forward by `{"seconds"}`, and carry out all work due on the way."""
        try:
            body = check_body(parse_json(await read_body(request, most_bytes=_BODY_BYTES)), _LAPSE_FIELDS, ("seconds",))
        except (MalformedBodyError, MalformedJsonError) as error:
            return refusal(str(error), HTTPStatus.BAD_REQUEST)
        if self._time_lapse is None:
            return refusal("the clock of this stack is that of the machine", HTTPStatus.NOT_FOUND)
        await self._time_lapse.move(seconds=body["seconds"])
        return answer({"now_ms": self._time_lapse.clock.now_ms()})

    async def slow_model(self, request: Request) -> Response:
        """Let the model's stand-in take `{"seconds"}` for every answer."""
        try:
            body = check_body(parse_json(await read_body(request, most_bytes=_BODY_BYTES)), _MODEL_FIELDS, ("seconds",))
        except (MalformedBodyError, MalformedJsonError) as error:
            return refusal(str(error), HTTPStatus.BAD_REQUEST)
        if self._gemini is None:
            return refusal("a real model answers", HTTPStatus.NOT_FOUND)
        self._gemini.latency_s = float(body["seconds"])
        return answer({"seconds": self._gemini.latency_s})

    async def trace(self, request: Request) -> Response:
        """Return the steps of an event; none for an unknown event, e.g. of an earlier run."""
        return answer(trace_view(self._trace.event(request.path_params["webhook_event_id"])))

    async def knowledge(self, request: Request) -> Response:
        """Return the entries of a chat; none without a bucket."""
        chat_id = request.path_params["chat_id"]
        if chat_id not in self._platform.chats:
            return refusal("there is no such chat", HTTPStatus.NOT_FOUND)
        return answer({"index": None, "entries": []} if self._knowledge is None else await self._knowledge.of(chat_id))

    async def due(self, request: Request) -> Response:
        """Return `{"reminders"}`, a chat's due reminders, empty without a bucket."""
        chat_id = request.path_params["chat_id"]
        if chat_id not in self._platform.chats:
            return refusal("there is no such chat", HTTPStatus.NOT_FOUND)
        return answer({"reminders": [] if self._reminders is None else await self._reminders.of(chat_id)})

    async def entry(self, request: Request) -> Response:
        """Return `{"text"}`, the text of one entry in the bucket."""
        chat_id, path = request.path_params["chat_id"], request.path_params["path"]
        is_known = self._knowledge is not None and chat_id in self._platform.chats
        text = await self._knowledge.entry(chat_id, path) if is_known and self._knowledge is not None else None
        return refusal("there is no such entry", HTTPStatus.NOT_FOUND) if text is None else answer({"text": text})


class _MemoryView:
    def __init__(self, platform: LinePlatform, memory: MemoryReader | None) -> None:
        self._platform = platform
        self._memory = memory

    async def read(self, request: Request) -> Response:
        """Return the memory of a chat, by display names, empty without a bucket."""
        chat_id, parameters = request.path_params["chat_id"], request.query_params
        if chat_id not in self._platform.chats:
            return refusal("there is no such chat", HTTPStatus.NOT_FOUND)
        if self._memory is None:
            return answer({"months": [], "lines": [], "left_out": 0})
        month, query = parameters.get("month", "")[:_MONTH], parameters.get("query", "")[:_LONGEST_QUERY]
        memory = await self._memory.of(chat_id, month=month, query=query)
        lines = [{"at": one["at"], "who": self._name(one["user_id"]), "text": one["text"]} for one in memory["lines"]]
        return answer({**memory, "lines": lines})

    def _name(self, user_id: str | None) -> str:
        if user_id is None:
            return self._platform.account.display_name
        person = self._platform.people.get(user_id)
        return user_id if person is None else person.display_name


def trace_view(event: EventTrace) -> JsonObject:
    """Return `{"type", "steps": [{"name", "part", "since_ms", "details", "is_failed", "is_repeated"}]}`; steps oldest first."""
    steps, start_ms = event.steps, event.start_ms
    return {
        "type": event.type,
        "steps": [
            {
                "name": step.name,
                "part": step.part,
                "since_ms": step.at_ms - start_ms,
                "details": dict(step.details),
                "is_failed": step.is_failed,
                "is_repeated": is_repeated,
            }
            for step, is_repeated in zip(steps, flag_repeats(steps), strict=True)
        ],
    }
