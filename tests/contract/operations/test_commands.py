"""Whole commands, with the real SDKs on the wire to the stand-ins."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from operations.__main__ import run
from shared import logs
from shared.conversation.amendment_events import edit_of
from shared.conversation.amendment_fold import AmendmentFold
from shared.conversation.amendment_records import Amendment, EditedWords, Watermark
from shared.conversation.external_calls import CallRecord, CallResult
from shared.conversation.records import MessageRecord
from shared.conversation.snapshot_records import Recap, SnapshotRecord
from shared.conversation.turn import TurnRecord
from shared.settings.reader import SettingsError
from shared.storage.codec import encode
from shared.storage.object_names import ObjectNames
from simulator.line.harness import ACCESS_TOKEN, WEBHOOK_URL, LineHarness
from simulator.pubsub import Message, PubSubServer, SubscriptionSettings
from tests.contract.simulator.storage.emulator import PROJECT_ID, Emulator, running_emulator
from tests.support import recorded
from tests.support.chats import made_of
from tests.support.knowledge import FilingChat
from tests.support.loop import LoopThread
from tests.support.serving import served

PROJECT = f"projects/{PROJECT_ID}"
CHAT = recorded.USER


@dataclass(frozen=True, slots=True, kw_only=True)
class Desk:
    """A terminal with the environment that Terraform prints, and a bucket of its own."""

    storage: Emulator
    bucket: str
    more_env: dict[str, str] = field(default_factory=dict)

    def run(self, *arguments: str) -> int:
        env = {
            "GOOGLE_CLOUD_PROJECT": PROJECT_ID,
            "HISTORY_BUCKET": self.bucket,
            "LEASE_S": "1",
            "STORAGE_EMULATOR_HOST": self.storage.url,
            **self.more_env,
        }
        try:
            return self.storage.call_in_environment(lambda: run(arguments, env))
        finally:
            logs.configure()  # otherwise later logs go to the captured stderr of this test, which is closed

    def record_message(self) -> None:
        message = MessageRecord(
            line_message_id="1",
            webhook_event_id="event-1",
            timestamp_ms=1,
            type="text",
            addressed=True,
            text="my pin is 4711",
        )
        self.storage.overwrite(self.bucket, ObjectNames(CHAT).message("1"), data=encode(message))


@pytest.fixture(scope="module")
def storage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Emulator]:
    with running_emulator(tmp_path_factory.mktemp("storage")) as emulator:
        yield emulator


@pytest.fixture
def desk(storage: Emulator) -> Desk:
    return Desk(storage=storage, bucket=storage.new_bucket())


def test_chat_is_exported_and_forgotten(desk: Desk, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    desk.record_message()

    assert desk.run("export", CHAT, "--to", str(tmp_path / "chat.jsonl")) == 0
    assert desk.run("forget", CHAT) == 0
    assert desk.run("export", CHAT) == 0

    date, line = (tmp_path / "chat.jsonl").read_text(encoding="utf-8").splitlines()
    assert json.loads(date).keys() == {"exported_ms"}
    assert json.loads(line)["json"]["text"] == "my pin is 4711"
    assert (tmp_path / "chat.jsonl").stat().st_mode & 0o077 == 0
    printed = capsys.readouterr().out
    assert "1 objects are gone" in printed
    assert "4711" not in printed


def test_an_export_is_restored_unless_it_is_old(desk: Desk, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    desk.record_message()
    made = tmp_path / "chat.jsonl"
    assert desk.run("export", CHAT, "--to", str(made)) == 0
    old = tmp_path / "old.jsonl"
    old.write_text(made.read_text(encoding="utf-8").replace('"exported_ms": 1', '"exported_ms": '), encoding="utf-8")

    assert desk.run("restore", str(made)) == 0
    assert desk.run("restore", str(old)) == 1

    printed = capsys.readouterr()
    assert "restored: 0 objects; 1 were there already" in printed.out
    assert "older than 29 days" in printed.err


def test_every_type_of_object_is_exported_and_forgotten(
    desk: Desk, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    desk.record_message()
    chat = FilingChat()
    chat.file("my pin is 4711")
    filed = {one.name.replace(chat.chat, CHAT): chat.text(one.name).encode() for one in chat.store.list("")}
    recap = Recap(
        id="r0",
        text="their pin is 4711",
        timestamp_ms=0,
        summed_up_ids=("0",),
        provenance=made_of("0", since_ms=0, until_ms=0),
    )
    call = CallRecord(
        tool="create_page", arguments={"title": "pin 4711"}, started_ms=1_763_700_000_000, provenance=made_of("1")
    )
    edit = edit_of(Amendment(line_message_id="0", timestamp_ms=0))
    others = {
        edit.name(ObjectNames(CHAT), written_ms=7): encode(edit),
        f"amended/{CHAT}/~fold.json": encode(AmendmentFold()),
        f"edited/{CHAT}/0.json": encode(EditedWords(timestamp_ms=0, text="4711")),
        f"calls/{CHAT}/k.json": encode(call),
        f"calls/{CHAT}/k.result.json": encode(CallResult(result={"page_id": "p"})),
        f"erased/{CHAT}.json": encode(Watermark(timestamp_ms=-1)),
        f"media/{CHAT}/9": b"\xff 4711",
        f"snapshots/{CHAT}.json": encode(SnapshotRecord(recaps=(recap,))),
        f"turns/{CHAT}.json": encode(TurnRecord(sequence=3)),
    }
    for name, data in {**filed, **others}.items():
        desk.storage.overwrite(desk.bucket, name, data=data)

    assert desk.run("export", CHAT, "--to", str(tmp_path / "chat.jsonl")) == 0
    assert desk.run("forget", CHAT) == 0
    assert desk.run("export", CHAT, "--to", str(tmp_path / "left.jsonl")) == 0

    _, *exported = [json.loads(line) for line in (tmp_path / "chat.jsonl").read_text(encoding="utf-8").splitlines()]
    assert {one["name"] for one in exported} == {*filed, *others, ObjectNames(CHAT).message("1")}
    left = (tmp_path / "left.jsonl").read_text(encoding="utf-8")
    assert {json.loads(line)["name"].split("/")[0] for line in left.splitlines()[1:]} == {
        "amended",
        "edited",
        "erased",
        "snapshots",
        "turns",
    }
    assert "4711" not in left
    assert "objects are gone" in capsys.readouterr().out


def test_aborted_export_leaves_no_file(desk: Desk, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    desk.more_env["HISTORY_BUCKET"] = "no-such-bucket"

    assert desk.run("export", CHAT, "--to", str(tmp_path / "chat.jsonl")) == 1
    assert desk.run("export", "everybody", "--to", str(tmp_path / "chat.jsonl")) == 1

    assert list(tmp_path.iterdir()) == []
    refused, unknown = capsys.readouterr().err.splitlines()
    assert refused.startswith(
        "error: Cloud Storage did not do what it was asked: it answered 404; check HISTORY_BUCKET"
    )
    assert unknown.startswith("error: ")


@pytest.mark.parametrize(
    ("person", "of"),
    [
        ((), "this chat: is this the right id?"),
        (("--person", "U" + "5" * 32), "this person in this chat: are these the right ids?"),
    ],
)
def test_an_export_of_nothing_is_an_error_and_leaves_no_file(
    desk: Desk, tmp_path: Path, capsys: pytest.CaptureFixture[str], person: tuple[str, ...], of: str
) -> None:
    mistyped = f"C{'9' * 32}"
    desk.record_message()

    assert desk.run("export", mistyped, *person, "--to", str(tmp_path / "chat.jsonl")) == 1

    assert list(tmp_path.iterdir()) == []
    assert f"nothing is stored of {of}\n" in capsys.readouterr().err


def test_a_person_does_not_move(desk: Desk, capsys: pytest.CaptureFixture[str]) -> None:
    assert desk.run("forget", "--person", CHAT, "--moved") == 1

    assert "--moved deletes one chat; give its id instead of --person" in capsys.readouterr().err


def test_existing_file_is_not_overwritten(desk: Desk, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    kept = tmp_path / "kept"
    kept.write_text("kept", encoding="utf-8")

    assert desk.run("export", CHAT, "--to", str(kept)) == 1

    assert kept.read_text(encoding="utf-8") == "kept"
    assert "error: cannot write" in capsys.readouterr().err


def test_a_chat_is_invited_admitted_and_revoked(desk: Desk, capsys: pytest.CaptureFixture[str]) -> None:
    assert desk.run("invite", "--days", "2") == 0
    assert re.fullmatch(r"/start [0-9A-Z]{4}(-[0-9A-Z]{4}){3}\n", capsys.readouterr().out)

    assert desk.run("admit", CHAT) == 0
    assert desk.run("admitted") == 0
    assert f"{CHAT}  admitted" in capsys.readouterr().out
    assert desk.run("revoke", CHAT) == 0
    assert desk.run("admitted") == 0
    assert f"{CHAT}  revoked" in capsys.readouterr().out


@pytest.mark.parametrize("token", ["token", " token\n"])
def test_pseudonyms_are_those_of_the_worker_whatever_stands_around_the_token(
    desk: Desk, token: str, capsys: pytest.CaptureFixture[str]
) -> None:
    desk.more_env["LINE_CHANNEL_ACCESS_TOKEN"] = token
    assert desk.run("admit", CHAT) == 0

    assert desk.run("admitted") == 0

    logs.key_pseudonyms("token")
    assert f"in the logs {logs.pseudonym(CHAT)}\n" in capsys.readouterr().out


@pytest.mark.parametrize("command", ["forget", "export", "admit", "revoke"])
def test_malformed_chat_id_is_one_clear_error(desk: Desk, command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert desk.run(command, "everybody") == 1

    assert capsys.readouterr().err == "error: no LINE id of a user, group or room\n"


def test_a_file_that_cannot_be_restored_is_one_clear_error(
    desk: Desk, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    empty = tmp_path / "empty.jsonl"
    empty.touch()

    assert desk.run("restore", str(tmp_path / "missing.jsonl")) == 1
    assert desk.run("restore", str(tmp_path)) == 1
    assert desk.run("restore", str(empty)) == 1

    assert re.fullmatch(
        r"error: cannot read .*: No such file or directory\n"
        r"error: cannot read .*: Is a directory\n"
        r"error: the export does not begin with its date\n",
        capsys.readouterr().err,
    )


@pytest.mark.parametrize("named", [(), (CHAT, "--person", CHAT)])
def test_a_chat_or_a_person_is_forgotten_and_never_both(
    desk: Desk, named: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    """`export` takes both for the person's words in that chat; `forget` would take them back in every chat."""
    desk.record_message()

    with pytest.raises(SystemExit) as ended:
        desk.run("forget", *named)

    assert ended.value.code == 2
    assert desk.run("export", CHAT) == 0
    assert "my pin is 4711" in capsys.readouterr().out


