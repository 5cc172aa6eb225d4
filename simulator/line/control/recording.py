"""Recordings of a conversation: a file with people's actions and the bot's messages, for a replay.

    {"version": 1, "people": [{"user_id", "display_name"}],
     "steps": [{"after_ms", "action", "body", "result"} | {"after_ms", "bot": {"chat_id", "messages", "ids"}}]}

Ids differ from run to run: a recorded id stands for the id from the same step of the replay. For example, if the recorded `say` gave
message "5" and the replayed `say` gives "9", a later `unsend` of "5" takes back "9".
"""

import asyncio
import json
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from ..errors import ImpossibleActionError, LineError
from ..json_body import MalformedJsonError, parse_json
from ..message_rules import check_messages
from ..messages import DeliveryState, JsonObject, Message
from ..platform import LinePlatform
from .catalog import ACTIONS
from .fields import MalformedBodyError, check_body

VERSION: Final = 1
STEPS: Final = 2_000
CONTENT_CHARACTERS: Final = 64 * 1024
_POLL_S: Final = 0.02
_IDS: Final = frozenset({"user_id", "chat_id", "line_message_id", "webhook_event_id"})


class RecordingError(ValueError):
    """An unreadable recording or an impossible step; the message describes the step."""


@dataclass(slots=True)
class Recorder:
    """Records the actions on a platform, and the bot's messages; the newest `STEPS`."""

    platform: LinePlatform
    _people: list[JsonObject] = field(default_factory=list)
    _steps: list[JsonObject] = field(default_factory=list)
    _newest_ms: int = 0

    def __post_init__(self) -> None:
        self.platform.bot_listeners.append(self._note_bot)
        self.restart()

    def restart(self) -> None:
        """Begin a new recording."""
        self._people = [
            {"user_id": person.user_id, "display_name": person.display_name} for person in self.platform.people.values()
        ]
        self._steps.clear()
        self._newest_ms = self.platform.now_ms()

    def note(self, action: str, body: JsonObject, result: JsonObject) -> None:
        """Add a successful action. Large content is left out: a replay sends the sample instead."""
        self._add({"action": action, "body": _without_large(body), "result": result})

    def recording(self) -> JsonObject:
        """Return the recording so far."""
        return {"version": VERSION, "people": list(self._people), "steps": list(self._steps)}

    def _note_bot(self, chat_id: str, messages: tuple[JsonObject, ...], ids: tuple[str, ...]) -> None:
        shown = [_without_tokens(message) for message in messages]
        self._add({"bot": {"chat_id": chat_id, "messages": shown, "ids": list(ids)}})

    def _add(self, step: JsonObject) -> None:
        now_ms = self.platform.now_ms()
        self._steps.append({"after_ms": max(0, now_ms - self._newest_ms), **step})
        self._newest_ms = now_ms
        del self._steps[:-STEPS]


