"""Group chats on the LINE stand-in, pushed to the worker as by Pub/Sub."""

import asyncio
import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Final, Self

from benchmarks import wire
from benchmarks.built import Built
from simulator.processes import Child

_TEXT: Final = "来週の旅行のことだけど、{}番目の案はどうかな。早めに決めたほうが安くなると思う。"


@dataclass(slots=True, kw_only=True)
class Chat:
    """A group with a member and the bot."""

    line: Child
    group_id: str
    user_id: str
    messages: int = 0

    @classmethod
    async def create(cls, line: Child) -> Self:
        """Return a new group."""
        answer = await asyncio.to_thread(wire.send, line.port, "/bench/group", body=b"")
        return cls(line=line, **answer.json())

    async def say(self, *, addressed: bool) -> dict[str, Any]:
        """Send a message of the member; return the event, still to be pushed."""
        self.messages += 1
        message = {
            "group_id": self.group_id,
            "user_id": self.user_id,
            "text": _TEXT.format(self.messages),
            "addressed": addressed,
        }
        answer = await asyncio.to_thread(wire.send, self.line.port, "/bench/say", body=json.dumps(message).encode())
        event: dict[str, Any] = answer.json()
        return event

    def built(self, messages: int, pool: ThreadPoolExecutor) -> Built:
        """Return the chat after `messages` messages, every fifth addressed to the bot."""
        return Built(group_id=self.group_id, user_id=self.user_id, messages=messages, pool=pool)


async def push(worker: Child, event: dict[str, Any]) -> float:
    """Push the event to the worker; return the seconds until the acknowledgement."""
    body = wire.push_body(event)
    headers = {"Content-Type": "application/json", "User-Agent": "CloudPubSub-Google"}
    return (await asyncio.to_thread(wire.send, worker.port, body=body, headers=headers)).took_s
