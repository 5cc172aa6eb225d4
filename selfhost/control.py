"""The operator's commands to a running process, through a Unix socket in the data folder that only the folder's owner can open.

Each connection carries a single request, for example `{"arguments": ["invite"]}`; behind `restore`, the lines of the file follow. The
response is the command's output, then a line with the exit status. Files are read and written by the caller, because a service has a file
system of its own (selfhost/aizuchi.service: PrivateTmp, ProtectSystem). Where no process runs, the command opens the database itself.
"""

import argparse
import contextlib
import json
import os
import socket
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Final, TextIO

from operations.commands import Desk, add_commands, carry_out, show_dead_letters
from operations.export_file import read_lines, write_export
from operations.line_webhook import LineChannel, register
from operations.rich_menu.parser import add_rich_menu
from selfhost.dead_letters import SqliteDeadLetterQueue
from selfhost.line_channel import webhook_url
from selfhost.tunnel import CLOUDFLARED
from shared import logs
from shared.adapters.sqlite import SqliteEventQueue
from shared.bus.messages import EventBus
from shared.errors import AizuchiError, TransientError

SOCKET: Final = "control"
_REQUEST_BYTES: Final = 65_536
_READ_S: Final = 5.0
_STATUS: Final = "\x00status "
_END_OF_FILE: Final = "\x00end\n"


def commands_parser() -> argparse.ArgumentParser:
    """Return the parser of `python -m selfhost`.  Without a command, the process serves."""
    parser = argparse.ArgumentParser(
        prog="python -m selfhost",
        description="Serve a LINE channel from this machine; with a command, do that with its chats, also while it serves.",
    )
    parser.add_argument(
        "--tunnel", choices=[CLOUDFLARED], help="start this program, and give LINE the address that it gets"
    )
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")
    add_commands(commands)
    commands.add_parser("line-webhook", help="set the webhook's address at LINE, test it, check the console's switches")
    add_rich_menu(commands)
    commands.add_parser("backup", help="copy the database and the media into a new folder of DATA-backups")
    return parser


@dataclass(frozen=True, slots=True, kw_only=True)
class Commands:
    """The resources of commands, apart from the chats.

    `clean_up` is called after a command that may have deleted words; `back_up` returns the new backup. `public_url` returns the address
    at which LINE reaches the process, for example "https://bot.example.com"; None before there is an address.
    """

    queue: SqliteEventQueue
    bus: EventBus
    clean_up: Callable[[], None]
    back_up: Callable[[], Path]
    channel: LineChannel
    public_url: Callable[[], str | None]

    def perform(self, desk: Desk, options: argparse.Namespace) -> int:
        """Carry out a command; return its exit status.  Words that the command deleted are in no file afterwards."""
        try:
            if options.command == "dead-letters":
                show_dead_letters(desk, options, queue=SqliteDeadLetterQueue(queue=self.queue), bus=self.bus)
            elif options.command == "line-webhook":
                return self._register_webhook(desk)
            elif options.command == "backup":
                desk.say(str(self.back_up()))
            else:
                carry_out(desk, options)
            self.clean_up()
        except AizuchiError as cause:
            desk.say(f"error: {cause}")
            return 1
        return 0

    def _register_webhook(self, desk: Desk) -> int:
        public_url = self.public_url()
        if public_url is None:
            desk.say("error: no PUBLIC_URL is set, and no tunnel has an address")
            return 1
        registration = register(self.channel, webhook_url(public_url))
        desk.say("\n".join(registration.lines))
        return 0 if registration.works else 1


def is_restoration_of_a_backup(options: argparse.Namespace) -> bool:
    """Whether the command restores a backup (a folder) rather than the export of a chat (a file)."""
    return options.command == "restore" and bool(options.file.is_dir())


