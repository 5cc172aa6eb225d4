"""Chats played through the worker's real code in memory, and copied into the bucket: ten thousand messages in seconds.

The same code wrote the objects, so the bucket is the same as after as many real messages.
"""

import datetime as dt
import http.client
import random
import tempfile
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Final
from urllib.parse import quote

from benchmarks.wire import UnexpectedAnswerError, push_body
from shared import logs
from shared.access.budgets import Limits
from shared.adapters.memory import (
    FixedClock,
    MemoryFiles,
    MemoryLineApi,
    MemoryMedia,
    MemoryObjectStore,
    MemoryProfiles,
)
from shared.adapters.memory.scripted_model import calling
from shared.agent.model import JsonAnswer, JsonRequest, ModelRequest, ModelResponse
from shared.bus.endpoint import PushEndpoint
from shared.clock import SystemClock
from shared.composition.assembly import assemble
from shared.composition.ports import Options, Ports, Threads
from shared.conversation.amendment_records import Amendment
from shared.conversation.provenance import Provenance, Source
from shared.conversation.store import Conversations
from shared.knowledge.catalog import catalog_of
from shared.knowledge.entry import Entry, Note
from shared.knowledge.entry_file import format_entry
from shared.knowledge.entry_store import CATALOG_FILE, EntryStore
from shared.knowledge.index import rebuild_index
from shared.knowledge.schema import FIELDS, Category, Value
from shared.storage.codec import encode
from simulator.functions import HISTORY_BUCKET
from simulator.processes import HOST, Child

_NO_LIMITS: Final = Limits(turns_per_chat_day=0, tokens_per_chat_day=0, tokens_per_day=0)
"""Thousands of turns are played within a few days of the chat's clock."""
_THREADS: Final = 16
_ADDRESSED_EVERY: Final = 5
_APART_MS: Final = 20_000
_TEXT: Final = "来週の旅行のことだけど、{}番目の案はどうかな。早めに決めたほうが安くなると思う。"
_SYLLABLES: Final = "あいうえおかきくけこさしすせそたちつてとなにぬねのはひふへほまみむめもやゆよらりるれろわ"
_REPLY_LENGTH: Final = 19
_RECAP_LENGTH: Final = 75
_MENTION: Final = {"index": 0, "length": 8, "type": "user", "userId": "U" + "b" * 32, "isSelf": True}
_FIRST_ID: Final = 100_000_000_000_000_000  # smaller than the ids of the LINE stand-in, like those of older messages


class _Mind:
    """A model without repetitions: repeated words would be tracked as a chain of provenance, answer after answer."""

    name = "gemini-3.5-flash-lite"

    def __init__(self) -> None:
        self._chance = random.Random(1)  # noqa: S311 - the same words in every run

    def generate(self, request: ModelRequest) -> ModelResponse:
        if any(one.name == "write_recap" for one in request.declarations):
            return calling(("write_recap", {"text": self._words(_RECAP_LENGTH)}))
        return calling(("reply", {"message": self._words(_REPLY_LENGTH)}))

    def _words(self, length: int) -> str:
        return "".join(self._chance.choices(_SYLLABLES, k=length)) + "。"

    def answer_json(self, _: JsonRequest) -> JsonAnswer:
        raise AssertionError("nothing is filed while a chat is built")


