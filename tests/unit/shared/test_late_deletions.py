"""A deletion that takes effect late, or once more, leaves what was written since under the name."""

import ast
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

import operations
import shared
from operations.conversations import remove_moved
from shared.adapters.memory import FixedClock, MemoryMedia
from shared.adapters.memory.line_people import HeldContent
from shared.clock import Deadline
from shared.conversation.amendments import Amendments
from shared.conversation.due import DueMarkers
from shared.conversation.external_calls import CallRecord, ExternalCalls
from shared.conversation.media import UNKNOWN_MS, Media
from shared.conversation.records import OutcomeKind, OutcomeRecord
from shared.conversation.snapshot_records import SnapshotRecord
from shared.conversation.store import Conversation
from shared.handlers.unsend import withdrawal_of
from shared.knowledge.entry_words import EntryWords
from shared.reminders.store import ReminderStore
from shared.storage.codec import encode
from tests.support.chats import conversations_on, made_of, message
from tests.support.inline import InlineExecutor
from tests.support.knowledge import FilingChat
from tests.support.knowledge import message as sent
from tests.support.races import StoreWithLateDeletions
from tests.support.reminders import ReminderChat, forget

DUE_MS = 1_795_339_800_000
KEY = "key-of-a-call"
CALL = CallRecord(tool="create_page", arguments={"title": "milk"}, provenance=made_of("m1"), started_ms=5)
OUTCOME = OutcomeRecord(webhook_event_id="e1", timestamp_ms=1, kind=OutcomeKind.UNDELIVERED, provenance=made_of())


@pytest.fixture
def store() -> StoreWithLateDeletions:
    return StoreWithLateDeletions()


@pytest.fixture
def chat(store: StoreWithLateDeletions, clock: FixedClock) -> Conversation:
    return conversations_on(store, InlineExecutor(), clock).of("U" + "1" * 32)


def test_an_entry_that_is_filed_anew_stays(store: StoreWithLateDeletions) -> None:
    chat = FilingChat(store=store)
    path = chat.file("lunch", sent(1, "lunch"))
    EntryWords().remove_withdrawn(chat.conversation, Amendments(withdrawn=frozenset({"m1"})))
    assert chat.paths == []
    assert chat.file("lunch", sent(2, "lunch")) == path

    assert store.repeat_deletions() > 0

    assert chat.paths == [path]


def test_an_entry_that_is_filed_over_an_old_tombstone_stays(store: StoreWithLateDeletions) -> None:
    chat = FilingChat(store=store)
    path = chat.file("lunch", sent(1, "lunch"))
    chat.once("delete_entry", path=path)
    EntryWords().remove_withdrawn(chat.conversation, Amendments(withdrawn=frozenset({"m1"})))
    assert chat.file("lunch", sent(2, "lunch")) == path

    assert store.repeat_deletions() > 0

    assert chat.paths == [path]


def test_the_objects_of_a_chat_that_moved_away_and_back_stay(store: StoreWithLateDeletions, chat: Conversation) -> None:
    chat.journal.keep(message(1))
    assert remove_moved(chat) == 1
    chat.journal.keep(message(1))

    assert store.repeat_deletions() > 0

    assert chat.journal.message_of("m1") is not None


class InterruptedStore(StoreWithLateDeletions):
    """A bucket in which something happens before the first deletion."""

    def __init__(self) -> None:
        super().__init__()
        self.meanwhile: Callable[[], object] | None = None

    def delete(self, name: str, *, generation: int | None = None) -> bool:
        meanwhile, self.meanwhile = self.meanwhile, None
        if meanwhile is not None:
            meanwhile()
        return super().delete(name, generation=generation)


def test_a_withdrawal_leaves_an_entry_that_is_filed_between_its_read_and_its_deletion() -> None:
    store = InterruptedStore()
    filing = FilingChat(store=store)
    path, amendments = filing.file("lunch", sent(1, "lunch")), Amendments(withdrawn=frozenset({"m1"}))

    def meanwhile() -> None:
        EntryWords().remove_withdrawn(filing.conversation, amendments)  # another pass of the withdrawal
        filing.file("lunch", sent(2, "lunch"))

    store.meanwhile = meanwhile
    EntryWords().remove_withdrawn(filing.conversation, amendments)

    assert filing.paths == [path]
    assert [row.path for row in filing.entries.catalog().rows] == [path]


def test_a_reminder_that_is_restored_stays(store: StoreWithLateDeletions, chat: Conversation) -> None:
    reminding = ReminderChat(chat)
    made = reminding.remind("water the plants", at="2026-11-25T09:00")
    forget(chat, made)
    ReminderStore(chat).create(made)
    before = reminding.markers

    assert store.repeat_deletions() > 0

    assert reminding.stored == (made,)
    assert reminding.markers == before != []


def test_a_reminder_that_is_changed_meanwhile_is_looked_at_again(chat: Conversation) -> None:
    reminding = ReminderChat(chat)
    made = reminding.remind("water the plants", at="2026-11-25T09:00")
    reminders, looks = ReminderStore(chat), list[bytes]()

    def is_affected(data: bytes) -> bool:
        looks.append(data)
        if len(looks) == 1:
            reminders.update(made.id, lambda there: replace(there or made, text="feed the cat"))
        return b"plants" in data

    reminders.remove(chat.names.reminder(made.id), is_affected)

    assert len(looks) == 2
    assert reminding.read(made.id).text == "feed the cat"


