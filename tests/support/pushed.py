"""The worker's real code on in-memory ports, called as Pub/Sub calls it."""

import json
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from itertools import chain, count
from typing import Any, TypeAlias, TypeVar

from shared.adapters.memory import (
    FixedClock,
    MemoryFiles,
    MemoryLineApi,
    MemoryMedia,
    MemoryObjectStore,
    MemoryProfiles,
    ScriptedJsonModel,
    ScriptedModel,
)
from shared.adapters.memory.scripted_model import Step
from shared.agent.model import MediaPart, MixedContent, TextContent
from shared.agent.tools import Tool
from shared.bus.endpoint import PushEndpoint
from shared.composition.assembly import assemble
from shared.composition.ports import CalendarPort, HookPort, NotionPort, Options, Ports, Threads
from shared.conversation.archive import ARCHIVE_DAYS, SEGMENT_MESSAGES
from shared.errors import StorageUnavailableError
from shared.handlers.unsend import withdrawal_of
from shared.line.media_content import LARGEST_BYTES, ArrivingContent, Unfetched
from shared.line.messaging import OutgoingMessage, ReplyFate, ReplyToken
from shared.storage.object_store import ListedObject, StoredObject
from shared.tools.mcp.port import ConnectedServer
from tests.support import push
from tests.support.chats import conversations_on
from tests.support.turns import ClockEvent

_Kept = TypeVar("_Kept")
Beside: TypeAlias = Callable[[str, str], object]
"""What happens beside a call of a fake, by the call's name and what it is about: an object's name, or an id.  It may raise."""


def message_ids(record: Mapping[str, Any]) -> set[str]:
    """Return the messages that a record's JSON names in its provenance."""
    return set(chain.from_iterable(record["provenance"]["messages"].values()))


def nothing(_: str, __: str) -> None:
    """Nothing happens beside a call."""


class UnreliableStore(MemoryObjectStore):
    """A bucket whose listings fail while `is_down`, and beside whose calls something happens: `before` and `after` them."""

    def __init__(self) -> None:
        super().__init__()
        self.is_down = False
        self.before: Beside = nothing
        self.after: Beside = nothing

    def read(self, name: str) -> StoredObject | None:
        with self._beside("read", name):
            return super().read(name)

    def create(self, name: str, data: bytes) -> int | None:
        with self._beside("create", name):
            return super().create(name, data)

    def replace(self, name: str, data: bytes, *, generation: int) -> int | None:
        with self._beside("replace", name):
            return super().replace(name, data, generation=generation)

    def list(self, prefix: str, *, since: str | None = None, before: str | None = None) -> tuple[ListedObject, ...]:
        if self.is_down:
            raise StorageUnavailableError("down")
        with self._beside("list", prefix):
            return super().list(prefix, since=since, before=before)

    @contextmanager
    def _beside(self, call: str, name: str) -> Iterator[None]:
        self.before(call, name)
        yield
        self.after(call, name)


class InterruptedMedia(MemoryMedia):
    """LINE's contents; `before` and `after` each fetch something happens."""

    def __init__(self) -> None:
        super().__init__()
        self.before: Beside = nothing
        self.after: Beside = nothing

    def fetch(
        self, line_message_id: str, keep: Callable[[ArrivingContent], _Kept], *, at_most_bytes: int = LARGEST_BYTES
    ) -> _Kept | Unfetched:
        self.before("fetch", line_message_id)
        fetched = super().fetch(line_message_id, keep, at_most_bytes=at_most_bytes)
        self.after("fetch", line_message_id)
        return fetched


class InterruptedLine(MemoryLineApi):
    """LINE's API; `before` and `after` a reply, and the leaving of a group, something happens."""

    def __init__(self) -> None:
        super().__init__()
        self.before: Beside = nothing
        self.after: Beside = nothing

    def reply(self, token: ReplyToken, messages: Sequence[OutgoingMessage]) -> ReplyFate:
        self.before("reply", token.value)
        return super().reply(token, messages)

    def leave(self, conversation_id: str) -> None:
        self.before("leave", conversation_id)
        super().leave(conversation_id)
        self.after("leave", conversation_id)


