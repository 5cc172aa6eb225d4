"""The platform without a network, for tests: a webhook with scripted answers, a clock moved by command, and one loop."""

import asyncio
import json
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from random import Random
from typing import Any, Final, Self, TypeVar

import httpx2

from .messages import JsonObject
from .platform import LinePlatform

CHANNEL_SECRET: Final = "8c570fa6dd201bb328f1c1eac23a96d8"  # noqa: S105 - the secret of LINE's own signature example
ACCESS_TOKEN: Final = "harness-token"  # noqa: S105 - opens nothing
WEBHOOK_URL: Final = "https://bot.test/webhook"
_START_MS: Final = 1_767_225_600_000

T = TypeVar("T")


@dataclass(slots=True)
class MovingClock:
    """A clock moved only by a test's `advance` or a coroutine's sleep."""

    ms: int = _START_MS

    def now_ms(self) -> int:
        """Return the time in milliseconds."""
        return self.ms

    def monotonic_s(self) -> float:
        """Return the time in seconds."""
        return self.ms / 1_000

    def advance(self, *, s: float) -> None:
        """Move the clock forward."""
        self.ms += round(s * 1_000)

    async def sleep(self, seconds: float) -> None:
        """Move the clock forward instead of waiting."""
        self.advance(s=seconds)
        await asyncio.sleep(0)


@dataclass(slots=True)
class RecordingWebhook:
    """Keeps every delivery and answers with `answers`, then with 200. "refuse" refuses the connection, "hang" never answers."""

    answers: list[int | str] = field(default_factory=list)
    bodies: list[bytes] = field(default_factory=list)
    headers: list[httpx2.Headers] = field(default_factory=list)

    async def __call__(self, request: httpx2.Request) -> httpx2.Response:
        """Answer a request of the transport."""
        self.bodies.append(request.content)
        self.headers.append(request.headers)
        match self.answers.pop(0) if self.answers else 200:
            case "refuse":
                raise httpx2.ConnectError("connection refused")
            case "hang":
                await asyncio.Event().wait()
            case int() as status:
                return httpx2.Response(status)
        raise httpx2.ReadError("the answer broke off")

    @property
    def payloads(self) -> list[JsonObject]:
        """Every body as JSON."""
        return [json.loads(body) for body in self.bodies]

    @property
    def events(self) -> list[JsonObject]:
        """Every event of every delivery."""
        return [event for payload in self.payloads for event in payload["events"]]


class LineHarness:
    """A platform with one person, `user_id`, in a separate loop; a context manager."""

    def __init__(self, **settings: Any) -> None:  # noqa: ANN401 - the fields of LinePlatform, as they are
        self.clock = MovingClock()
        self.webhook = RecordingWebhook()
        self._runner = asyncio.Runner()
        parts: dict[str, Any] = {
            "webhook_url": WEBHOOK_URL,
            "channel_secret": CHANNEL_SECRET,
            "channel_access_token": ACCESS_TOKEN,
            "now_ms": self.clock.now_ms,
            "monotonic_s": self.clock.monotonic_s,
            "sleep": self.clock.sleep,
            "rng": Random(7),
            "webhook_client": httpx2.AsyncClient(transport=httpx2.MockTransport(self.webhook)),
        }
        self.platform = LinePlatform(**parts | settings)
        self.user_id = next(iter(self.platform.people))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.run(self.platform.close())
        self._runner.close()

    def run(self, coroutine: Coroutine[Any, Any, T]) -> T:
        """Run the coroutine; return the result."""
        return self._runner.run(coroutine)

    def do(self, action: Callable[[], T]) -> T:
        """Carry out the action, and wait for the end of every resulting delivery."""

        async def act() -> T:
            result = action()
            await self.platform.wait_until_settled()
            return result

        return self.run(act())

    def call(self, method: str, path: str, **request: Any) -> httpx2.Response:  # noqa: ANN401 - any argument of httpx2
        """Send a request with the right token, and return the API's answer."""

        async def send() -> httpx2.Response:
            transport = httpx2.ASGITransport(app=self.platform.app)
            headers = {"Authorization": f"Bearer {ACCESS_TOKEN}"} | request.pop("headers", {})
            async with httpx2.AsyncClient(transport=transport, base_url="http://line.test") as client:
                response = await client.request(method, path, headers=headers, **request)
            await self.platform.wait_until_settled()
            return response

        return self.run(send())

    def reply(self, reply_token: str | None, *texts: str) -> httpx2.Response:
        """Reply with the texts; return the API's answer."""
        messages = [{"type": "text", "text": text} for text in texts]
        return self.call("POST", "/v2/bot/message/reply", json={"replyToken": reply_token, "messages": messages})

    def receive_text(self, text: str = "hello") -> str:
        """Let the person send a text, and return the event's reply token."""
        event = self.do(lambda: self.platform.say(self.user_id, self.user_id, text))
        return str(event.reply_token)
