"""The worker's real code on in-memory ports, called as Pub/Sub calls it."""

import json
import random
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from shared.adapters.memory import (
    FixedClock,
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
from shared.conversation.archive import SEGMENT_MESSAGES
from shared.errors import StorageUnavailableError
from shared.handlers.assembly import assemble
from shared.handlers.ports import NotionPort, Options, Ports, Threads
from shared.handlers.unsend import withdrawal_of
from shared.storage.object_store import ListedObject
from tests.support import push
from tests.support.chats import conversations_on


class UnreliableStore(MemoryObjectStore):
    """A bucket whose listings fail while `is_down`."""

    is_down = False

    def list(self, prefix: str, *, since: str | None = None, before: str | None = None) -> tuple[ListedObject, ...]:
        if self.is_down:
            raise StorageUnavailableError("down")
        return super().list(prefix, since=since, before=before)


class PushedWorker:
    """The agent worker as functions and the simulation assemble it, on in-memory ports; `options` are fields of Options."""

    def __init__(
        self,
        pool: ThreadPoolExecutor,
        more_tools: Sequence[Tool] = (),
        *,
        notion: NotionPort | None = None,
        store: UnreliableStore | None = None,
        segment_messages: int = SEGMENT_MESSAGES,
        **options: Any,  # noqa: ANN401 - the fields of Options
    ) -> None:
        self.store = store or UnreliableStore()
        self.line = MemoryLineApi()
        self.model = ScriptedModel()
        self.json_model = ScriptedJsonModel()
        self.clock = FixedClock()
        self.profiles = MemoryProfiles()
        self.media = MemoryMedia()
        self.conversations = conversations_on(self.store, pool, self.clock, segment_messages=segment_messages)
        self.ports = Ports(
            conversations=self.conversations,
            line=self.line,
            profiles=self.profiles,
            media=self.media,
            model=self.model,
            json_model=self.json_model,
            notion=notion,
            threads=Threads.on(pool),
            clock=self.clock,
            chance=random.Random(1),
            new_entry_id=lambda: "id",
        )
        self.options = Options(bot_name="Aizuchi", more_tools=tuple(more_tools), **options)
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
