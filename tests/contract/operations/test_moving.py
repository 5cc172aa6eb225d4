"""Chats move between a machine of one's own and Cloud Storage, both ways, by export and restore."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from operations.__main__ import run
from selfhost.__main__ import main
from shared import logs
from shared.access.admission import Admissions
from shared.adapters.gcs import GcsObjectStore
from shared.adapters.sqlite import Database, SqliteObjectStore
from shared.clock import SystemClock
from shared.conversation.provenance import Provenance, Source
from shared.conversation.records import MessageRecord
from shared.conversation.store import Conversation, Conversations
from shared.handlers.unsend import withdrawal_of
from shared.reminders.reminder import Reminder
from shared.reminders.schedule import local_time
from shared.reminders.store import REMINDER
from shared.storage.codec import encode
from shared.storage.due_marker import DueMarker
from shared.storage.object_names import ObjectNames
from shared.storage.object_store import ObjectStore
from tests.contract.simulator.storage.emulator import PROJECT_ID, Emulator, running_emulator
from tests.support import recorded

CHATS = (recorded.USER, "U" + "5" * 32)
PICTURE = b"\xff\xd8 a picture"
SETTINGS = {"LINE_CHANNEL_SECRET": "s", "LINE_CHANNEL_ACCESS_TOKEN": "t", "GEMINI_API_KEY": "k"}
CLOCK = SystemClock()
DUE_MS = (CLOCK.now_ms() // 60_000 + 60) * 60_000


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnMachine:
    """A folder, and the commands of `python -m selfhost`; no process serves."""

    folder: Path

    def run(self, *arguments: str) -> int:
        try:
            return main(arguments, {**SETTINGS, "DATA": str(self.folder)})
        finally:
            logs.configure()  # otherwise later logs go to the captured stderr of this test, which is closed

    @contextmanager
    def store(self) -> Iterator[ObjectStore]:
        with closing(Database(self.folder)) as database:
            yield SqliteObjectStore(database)

    def files_with(self, text: str) -> list[str]:
        return [path.name for path in self.folder.rglob("*") if path.is_file() and text.encode() in path.read_bytes()]


@dataclass(frozen=True, slots=True, kw_only=True)
class Cloud:
    """A bucket, and the commands of `python -m operations`."""

    storage: Emulator
    bucket: str

    def run(self, *arguments: str) -> int:
        env = {
            "GOOGLE_CLOUD_PROJECT": PROJECT_ID,
            "HISTORY_BUCKET": self.bucket,
            "STORAGE_EMULATOR_HOST": self.storage.url,
            "LEASE_S": "5",
        }
        try:
            return self.storage.call_in_environment(lambda: run(arguments, env))
        finally:
            logs.configure()

    @contextmanager
    def store(self) -> Iterator[ObjectStore]:
        yield GcsObjectStore(
            project_id=PROJECT_ID,
            bucket=self.bucket,
            connections=8,
            emulator_host=self.storage.url,
            retry_timeout_s=30.0,
        )


Place = OwnMachine | Cloud


@pytest.fixture(scope="module")
def storage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Emulator]:
    with running_emulator(tmp_path_factory.mktemp("storage")) as emulator:
        yield emulator


@pytest.fixture
def cloud(storage: Emulator) -> Cloud:
    return Cloud(storage=storage, bucket=storage.new_bucket())


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> OwnMachine:
    monkeypatch.chdir(tmp_path)  # which holds no file `.env`
    return OwnMachine(folder=tmp_path / "data")


@contextmanager
def chat_in(place: Place, chat: str) -> Iterator[Conversation]:
    with place.store() as store, ThreadPoolExecutor(4) as reads:
        yield Conversations.on(store, reads=reads, clock=CLOCK, lease_s=5.0).of(chat)


def say(place: Place, chat: str, line_message_id: str, text: str) -> None:
    message = MessageRecord(
        line_message_id=line_message_id,
        webhook_event_id=f"event-{line_message_id}",
        timestamp_ms=CLOCK.now_ms(),
        type="text",
        addressed=True,
        text=text,
        user_id=chat,
    )
    with chat_in(place, chat) as conversation:
        assert conversation.journal.record(message)


def withdraw(place: Place, chat: str, line_message_id: str) -> None:
    with chat_in(place, chat) as conversation:
        withdrawal_of(CLOCK).withdraw(conversation, line_message_id, timestamp_ms=CLOCK.now_ms())


def live(place: Place, chat: str) -> None:
    """The chat was admitted, and has messages, one of which was withdrawn, a picture and a reminder."""
    for line_message_id, text in (("1", "one"), ("2", "swordfish"), ("3", "three")):
        say(place, chat, line_message_id, f"{text} of {chat}")
    withdraw(place, chat, "2")
    reminder = Reminder(
        id="r0000000001",
        text="water the flowers",
        provenance=Provenance.of_sources((Source(line_message_id="1", timestamp_ms=1),)),
        start=local_time(DUE_MS, "Asia/Tokyo"),
        zone="Asia/Tokyo",
        due_ms=DUE_MS,
    )
    with place.store() as store:
        store.create(f"media/{chat}/1", PICTURE)
        store.create(ObjectNames(chat).reminder(reminder.id), encode(reminder))
        store.create(DueMarker.at(DUE_MS, kind=REMINDER, conversation_id=chat, id=reminder.id).name, b"")
        Admissions(store=store, clock=CLOCK).admit(chat, since_ms=CLOCK.now_ms())


def messages_in(place: Place, chat: str) -> dict[str, str]:
    with chat_in(place, chat) as conversation:
        return {message.line_message_id: message.text for message in conversation.journal.read_messages()}


def state_of(place: Place, chat: str) -> tuple[dict[str, str], frozenset[str], bytes | None, list[str], bool]:
    """Return what people would notice: messages, withdrawals, the picture, what is due, and whether the chat may talk to the bot."""
    messages = messages_in(place, chat)
    with chat_in(place, chat) as conversation:
        store = conversation.objects.store
        picture = store.read(f"media/{chat}/1")
        due = [listed.name for listed in store.list("due/") if chat in listed.name and f"/{REMINDER}." in listed.name]
        withdrawn = conversation.amendments.look().withdrawn
        is_admitted = store.read(f"admitted/{chat}.json") is not None
    return messages, withdrawn, picture.data if picture else None, due, is_admitted


def move(source: Place, target: Place, file: Path, *chosen: str) -> None:
    assert source.run("export", *chosen, "--to", str(file)) == 0
    assert target.run("restore", str(file)) == 0


def test_a_chat_moves_to_the_cloud_and_back_without_what_was_unsent_there(
    own: OwnMachine, cloud: Cloud, tmp_path: Path
) -> None:
    chat = CHATS[0]
    live(own, chat)
    before = state_of(own, chat)
    assert before[0] == {"1": f"one of {chat}", "3": f"three of {chat}"}

    move(own, cloud, tmp_path / "there.jsonl", chat)
    assert own.run("forget", chat, "--moved") == 0

    assert state_of(cloud, chat) == before
    with own.store() as store:
        assert [listed.name for listed in store.list("") if chat in listed.name and REMINDER in listed.name] == []
    assert messages_in(own, chat) == {}
    assert own.files_with(f"three of {chat}") == []

    withdraw(cloud, chat, "1")
    say(cloud, chat, "4", "four")
    before = state_of(cloud, chat)
    move(cloud, own, tmp_path / "back.jsonl", chat)

    assert state_of(own, chat) == before
    assert before[0] == {"3": f"three of {chat}", "4": "four"}
    assert own.files_with(f"one of {chat}") == []


def test_everything_moves_from_the_cloud_and_to_another_bucket(
    own: OwnMachine, cloud: Cloud, storage: Emulator, tmp_path: Path
) -> None:
    for chat in CHATS:
        live(cloud, chat)
    before = {chat: state_of(cloud, chat) for chat in CHATS}
    other = Cloud(storage=storage, bucket=storage.new_bucket())

    move(cloud, own, tmp_path / "there.jsonl", "--all")
    move(own, other, tmp_path / "back.jsonl", "--all")

    assert {chat: state_of(own, chat) for chat in CHATS} == before
    assert {chat: state_of(other, chat) for chat in CHATS} == before


def test_a_chat_that_is_refused_holds_up_no_other(
    own: OwnMachine, cloud: Cloud, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    refused, other = sorted(CHATS)
    for chat in CHATS:
        live(own, chat)
    say(cloud, refused, "9", "nine")
    withdraw(cloud, refused, "9")

    assert own.run("export", "--all", "--to", str(tmp_path / "all.jsonl")) == 0
    assert cloud.run("restore", str(tmp_path / "all.jsonl")) == 1

    assert state_of(cloud, other) == state_of(own, other)
    assert messages_in(cloud, refused) == {}
    printed = capsys.readouterr()
    assert f"refused: {refused}: something was withdrawn" in printed.out
    assert "nothing was written of 1 of 2 chats" in printed.err
