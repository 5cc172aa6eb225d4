"""Group chats on the LINE stand-in, brought to the worker the way that Pub/Sub brings them."""

import asyncio
import json
from dataclasses import dataclass
from typing import Any, Final, Self

from benchmarks import wire
from simulator.processes import Child

_ADDRESSED_EVERY: Final = 5
_TEXT: Final = "来週の旅行のことだけど、{}番目の案はどうかな。早めに決めたほうが安くなると思う。"


@dataclass(slots=True, kw_only=True)
class Chat:
    """A group with the bot in it; every fifth message is for the bot."""

    line: Child
    group_id: str
    user_id: str
    messages: int = 0

    @classmethod
    async def begun(cls, line: Child) -> Self:
        """A new group."""
        answer = await asyncio.to_thread(wire.send, line.port, "/bench/group", body=b"")
        return cls(line=line, **answer.json())

    async def say(self, *, addressed: bool) -> dict[str, Any]:
        """Somebody says something.  Returns: the event."""
        self.messages += 1
        said = {
            "group_id": self.group_id,
            "user_id": self.user_id,
            "text": _TEXT.format(self.messages),
            "addressed": addressed,
        }
        answer = await asyncio.to_thread(wire.send, self.line.port, "/bench/say", body=json.dumps(said).encode())
        event: dict[str, Any] = answer.json()
        return event

    async def grow(self, messages: int, *, worker: Child) -> None:
        """The chat has so many messages, and the worker has dealt with every one of them."""
        while self.messages < messages:
            addressed = (self.messages + 1) % _ADDRESSED_EVERY == 0
            await push(worker, await self.say(addressed=addressed))


async def push(worker: Child, event: dict[str, Any]) -> float:
    """The worker has acknowledged the event.  Returns: how many seconds that took it."""
    body = wire.push_body(event)
    headers = {"Content-Type": "application/json", "User-Agent": "CloudPubSub-Google"}
    return (await asyncio.to_thread(wire.send, worker.port, body=body, headers=headers)).took_s