@pytest.mark.parametrize(
    "wrong",
    [
        ("dead-letters", "--most", "0"),
        ("dead-letters", "--most", "-1"),
        ("dead-letters", "--most", "many"),
        ("dead-letters", "--wait", "0"),
        ("dead-letters", "--wait", "nan"),
        ("dead-letters", "--wait", "3600"),
        ("invite", "--days", "0"),
        ("invite", "--days", "366"),
        ("invite", "--days", "nan"),
    ],
)
def test_a_number_that_makes_no_sense_is_refused(
    desk: Desk, wrong: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        desk.run(*wrong)

    assert ended.value.code == 2
    assert f"error: argument {wrong[1]}: " in capsys.readouterr().err


@pytest.mark.parametrize("command", ["admitted", "dead-letters"])
def test_a_machine_without_credentials_is_one_clear_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], command: str
) -> None:
    monkeypatch.setenv("GOOGLE_APPLICATION_CREDENTIALS", str(tmp_path / "missing.json"))
    env = {
        "DEAD_LETTER_SUBSCRIPTIONS": "dead",
        "EVENTS_TOPIC": "events",
        "GOOGLE_CLOUD_PROJECT": PROJECT_ID,
        "HISTORY_BUCKET": "history",
    }

    try:
        assert run([command], env) == 1
    finally:
        logs.configure()

    assert capsys.readouterr().err == (
        "error: there are no credentials for Google; run `gcloud auth application-default login`\n"
    )