def test_a_marker_that_is_made_anew_stays(store: StoreWithLateDeletions, chat: Conversation) -> None:
    markers = DueMarkers(store=store)
    markers.mark("edit", chat, "m1", at_ms=DUE_MS)
    (marker,) = markers.until(DUE_MS)
    markers.clear(marker)
    markers.mark("edit", chat, "m1", at_ms=DUE_MS)

    assert store.repeat_deletions() == 1

    assert markers.until(DUE_MS) == (marker,)


def test_a_picture_that_is_quoted_again_stays(
    store: StoreWithLateDeletions, chat: Conversation, clock: FixedClock
) -> None:
    source, threads = MemoryMedia(), InlineExecutor()
    source.contents["m4"] = HeldContent(data=b"\xff\xd8 a red bicycle", content_type="image/jpeg")
    media = Media(source=source, threads=threads, clock=clock)
    picture = replace(message(4, "[image]"), type="image", timestamp_ms=UNKNOWN_MS)
    chat.amendments.forget_member("U" + "2" * 32, until_ms=5)
    assert media.fetch(chat, picture, Deadline.after(clock, 1)) == "gone"
    media.fetch(chat, replace(picture, timestamp_ms=9), Deadline.after(clock, 1))

    assert store.repeat_deletions() > 0

    assert media.label(chat, "m4") is not None
    assert media.bytes_of(chat, "m4") is not None


def test_joinings_after_an_unreadable_record_of_members_stay(store: StoreWithLateDeletions, chat: Conversation) -> None:
    store.create(chat.names.members, b"{")
    chat.members.erase(until_ms=5)
    chat.members.record_joining(["U" + "2" * 32], at_ms=9)

    assert store.repeat_deletions() == 1

    assert chat.members.joined_ms(["U" + "2" * 32]) == 9


def test_a_snapshot_after_an_unreadable_one_stays(
    store: StoreWithLateDeletions, chat: Conversation, clock: FixedClock
) -> None:
    store.create(chat.names.snapshot, b"{")
    withdrawal_of(clock).erase(chat, until_ms=5)
    assert store.read(chat.names.snapshot) is None
    store.create(chat.names.snapshot, encode(SnapshotRecord()))

    assert store.repeat_deletions() > 0

    assert store.read(chat.names.snapshot) is not None


def test_an_outcome_that_arrived_stays_once_it_was_folded_as_undelivered(
    store: StoreWithLateDeletions, chat: Conversation
) -> None:
    chat.journal.record_outcome(OUTCOME)
    (listed,) = chat.journal.list_objects().outcomes
    chat.journal.drop_listed(listed)
    chat.journal.record_outcome(replace(OUTCOME, kind=OutcomeKind.REPLIED))

    assert store.repeat_deletions() == 1

    assert [one.kind for one in chat.journal.read_outcomes()] == [OutcomeKind.REPLIED]


def test_the_intent_of_a_later_attempt_stays(store: StoreWithLateDeletions, chat: Conversation) -> None:
    calls = ExternalCalls(chat)
    calls.begin(KEY, CALL)
    calls.drop(KEY)
    calls.begin(KEY, CALL)

    assert store.repeat_deletions() == 1

    assert calls.begin(KEY, CALL) is not None


def test_an_intent_that_a_later_attempt_found_outlasts_the_deletion_by_the_first(chat: Conversation) -> None:
    calls, store = ExternalCalls(chat), chat.objects.store
    calls.begin(KEY, CALL)
    first = store.read(chat.names.call(KEY))
    assert first is not None
    assert calls.begin(KEY, CALL) is not None

    assert not store.delete(chat.names.call(KEY), generation=first.generation)

    assert calls.begin(KEY, CALL) is not None


def test_a_message_that_was_withdrawn_goes_in_whatever_generation(
    store: StoreWithLateDeletions, chat: Conversation
) -> None:
    chat.journal.keep(message(1))
    chat.journal.drop("m1")
    chat.journal.keep(message(1))  # delivered again

    assert store.repeat_deletions() == 1

    assert chat.journal.message_of("m1") is None


def deletions() -> Iterator[tuple[str, ast.Call]]:
    """Yield every call of `ObjectStore.delete` in what is deployed and in what the operator runs, with its place."""
    for package in (shared, operations):
        for path in sorted(Path(package.__path__[0]).rglob("*.py")):
            if "adapters" in path.parts:
                continue
            for call in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr == "delete":
                    owner = ast.unparse(call.func.value).rpartition(".")[2].lstrip("_")
                    if owner == "store":
                        yield f"{path.stem}:{ast.unparse(call)}", call


def test_every_deletion_says_which_generation_it_means() -> None:
    calls = dict(deletions())

    assert len(calls) > 15
    assert [place for place, call in calls.items() if "generation" not in {one.arg for one in call.keywords}] == []


def test_only_withdrawn_messages_are_deleted_in_whatever_generation() -> None:
    unconditional = [place for place, call in deletions() if place.endswith("generation=None)")]

    assert unconditional == ["journal:self.objects.store.delete(self.names.message(line_message_id), generation=None)"]
