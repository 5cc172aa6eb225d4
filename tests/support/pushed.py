"""The worker's own code on in-memory ports, met the way Pub/Sub meets it."""

import json
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
from shared.errors import StorageUnavailableError
from shared.storage.object_store import ListedObject
from shared.turns.background import ThreadBackground
from tests.support import push
from tests.support.chats import memory_on
from tests.support.workers import WorkerPorts, worker_on


class UnreliableStore(MemoryObjectStore):
    """A bucket that can be out of reach."""

    is_down = False

    def list(self, prefix: str) -> tuple[ListedObject, ...]:
        if self.is_down:
            raise StorageUnavailableError("down")
        return super().list(prefix)


class PushedWorker:
    """The worker's own code on in-memory ports, met the way Pub/Sub meets it."""

    def __init__(
        self,
        pool: ThreadPoolExecutor,
        more_tools: Sequence[Tool] = (),
        **otherwise: Any,  # noqa: ANN401 - the fields of WorkerPorts, as they are
    ) -> None:
        self.store = UnreliableStore()
        self.line = MemoryLineApi()
        self.model = ScriptedModel()
        self.json_model = ScriptedJsonModel()
        self.clock = FixedClock()
        self.profiles = MemoryProfiles()
        self.media = MemoryMedia()
        self.done: dict[str, list[str]] = {}
        self.memory = memory_on(self.store, pool, self.clock, shows_entries=True)
        ports = WorkerPorts(
            memory=self.memory,
            line=self.line,
            model=self.model,
            clock=self.clock,
            tools=pool,
            background=ThreadBackground(threads=pool),
            presence=pool,
            profiles=self.profiles,
            media=self.media,
            more_tools=tuple(more_tools),
            json_model=self.json_model,
            done_before=lambda context: tuple(self.done.get(context.first_line_message_id, ())),
            **otherwise,
        )
        self._endpoint = PushEndpoint(handle=worker_on(ports), clock=self.clock)

    def deliver(self, event: dict[str, Any], *, thinks: Sequence[Step] = (), published: str = push.PUBLISHED) -> int:
        self.model.steps = list(thinks)
        return self._endpoint("POST", push.envelope(event, published=published))[1]

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
        """Return every text of a request to the model, the last one unless told."""
        contents = self.model.requests[number].contents
        said = (content for content in contents if isinstance(content, TextContent | MixedContent))
        return "\n".join(text for content in said for text in content.texts)

    @property
    def looked_at(self) -> list[MediaPart]:
        """Return the media in the last request to the model."""
        mixed = (one for one in self.model.requests[-1].contents if isinstance(one, MixedContent))
        return [part for one in mixed for part in one.parts if isinstance(part, MediaPart)]