def test_dead_letters_are_listed_and_then_replayed(desk: Desk, capsys: pytest.CaptureFixture[str]) -> None:
    data = json.dumps({"destination": "U1", "events": [], "event": recorded.event("message-text")}).encode()
    server = PubSubServer()
    for topic in ("events", "dead"):
        server.create_topic(f"{PROJECT}/topics/{topic}")
        server.create_subscription(
            SubscriptionSettings(name=f"{PROJECT}/subscriptions/{topic}", topic=f"{PROJECT}/topics/{topic}")
        )
    with LoopThread() as loop:
        port = loop.run(server.start())

        async def publish() -> None:
            server.publish(f"{PROJECT}/topics/dead", [Message(data=data, attributes={"type": "message"})])

        loop.run(publish())
        env = {
            "PUBSUB_EMULATOR_HOST": f"127.0.0.1:{port}",
            "EVENTS_TOPIC": "events",
            "DEAD_LETTER_SUBSCRIPTIONS": "dead",
        }
        at_pubsub = Desk(storage=desk.storage, bucket=desk.bucket, more_env=env)

        assert at_pubsub.run("dead-letters", "--wait", "0.5") == 0
        listed = capsys.readouterr().out
        assert at_pubsub.run("dead-letters", "--wait", "0.5", "--replay") == 0
        replayed = capsys.readouterr().out
        assert at_pubsub.run("dead-letters", "--wait", "0.5") == 0
        empty = capsys.readouterr().out
        (delivered,) = loop.run(server.subscription(f"{PROJECT}/subscriptions/events").pull(1, wait=True))
        loop.run(server.stop())

    assert "1 x replay; nothing was done, --replay does it" in listed
    assert replayed.endswith("1 x replay\n")
    assert empty == "no dead letters\n"
    assert delivered.message.message.data == data
    assert recorded.USER not in listed + replayed


