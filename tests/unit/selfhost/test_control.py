"""An operator's command in the process that serves: whoever gives the command reads and writes its files."""

import io
import json
import socket
import tempfile
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from operations.commands import Desk
from operations.export_file import ExportFileError
from selfhost.control import Commands, Control, ProcessEndedError, ask_running
from selfhost.line_channel import HttpLineChannel
from shared.access.admission import Admissions
from shared.adapters.memory import FixedClock
from shared.adapters.sqlite import Database, SqliteEventQueue, SqliteObjectStore
from tests.support import recorded

ADMITTED = f"admitted/{recorded.USER}.json"


@contextmanager
def serving(folder: Path) -> Iterator[SqliteObjectStore]:
    """A process serves from the folder."""
    clock = FixedClock()
    with closing(Database(folder)) as database:
        store, queue = SqliteObjectStore(database, clock=clock), SqliteEventQueue(database, clock=clock)
        commands = Commands(
            queue=queue,
            bus=queue,
            clean_up=lambda: None,
            back_up=lambda: folder / "backup",
            channel=HttpLineChannel(channel_access_token="t", base_url=None),
            public_url=lambda: None,
        )
        desk = Desk(open_store=lambda: store, lease_s=25.0, shows_pseudonyms=False, out=io.StringIO(), clock=clock)
        control = Control(folder, desk, commands)
        control.start()
        try:
            yield store
        finally:
            control.stop()


@contextmanager
def answering(folder: Path, answer: str, *, ends_after: str) -> Iterator[list[str]]:
    """A process with a file system of its own: it answers so, once it was sent a line that ends so.  Yields the lines that it was sent."""
    sent: list[str] = []
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(folder / "control"))
        listening.listen()

        def answer_once() -> None:
            with listening.accept()[0] as connection, connection.makefile("rw", encoding="utf-8") as lines:
                while not sent or not sent[-1].endswith(ends_after):
                    sent.append(lines.readline())
                lines.write(answer)

        thread = threading.Thread(target=answer_once)
        thread.start()
        yield sent
        thread.join()


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder with a path that is short enough for a socket."""
    with tempfile.TemporaryDirectory() as made:
        yield Path(made)


def test_an_export_is_written_by_the_caller(folder: Path, tmp_path: Path) -> None:
    file, out = tmp_path / "chat.jsonl", io.StringIO()
    objects = '{"exported_ms": 1}\n{"name": "turns/U1.json"}\n'

    with answering(folder, f"{objects}\x00status 0\n", ends_after="}\n"):
        status = ask_running(folder, ["export", "--all", "--to", str(file)], out)

    assert (status, file.read_text(encoding="utf-8"), out.getvalue()) == (0, objects, "")
    assert file.stat().st_mode & 0o077 == 0


@pytest.mark.parametrize(
    "answer", ["error: nothing is stored\n\x00status 1\n", '{"exported_ms": 1}\nerror: it broke\n\x00status 1\n']
)
def test_an_export_that_fails_leaves_no_file_and_says_why(answer: str, folder: Path, tmp_path: Path) -> None:
    file, out = tmp_path / "chat.jsonl", io.StringIO()

    with answering(folder, answer, ends_after="}\n"):
        status = ask_running(folder, ["export", "--all", "--to", str(file)], out)

    assert (status, file.exists()) == (1, False)
    assert out.getvalue().startswith("error: ")


def test_an_export_of_a_process_that_dies_leaves_no_file(folder: Path, tmp_path: Path) -> None:
    file = tmp_path / "chat.jsonl"

    with answering(folder, '{"exported_ms": 1}\n', ends_after="}\n"), pytest.raises(ProcessEndedError):
        ask_running(folder, ["export", "--all", "--to", str(file)], io.StringIO())

    assert not file.exists()


def test_an_exported_chat_is_restored_through_the_process(folder: Path, tmp_path: Path) -> None:
    file, out = tmp_path / "chat.jsonl", io.StringIO()
    with serving(folder) as store:
        Admissions(store=store, clock=FixedClock()).admit(recorded.USER, since_ms=1)
        assert ask_running(folder, ["export", recorded.USER, "--to", str(file)], out) == 0
        store.delete(ADMITTED)

        assert ask_running(folder, ["restore", str(file)], out) == 0

        assert store.read(ADMITTED) is not None
    assert out.getvalue() == "restored: 1 objects; 0 were there already\n"


def test_the_process_is_sent_the_file_of_a_restoration(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "chat.jsonl").write_text('{"exported_ms": 1}\n{"name": "turns/U1.json"}\n', encoding="utf-8")

    with answering(folder, "restored\n\x00status 0\n", ends_after="\x00end\n") as sent:
        assert ask_running(folder, ["restore", str(tmp_path / "chat.jsonl")], io.StringIO()) == 0

    assert json.loads(sent[0]) == {"arguments": ["restore", str(tmp_path / "chat.jsonl")]}
    assert sent[1:] == ['{"exported_ms": 1}\n', '{"name": "turns/U1.json"}\n', "\x00end\n"]


def test_half_a_file_is_not_restored(folder: Path) -> None:
    admission = json.dumps({"name": ADMITTED, "json": {"version": 1, "since_ms": 1}})
    with serving(folder) as store, socket.socket(socket.AF_UNIX) as connection:
        connection.connect(str(folder / "control"))
        request = json.dumps({"arguments": ["restore", "chat.jsonl"]})
        connection.sendall(f'{request}\n{{"exported_ms": {FixedClock().now_ms()}}}\n{admission}\n'.encode())
        connection.shutdown(socket.SHUT_WR)

        assert connection.recv(1_000) == b""

        assert store.read(ADMITTED) is None


def test_a_refused_restoration_says_why(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "chat.jsonl").write_text("no export\n" * 100_000, encoding="utf-8")
    out = io.StringIO()

    with serving(folder):
        assert ask_running(folder, ["restore", str(tmp_path / "chat.jsonl")], out) == 1

    assert out.getvalue() == "error: the export does not begin with its date\n"


def test_a_missing_file_is_named_and_a_backup_is_refused(folder: Path, tmp_path: Path) -> None:
    out = io.StringIO()
    with serving(folder):
        with pytest.raises(ExportFileError, match=r"cannot read .*No such file"):
            ask_running(folder, ["restore", str(tmp_path / "chat.jsonl")], out)

        assert ask_running(folder, ["restore", str(tmp_path)], out) == 1

    assert out.getvalue().startswith("error: end the process first")


def test_a_request_that_cannot_be_read_ends_no_other(folder: Path) -> None:
    out = io.StringIO()
    with serving(folder):
        with socket.socket(socket.AF_UNIX) as connection:
            connection.connect(str(folder / "control"))
            connection.sendall(b"[" * 60_000 + b"\n")
            assert connection.recv(1_000) == b""

        assert ask_running(folder, ["waiting"], out) == 0

    assert out.getvalue() == "0 chats are handed over to a person\n"


def test_without_a_process_nobody_is_asked(folder: Path) -> None:
    assert ask_running(folder, ["invite"], io.StringIO()) is None
