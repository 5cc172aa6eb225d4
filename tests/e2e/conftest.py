"""The whole stack over real wires, and people who use it."""

import json
import time
from collections.abc import Callable, Coroutine, Iterator
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import quote

import httpx2
import pytest

from shared.storage.due_marker import DUE_PREFIX
from simulator.functions import HISTORY_BUCKET
from simulator.pubsub import Chaos
from simulator.stack import CHANNEL_ACCESS_TOKEN, CHANNEL_SECRET, LocalStack
from simulator.storage import StorageSwitches
from tests.support import recorded
from tests.support.loop import LoopThread
from tests.support.message_words import words_of
from tests.support.serving import plain_http
from tests.support.stacks import running_stack

PATIENCE_S = 60.0
_OBJECTS = f"/storage/v1/b/{HISTORY_BUCKET}/o"
_PAST_MINUTE = "20260101T0000"
_Result = TypeVar("_Result")


class Platform:
    """A running stack, driven from the test's thread."""

    def __init__(self, loop: LoopThread, stack: LocalStack, folder: Path) -> None:
        self._loop = loop
        self.stack = stack
        self.folder = folder

    def do(self, action: Callable[[LocalStack], _Result]) -> _Result:
        """Return the result of the action, run in the stack's loop."""

        async def run_action() -> _Result:
            return action(self.stack)

        return self._loop.run(run_action())

    def run(self, work: Coroutine[Any, Any, _Result]) -> _Result:
        """Return the result of the coroutine, run in the stack's loop."""
        return self._loop.run(work)

    @property
    def webhook_url(self) -> str:
        return self.stack.children["webhook"].url

    @property
    def worker_url(self) -> str:
        return self.stack.children["agent_worker"].url

    def post(self, body: bytes, *, signature: str | None = None) -> httpx2.Response:
        """Deliver a body to the webhook as LINE does."""
        signed = signature if signature is not None else recorded.signature(body, CHANNEL_SECRET)
        with plain_http() as http:
            return http.post(self.webhook_url, content=body, headers={"X-Line-Signature": signed})

    def settle(self) -> None:
        """Wait until LINE has delivered and Pub/Sub has nothing more to push."""

        async def wait_until_settled() -> None:
            await self.stack.line.wait_until_settled()
            await self.stack.pubsub.wait_until_idle()

        self._loop.run(wait_until_settled())

    def tick(self) -> str:
        """Publish a tick and wait until it is handled; return its pubsub_message_id."""
        pubsub_message_id = self.do(lambda stack: stack.tick())
        self.settle()
        return pubsub_message_id

    def carry_out_due(self) -> None:
        """The minute of every due marker comes, and a tick after it."""
        due = self.names(DUE_PREFIX)
        for name in due:
            _, _, work = name.removeprefix(DUE_PREFIX).partition("/")
            self.remove(name)
            self.put(f"{DUE_PREFIX}{_PAST_MINUTE}/{work}")
        if due:
            self.tick()

    def names(self, prefix: str = "") -> list[str]:
        """Return the names of the objects that begin with the prefix."""
        with self._storage() as storage:
            listed = storage.get(_OBJECTS, params={"prefix": prefix}).raise_for_status().json()
        return [item["name"] for item in listed.get("items", [])]

    def bucket(self) -> dict[str, bytes]:
        """Return every object, by name."""
        names = self.names()
        with self._storage() as storage:
            return {name: storage.get(f"/download{_path_of(name)}?alt=media").content for name in names}

    def put(self, name: str, data: bytes = b"") -> None:
        """Write an object, past every fault."""
        with self._storage() as storage:
            storage.post(
                f"/upload{_OBJECTS}", params={"uploadType": "media", "name": name}, content=data
            ).raise_for_status()

    def remove(self, name: str) -> None:
        """Delete an object, past every fault.  Repeated: does nothing."""
        with self._storage() as storage:
            storage.delete(_path_of(name))

    def log_lines(self, part: str) -> list[dict[str, Any]]:
        """Return the JSON lines that a function has logged."""
        lines = (self.folder / "logs" / f"{part}.log").read_text(encoding="utf-8").splitlines()
        return [json.loads(line) for line in lines if line.startswith("{")]

    @property
    def published(self) -> list[dict[str, Any]]:
        """Return the lines in which the webhook logged a publish."""
        return [line for line in self.log_lines("webhook") if line["message"] == "event_published"]

    def pause(self, seconds: float) -> None:
        """Wait while the processes of the stack go on."""
        time.sleep(seconds)

    def chaos(self, **faults: Any) -> None:  # noqa: ANN401 - the fields of Chaos
        def set_chaos(stack: LocalStack) -> None:
            stack.pubsub.chaos = Chaos(seed=1, **faults)

        self.do(set_chaos)

    def reset(self) -> None:
        """Remove every script and fault, and carry out what is due; chats stay as they are."""
        self.settle()
        self.chaos()
        self.do(lambda stack: stack.gemini.reset())
        self.do(lambda stack: stack.line.faults.clear())
        self.do(lambda stack: stack.storage.faults.clear())
        self.do(lambda stack: setattr(stack.storage, "switches", StorageSwitches()))
        self.carry_out_due()

    def _storage(self) -> httpx2.Client:
        return plain_http(base_url=self.stack.children["storage"].url)


