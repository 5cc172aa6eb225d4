"""The operator's commands, carried out by the serving process, or with the database opened for a single command."""

import argparse
import contextlib
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TextIO

from operations.commands import Desk
from selfhost.backup import Backups
from selfhost.control import Commands, ask_running, commands_parser, is_restoration_of_a_backup
from selfhost.line_channel import channel_of
from selfhost.restoration import Restoration, finish_restoration
from selfhost.settings import ServeSettings
from selfhost.withdrawal_cleanup import withdrawal_cleanup_on
from shared import logs
from shared.adapters.sqlite import Database, SqliteEventQueue, SqliteObjectStore
from shared.clock import Clock, SystemClock
from shared.errors import AizuchiError
from shared.storage.object_store import ObjectStore


def desk_of(settings: ServeSettings, store: ObjectStore, out: TextIO) -> Desk:
    """Return the desk for the operator's commands."""
    return Desk(
        open_store=lambda: store,
        lease_s=settings.worker.lease_s,
        handover_minutes=settings.worker.handover_minutes,
        shows_pseudonyms=True,
        out=out,
    )


def command(settings: ServeSettings, arguments: Sequence[str]) -> int:
    """Carry out an operator's command, if possible in the serving process; return the exit status.  Raises: DatabaseRefusedError."""
    options = commands_parser().parse_args(arguments)
    if options.command == "rich-menu":
        return _rich_menu(settings, options)
    status = ask_running(settings.folder, arguments, sys.stdout)
    if status is not None:
        return status
    logs.configure(sys.stderr)
    logs.key_pseudonyms(settings.worker.channel_access_token.value())
    clock = SystemClock()
    if is_restoration_of_a_backup(options):
        return _restore_backup(settings, options.file, clock)
    finish_restoration(settings.folder)
    with contextlib.closing(Database(settings.folder)) as database:
        store, queue = SqliteObjectStore(database, clock=clock), SqliteEventQueue(database, clock=clock)
        commands = Commands(
            queue=queue,
            bus=queue,
            clean_up=withdrawal_cleanup_on(database, store, queue, settings, clock),
            back_up=lambda: back_up(settings, database, clock),
            channel=channel_of(settings),
            public_url=lambda: settings.public_url,
        )
        return commands.perform(desk_of(settings, store, sys.stdout), options)


def _rich_menu(settings: ServeSettings, options: argparse.Namespace) -> int:
    """Show or remove the menu; needs neither the process nor its database."""
    from operations.rich_menu.command import carry_out_rich_menu  # noqa: PLC0415 - imports LINE's SDK, which no other command needs

    worker = settings.worker
    try:
        line = carry_out_rich_menu(
            options,
            channel_access_token=worker.channel_access_token.value(),
            base_url=worker.line_api_base_url,
            locale=worker.bot.locale,
        )
    except AizuchiError as cause:
        print_line(f"error: {cause}")
        return 1
    print_line(line)
    return 0


def _restore_backup(settings: ServeSettings, backup: Path, clock: Clock) -> int:
    restore = Restoration(
        folder=settings.folder,
        backups=backups_of(settings, clock),
        lease_s=settings.worker.lease_s,
        clock=clock,
    )
    try:
        print_line(restore(backup))
    except AizuchiError as cause:
        print_line(f"error: {cause}")
        return 1
    return 0


def backups_of(settings: ServeSettings, clock: Clock) -> Backups:
    """Return the data folder's backups."""
    return Backups(folder=settings.backups, days=settings.backup_days, clock=clock)


def back_up(settings: ServeSettings, database: Database, clock: Clock) -> Path:
    """Return a new backup; delete expired backups.  Raises: BackupRefusedError, StorageUnavailableError."""
    backups = backups_of(settings, clock)
    new_backup = backups.make(database)
    backups.drop_old()
    return new_backup


def print_line(text: str) -> None:
    """Print a line for the operator, unless the disk behind it is full; the log goes to stderr."""
    with contextlib.suppress(OSError):  # the threads that register the webhook and restart the tunnel go on
        sys.stdout.write(f"{text}\n")
        sys.stdout.flush()