def test_the_webhook_is_registered_and_tested(desk: Desk, capsys: pytest.CaptureFixture[str]) -> None:
    with LineHarness() as line, served(line.platform.app) as running:
        env = {
            "LINE_API_BASE_URL": running.url,
            "LINE_CHANNEL_ACCESS_TOKEN": ACCESS_TOKEN,
            "WEBHOOK_URL": WEBHOOK_URL,
        }

        assert Desk(storage=desk.storage, bucket=desk.bucket, more_env=env).run("line-webhook") == 0
        line.webhook.answers.append(401)
        assert Desk(storage=desk.storage, bucket=desk.bucket, more_env=env).run("line-webhook") == 1

    printed = capsys.readouterr().out
    assert "ok: LINE tried it and got 200" in printed
    assert "FAILED: LINE tried it and got 401" in printed


@pytest.mark.parametrize("command", ["dead-letters", "line-webhook", "rich-menu"])
def test_missing_environment_is_one_message(desk: Desk, command: str) -> None:
    with pytest.raises(SettingsError, match="the environment is incomplete: "):
        desk.run(command)


@pytest.mark.parametrize(
    "command",
    ["", "line-webhook", "rich-menu", "dead-letters", "invite", "admit", "revoke", "admitted", "forget", "export"],
)
def test_every_command_prints_its_help(desk: Desk, command: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        desk.run(*([command] if command else []), "--help")

    assert ended.value.code == 0
    assert "usage: python -m operations" in capsys.readouterr().out
