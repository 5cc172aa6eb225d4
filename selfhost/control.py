"""The operator's commands to a running process, through a Unix socket in the data folder that only the folder's owner can open.

Each connection carries a single request, for example `{"arguments": ["invite"], "folder": "/home/momo"}`. The response is the command's
output, then a line with the exit status. Where no process runs, the command opens the database itself.
"""

import argparse
import contextlib
import json
import os
import socket
import sys
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, TextIO

from operations.commands import Desk, add_commands, carry_out, show_dead_letters
from operations.line_webhook import LineChannel, register
from operations.rich_menu.parser import add_rich_menu
from selfhost.dead_letters import SqliteDeadLetterQueue
from selfhost.line_channel import webhook_url
from selfhost.tunnel import CLOUDFLARED
from shared import logs
from shared.adapters.sqlite import SqliteEventQueue
from shared.bus.messages import EventBus
from shared.errors import AizuchiError

SOCKET: Final = "control"
_REQUEST_BYTES: Final = 65_536
_READ_S: Final = 5.0
_STATUS: Final = "\x00status "


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
            elif is_restoration_of_a_backup(desk.folder, options):
                desk.say("error: end the process first: a backup takes the place of its folder")
                return 1
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


def is_restoration_of_a_backup(folder: Path, options: argparse.Namespace) -> bool:
    """Whether the command restores a backup (a folder) rather than the export of a chat (a file)."""
    return options.command == "restore" and bool((folder / options.file).is_dir())


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
                except (OSError, ValueError, LookupError, TypeError, SystemExit) as cause:
                    logs.warning("command_failed", error_type=type(cause).__name__)

    def _answer(self, connection: socket.socket) -> None:
        connection.settimeout(_READ_S)
        with connection.makefile("rw", encoding="utf-8") as lines:
            request = json.loads(lines.readline(_REQUEST_BYTES))
            connection.settimeout(None)
            options = commands_parser().parse_args(request["arguments"])
            desk = replace(self._desk, out=lines, folder=Path(request["folder"]))
            status = self._commands.perform(desk, options)
            lines.write(f"{_STATUS}{status}\n")


def ask_running(folder: Path, arguments: Sequence[str], out: TextIO) -> int | None:
    """Have the process that serves from the folder carry out a command; return the exit status, or None without such a process."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        try:
            connection.connect(str(folder / SOCKET))
        except OSError:
            return None
        with connection.makefile("rw", encoding="utf-8") as lines:
            lines.write(json.dumps({"arguments": [*arguments], "folder": str(Path.cwd())}) + "\n")
            lines.flush()
            for line in lines:
                if line.startswith(_STATUS):
                    return int(line.removeprefix(_STATUS))
                out.write(line)
    sys.stderr.write("error: the process ended before the command did\n")
    return 1