class Person:
    """A person with a 1:1 chat with the bot."""

    def __init__(self, platform: Platform, name: str) -> None:
        self._platform = platform
        self.id = platform.do(lambda stack: stack.line.add_person(name).user_id)

    def says(self, text: str) -> str:
        """Send a text; return its line_message_id."""
        event = self._platform.do(lambda stack: stack.line.say(self.id, self.id, text))
        return str(event.line_message_id)

    def unsends(self, line_message_id: str) -> None:
        self._platform.do(lambda stack: stack.line.unsend(self.id, line_message_id))

    def hears(self) -> list[str]:
        """Return what the bot has said so far."""
        messages = self._platform.do(lambda stack: list(stack.line.chat(self.id).messages))
        return [words_of(message.content) for message in messages if message.sender_id != self.id]

    def hears_next(self, *, after: int) -> str:
        """Wait for the bot's message number `after` + 1 and return it."""
        until_s = time.monotonic() + PATIENCE_S
        while time.monotonic() < until_s:
            said = self.hears()
            if len(said) > after:
                return said[after]
            time.sleep(0.02)
        raise AssertionError(f"the bot said {self.hears()} and nothing more within {PATIENCE_S:.0f} s")


class Secrets:
    """The mounted files of the secrets."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.write("LINE_CHANNEL_SECRET", CHANNEL_SECRET)
        self.write("LINE_CHANNEL_ACCESS_TOKEN", CHANNEL_ACCESS_TOKEN)

    def write(self, name: str, value: str) -> None:
        (self._folder / name).write_text(value, encoding="utf-8")

    def remove(self, name: str) -> None:
        (self._folder / name).unlink()

    @property
    def env(self) -> dict[str, str]:
        return {f"{path.name}_FILE": str(path) for path in self._folder.iterdir()}


def wait_until(holds: Callable[[], bool]) -> None:
    """Return once the condition holds."""
    until_s = time.monotonic() + PATIENCE_S
    while time.monotonic() < until_s:
        if holds():
            return
        time.sleep(0.05)
    raise AssertionError(f"the condition did not hold within {PATIENCE_S:.0f} s")


def _path_of(name: str) -> str:
    return f"{_OBJECTS}/{quote(name, safe='')}"


@pytest.fixture(scope="session")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Platform]:
    folder = tmp_path_factory.mktemp("stack")
    with running_stack(folder, more_env={"SETTLE_MS": "0"}) as (loop, stack):
        yield Platform(loop, stack, folder)


@pytest.fixture
def platform(running: Platform) -> Iterator[Platform]:
    yield running
    running.reset()
    assert running.names(DUE_PREFIX) == []


@pytest.fixture
def person(platform: Platform, request: pytest.FixtureRequest) -> Person:
    return Person(platform, str(request.node.name)[:20])
