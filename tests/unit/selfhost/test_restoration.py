"""A backup is restored without what people took back since it was made."""

import os
import stat
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from selfhost.backup import BackupRefusedError, Backups
from selfhost.process import deployed
from selfhost.restoration import Restoration, finish_restoration
from selfhost.settings import serve_settings
from shared.access.admission import Admissions
from shared.adapters.memory import FixedClock
from shared.adapters.sqlite import Database, DatabaseInUseError, SqliteObjectStore
from shared.calendars.feed import Calendar
from shared.calendars.store import CalendarStore
from shared.conversation.records import MessageRecord
from shared.conversation.store import Conversation, Conversations
from shared.errors import StorageUnavailableError
from shared.handlers.unsend import withdrawal_of
from shared.hooks.hook import Hook
from shared.hooks.store import HookStore
from shared.storage.due_marker import DUE_PREFIX, DueMarker
from tests.support import recorded

DAY_S = 86_400
SECRET = "swordfish"
LEASE_S = 25.0
ENVIRONMENT = {"LINE_CHANNEL_SECRET": "s", "LINE_CHANNEL_ACCESS_TOKEN": "t", "GEMINI_API_KEY": "k"}
OTHER = "U" + "5" * 32


class Machine:
    """A folder that no process uses between the blocks of `opened`."""

    def __init__(self, root: Path) -> None:
        self.folder = root / "data"
        self.clock = FixedClock()
        self.backups = Backups(folder=root / "data-backups", days=14, clock=self.clock)
        self.restore = Restoration(folder=self.folder, backups=self.backups, lease_s=LEASE_S, clock=self.clock)

    @contextmanager
    def opened(self) -> Iterator[tuple[Database, SqliteObjectStore, Conversations]]:
        with closing(Database(self.folder)) as database, ThreadPoolExecutor(1) as reads:
            store = SqliteObjectStore(database, clock=self.clock)
            yield database, store, Conversations.on(store, reads=reads, clock=self.clock, lease_s=LEASE_S)

    def say(self, line_message_id: str, text: str, *, chat: str = recorded.USER) -> None:
        with self.opened() as (_, _, conversations):
            conversations.of(chat).journal.record(self.message(line_message_id, text))

    def message(self, line_message_id: str, text: str) -> MessageRecord:
        return MessageRecord(
            line_message_id=line_message_id,
            webhook_event_id=f"event-{line_message_id}",
            timestamp_ms=self.clock.now_ms(),
            type="text",
            addressed=True,
            text=text,
            user_id=recorded.USER,
        )

    def back_up(self) -> Path:
        with self.opened() as (database, _, _):
            return self.backups.make(database)

    def files_with(self, text: str) -> list[str]:
        return [path.name for path in self.folder.rglob("*") if path.is_file() and text.encode() in path.read_bytes()]


def leave_socket(folder: Path) -> None:
    """The folder has the socket of a process that was killed."""
    os.mknod(folder / "control", stat.S_IFSOCK | 0o600)


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def test_what_is_restored_is_what_was_backed_up(machine: Machine) -> None:
    machine.say("1", "before")
    with machine.opened() as (_, store, _):
        store.create(f"media/{recorded.USER}/1", b"picture")
    backup = machine.back_up()
    machine.say("2", "behind")
    machine.clock.move(60)

    told = machine.restore(backup)

    assert told.startswith("restored: 0 messages that were withdrawn since are gone, 0 chats")
    assert (machine.files_with("before"), machine.files_with("behind")) == (["aizuchi.db"], [])
    with machine.opened() as (_, store, _):
        medium = store.read(f"media/{recorded.USER}/1")
    assert medium is not None
    assert medium.data == b"picture"


def test_what_was_replaced_is_a_backup(machine: Machine) -> None:
    machine.say("1", "before")
    backup = machine.back_up()
    machine.say("2", "behind")
    machine.clock.move(60)

    machine.restore(backup)
    (replaced,) = {*machine.backups.folder.iterdir()} - {backup}
    machine.clock.move(60)
    machine.restore(replaced)

    assert machine.files_with("behind") == ["aizuchi.db"]


def test_what_is_replaced_does_not_end_up_in_a_backup_of_the_same_second(machine: Machine) -> None:
    machine.say("1", "before")
    backup = machine.back_up()

    with pytest.raises(BackupRefusedError, match="in this second"):
        machine.restore(backup)

    assert machine.files_with("before") == ["aizuchi.db"]
    assert not (backup / "data").exists()


def test_a_message_that_was_withdrawn_since_is_in_no_file(machine: Machine) -> None:
    machine.say("1", SECRET)
    machine.say("2", "stays")
    machine.say("3", "of another chat", chat=OTHER)
    backup = machine.back_up()
    machine.clock.move(60)
    with machine.opened() as (_, _, conversations):
        withdrawal_of(machine.clock).withdraw(conversations.of(recorded.USER), "1", timestamp_ms=machine.clock.now_ms())

    told = machine.restore(backup)

    assert told.startswith("restored: 1 messages")
    assert machine.files_with(SECRET) == []
    assert machine.files_with("stays") == ["aizuchi.db"]
    assert machine.files_with("of another chat") == ["aizuchi.db"]
    with machine.opened() as (_, _, conversations):
        assert "1" in conversations.of(recorded.USER).amendments.look().withdrawn


