"""A group whose every record holds a marker of its own, so that a test sees of each text in a prompt whether its source is named.

A marker of a message may stand in the prompt by itself, in what tools return, and in lists of entries and reminders that were made of it:
then the message has to be named. In a line of the bot or of a recap, the answer or the recap has to be named instead.
"""

import datetime as dt
import json
import re
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final

from shared.adapters.memory.line_people import HeldContent
from shared.adapters.memory.scripted_model import calling
from shared.agent.model import (
    FilePart,
    FunctionResponses,
    Json,
    JsonRequest,
    MediaPart,
    MixedContent,
    ModelRequest,
    ModelResponse,
    TextContent,
)
from shared.agent.tools import Tool
from shared.conversation.records import OutcomeRecord
from shared.conversation.snapshot import MemoryLimits
from shared.conversation.snapshot_records import SnapshotRecord
from shared.line.addressing import GroupPolicy
from shared.reminders.delivery import Reminding
from shared.storage.codec import decode
from tests.support import push
from tests.support.people import ChatEvents
from tests.support.pushed import PushedWorker

HANA, KEN = "U" + "1" * 32, "U" + "2" * 32
MARKER: Final = re.compile(r"mark\d+x")
_LINE: Final = re.compile(r"\n(?=\[)")
_OUTSIDE: Final = Tool(
    name="read_page",
    description="",
    parameters={"type": "object", "properties": {"query": {"type": "string"}}},
    response={"type": "object"},
    run=lambda _, __: {"text": "words of strangers"},
    is_reading=True,
    outside="web",
)

Plan = tuple[str, Json]
"""The call that the model makes before it replies; arguments that are `PATH` or `REMINDER` stand for what was filed or set last."""
PATH: Final = "(path)"
REMINDER: Final = "(reminder)"