@dataclass(slots=True)
class Replay:
    """Plays a recording on a platform.  `recorder` records the steps anew."""

    platform: LinePlatform
    recorder: Recorder | None = None
    _ids: dict[str, str] = field(default_factory=dict)

    async def play(self, recording: Any, *, wait_s: float) -> JsonObject:  # noqa: ANN401 - any JSON
        """Carry out each action once the bot has sent as many messages as in the recording, or after `wait_s`.

        Returns: `{"results", "expected", "said", "is_equal"}`: the bot's messages of the recording and of the replay, by chat.
        Raises: RecordingError.
        """
        steps = self._begin(recording)
        expected, actual = _BotMessages(), _BotMessages()

        def hear(chat_id: str, messages: tuple[JsonObject, ...], ids: tuple[str, ...]) -> None:
            actual.add(chat_id, [_without_tokens(message) for message in messages], list(ids))

        results: list[JsonObject] = []
        self.platform.bot_listeners.append(hear)
        try:
            for step in steps:
                if "bot" in step:
                    bot_step = self._map_ids(step["bot"])
                    expected.add(bot_step["chat_id"], bot_step["messages"], step["bot"].get("ids", []))
                else:
                    await self._wait(expected, actual, wait_s)
                    results.append(self._act(step))
                    await self.platform.wait_until_settled()
            await self._wait(expected, actual, wait_s)
        finally:
            self.platform.bot_listeners.remove(hear)
        is_equal = expected.messages == actual.messages
        return {"results": results, "expected": expected.messages, "said": actual.messages, "is_equal": is_equal}

    def seed(self, recording: Any) -> None:  # noqa: ANN401 - any JSON
        """Put the people and messages there, without a delivery to the webhook.  Raises: RecordingError."""
        self.platform.courier.is_muted = True
        try:
            for step in self._begin(recording):
                if "bot" in step:
                    self._say(self._map_ids(step["bot"]))
                else:
                    self._act(step)
        finally:
            self.platform.courier.is_muted = False
        for chat in self.platform.chats.values():
            for message in _sending(list(chat.messages)):
                chat.put(replace(message, delivery=DeliveryState.DELIVERED, is_read=True))
        self.platform.notify_listeners()

    def _begin(self, recording: Any) -> list[JsonObject]:  # noqa: ANN401 - any JSON
        steps = _steps_of(recording)
        user_ids = list(self.platform.people)
        for index, person in enumerate(recording["people"]):
            same_id = person["user_id"] if person["user_id"] in self.platform.people else None
            user_id = same_id or (user_ids[index] if index < len(user_ids) else None)
            self._ids[person["user_id"]] = user_id or self.platform.add_person(person["display_name"]).user_id
        return steps

    def _act(self, step: JsonObject) -> JsonObject:
        action, body = ACTIONS[step["action"]], self._map_ids(step["body"])
        try:
            result = action.run(self.platform, check_body(body, action.fields, action.required))
        except (ImpossibleActionError, LineError, MalformedBodyError) as error:
            raise RecordingError(f"{action.name} is not possible: {error}") from error
        if self.recorder is not None and action.is_recorded:
            self.recorder.note(action.name, body, result)
        self._learn(step.get("result"), result)
        return result

    def _say(self, step: JsonObject) -> None:
        try:
            messages = check_messages({"messages": step["messages"]}, None)
        except LineError as error:
            raise RecordingError(f"the bot cannot have said that: {error.message}") from error
        chat = self.platform.chats.get(step["chat_id"])
        if chat is None:
            raise RecordingError("the bot spoke in a chat that is not in the recording")
        sent_messages = self.platform.say_as_bot(chat, messages)
        self._ids |= {recorded: one["id"] for recorded, one in zip(step.get("ids", ()), sent_messages, strict=False)}

    def _learn(self, recorded: Any, actual: Any) -> None:  # noqa: ANN401 - any JSON
        """Map the recorded ids to the ids of the replay."""
        if isinstance(recorded, dict) and isinstance(actual, dict):
            for name in recorded.keys() & actual.keys():
                if name in _IDS and isinstance(recorded[name], str) and isinstance(actual[name], str):
                    self._ids[recorded[name]] = actual[name]
                else:
                    self._learn(recorded[name], actual[name])
        elif isinstance(recorded, list) and isinstance(actual, list):
            for recorded_item, actual_item in zip(recorded, actual, strict=False):
                self._learn(recorded_item, actual_item)

    def _map_ids(self, value: Any) -> Any:  # noqa: ANN401 - any JSON
        if isinstance(value, str):
            return self._ids.get(value, value)
        if isinstance(value, list):
            return [self._map_ids(item) for item in value]
        if isinstance(value, dict):
            return {name: self._map_ids(item) for name, item in value.items()}
        return value

    async def _wait(self, expected: "_BotMessages", actual: "_BotMessages", wait_s: float) -> None:
        waited_s = 0.0
        while not actual.has_as_many_as(expected) and waited_s < wait_s:
            await asyncio.sleep(_POLL_S)
            waited_s += _POLL_S
        for chat_id, ids in expected.ids.items():
            self._ids |= dict(zip(ids, actual.ids.get(chat_id, ()), strict=False))


@dataclass(slots=True)
class _BotMessages:
    """The bot's messages, by chat."""

    messages: dict[str, list[JsonObject]] = field(default_factory=dict)
    ids: dict[str, list[str]] = field(default_factory=dict)

    def add(self, chat_id: str, messages: list[JsonObject], ids: list[str]) -> None:
        self.messages.setdefault(chat_id, []).extend(messages)
        self.ids.setdefault(chat_id, []).extend(ids)

    def has_as_many_as(self, other: "_BotMessages") -> bool:
        return all(len(self.messages.get(chat_id, ())) >= len(messages) for chat_id, messages in other.messages.items())


def read_recording(path: Path) -> Any:  # noqa: ANN401 - checked by the replay
    """Return the recording of a file.  Raises: RecordingError."""
    try:
        return parse_json(path.read_bytes())
    except (OSError, MalformedJsonError) as error:
        raise RecordingError(f"{path} cannot be read: {error}") from error


def _steps_of(recording: Any) -> list[JsonObject]:  # noqa: ANN401 - any JSON
    match recording:
        case {"version": 1, "people": list(people), "steps": list(steps)} if len(steps) <= STEPS:
            pass
        case _:
            raise RecordingError(f"no recording of version {VERSION} with at most {STEPS} steps")
    for person in people:
        match person:
            case {"user_id": str(), "display_name": str()}:
                pass
            case _:
                raise RecordingError("a person needs user_id and display_name")
    for number, step in enumerate(steps, start=1):
        match step:
            case {"bot": {"chat_id": str(), "messages": list(), "ids": list(ids)}} if _are_texts(ids):
                pass
            case {"bot": {"chat_id": str(), "messages": list()} as message} if "ids" not in message:
                pass
            case {"action": str(name), "body": dict()} if name in ACTIONS:
                pass
            case _:
                raise RecordingError(f"step {number} is no step: {json.dumps(step)[:200]}")
    return steps


def _sending(messages: list[Message]) -> Iterator[Message]:
    return (message for message in messages if message.delivery is DeliveryState.SENDING)


def _are_texts(values: list[Any]) -> bool:
    return all(isinstance(value, str) for value in values)


def _without_large(body: JsonObject) -> JsonObject:
    if len(body.get("content_base64", "")) > CONTENT_CHARACTERS:
        return {name: value for name, value in body.items() if name not in {"content_base64", "content_type"}}
    if sum(len(image["content_base64"]) for image in body.get("images", ())) > CONTENT_CHARACTERS:
        return {**{name: value for name, value in body.items() if name != "images"}, "count": len(body["images"])}
    return body


def _without_tokens(message: JsonObject) -> JsonObject:
    return {name: value for name, value in message.items() if name != "quoteToken"}