def edit(conversation: Conversation, clock: FixedClock) -> None:
    withdrawal_of(clock).edit(conversation, "1", text="harmless", timestamp_ms=clock.now_ms(), user_id=recorded.USER)


def erase(conversation: Conversation, clock: FixedClock) -> None:
    conversation.amendments.erase(clock.now_ms())
    withdrawal_of(clock).erase(conversation, until_ms=clock.now_ms())


def forget_member(conversation: Conversation, clock: FixedClock) -> None:
    conversation.amendments.forget_member(recorded.USER, until_ms=clock.now_ms())
    withdrawal_of(clock).withdraw_all(conversation, {"1"}, timestamp_ms=clock.now_ms())


@pytest.mark.parametrize("take_back", [edit, erase, forget_member])
def test_a_chat_in_which_more_than_a_message_was_withdrawn_stays_as_it_is(machine: Machine, take_back) -> None:  # type: ignore[no-untyped-def]  # noqa: ANN001 - one of the three above
    machine.say("1", SECRET)
    machine.say("2", "of another chat", chat=OTHER)
    backup = machine.back_up()
    machine.clock.move(60)
    with machine.opened() as (_, _, conversations):
        take_back(conversations.of(recorded.USER), machine.clock)
        present = conversations.of(recorded.USER).amendments.look()
    machine.clock.move(60)
    machine.say("3", "said since")
    machine.say("4", "said elsewhere", chat=OTHER)

    told = machine.restore(backup)

    assert "1 chats in which something was edited or erased since are as they were" in told
    assert machine.files_with(SECRET) == []
    assert machine.files_with("said since") == ["aizuchi.db"]
    assert machine.files_with("of another chat") == ["aizuchi.db"]
    assert machine.files_with("said elsewhere") == []
    with machine.opened() as (_, _, conversations):
        assert conversations.of(recorded.USER).amendments.look() == present


def test_who_may_talk_and_what_is_due_are_as_of_now(machine: Machine) -> None:
    with machine.opened() as (_, store, _):
        admissions = Admissions(store=store, clock=machine.clock)
        admissions.admit(recorded.USER, since_ms=0)
        store.create("invitations/used", b"{}")
    backup = machine.back_up()
    marker = DueMarker.at(machine.clock.now_ms(), kind="reply", conversation_id=OTHER, id="1").name
    machine.clock.move(60)
    with machine.opened() as (_, store, _):
        admissions = Admissions(store=store, clock=machine.clock)
        admissions.revoke(recorded.USER)
        admissions.admit(OTHER, since_ms=0)
        store.delete("invitations/used")
        store.create(marker, b"")

    machine.restore(backup)

    with machine.opened() as (_, store, _):
        admissions = Admissions(store=store, clock=machine.clock)
        records = [admissions.of(chat) for chat in (recorded.USER, OTHER)]
        assert [record is not None and record.admits(machine.clock.now_ms()) for record in records] == [False, True]
        assert store.list("invitations/") == ()
        assert store.read(marker) is not None


def test_an_address_that_was_renewed_or_revoked_since_opens_nothing_again(machine: Machine) -> None:
    old, new = ("c" + digit * 40 for digit in "12")
    revoked, renewed = ("h" + letter * 16 for letter in "ab")
    with machine.opened() as (_, store, conversations):
        chat = conversations.of(recorded.USER)
        CalendarStore(chat).create(Calendar(token=old, made_ms=1, event_id="event-1"))
        for hook_id in (revoked, renewed):
            HookStore(chat).create(Hook(id=hook_id, name="CI", mark="1", made_ms=1))
    backup = machine.back_up()
    machine.clock.move(60)
    with machine.opened() as (_, store, conversations):
        chat = conversations.of(recorded.USER)
        calendar = CalendarStore(chat).read()
        assert calendar is not None
        CalendarStore(chat).renew(calendar, token=new, event_id="event-2", at_ms=2)
        store.delete(f"hooks/{recorded.USER}/{revoked}.json")
        HookStore(chat).update(renewed, lambda hook: replace(hook, mark="2"))
        for marker in store.list(DUE_PREFIX):
            store.delete(marker.name)

    machine.restore(backup)

    with machine.opened() as (_, store, conversations):
        chat = conversations.of(recorded.USER)
        calendar = CalendarStore(chat).read()
        assert calendar is not None
        assert calendar.token == new
        assert [one.name for one in store.list("feeds/")] == [calendar.feed_name]
        assert [one.mark for one in HookStore(chat).read_all()] == ["2"]
        assert ["/calendar." in one.name for one in store.list(DUE_PREFIX)] == [True]  # a tick fills the feed anew


