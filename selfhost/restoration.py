"""Restores a backup without the words that were withdrawn since the backup.

First the data folder's withdrawals are repeated in a copy of the backup. A chat with an edit or an erasure since the backup keeps its
present state: the folder's objects replace the backup's. Then the copy replaces the folder, and the folder becomes a backup itself.
"""

import os
import shutil
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from operations.conversations import names_of
from operations.restoration import MOST_DAYS
from selfhost.backup import DAY_MS, BackupRefusedError, Backups, made_ms_of, name_of, reason_of
from selfhost.control import SOCKET
from shared.adapters.sqlite import Database, DatabaseInUseError, DatabaseRefusedError, SqliteObjectStore
from shared.adapters.sqlite.database import FILE, refusal_of
from shared.clock import Clock
from shared.conversation.amendments import Amendments
from shared.conversation.store import Conversation, Conversations
from shared.errors import StorageUnavailableError, UnreadableRecordError, UnusableIdError
from shared.features.calendars import CALENDARS
from shared.handlers.unsend import withdrawal_of
from shared.line.ids import checked_conversation_id
from shared.storage.due_marker import DUE_PREFIX
from shared.storage.object_store import ObjectStore

_COPYING: Final = ".restoring"
_COMPLETE: Final = ".restored"
_AMENDED: Final = ("amended/", "edited/", "erased/")
_OF_NOW: Final = (
    "admitted/",
    "calendars/",
    "feeds/",
    "hooks/",
    "invitations/",
    "members/",
    "silences/",
    "translation/",
    "usage/",
)
"""What keeps its present state, whatever the backup says: who may talk, read along and send.

An address of a calendar or a hook that was renewed or revoked since the backup opens nothing again, and who has joined a group since then
recalls nothing from before.
"""
_THREADS: Final = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Applied:
    """The changes to the copy of the backup: messages withdrawn, and chats left in their present state."""

    withdrawn: int = 0
    unrestored_chats: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Restoration:
    """Replaces `folder` by a backup; no process may use the folder meanwhile."""

    folder: Path
    backups: Backups
    lease_s: float
    clock: Clock

    def __call__(self, backup: Path) -> str:
        """Replace the folder by the backup; return a sentence with the result.

        Repeated: restores again. Raises: BackupRefusedError, DatabaseRefusedError, StorageUnavailableError; the folder is unchanged then.
        """
        finish_restoration(self.folder)
        made_ms = self._check_backup(backup)
        copy = _sibling(self.folder, _COPYING)
        try:
            shutil.rmtree(copy, ignore_errors=True)
            shutil.copytree(backup, copy, ignore=shutil.ignore_patterns(SOCKET))  # of a process that was killed
            applied = self._repeat_amendments(copy)
            os.sync()  # the copy takes the folder's place only once it is on the disk
            replaced = self._replace(copy)
        except OSError as cause:
            raise StorageUnavailableError(f"the backup cannot be copied: {reason_of(cause)}") from cause
        finally:
            drop_unfinished(self.folder)
        if applied is None:
            warning = "there was no readable database: withdrawals since {} may be missing, and withdrawn words be back"
            return f"restored; {warning.format(name_of(made_ms))}" + (f"; it is in {replaced}" if replaced else "")
        return (
            f"restored: {applied.withdrawn} messages that were withdrawn since are gone, {applied.unrestored_chats} chats in which"
            f" something was edited or erased since are as they were; what was replaced is in {replaced}"
        )

    def _check_backup(self, backup: Path) -> int:
        made_ms, now_ms = made_ms_of(backup), self.clock.now_ms()
        if made_ms is None or not (backup / FILE).is_file():
            raise BackupRefusedError(f"{backup} is no backup; its name is its time, such as {name_of(0)}")
        if made_ms > now_ms:
            raise BackupRefusedError("the backup's time is in the future; is this machine's clock right?")
        if now_ms - made_ms > MOST_DAYS * DAY_MS:
            raise BackupRefusedError(
                f"the backup is older than {MOST_DAYS} days: what was withdrawn since may be forgotten, and would come back"
            )
        return made_ms

    def _repeat_amendments(self, copy: Path) -> Applied | None:
        """Repeat the folder's amendments in the copy; return None if the folder has no readable database."""
        if not (self.folder / FILE).exists():
            with closing(Database(copy)):  # raises if the copy cannot be read
                return None
        try:
            live = Database(self.folder)
        except DatabaseInUseError:
            raise
        except DatabaseRefusedError:
            with closing(Database(copy)):
                return None
        with closing(live), closing(Database(copy)) as restored:
            applied = apply_amendments(
                SqliteObjectStore(live, clock=self.clock),
                SqliteObjectStore(restored, clock=self.clock),
                lease_s=self.lease_s,
                clock=self.clock,
            )
            restored.truncate_log()
        return applied

    def _replace(self, copy: Path) -> Path | None:
        """Put the copy in the folder's place; return the new path of the old folder, None if there was no folder."""
        replaced = self.backups.folder / name_of(self.clock.now_ms()) if self.folder.exists() else None
        if replaced is not None and replaced.exists():
            raise BackupRefusedError(f"{replaced} was made in this second; restore again")
        copy.rename(_sibling(self.folder, _COMPLETE))
        if replaced is not None:
            self.backups.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            (self.folder / SOCKET).unlink(missing_ok=True)
            shutil.move(self.folder.resolve(), replaced)
        finish_restoration(self.folder)
        return replaced