class PushedWorker:
    """The agent worker as functions and the simulation assemble it, on in-memory ports; `options` are fields of Options."""

    def __init__(
        self,
        pool: ThreadPoolExecutor,
        more_tools: Sequence[Tool] = (),
        *,
        notion: NotionPort | None = None,
        tool_servers: tuple[ConnectedServer, ...] = (),
        hooks: HookPort | None = None,
        calendar: CalendarPort | None = None,
        store: UnreliableStore | None = None,
        segment_messages: int = SEGMENT_MESSAGES,
        archive_days: int = ARCHIVE_DAYS,
        **options: Any,  # noqa: ANN401 - the fields of Options
    ) -> None:
        self.store = store or UnreliableStore()
        self.line = InterruptedLine()
        self.model = ScriptedModel()
        self.json_model = ScriptedJsonModel()
        self.translator = ScriptedJsonModel()
        self.clock = FixedClock()
        self.profiles = MemoryProfiles()
        self.media = InterruptedMedia()
        self.conversations = conversations_on(
            self.store, pool, self.clock, segment_messages=segment_messages, archive_days=archive_days
        )
        entry_numbers = count(1)
        self.ports = Ports(
            conversations=self.conversations,
            line=self.line,
            profiles=self.profiles,
            media=self.media,
            files=MemoryFiles(),
            model=self.model,
            json_model=self.json_model,
            translating_model=self.translator,
            notion=notion,
            tool_servers=tool_servers,
            hooks=hooks,
            calendar=calendar,
            threads=replace(Threads.on(pool), new_event=lambda: ClockEvent(self.clock)),
            clock=self.clock,
            chance=random.Random(1),
            new_entry_id=lambda: f"id{next(entry_numbers)}",
        )
        self.options = Options(**{"bot_name": "Aizuchi", **options}, more_tools=tuple(more_tools))
        self._endpoint = PushEndpoint(handle=assemble(self.ports, self.options), clock=self.clock)

    def deliver(self, event: dict[str, Any], *, thinks: Sequence[Step] = (), published: str = push.PUBLISHED) -> int:
        self.model.steps = list(thinks)
        return self.push(push.envelope(event, published=published))

    def push(self, body: bytes) -> int:
        """Return the status of a push with this body."""
        return self._endpoint("POST", body)[1]

    def withdraw(self, conversation_id: str, line_message_id: str, *, timestamp_ms: int = 2) -> None:
        """Withdraw the message as the unsend function does."""
        conversation = self.conversations.of(conversation_id)
        withdrawal_of(self.clock).withdraw(conversation, line_message_id, timestamp_ms=timestamp_ms)

    def erase(self, conversation_id: str, *, until_ms: int) -> None:
        """Erase the chat as a redelivery of an erasure does."""
        withdrawal_of(self.clock).erase(self.conversations.of(conversation_id), until_ms=until_ms)

    @property
    def said(self) -> list[str]:
        return [text for texts in self.line.replies.values() for text in texts]

    def outcome(self, event: dict[str, Any]) -> dict[str, Any]:
        chat = event["source"].get("groupId") or event["source"]["userId"]
        stored = self.store.read(f"journal/{chat}/{event['webhookEventId']}.outcome.json")
        assert stored is not None
        found: dict[str, Any] = json.loads(stored.data)
        return found

    def prompt(self, number: int = -1) -> str:
        """Return every text of a request to the model, by default the last one."""
        contents = self.model.requests[number].contents
        said = (content for content in contents if isinstance(content, TextContent | MixedContent))
        return "\n".join(text for content in said for text in content.texts)

    @property
    def looked_at(self) -> list[MediaPart]:
        """Return the media in the last request to the model."""
        mixed = (one for one in self.model.requests[-1].contents if isinstance(one, MixedContent))
        return [part for one in mixed for part in one.parts if isinstance(part, MediaPart)]