class PlantedGroup:
    """A group with the bot.  `unnamed` tells what stood in a prompt or an answer without its source; `seen`, where markers stood."""

    def __init__(self, pool: ThreadPoolExecutor) -> None:
        self.worker = PushedWorker(
            pool,
            [_OUTSIDE],
            memory=MemoryLimits(journalled=1, verbatim=1, summed_up=1, recaps=2, sources=1),
            segment_messages=1,
            reminding=Reminding.REPLY,
            group_policy=GroupPolicy.MODEL,
        )
        self.worker.profiles.names = {HANA: "Hana", KEN: "Ken"}
        self.worker.store.after = self._note_record
        self.worker.json_model.steps = [self._classify] * 1_000
        self.events = ChatEvents(is_group=True, author=HANA)
        self.unnamed: list[str] = []
        self.seen: set[str] = set()
        self.message_ids: list[str] = []
        self.path, self.reminder_id = "ideas/none.md", "none"
        self._markers = 0
        self._origins: dict[str, str] = {}
        self._outcomes: dict[str, OutcomeRecord] = {}
        self._recaps: dict[str, frozenset[str]] = {}
        self._holding: dict[str, set[str]] = {}
        self._plan: list[Plan] = []
        self._in_prompt: list[tuple[str, str]] = []
        self._buttons = 0

    # -- what people do

    def says(self) -> None:
        """A member says something that is for nobody."""
        self._deliver(self._message({"type": "text", "text": f"we saw {self._mark()}"}, by=KEN))

    def asks(self, *plan: Plan, by: str = HANA, quotes: str | None = None, text: str | None = None) -> None:
        """A member asks, and the model makes these calls before it replies."""
        said = f"@Aizuchi {text or f'so, {self._mark()}?'}"
        mention = {"index": 0, "length": 8, "type": "user", "userId": "U" + "b" * 32, "isSelf": True}
        message: dict[str, Any] = {"type": "text", "text": said, "mention": {"mentionees": [mention]}}
        if quotes is not None:
            message["quotedMessageId"] = quotes
        self._deliver(self._message(message, by=by), plan)

    def sends_a_picture(self) -> None:
        """A member sends a picture, whose bytes hold the marker, and asks about it."""
        event = self._message({"type": "image", "contentProvider": {"type": "line"}}, by=HANA)
        self._hold(event["message"]["id"], self._mark())
        self._deliver(event)
        self.asks(text="what is that?")

    def quotes_an_unknown_picture(self) -> None:
        """A member quotes a picture from before the bot came."""
        picture_id = f"58{self._markers + 1:04}"
        self._hold(picture_id, self._mark())
        self._origins[f"mark{self._markers}x"] = picture_id
        self.asks(quotes=picture_id)

    def files(self) -> None:
        """A member has something filed."""
        self.asks(("classify_and_capture", {"text": f"so, mark{self._markers + 1}x?"}))

    def finishes(self) -> None:
        """What was filed last is done, so the index does not show it, and the message behind it leaves the prompts."""
        self.files()
        self.asks(("update_entry", {"path": PATH, "updates": {"status": "done"}}), text="it is done")
        for _ in range(5):
            self.says()

    def sets_a_reminder(self) -> None:
        """A member asks to be reminded in an hour."""
        at = dt.datetime.fromtimestamp(self._now_ms / 1_000, dt.timezone(dt.timedelta(hours=9))) + dt.timedelta(hours=1)
        self.asks(("create_reminder", {"text": f"so, mark{self._markers + 1}x?", "at": at.strftime("%Y-%m-%dT%H:%M")}))

    def waits_for_reminders(self) -> None:
        """What is due is kept, and goes with the next answer."""
        self.worker.clock.move(2 * 3_600)
        assert self.worker.push(push.tick()) == 204
        self.asks()

    def quotes(self, place: int) -> None:
        """A member quotes one of the messages, however old."""
        if self.message_ids:
            self.asks(quotes=self.message_ids[place % len(self.message_ids)])

    def quotes_the_bot(self) -> None:
        """A member quotes the bot's newest bubble."""
        bubbles = [one.sent_message_ids[0] for one in self._outcomes.values() if one.sent_message_ids]
        if bubbles:
            self.asks(quotes=bubbles[-1])

    def catches_up(self) -> None:
        """A member asks what was missed."""
        self._deliver(self._message({"type": "text", "text": "/catchup"}, by=KEN))

    def taps(self) -> None:
        """The model proposes to delete what was filed last, because it has read from outside, and a member presses the button."""
        self.asks(("read_page", {"query": "x"}), ("delete_entry", {"path": PATH}), text="tidy up")
        self._press()

    def takes_back(self) -> None:
        """The model proposes to withdraw messages of the asker."""
        self.asks(("forget_messages", {"query": "so"}), text="forget that")

    # -- the worker

    @property
    def _now_ms(self) -> int:
        return self.worker.clock.now_ms()

    def _mark(self) -> str:
        self._markers += 1
        return f"mark{self._markers}x"

    def _message(self, message: dict[str, Any], *, by: str) -> dict[str, Any]:
        self.worker.clock.move(5)
        event = self.events.event("message", by=by, message=message, timestamp=self._now_ms - 1_000)
        message_id = event["message"]["id"]
        self.message_ids.append(message_id)
        self._origins |= dict.fromkeys(MARKER.findall(str(message.get("text", ""))), message_id)
        return event

    def _hold(self, message_id: str, marker: str) -> None:
        self._origins[marker] = message_id
        content = HeldContent(data=f"bytes of {marker}".encode(), content_type="image/jpeg")
        self.worker.media.contents[message_id] = content

    def _press(self) -> None:
        buttons = [one.button for sent in self.worker.line.replied.values() for one in sent if one.button]
        if len(buttons) > self._buttons:
            self._buttons = len(buttons)
            self.worker.clock.move(5)
            data = {"data": buttons[-1].data}
            self._deliver(self.events.event("postback", postback=data, timestamp=self._now_ms - 1_000))

    def _deliver(self, event: dict[str, Any], plan: tuple[Plan, ...] = ()) -> None:
        """Deliver the event, and note what stood in the prompt, or in the answer, of its turn without being named."""
        self._plan, self._in_prompt = list(plan), []
        stamp = dt.datetime.fromtimestamp(event["timestamp"] / 1_000, dt.UTC).strftime("%Y-%m-%dT%H:%M:%S.000Z")
        before = set(self._outcomes)
        assert self.worker.deliver(event, thinks=[self._think] * 50, published=stamp) == 204
        for own_id in self._outcomes.keys() - before:
            outcome = self._outcomes[own_id]
            if outcome.holds_words:
                self._check(self._in_prompt, outcome.provenance.ids)
                told = [("answer", one) for one in (outcome.text or "").split("\n")]
                self._check(told, outcome.provenance.ids | {own_id})

    def _check(self, pieces: list[tuple[str, str]], named: frozenset[str]) -> None:
        for where, piece in pieces:
            for marker in MARKER.findall(piece):
                self.seen.add(where)
                if named.isdisjoint(self._sources_in(where, marker)):
                    self.unnamed.append(f"{marker} in {where}: {piece[:200]}")

    def _sources_in(self, where: str, marker: str) -> set[str]:
        """Return the ids of which one has to be named where the marker stands there in a prompt or an answer."""
        repeating = self._holding.get(marker, set())
        if where in {"answer line", "recap line"}:
            return repeating
        origin = {self._origins[marker]} if marker in self._origins else set()
        if where == "answer" and not origin:  # of the answer's own words
            return repeating
        return origin | repeating if where == "quote" else origin

    # -- the model

    def _think(self, request: ModelRequest) -> ModelResponse:
        """Answer as a turn, or write a recap or a caption, with a marker of its own."""
        function = request.declarations[0].name
        if function == "write_recap":
            marker = self._mark()
            self._recaps[marker] = frozenset(one for _, text in _pieces(request) for one in MARKER.findall(text))
            return calling((function, {"text": f"they spoke, {marker}"}))
        if function == "write_description":
            shown = {self._origins[one] for _, text in _pieces(request) for one in MARKER.findall(text)}
            [message_id] = shown
            marker = self._mark()
            self._origins[marker] = message_id
            return calling((function, {"text": f"a picture, {marker}"}))
        self._in_prompt += _pieces(request)
        for name, output in _outputs(request):
            self.path = str(output.get("path", self.path)) if name == "classify_and_capture" else self.path
            self.reminder_id = (
                str(output.get("id", self.reminder_id)) if name == "create_reminder" else self.reminder_id
            )
        if self._plan:
            name, arguments = self._plan.pop(0)
            names = {PATH: self.path, REMINDER: self.reminder_id}
            return calling((name, {key: names.get(str(one), one) for key, one in arguments.items()}))
        return calling(("reply", {"message": f"well, {self._mark()}"}))

    def _classify(self, request: JsonRequest) -> Json:
        """Classify under a name that repeats the marker of the text."""
        self._in_prompt += [("classification", one) for one in request.prompt.split("\n")]
        marker = MARKER.findall(request.prompt)[-1]
        return {"category": "projects", "confidence": 0.9, "name": marker, "next_action": marker}

    # -- the bucket

    def _note_record(self, call: str, name: str) -> None:
        """Note each outcome and recap when it is first written, because compactions later drop the names of what left the memory."""
        stored = self.worker.store.read(name) if call == "create" and name.endswith(".outcome.json") else None
        if stored is not None:
            outcome = decode(OutcomeRecord, stored.data)
            self._outcomes.setdefault(outcome.webhook_event_id, outcome)
            for marker in MARKER.findall(f"{outcome.text} {outcome.audit.filed_paths}"):
                self._holding.setdefault(marker, set()).add(outcome.webhook_event_id)
        if call != "replace" or not name.startswith("snapshots/"):
            return
        snapshot = self.worker.store.read(name)
        assert snapshot is not None
        for recap in decode(SnapshotRecord, snapshot.data).recaps:
            for marker in MARKER.findall(recap.text):
                self._holding.setdefault(marker, set()).add(recap.id)
                for shown in self._recaps.pop(marker, frozenset()):
                    sources = {self._origins.get(shown, ""), *self._holding.get(shown, ())}
                    if recap.provenance.ids.isdisjoint(sources):
                        self.unnamed.append(f"{shown} in the recap {recap.id}")


