"""`python -m benchmarks.fairness`: the cost of a stranger, and of a flooding chat, for the operator and the other chats.

The agent worker's real code on ports in memory, with the threads of a deployed instance and a model that takes a fifth of a second. Ten
chats (`--chats`) send a message every other second for a minute (`--seconds`), while another chat sends ten thousand; the ten chats' time
from push to acknowledgement is compared with the same chats alone.
"""

import argparse
import base64
import datetime as dt
import io
import json
import random
import statistics
import threading
import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

from shared import logs
from shared.access.admission import Access, Admissions
from shared.access.budgets import Limits
from shared.adapters.memory import (
    MemoryFiles,
    MemoryLineApi,
    MemoryMedia,
    MemoryObjectStore,
    MemoryProfiles,
    ScriptedModel,
)
from shared.adapters.memory.scripted_model import calling
from shared.agent.model import ModelRequest, ModelResponse
from shared.bus.endpoint import PushEndpoint
from shared.clock import SystemClock
from shared.composition.assembly import assemble
from shared.composition.ports import Options, Ports, Threads
from shared.conversation.store import Conversations

CHATS: Final = 10
SECONDS: Final = 60
FLOOD: Final = 10_000
_EVERY_S: Final = 2
_SPARE_TURNS: Final = 10  # turns allowed to a limited chat in addition to one for each message
_MODEL_S: Final = 0.2
_ACKNOWLEDGED: Final = 204
_REQUEST_THREADS: Final = 40


class _Model(ScriptedModel):
    def generate(self, request: ModelRequest) -> ModelResponse:
        self.requests.append(request)
        time.sleep(_MODEL_S)
        return calling(("reply", {"message": "hello"}))


@dataclass(frozen=True, slots=True, kw_only=True)
class RunFigures:
    """The result of one run: the times of the other chats, and the flood's objects, model calls and replies."""

    p50_ms: float
    p95_ms: float
    objects: int
    model_calls: int
    replies: int


def chat_id(number: int) -> str:
    """Return the id of a person."""
    return f"U{number:032x}"


def _push_body(chat: str, number: int) -> bytes:
    """Return Pub/Sub's push of a text message sent now."""
    now_ms = SystemClock().now_ms()
    now = dt.datetime.fromtimestamp(now_ms / 1_000, dt.UTC)
    event = {
        "type": "message",
        "mode": "active",
        "timestamp": now_ms,
        "source": {"type": "user", "userId": chat},
        "webhookEventId": f"event-{number}",
        "replyToken": f"token-{number}",
        "message": {"id": f"m{number}", "type": "text", "text": f"hello {number}"},
    }
    data = base64.b64encode(json.dumps({"destination": "U0", "event": event}).encode()).decode()
    message = {
        "data": data,
        "attributes": {"type": "message"},
        "messageId": str(number),
        "publishTime": now.isoformat(),
    }
    return json.dumps({"message": message, "subscription": "s"}).encode()


@contextmanager
def _quiet() -> Iterator[None]:
    logs.configure(io.StringIO())
    try:
        yield
    finally:
        logs.configure()


def measure(  # noqa: PLR0913 - what a run varies
    *,
    flooding: str | None,
    access: Access,
    limits: Limits,
    flood: int = 0,
    seconds: int = SECONDS,
    chats: int = CHATS,
) -> RunFigures:
    """Play the chats, along with a flood from one more chat."""
    clock, store, model, line = SystemClock(), MemoryObjectStore(), _Model(), MemoryLineApi()
    with ThreadPoolExecutor(128) as pool, ThreadPoolExecutor(_REQUEST_THREADS) as requests, _quiet():
        conversations = Conversations.on(store, reads=pool, clock=clock, lease_s=25.0)
        admissions = Admissions(store=store, clock=clock)
        for number in range(chats):
            admissions.admit(chat_id(number), since_ms=0)
        ports = Ports(
            conversations=conversations,
            line=line,
            profiles=MemoryProfiles(),
            media=MemoryMedia(),
            files=MemoryFiles(),
            model=model,
            threads=Threads.on(pool),
            clock=clock,
            chance=random.Random(1),  # noqa: S311 - spreads retries, is no secret
        )
        options = Options(bot_name="Aizuchi", access=access, limits=limits)
        endpoint = PushEndpoint(handle=assemble(ports, options), clock=clock)
        times_ms: list[float] = []
        lock = threading.Lock()

        def push(chat: str, number: int, begun_s: float, *, is_timed: bool) -> None:
            status = endpoint("POST", _push_body(chat, number))[1]
            if status != _ACKNOWLEDGED:
                raise RuntimeError(f"a push got {status}")
            if is_timed:
                with lock:
                    times_ms.append((time.monotonic() - begun_s) * 1_000)

        def send(chat: str, count: int, first: int, *, is_timed: bool) -> list[Future[None]]:
            sent, began_s = [], time.monotonic()
            for number in range(count):
                time.sleep(max(0.0, began_s + number * seconds / count - time.monotonic()))
                sent.append(requests.submit(push, chat, first + number, time.monotonic(), is_timed=is_timed))
            return sent

        senders = [
            threading.Thread(
                target=send, args=(chat_id(number), seconds // _EVERY_S, number * 1_000), kwargs={"is_timed": True}
            )
            for number in range(chats)
        ]
        if flooding is not None:
            senders.append(threading.Thread(target=send, args=(flooding, flood, 100_000), kwargs={"is_timed": False}))
        for sender in senders:
            sender.start()
        for sender in senders:
            sender.join()
        requests.shutdown(wait=True)
    cuts = statistics.quantiles(times_ms, n=100)
    sent_by_others = chats * (seconds // _EVERY_S)
    of_flood = [one.name for one in store.list("") if flooding is not None and flooding in one.name]
    return RunFigures(
        p50_ms=cuts[49],
        p95_ms=cuts[94],
        objects=len(of_flood),
        model_calls=len(model.requests) - sent_by_others,
        replies=len(line.replies) - sent_by_others,
    )


def main() -> None:
    """Print a line of JSON for each run, for example `{"run": "alone", "p50_ms": 212.4, ...}`."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.fairness", description=__doc__)
    parser.add_argument("--chats", type=int, default=CHATS, help="how many chats run along with the flood")
    parser.add_argument("--seconds", type=int, default=SECONDS, help="how long each run takes")
    options = parser.parse_args()
    unlimited = Limits(turns_per_chat_day=0, tokens_per_chat_day=0, tokens_per_day=0)
    turns = options.seconds // _EVERY_S + _SPARE_TURNS
    limited = Limits(turns_per_chat_day=turns, tokens_per_chat_day=0, tokens_per_day=0)
    measure(flooding=None, access=Access.OPEN, limits=unlimited, seconds=3)  # imports, caches
    runs = {
        "alone": (None, Access.INVITED, unlimited, 0),
        "a stranger, invited": (chat_id(77), Access.INVITED, unlimited, FLOOD),
        f"a chat that floods, with a limit of {turns} turns": (chat_id(78), Access.OPEN, limited, FLOOD),
        "alone again": (None, Access.INVITED, unlimited, 0),
    }
    for name, (flooding, access, limits, flood) in runs.items():
        measured = measure(
            flooding=flooding,
            access=access,
            limits=limits,
            flood=flood,
            seconds=options.seconds,
            chats=options.chats,
        )
        print(json.dumps({"run": name, **{field: getattr(measured, field) for field in measured.__slots__}}))


if __name__ == "__main__":
    main()