def test_who_joined_a_group_since_the_backup_recalls_nothing_from_before(machine: Machine) -> None:
    group = "C" + "5" * 32
    backup = machine.back_up()
    machine.clock.move(60)
    with machine.opened() as (_, _, conversations):
        conversations.of(group).members.record_joining([recorded.USER], at_ms=7)

    machine.restore(backup)

    with machine.opened() as (_, _, conversations):
        assert conversations.of(group).members.joined_ms([recorded.USER]) == 7


@pytest.mark.parametrize("is_there", [False, True])
def test_where_the_folder_is_lost_the_hour_is_told_since_which_withdrawals_may_be_missing(
    machine: Machine, is_there: bool
) -> None:
    machine.say("1", "before")
    backup = machine.back_up()
    (machine.folder / "aizuchi.db").write_bytes(b"damaged" * 1_000)
    if not is_there:
        machine.folder.rename(machine.folder.with_name("elsewhere"))
    machine.clock.move(60)

    told = machine.restore(backup)

    assert f"since {backup.name} may be missing" in told
    assert machine.files_with("before") == ["aizuchi.db"]


def test_a_folder_that_is_in_use_is_refused_and_stays(machine: Machine) -> None:
    machine.say("1", "before")
    backup = machine.back_up()
    machine.say("2", "behind")

    with machine.opened(), pytest.raises(DatabaseInUseError, match="another process"):
        machine.restore(backup)

    assert machine.files_with("behind") == ["aizuchi.db"]


def test_what_a_killed_process_had_served_can_be_restored_again(machine: Machine) -> None:
    machine.say("1", "before")
    backup = machine.back_up()
    machine.say("2", "behind")
    leave_socket(machine.folder)
    machine.clock.move(60)

    machine.restore(backup)
    (replaced,) = {*machine.backups.folder.iterdir()} - {backup}
    assert not (replaced / "control").exists()
    leave_socket(replaced)  # as earlier releases did
    machine.clock.move(60)
    machine.restore(replaced)

    assert machine.files_with("behind") == ["aizuchi.db"]


def test_a_folder_behind_a_link_is_replaced_where_it_is(machine: Machine) -> None:
    disk = machine.folder.parent / "disk"
    (disk / "data").mkdir(parents=True)
    machine.folder.symlink_to(Path("disk", "data"))
    machine.say("1", "before")
    backup = machine.back_up()
    machine.say("2", "behind")
    machine.clock.move(60)

    machine.restore(backup)

    assert machine.folder.is_symlink()
    assert (machine.files_with("before"), machine.files_with("behind")) == (["aizuchi.db"], [])
    (replaced,) = {*machine.backups.folder.iterdir()} - {backup}
    assert (replaced.is_symlink(), (replaced / "aizuchi.db").exists()) == (False, True)
    assert [path.name for path in disk.iterdir()] == ["data"]


def test_a_refused_restoration_leaves_no_copy_and_says_why(machine: Machine) -> None:
    machine.say("1", "before")
    backup = machine.back_up()
    (backup / "notes").symlink_to(backup / "nowhere")
    machine.clock.move(60)

    with pytest.raises(StorageUnavailableError, match=r"cannot be copied: .*No such file"):
        machine.restore(backup)

    assert {path.name for path in machine.folder.parent.iterdir()} == {"data", "data-backups"}


def test_the_copy_of_a_killed_restoration_goes_when_the_process_starts(machine: Machine) -> None:
    machine.say("1", "before")
    unfinished = machine.folder.with_name("data.restoring")
    unfinished.mkdir()
    (unfinished / "aizuchi.db").write_bytes(b"before")

    with deployed(serve_settings(ENVIRONMENT | {"DATA": str(machine.folder)}), machine.clock):
        assert not unfinished.exists()


@pytest.mark.parametrize(("age_s", "fault"), [(29 * DAY_S + 60, "older than 29 days"), (-60, "in the future")])
def test_a_backup_of_the_wrong_age_is_refused(machine: Machine, age_s: int, fault: str) -> None:
    machine.say("1", "before")
    backup = machine.back_up()
    machine.clock.move(age_s)

    with pytest.raises(BackupRefusedError, match=fault):
        machine.restore(backup)


def test_another_folder_is_no_backup(machine: Machine, tmp_path: Path) -> None:
    for name in ("notes", "20261126T011200Z"):
        (tmp_path / name).mkdir()
        with pytest.raises(BackupRefusedError, match="is no backup"):
            machine.restore(tmp_path / name)


def test_a_restoration_that_was_killed_between_its_two_moves_is_finished(machine: Machine) -> None:
    machine.say("1", "before")
    complete = machine.folder.with_name("data.restored")
    machine.folder.rename(complete)

    finish_restoration(machine.folder)

    assert machine.files_with("before") == ["aizuchi.db"]
    assert not complete.exists()


def test_a_restoration_that_was_killed_before_its_first_move_changes_nothing(machine: Machine) -> None:
    machine.say("1", "before")
    machine.folder.with_name("data.restored").mkdir()

    finish_restoration(machine.folder)

    assert machine.files_with("before") == ["aizuchi.db"]
    assert [path.name for path in machine.folder.parent.iterdir()] == ["data"]