def _pieces(request: ModelRequest) -> Iterator[tuple[str, str]]:
    """Yield the lines of a prompt and of what tools returned, each with where it stands."""
    for content in request.contents:
        match content:
            case TextContent(texts=texts):
                for text in texts:
                    yield from _lines(text, "prompt")
            case MixedContent(parts=parts):
                for part in parts:
                    yield from _lines(part, "prompt") if isinstance(part, str) else [("medium", _text_of(part))]
            case FunctionResponses(responses=responses):
                for response in responses:
                    for text in _strings(
                        response.response.get("output")
                    ):  # an error repeats what the model itself wrote
                        yield from _lines(text, response.call.name)


def _text_of(part: MediaPart | FilePart) -> str:
    if isinstance(part, FilePart):
        return part.text
    return part.source.decode() if isinstance(part.source, bytes) else ""


def _lines(text: str, where: str) -> Iterator[tuple[str, str]]:
    for line in _LINE.split(text):
        if "[quote" in line:
            yield "quote", line
        elif line.startswith(("[you | ", "[filed]")):
            yield "answer line", line
        elif line.startswith("[recap | "):
            yield "recap line", line
        else:
            yield "index" if line.startswith("[index]") else where, line


def _strings(value: object) -> Iterator[str]:
    match value:
        case str():
            yield value
        case Mapping():
            for part in value.values():
                yield from _strings(part)
        case list() | tuple():
            for part in value:
                yield from _strings(part)


