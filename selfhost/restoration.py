"""Restores a backup, without the words that people took back since it was made.

The withdrawals of the folder that the backup replaces are carried out in a copy of the backup first. A chat in which something was edited
or erased since keeps the state of that folder. What the backup replaces becomes a backup itself.
"""

import shutil
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from operations.conversations import names_of
from operations.restoration import MOST_DAYS
from selfhost.backup import DAY_MS, BackupRefusedError, Backups, made_ms_of, name_of
from shared.adapters.sqlite import Database, DatabaseInUseError, DatabaseRefusedError, SqliteObjectStore
from shared.adapters.sqlite.database import FILE
from shared.clock import Clock
from shared.conversation.amendments import Amendments
from shared.conversation.store import Conversation, Conversations
from shared.errors import StorageUnavailableError, UnreadableRecordError, UnusableIdError
from shared.handlers.unsend import withdrawal_of
from shared.line.ids import checked_conversation_id
from shared.storage.due_marker import DUE_PREFIX
from shared.storage.object_store import ObjectStore

_COPYING: Final = ".restoring"
_COMPLETE: Final = ".restored"
_AMENDED: Final = ("amended/", "edited/", "erased/")
# Who may talk to the bot, which invitations were used, and what was spent: as of now, whatever the backup says.
_OF_NOW: Final = ("admitted/", "invitations/", "usage/")
_THREADS: Final = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Applied:
    """What was done to the copy of the backup: messages withdrawn, and chats that keep their present state."""

    withdrawn: int = 0
    kept_chats: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Restoration:
    """Replaces `folder` by a backup; no process may use it."""

    folder: Path
    backups: Backups
    lease_s: float
    clock: Clock

    def __call__(self, backup: Path) -> str:
        """The folder holds the backup; return what was done, in one sentence.

        Repeated: restores once more. Raises: BackupRefusedError, DatabaseRefusedError, StorageUnavailableError; the folder is as it was.
        """
        finish_restoration(self.folder)
        made_ms = self._checked_ms(backup)
        copy = _beside(self.folder, _COPYING)
        try:
            shutil.rmtree(copy, ignore_errors=True)
            shutil.copytree(backup, copy)
            applied = self._applied(copy)
            replaced = self._replace(copy)
        except OSError as cause:
            raise StorageUnavailableError("the backup cannot be copied") from cause
        if applied is None:
            lost = (
                "there was no readable database: what people took back since {} may be missing, and their words be back"
            )
            return f"restored; {lost.format(name_of(made_ms))}" + (f"; it is in {replaced}" if replaced else "")
        return (
            f"restored: {applied.withdrawn} messages that were withdrawn since are gone, {applied.kept_chats} chats in which"
            f" something was edited or erased since are as they were; what was replaced is in {replaced}"
        )

    def _checked_ms(self, backup: Path) -> int:
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

    def _applied(self, copy: Path) -> Applied | None:
        """Carry out in the copy what the folder says was taken back; return None if there is no folder that can be read."""
        if not (self.folder / FILE).exists():
            with closing(Database(copy)):  # it can be read
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
        """The copy takes the folder's place; return where that is."""
        replaced = self.backups.folder / name_of(self.clock.now_ms()) if self.folder.exists() else None
        if replaced is not None and replaced.exists():
            raise BackupRefusedError(f"{replaced} was made in this second; restore again")
        copy.rename(_beside(self.folder, _COMPLETE))
        if replaced is not None:
            self.backups.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            shutil.move(self.folder, replaced)
        finish_restoration(self.folder)
        return replaced


def finish_restoration(folder: Path) -> None:
    """A restoration that was killed after the folder was moved away is at its end.  Raises: OSError."""
    complete = _beside(folder, _COMPLETE)
    if not complete.exists():
        return
    if folder.exists():
        shutil.rmtree(complete)
    else:
        complete.rename(folder)


def apply_amendments(live: ObjectStore, restored: ObjectStore, *, lease_s: float, clock: Clock) -> Applied:
    """Nothing that was withdrawn, edited or erased in `live` stands in `restored` with its former words.

    Repeated: changes nothing. Raises: StorageUnavailableError.
    """
    for prefix in (*_OF_NOW, DUE_PREFIX):
        _take(live, restored, [listed.name for listed in live.list(prefix)])
    for prefix in _OF_NOW:
        names = {listed.name for listed in live.list(prefix)}
        for listed in restored.list(prefix):
            if listed.name not in names:
                restored.delete(listed.name)
    withdrawn = kept = 0
    with _conversations(live, lease_s, clock) as present, _conversations(restored, lease_s, clock) as conversations:
        for conversation_id in _amended_chats(live):
            count = _withdraw(present.of(conversation_id), conversations.of(conversation_id), clock)
            if count is None:
                _keep_present(live, restored, conversation_id)
                kept += 1
            else:
                withdrawn += count
    return Applied(withdrawn=withdrawn, kept_chats=kept)


def _withdraw(present: Conversation, restored: Conversation, clock: Clock) -> int | None:
    """Withdraw in the restored chat what was withdrawn since, and return how much; None, if that is not all that was taken back."""
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
    """Whether withdrawals of single messages are all that was taken back since."""
    return (
        present.edited_ms.items() <= before.edited_ms.items()
        and present.members.items() <= before.members.items()
        and present.erased_ms <= before.erased_ms
        and present.erased_entries_ms <= before.erased_entries_ms
    )


def _keep_present(live: ObjectStore, restored: ObjectStore, conversation_id: str) -> None:
    for name in names_of(restored, conversation_id):
        restored.delete(name)
    _take(live, restored, names_of(live, conversation_id))


def _take(live: ObjectStore, restored: ObjectStore, names: Sequence[str]) -> None:
    """The objects of these names are as in `live`."""
    for name in names:
        stored = live.read(name)
        if stored is not None:
            restored.delete(name)
            restored.create(name, stored.data)


def _amended_chats(store: ObjectStore) -> tuple[str, ...]:
    chats = set()
    for prefix in _AMENDED:
        for listed in store.list(prefix):
            try:
                chats.add(checked_conversation_id(listed.name.split("/")[1].removesuffix(".json")))
            except UnusableIdError:  # no object of a chat
                continue
    return tuple(sorted(chats))


@contextmanager
def _conversations(store: ObjectStore, lease_s: float, clock: Clock) -> Iterator[Conversations]:
    with ThreadPoolExecutor(_THREADS, thread_name_prefix="restore") as reads:
        yield Conversations.on(store, reads=reads, clock=clock, lease_s=lease_s)


def _beside(folder: Path, suffix: str) -> Path:
    return folder.with_name(folder.name + suffix)