class Built:
    """A group, played in memory up to now."""

    def __init__(
        self,
        *,
        group_id: str,
        user_id: str,
        messages: int,
        pool: ThreadPoolExecutor,
        store: MemoryObjectStore | None = None,
    ) -> None:
        """Play the messages; every fifth is addressed and answered."""
        self.store = store if store is not None else MemoryObjectStore()
        self.group_id, self._user_id, self._pool = group_id, user_id, pool
        now_ms = SystemClock().now_ms()
        self._clock, self._mind = FixedClock(now_ms=now_ms - (messages + 60) * _APART_MS), _Mind()
        self.restart()
        for number in range(messages):
            self._say(number, _TEXT.format(number), addressed=number % _ADDRESSED_EVERY == _ADDRESSED_EVERY - 1)

    def restart(self) -> None:
        """Go on with another instance and empty caches."""
        self.conversations = Conversations.on(self.store, reads=self._pool, clock=self._clock, lease_s=25.0)
        ports = Ports(
            conversations=self.conversations,
            line=MemoryLineApi(),
            profiles=MemoryProfiles(),
            media=MemoryMedia(),
            files=MemoryFiles(),
            model=self._mind,
            json_model=self._mind,
            threads=Threads.on(self._pool),
            clock=self._clock,
            chance=random.Random(1),  # noqa: S311 - the same chats in every run
        )
        self._endpoint = PushEndpoint(
            handle=assemble(ports, Options(bot_name="Aizuchi", limits=_NO_LIMITS)), clock=self._clock
        )

    def amend(self, count: int, *, ago_s: float = 0.0) -> None:
        """Withdraw `count` older messages as of `ago_s` ago, and fold the amendments if more than an hour has passed.

        The messages themselves are stored nowhere.  For example, `amend(1_000, ago_s=86_400)` leaves 1,000 folded amendments.
        """
        clock, chance = FixedClock(now_ms=self._clock.now_ms() - round(ago_s * 1_000)), random.Random(1)  # noqa: S311 - as above
        conversations = Conversations.on(self.store, reads=self._pool, clock=clock, lease_s=25.0)
        log = conversations.of(self.group_id).amendments
        for line_message_id in sorted(chance.sample(range(_FIRST_ID // 10 * 9, _FIRST_ID), count)):
            log.amend(Amendment(line_message_id=str(line_message_id), timestamp_ms=clock.now_ms()))
        clock.move(ago_s)
        log.fold()

    def file(self, count: int) -> None:
        """File `count` ideas, one a day, with the matching catalog and index."""
        entries = EntryStore(self.conversations.of(self.group_id))
        names = entries.conversation.names
        ideas = [_entry(number) for number in range(count)]
        entries_and_generations = [
            (idea, self.store.create(names.entry(idea.path), format_entry(idea).encode()) or 0) for idea in ideas
        ]
        self.store.create(names.entry(CATALOG_FILE), encode(catalog_of(entries_and_generations)))
        rebuild_index(entries)

    def waits(self, seconds: float) -> None:
        """Move the clock."""
        self._clock.move(seconds)

    def asks(self, number: int) -> None:
        """Address another message to the bot, which answers."""
        self._say(number, _TEXT.format(number), addressed=True)

    def _say(self, number: int, text: str, *, addressed: bool) -> None:
        self._clock.move(_APART_MS / 1_000)
        now_ms = self._clock.now_ms()
        words = f"@Aizuchi {text}" if addressed else text
        message = {"type": "text", "id": str(_FIRST_ID + number), "text": words, "quoteToken": f"q{number}"}
        event = {
            "type": "message",
            "mode": "active",
            "timestamp": now_ms,
            "source": {"type": "group", "groupId": self.group_id, "userId": self._user_id},
            "webhookEventId": f"01BUILT{number:019d}",
            "replyToken": f"built{number}",
            "deliveryContext": {"isRedelivery": False},
            "message": {**message, "mention": {"mentionees": [_MENTION]}} if addressed else message,
        }
        body, status = self._endpoint("POST", push_body(event, published_ms=now_ms))
        if status != 204:  # noqa: PLR2004 - acknowledged
            raise UnexpectedAnswerError(f"message {number} of a built chat was answered {status}: {body}")


def _entry(number: int) -> Entry:
    day = dt.datetime(2024, 1, 1, tzinfo=dt.UTC) + dt.timedelta(days=number)
    source = Source(line_message_id=str(_FIRST_ID - 10_000 - number), timestamp_ms=round(day.timestamp() * 1_000))
    texts: dict[str, Value] = {"name": f"旅行の案{number}", "one_liner": _TEXT.format(number)}
    return Entry(
        category=Category.IDEAS,
        slug=f"idea-{number}",
        id=str(number),
        created_at=day.isoformat(),
        updated_at=day.isoformat(),
        confidence=0.9,
        fields={**dict.fromkeys(one.name for one in FIELDS[Category.IDEAS]), **texts},
        field_message_ids={"name": (source.line_message_id,), "one_liner": (source.line_message_id,)},
        notes=(Note(text=_TEXT.format(number) * 2, message_ids=(source.line_message_id,)),),
        provenance=Provenance.of_sources((source,)),
        revision=(number, 0),
    )


@contextmanager
def builder() -> Iterator[ThreadPoolExecutor]:
    """Give the threads for building chats; their logs are kept out of the table."""
    with tempfile.TemporaryFile("w") as nowhere, ThreadPoolExecutor(_THREADS) as pool:
        logs.configure(nowhere)
        yield pool


def copy(chat: Built, bucket: Child, *, to: str | None = None) -> None:
    """Write every object of the chat into the bucket, by default for the same group, else for the group `to`."""
    group_id = to or chat.group_id
    objects = {
        listed_object.name.replace(chat.group_id, group_id): stored.data.replace(
            chat.group_id.encode(), group_id.encode()
        )
        for listed_object in chat.store.list("")
        if (stored := chat.store.read(listed_object.name)) is not None
    }
    names = list(objects)
    parts = [names[start::_THREADS] for start in range(_THREADS)]
    with ThreadPoolExecutor(_THREADS) as pool:
        list(pool.map(lambda part: _write_all({name: objects[name] for name in part}, bucket.port), parts))


def _write_all(objects: Mapping[str, bytes], port: int) -> None:
    connection = http.client.HTTPConnection(HOST, port, timeout=30)
    try:
        for name, data in objects.items():
            path = f"/upload/storage/v1/b/{HISTORY_BUCKET}/o?uploadType=media&name={quote(name, safe='')}"
            connection.request("POST", path, body=data)
            response = connection.getresponse()
            response.read()
            if response.status != 200:  # noqa: PLR2004 - written
                raise UnexpectedAnswerError(f"{name} was not written: {response.status}")
    finally:
        connection.close()