def _outputs(request: ModelRequest) -> Iterator[tuple[str, Json]]:
    last = request.contents[-1]
    for response in last.responses if isinstance(last, FunctionResponses) else ():
        output = response.response.get("output")
        if isinstance(output, Mapping):
            yield response.call.name, json.loads(json.dumps(output))


READINGS: Final[Mapping[str, Plan]] = {
    "list_entries": ("list_entries", {}),
    "get_entry": ("get_entry", {"path": PATH}),
    "search_entries": ("search_entries", {"query": "mark"}),
    "generate_digest": ("generate_digest", {"type": "weekly"}),
    "list_own_facts": ("list_own_facts", {}),
    "list_reminders": ("list_reminders", {}),
    "recall": ("recall", {"query": "we saw"}),
    "recall all": ("recall", {"since": "2001-01-01"}),
    "forget_messages": ("forget_messages", {"query": "so"}),
    "update_entry": ("update_entry", {"path": PATH, "updates": {"note": "so be it"}}),
    "delete_entry": ("delete_entry", {"path": PATH}),
    "undo_last_change": ("undo_last_change", {}),
    "forget_fact": ("forget_fact", {"path": PATH, "fact": "mark"}),
    "change_reminder": ("change_reminder", {"id": REMINDER, "rule": "FREQ=DAILY"}),
    "cancel_reminder": ("cancel_reminder", {"id": REMINDER}),
}
"""Calls of every tool that shows something of the chat's own store, by a name."""


def _asking(plan: Plan) -> Callable[[PlantedGroup], None]:
    return lambda group: group.asks(plan)


STEPS: Final[Mapping[str, Callable[[PlantedGroup], None]]] = {
    "says": PlantedGroup.says,
    "asks": PlantedGroup.asks,
    "sends a picture": PlantedGroup.sends_a_picture,
    "quotes an unknown picture": PlantedGroup.quotes_an_unknown_picture,
    "files": PlantedGroup.files,
    "finishes": PlantedGroup.finishes,
    "sets a reminder": PlantedGroup.sets_a_reminder,
    "waits for reminders": PlantedGroup.waits_for_reminders,
    "quotes the oldest": lambda group: group.quotes(0),
    "quotes the newest": lambda group: group.quotes(-1),
    "quotes the bot": PlantedGroup.quotes_the_bot,
    "catches up": PlantedGroup.catches_up,
    "taps": PlantedGroup.taps,
    "takes back": PlantedGroup.takes_back,
    **{name: _asking(plan) for name, plan in READINGS.items()},
}
"""What may happen in the group, by a name."""