class Control:
    """Listens in a separate thread and carries out commands in sequence."""

    def __init__(self, folder: Path, desk: Desk, commands: Commands) -> None:
        """Raises: OSError, if the socket cannot be created: a socket's path has at most about 100 bytes."""
        self._desk, self._commands = desk, commands
        self._path = folder / SOCKET
        self._path.unlink(missing_ok=True)  # left by a killed process: this process holds the folder's lock
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        mask = os.umask(0o177)
        try:
            self._socket.bind(str(self._path))
        finally:
            os.umask(mask)
        self._socket.listen(4)
        self._thread = threading.Thread(target=self._run, name="control", daemon=True)

    def start(self) -> None:
        """Start to listen."""
        self._thread.start()

    def stop(self) -> None:
        """Stop listening."""
        self._path.unlink(missing_ok=True)
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()

    def _run(self) -> None:
        while True:
            try:
                connection, _ = self._socket.accept()
            except OSError:  # closed by `stop`
                return
            with connection:
                try:
                    self._answer(connection)
                except (Exception, SystemExit) as cause:  # noqa: BLE001 - the commands that follow must be answered
                    logs.warning("command_failed", error_type=type(cause).__name__)

    def _answer(self, connection: socket.socket) -> None:
        connection.settimeout(_READ_S)
        with connection.makefile("rw", encoding="utf-8") as lines:
            request = json.loads(lines.readline(_REQUEST_BYTES))
            connection.settimeout(None)
            options = commands_parser().parse_args(request["arguments"])
            received = _received(lines)
            status = self._commands.perform(replace(self._desk, out=lines, received=received), options)
            if options.command == "restore":
                deque(received, maxlen=0)  # a caller that still sends would not read why the command failed
            lines.write(f"{_STATUS}{status}\n")


def _received(lines: TextIO) -> Iterator[str]:
    """Yield the lines of the caller's file.  Raises: OSError, if the caller ended before its file."""
    for line in lines:
        if line == _END_OF_FILE:
            return
        yield line
    raise ConnectionAbortedError


class ProcessEndedError(TransientError):
    """The process that serves ended before the command did."""


class _StatusError(Exception):
    """The command failed with this exit status."""

    def __init__(self, status: int) -> None:
        super().__init__()
        self.status = status


def ask_running(folder: Path, arguments: Sequence[str], out: TextIO) -> int | None:
    """Have the process that serves from the folder carry out a command; return the exit status, or None without such a process.

    Raises: ExportFileError, ProcessEndedError.
    """
    options = commands_parser().parse_args(arguments)
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        try:
            connection.connect(str(folder / SOCKET))
        except OSError:
            return None
        if is_restoration_of_a_backup(options):
            out.write("error: end the process first: a backup takes the place of its folder\n")
            return 1
        with connection.makefile("rw", encoding="utf-8") as lines:
            try:
                lines.write(json.dumps({"arguments": [*arguments]}) + "\n")
                if options.command == "restore":
                    lines.writelines(chain(read_lines(options.file), [_END_OF_FILE]))
                lines.flush()
                if options.command == "export" and options.to is not None:
                    write_export(options.to, _objects(lines, out))
                else:
                    out.writelines(_output(lines))
            except _StatusError as cause:
                return cause.status
            except (BrokenPipeError, ConnectionResetError) as cause:
                raise ProcessEndedError("the process ended before the command did") from cause
    return 0


def _output(lines: TextIO) -> Iterator[str]:
    """Yield the command's output.  Raises: _StatusError, for a status other than 0; ProcessEndedError."""
    for line in lines:
        if line.startswith(_STATUS):
            status = int(line.removeprefix(_STATUS))
            if status:
                raise _StatusError(status)
            return
        yield line
    raise ProcessEndedError("the process ended before the command did")


def _objects(lines: TextIO, out: TextIO) -> Iterator[str]:
    """Yield the lines of an export; other lines, such as an error, go to `out`.  Raises as `_output`."""
    for line in _output(lines):
        if line.startswith("{"):
            yield line.rstrip("\n")
        else:
            out.write(line)