def finish_restoration(folder: Path) -> None:
    """Complete a restoration that was killed after moving the folder away; undo a restoration killed before.

    Raises: DatabaseRefusedError.
    """
    complete = _sibling(folder, _COMPLETE)
    try:
        if not complete.exists():
            return
        if folder.exists():
            shutil.rmtree(complete)
        else:
            complete.rename(folder.resolve())
    except OSError as cause:
        raise DatabaseRefusedError(refusal_of(folder, cause)) from cause


def drop_unfinished(folder: Path) -> None:
    """Delete the copy that a killed or refused restoration has left next to the folder: no withdrawal reaches the copy."""
    shutil.rmtree(_sibling(folder, _COPYING), ignore_errors=True)


def apply_amendments(live: ObjectStore, restored: ObjectStore, *, lease_s: float, clock: Clock) -> Applied:
    """Remove from `restored` all words that were withdrawn, edited or erased in `live`.

    Repeated: changes nothing. Raises: StorageUnavailableError.
    """
    for prefix in (*_OF_NOW, DUE_PREFIX):
        _copy_objects(live, restored, [listing.name for listing in live.list(prefix)])
    for prefix in _OF_NOW:
        names = {listing.name for listing in live.list(prefix)}
        for listing in restored.list(prefix):
            if listing.name not in names:
                restored.delete(listing.name)
    for listing in restored.list(f"{CALENDARS.folder}/"):
        CALENDARS.transfer.finish(restored, listing.name)  # a tick fills the feed anew
    withdrawn = unrestored_chats = 0
    with _conversations(live, lease_s, clock) as present, _conversations(restored, lease_s, clock) as conversations:
        for conversation_id in _amended_chats(live):
            count = _withdraw_messages(present.of(conversation_id), conversations.of(conversation_id), clock)
            if count is None:
                _copy_chat(live, restored, conversation_id)
                unrestored_chats += 1
            else:
                withdrawn += count
    return Applied(withdrawn=withdrawn, unrestored_chats=unrestored_chats)


def _withdraw_messages(present: Conversation, restored: Conversation, clock: Clock) -> int | None:
    """Withdraw in the restored chat the messages withdrawn since the backup; return their number, or None after other amendments."""
    try:
        amendments, before = present.amendments.look(), restored.amendments.look()
        if not _only_withdraws(amendments, before):
            return None
        line_message_ids = amendments.withdrawn - before.withdrawn
        withdrawal_of(clock).withdraw_all(restored, line_message_ids, timestamp_ms=clock.now_ms())
    except UnreadableRecordError:
        return None
    return len(line_message_ids)


def _only_withdraws(present: Amendments, before: Amendments) -> bool:
    """Whether withdrawals of single messages are the only amendments since the backup."""
    return (
        present.edited_ms.items() <= before.edited_ms.items()
        and present.members.items() <= before.members.items()
        and present.erased_ms <= before.erased_ms
        and present.erased_entries_ms <= before.erased_entries_ms
    )


def _copy_chat(live: ObjectStore, restored: ObjectStore, conversation_id: str) -> None:
    for name in names_of(restored, conversation_id):
        restored.delete(name)
    _copy_objects(live, restored, names_of(live, conversation_id))


def _copy_objects(live: ObjectStore, restored: ObjectStore, names: Sequence[str]) -> None:
    """Replace the named objects by those of `live`."""
    for name in names:
        stored = live.read(name)
        if stored is not None:
            restored.delete(name)
            restored.create(name, stored.data)


def _amended_chats(store: ObjectStore) -> tuple[str, ...]:
    chats = set()
    for prefix in _AMENDED:
        for listing in store.list(prefix):
            try:
                chats.add(checked_conversation_id(listing.name.split("/")[1].removesuffix(".json")))
            except UnusableIdError:  # not the object of a chat
                continue
    return tuple(sorted(chats))


@contextmanager
def _conversations(store: ObjectStore, lease_s: float, clock: Clock) -> Iterator[Conversations]:
    with ThreadPoolExecutor(_THREADS, thread_name_prefix="restore") as reads:
        yield Conversations.on(store, reads=reads, clock=clock, lease_s=lease_s)


def _sibling(folder: Path, suffix: str) -> Path:
    real = folder.resolve()  # a link stays, and what it leads to is replaced
    return real.with_name(real.name + suffix)
