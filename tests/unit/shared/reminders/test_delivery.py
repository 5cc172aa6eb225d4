"""Due reminders: said once for each occurrence, whatever ticks are lost, doubled or die half-way."""

import io
import json
import threading
from concurrent.futures import Executor
from contextlib import suppress
from dataclasses import dataclass, replace

import pytest

from shared.adapters.memory import FixedClock, MemoryLineApi, MemoryObjectStore
from shared.conversation.amendment_records import Amendment
from shared.conversation.amendments import Amendments
from shared.conversation.provenance import Provenance, Source
from shared.conversation.pushes import PushAllowance
from shared.conversation.records import OutcomeKind
from shared.conversation.store import Conversation
from shared.errors import LineUnavailableError, StorageUnavailableError, TurnBusyError
from shared.line.messaging import KEY_VALID_MS, SENDING_S
from shared.line.quota import PushBudget
from shared.reminders.delivery import ReminderDelivery, Reminding
from shared.reminders.reminder import Claim, Reminder, ReminderState
from shared.reminders.schedule import local_time
from shared.reminders.store import RETENTION_MS, ReminderStore
from shared.reminders.wording import LATE_MS, Occurrence, OccurrenceWords, ReminderWording
from shared.reminders.words import ReminderWords
from shared.storage.codec import encode
from tests.support import schemas
from tests.support.chats import conversations_on
from tests.support.knowledge import WatchedStore
from tests.support.phrases import NamedPhrases
from tests.support.reminders import ZONE, InterruptedStore, ReminderChat, forget

CHAT, GROUP = "U" + "1" * 32, "C" + "2" * 32
ANN, BEN = "member-a", "member-b"
MINUTE_MS, DAY_MS = 60_000, 86_400_000


@dataclass
class Due:
    """A chat with reminders that become due, and a worker that delivers them."""

    chat: ReminderChat
    store: InterruptedStore
    clock: FixedClock
    line: MemoryLineApi
    deliver: ReminderDelivery

    def reminder(self, text: str = "薬", *, rule: str | None = None) -> Reminder:
        at = local_time(self.clock.now_ms() // MINUTE_MS * MINUTE_MS + 10 * MINUTE_MS, ZONE)
        return self.chat.remind(text, at=at, rule=rule)

    def passes(self, *, minutes: float = 10) -> None:
        self.clock.move(minutes * 60)

    def tick(self, reminder: Reminder) -> None:
        self.deliver(self.chat.conversation, reminder.id)

    def tick_that_dies_after_the_push(self, reminder: Reminder) -> None:
        self.store.fails = "create journal/"
        with pytest.raises(StorageUnavailableError):
            self.tick(reminder)
        self.store.fails = None

    def read(self, reminder: Reminder) -> Reminder:
        return self.chat.read(reminder.id)

    def says_what_is_kept(self) -> None:
        """A turn finds nothing kept that its answer does not say."""
        lease = self.chat.lease()
        lease.note_said(lease.record.left)
        lease.release()

    @property
    def next_turn_looks(self) -> bool:
        """Whether the next turn looks for reminders that are kept."""
        return self.chat.conversation.turn.read().record.has_left

    @property
    def said(self) -> list[str]:
        return [text for _, texts in self.line.pushes for text in texts]

    @property
    def remembered(self) -> list[str | None]:
        return [one.text for one in self.chat.conversation.journal.read_outcomes()]


def due_in(
    chat_id: str,
    reads: Executor,
    *,
    store: MemoryObjectStore | None = None,
    reminding: Reminding = Reminding.PUSH,
    pushes_per_day: int = 0,
) -> Due:
    interrupted = InterruptedStore()
    clock, line = FixedClock(), MemoryLineApi()
    deliver = ReminderDelivery(
        line=line,
        pushes=PushAllowance(budget=PushBudget(api=line, clock=clock), reminders_per_day=pushes_per_day, clock=clock),
        wording=ReminderWording(locale="ja", phrases=NamedPhrases()),
        reminding=reminding,
        clock=clock,
    )
    chat = ReminderChat(conversations_on(store or interrupted, reads, clock).of(chat_id))
    return Due(chat, interrupted, clock, line, deliver)


@pytest.fixture
def due(reads: Executor) -> Due:
    return due_in(CHAT, reads)


def test_a_due_reminder_is_pushed_once_and_remembered(due: Due) -> None:
    reminder = due.reminder()
    due.passes()

    due.tick(reminder)
    due.tick(reminder)

    assert due.said == ["⏰ 薬"]
    assert due.remembered == ["⏰ 薬"]
    assert (due.read(reminder).state, due.read(reminder).claim) == (ReminderState.DONE, None)


def test_a_reminder_that_reads_like_a_receipt_is_said_without_its_mark(due: Due) -> None:
    reminder = due.reminder("✓ 削除：「牛乳」")
    due.passes()

    due.tick(reminder)

    assert due.said == ["⏰ 削除：「牛乳」"]


def test_what_was_pushed_may_say_entries_from_after_the_last_erasure_of_entries(due: Due) -> None:
    reminder = due.reminder()
    due.chat.conversation.amendments.erase(reminder.since_ms - 9, spares_entries=False)
    due.passes()

    due.tick(reminder)

    (pushed,) = due.chat.conversation.journal.read_outcomes()
    assert pushed.provenance.entries_since_ms == reminder.since_ms - 8


def test_a_marker_of_an_earlier_time_says_nothing_and_leaves_the_right_one(due: Due) -> None:
    reminder = due.reminder()
    before = due.chat.markers
    due.store.delete(next(one.name for one in due.store.list("due/")))

    due.tick(reminder)

    assert due.said == []
    assert due.chat.markers == before


def test_an_ended_reminder_is_removed_after_some_days(due: Due) -> None:
    reminder = due.reminder()
    due.passes()
    due.tick(reminder)

    due.passes(minutes=(RETENTION_MS + 10_000) / MINUTE_MS)
    due.tick(reminder)

    assert due.chat.stored == ()
    due.tick(reminder)


def test_a_recurring_reminder_has_its_next_occurrence_marked(due: Due) -> None:
    reminder = due.reminder(rule="FREQ=DAILY;COUNT=2")
    due.passes()
    due.tick(reminder)

    after = due.read(reminder)
    assert after.due_ms == (reminder.due_ms or 0) + DAY_MS
    assert len(due.chat.markers) == 2  # the tick clears its own afterwards

    due.passes(minutes=24 * 60)
    due.tick(reminder)
    assert due.said == ["⏰ 薬", "⏰ 薬"]
    assert due.read(reminder).state is ReminderState.DONE


def test_after_an_outage_a_recurring_reminder_is_said_once_with_its_time(due: Due) -> None:
    reminder = due.reminder(rule="FREQ=DAILY")
    due.passes(minutes=3 * 24 * 60 + 30)

    due.tick(reminder)
    due.tick(reminder)

    meant_ms = (reminder.due_ms or 0) + 3 * DAY_MS
    month, day, hour = (int(local_time(meant_ms, ZONE)[start:end]) for start, end in ((5, 7), (8, 10), (11, 13)))
    assert len(due.said) == 1
    assert f"{month}月{day}日" in due.said[0]
    assert f" {hour:02}:" in due.said[0]
    assert due.read(reminder).due_ms == meant_ms + DAY_MS


@pytest.mark.parametrize("fate", ["unknown", "unknown, not sent", "not_sent"])
def test_a_push_of_unknown_fate_is_repeated_under_the_same_key(due: Due, lines: io.StringIO, fate: str) -> None:
    due.line.fates = [fate, *(["not_sent"] * 20)]
    reminder = due.reminder()
    due.passes()

    with pytest.raises(LineUnavailableError):
        due.tick(reminder)
    due.line.fates = []
    due.passes(minutes=1)
    due.tick(reminder)

    assert due.said == ["⏰ 薬"]
    assert due.remembered == ["⏰ 薬"]
    assert due.read(reminder).state is ReminderState.DONE
    (logged,) = (json.loads(line) for line in lines.getvalue().splitlines() if "reminder_pushed" in line)
    assert logged["was_pushed"] == (fate == "unknown")


def test_a_worker_that_dies_after_the_push_leaves_the_rest_to_the_next_tick(due: Due) -> None:
    reminder = due.reminder()
    due.passes()
    due.tick_that_dies_after_the_push(reminder)

    with pytest.raises(TurnBusyError, match="may be pushing"):
        due.tick(reminder)
    due.passes(minutes=1)
    due.tick(reminder)

    assert due.said == ["⏰ 薬"]
    assert due.remembered == ["⏰ 薬"]


@pytest.mark.parametrize("after_effect", [False, True])
@pytest.mark.parametrize("rule", [None, "FREQ=DAILY"])
@pytest.mark.parametrize("fails_in", range(12))
def test_wherever_a_worker_dies_the_occurrence_is_said_once(
    reads: Executor, fails_in: int, rule: str | None, *, after_effect: bool
) -> None:
    store = WatchedStore()
    due = due_in(CHAT, reads, store=store)
    reminder = due.reminder(rule=rule)
    due.passes()
    store.fails_in, store.after_effect = fails_in, after_effect

    for _ in range(3):
        with suppress(StorageUnavailableError, TurnBusyError):
            due.tick(reminder)
        due.passes(minutes=1)

    assert store.has_failed
    assert due.said == due.remembered == ["⏰ 薬"]
    after = due.read(reminder)
    assert (after.due_ms, after.claim) == (None if rule is None else (reminder.due_ms or 0) + DAY_MS, None)
    assert any(one.endswith(reminder.id) for one in due.chat.markers[1:])


def test_a_repeated_push_says_the_words_of_the_first_try(due: Due) -> None:
    due.line.fates = ["unknown, not sent"] * 20
    reminder = due.reminder()
    due.passes()
    with pytest.raises(LineUnavailableError):
        due.tick(reminder)
    due.line.fates = []

    due.passes(minutes=30)
    due.tick(reminder)

    assert due.said == ["⏰ 薬"]


def test_a_push_whose_key_line_has_forgotten_is_kept_for_the_next_answer(due: Due) -> None:
    due.line.fates = ["unknown", *(["not_sent"] * 20)]
    reminder = due.reminder()
    due.passes()
    with pytest.raises(LineUnavailableError):
        due.tick(reminder)
    due.line.fates = []

    due.passes(minutes=KEY_VALID_MS / MINUTE_MS + 10)
    due.tick(reminder)

    assert due.said == ["⏰ 薬"]
    assert due.read(reminder).kept_ms == reminder.due_ms


def test_as_long_as_line_knows_the_key_the_push_is_repeated(due: Due) -> None:
    due.line.fates = ["unknown, not sent"] * 20
    reminder = due.reminder()
    due.passes()
    first_ms = due.clock.now_ms()
    with pytest.raises(LineUnavailableError):
        due.tick(reminder)
    due.line.fates = []

    due.clock.move((first_ms + KEY_VALID_MS - due.clock.now_ms()) / 1_000)
    due.tick(reminder)

    assert due.said == ["⏰ 薬"]


def test_a_push_of_unknown_fate_says_nothing_of_the_next_occurrence(due: Due) -> None:
    due.line.fates = ["unknown, not sent"] * 20
    reminder = due.reminder(rule="FREQ=DAILY")
    due.passes()
    with pytest.raises(LineUnavailableError):
        due.tick(reminder)
    due.line.fates = []

    due.passes(minutes=24 * 60 + 30)
    due.tick(reminder)

    assert ["の予定でした" in one for one in due.said] == [True]


def test_a_push_that_no_tick_repeated_before_the_next_occurrence_is_unknown(due: Due) -> None:
    reminder = due.reminder(rule="FREQ=DAILY")
    due.passes()
    due.tick_that_dies_after_the_push(reminder)

    due.passes(minutes=24 * 60)
    due.tick(reminder)

    kinds = [one.kind for one in due.chat.conversation.journal.read_outcomes()]
    assert sorted(kinds) == [OutcomeKind.REPLIED, OutcomeKind.UNKNOWN]
    assert len(due.said) == 2


def test_what_is_known_of_a_push_stays_when_the_next_occurrence_is_due(due: Due) -> None:
    reminder = due.reminder(rule="FREQ=DAILY")
    due.passes()
    due.store.before("create journal/", lambda: setattr(due.store, "fails", "replace reminders/"))
    with pytest.raises(StorageUnavailableError):
        due.tick(reminder)
    due.store.fails = None

    due.passes(minutes=24 * 60)
    due.tick(reminder)

    kinds = [one.kind for one in due.chat.conversation.journal.read_outcomes()]
    assert kinds == [OutcomeKind.REPLIED] * 2


def test_a_tick_tries_a_push_for_some_seconds_only(due: Due) -> None:
    due.line.fates = ["unknown, not sent"] * 100
    reminder = due.reminder()
    due.passes()
    begun_s = due.clock.monotonic_s()

    with pytest.raises(LineUnavailableError):
        due.tick(reminder)

    assert due.clock.monotonic_s() - begun_s <= SENDING_S


def test_a_claim_counts_until_its_last_millisecond(due: Due) -> None:
    reminder = due.reminder()
    due.passes()
    now_ms = due.clock.now_ms()
    claim = Claim(worker="dead", occurrence_ms=reminder.due_ms or 0, first_ms=now_ms, until_ms=now_ms + 1)
    ReminderStore(due.chat.conversation).update(reminder.id, lambda _: replace(reminder, claim=claim))

    with pytest.raises(TurnBusyError, match="may be pushing"):
        due.tick(reminder)
    due.clock.move(0.001)
    due.tick(reminder)

    assert due.said == ["⏰ 薬"]


def test_a_reminder_that_waits_for_the_next_answer_is_not_tried_again(due: Due) -> None:
    due.line.push_quota_left = 0
    reminder = due.reminder()
    due.passes()
    due.tick(reminder)
    kept, markers = due.read(reminder), due.chat.markers

    due.tick(reminder)

    assert (due.read(reminder), due.chat.markers) == (kept, markers)


@pytest.mark.parametrize(("late_ms", "is_told"), [(LATE_MS, False), (LATE_MS + 1, True)])
def test_what_comes_late_tells_the_time_for_which_it_was_meant(due: Due, late_ms: int, *, is_told: bool) -> None:
    reminder = due.reminder()
    due.clock.move(((reminder.due_ms or 0) + late_ms - due.clock.now_ms()) / 1_000)

    due.tick(reminder)

    assert ["の予定でした" in one for one in due.said] == [is_told]


def test_of_two_ticks_one_pushes(reads: Executor) -> None:
    for _ in range(20):
        due = due_in(CHAT, reads)
        reminder = due.reminder()
        due.passes()
        together = threading.Barrier(2, timeout=30)

        def tick(due: Due = due, reminder: Reminder = reminder, together: threading.Barrier = together) -> None:
            together.wait()
            with suppress(TurnBusyError):
                due.tick(reminder)

        threads = [threading.Thread(target=tick) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

        assert due.line.calls == 1
        assert due.remembered == ["⏰ 薬"]


@pytest.mark.parametrize("chat_id", [CHAT, GROUP])
def test_without_quota_a_reminder_is_kept_for_the_next_answer_and_the_operator_is_told(
    reads: Executor, lines: io.StringIO, chat_id: str
) -> None:
    due = due_in(chat_id, reads)
    due.line.members = {GROUP: 5}
    due.line.push_quota_left = 0 if chat_id == CHAT else 4
    reminder = due.reminder(rule="FREQ=DAILY")
    due.passes()

    due.tick(reminder)

    after = due.read(reminder)
    assert due.line.calls == 0
    assert (after.kept_ms, after.due_ms, after.claim) == (reminder.due_ms, (reminder.due_ms or 0) + DAY_MS, None)
    assert "push_quota_spent" in lines.getvalue()
    assert '"reason": "quota_spent"' in lines.getvalue()


def test_a_chat_that_has_had_its_share_is_told_apart_from_a_spent_quota(reads: Executor, lines: io.StringIO) -> None:
    due = due_in(GROUP, reads)
    due.line.members, due.line.push_quota_left = {GROUP: 5}, 20
    reminder = due.reminder(rule="FREQ=DAILY")
    due.passes()
    due.tick(reminder)
    water = due.reminder("水")
    due.passes()

    due.tick(water)

    assert due.said == ["⏰ 薬"]
    assert '"reason": "share_spent"' in lines.getvalue()
    assert "push_quota_spent" not in lines.getvalue()


@pytest.mark.parametrize("rule", [None, "FREQ=DAILY"])
def test_the_next_turn_looks_for_what_a_tick_kept_and_every_later_tick_tells_so_again(
    due: Due, rule: str | None
) -> None:
    due.line.push_quota_left = 0
    reminder = due.reminder(rule=rule)
    due.passes()
    for _ in range(2):
        due.says_what_is_kept()

        due.tick(reminder)

        assert due.next_turn_looks


def test_no_turn_looks_for_a_reminder_that_waits_or_was_pushed(due: Due) -> None:
    reminder = due.reminder(rule="FREQ=DAILY")
    due.says_what_is_kept()

    due.tick(reminder)
    assert not due.next_turn_looks
    due.passes()
    due.tick(reminder)

    assert due.said == ["⏰ 薬"]
    assert not due.next_turn_looks


def test_no_turn_looks_for_a_kept_reminder_whose_next_time_was_pushed(due: Due) -> None:
    due.line.push_quota_left = 0
    reminder = due.reminder(rule="FREQ=DAILY")
    due.passes()
    due.tick(reminder)
    due.says_what_is_kept()
    due.line.push_quota_left = None

    due.clock.move(((due.read(reminder).due_ms or 0) - due.clock.now_ms()) / 1_000)
    due.tick(reminder)

    assert due.said == ["⏰ 薬"]
    assert not due.next_turn_looks


def test_a_group_costs_as_many_pushes_as_it_has_members(reads: Executor) -> None:
    due = due_in(GROUP, reads)
    due.line.members, due.line.push_quota_left = {GROUP: 5}, 20
    reminder = due.reminder()
    due.passes()

    due.tick(reminder)

    assert due.said == ["⏰ 薬"]
    assert due.line.push_quota_left == 15


def test_a_push_that_comes_again_once_line_tells_the_quota_is_said_once(due: Due) -> None:
    due.line.tells_quota = False
    reminder = due.reminder()
    due.passes()
    due.tick_that_dies_after_the_push(reminder)
    due.line.tells_quota, due.line.push_quota_left = True, 0
    due.passes(minutes=2)

    due.tick(reminder)

    assert due.read(reminder).kept_ms is None
    assert due.line.calls == 2  # the second with the key of the first


def test_where_line_tells_no_quota_its_refusal_counts(due: Due, lines: io.StringIO) -> None:
    due.line.tells_quota, due.line.push_quota_left = False, 0
    reminder = due.reminder()
    due.passes()

    due.tick(reminder)

    assert due.line.calls == 1
    assert due.read(reminder).kept_ms == reminder.due_ms
    assert "push_quota_spent" in lines.getvalue()


def test_a_chat_gets_a_bounded_number_of_pushes_a_day(reads: Executor) -> None:
    due = due_in(CHAT, reads, pushes_per_day=2)
    reminders = [due.reminder(f"word{number}") for number in range(3)]
    due.passes()
    for reminder in reminders:
        due.tick(reminder)
    assert due.said == ["⏰ word0", "⏰ word1"]
    assert [one.text for one in due.chat.stored if one.kept_ms is not None] == ["word2"]

    stored = due.store.read(f"reminders/{CHAT}/pushes.json")
    assert stored is not None
    schemas.validator("records/pushes").validate(json.loads(stored.data))
    assert json.loads(stored.data)["count"] == 2

    due.passes(minutes=24 * 60)
    tomorrow = due.reminder("word3")
    due.passes()
    due.tick(tomorrow)
    assert due.said[2:] == ["⏰ word3"]


def test_a_tick_that_comes_twice_counts_one_push(reads: Executor) -> None:
    due = due_in(CHAT, reads, pushes_per_day=3)
    for number in range(3):
        reminder = due.reminder(f"word{number}")
        due.passes()

        def other(reminder: Reminder = reminder) -> None:
            with suppress(TurnBusyError):
                due.tick(reminder)

        due.store.before(f"replace reminders/{CHAT}/r", other)  # between the read and the claim
        with suppress(TurnBusyError):
            due.tick(reminder)

    assert due.said == ["⏰ word0", "⏰ word1", "⏰ word2"]


def test_a_count_whose_answer_is_lost_counts_once(reads: Executor) -> None:
    due = due_in(CHAT, reads, pushes_per_day=3)
    for number in range(3):
        reminder = due.reminder(f"word{number}")
        due.passes()
        due.store.loses = f"replace reminders/{CHAT}/pushes.json"
        due.tick(reminder)

    assert due.said == ["⏰ word0", "⏰ word1", "⏰ word2"]


def test_a_push_that_is_repeated_after_midnight_is_not_counted_again(reads: Executor) -> None:
    due = due_in(CHAT, reads, pushes_per_day=1)
    due.passes(minutes=10 * 60)  # 23:40 in Tokyo
    reminder = due.reminder()
    due.passes(minutes=11)
    due.line.fates = ["unknown"] * 99
    with suppress(LineUnavailableError):
        due.tick(reminder)
    due.passes(minutes=20)
    due.line.fates = []

    due.tick(reminder)

    assert due.said == ["⏰ 薬"]
    stored = due.store.read(f"reminders/{CHAT}/pushes.json")
    assert stored is not None
    assert json.loads(stored.data)["count"] == 1


def test_a_day_of_pushes_that_is_over_does_not_begin_again(reads: Executor) -> None:
    due = due_in(CHAT, reads, pushes_per_day=1)
    due.passes(minutes=10 * 60 + 25)  # past midnight in Tokyo
    due.store.create(f"reminders/{CHAT}/pushes.json", b'{"version":1,"day":"2025-11-23","count":1}')
    reminder = due.reminder()
    due.passes()

    due.tick(reminder)

    assert due.said == []


def test_a_group_leaves_others_their_part_of_the_quota(reads: Executor) -> None:
    due = due_in(GROUP, reads)
    due.line.push_quota_left, due.line.members[GROUP] = 500, 50
    reminders = [due.reminder(f"spam{number}") for number in range(20)]
    due.passes()

    for reminder in reminders:
        due.tick(reminder)

    assert len(due.said) == 2
    assert due.line.push_quota_left == 400
    assert sum(one.kept_ms is not None for one in due.chat.stored) == 18


def test_a_refused_push_is_kept(due: Due) -> None:
    due.line.fates = ["refused"]
    reminder = due.reminder()
    due.passes()

    due.tick(reminder)

    assert due.read(reminder).kept_ms == reminder.due_ms
    assert due.remembered == []


def test_a_deployment_that_only_replies_pushes_nothing(reads: Executor) -> None:
    due = due_in(CHAT, reads, reminding=Reminding.REPLY)
    reminder = due.reminder()
    due.passes()

    due.tick(reminder)

    assert due.line.calls == 0
    assert due.read(reminder).kept_ms == reminder.due_ms


def test_a_deployment_without_reminders_lets_them_pass(reads: Executor) -> None:
    due = due_in(CHAT, reads, reminding=Reminding.OFF)
    once, daily = due.reminder(), due.reminder(rule="FREQ=DAILY")
    due.passes()

    due.tick(once)
    due.tick(daily)

    assert due.line.calls == 0
    assert due.read(once).state is ReminderState.DONE
    assert due.read(daily).due_ms == (daily.due_ms or 0) + DAY_MS


@pytest.mark.parametrize("step", ["read reminders/", "replace reminders/"])
def test_a_reminder_that_is_cancelled_beside_a_tick_is_not_pushed(due: Due, step: str) -> None:
    reminder = due.reminder()
    due.passes()
    due.store.before(
        step, lambda: due.chat.turn(lambda overlay: overlay.cancel(reminder.id)), times=2 if "read" in step else 1
    )

    with pytest.raises(TurnBusyError):
        due.tick(reminder)
    due.passes(minutes=1)
    due.tick(reminder)

    assert due.said == []
    assert due.read(reminder).state is ReminderState.CANCELLED


@pytest.mark.parametrize("removes", [True, False])
def test_a_reminder_whose_message_is_withdrawn_beside_a_tick_is_not_pushed(due: Due, *, removes: bool) -> None:
    reminder = due.reminder()
    due.passes()

    def withdraw() -> None:
        due.chat.conversation.amendments.amend(Amendment(line_message_id="m1", timestamp_ms=9_000))
        if removes:
            ReminderWords().remove_withdrawn(due.chat.conversation, Amendments(withdrawn=frozenset({"m1"})))

    due.store.before("list amended/", withdraw)

    with pytest.raises(TurnBusyError):
        due.tick(reminder)
    due.tick(reminder)

    assert due.said == []
    assert due.chat.stored == ()


def test_what_was_pushed_is_forgotten_with_its_message(due: Due) -> None:
    reminder = due.reminder()
    due.passes()
    due.store.before(
        "create journal/",
        lambda: due.chat.conversation.amendments.amend(Amendment(line_message_id="m1", timestamp_ms=9_000)),
    )

    due.tick(reminder)

    assert due.said == ["⏰ 薬"]
    assert due.remembered == [None]


def test_a_claim_whose_write_was_reported_as_lost_still_pushes(due: Due) -> None:
    reminder = due.reminder()
    due.passes()
    due.store.loses = "replace reminders/"

    due.tick(reminder)

    assert due.said == ["⏰ 薬"]


def test_a_worker_that_sleeps_after_its_claim_pushes_nothing(due: Due) -> None:
    reminder = due.reminder()
    due.passes()
    due.store.before("list amended/", lambda: due.clock.move(20))

    with pytest.raises(TurnBusyError):
        due.tick(reminder)

    assert due.line.calls == 0


class SilentWording(ReminderWording):
    """Has nothing to say."""

    def words(self, conversation: Conversation, occurrence: Occurrence) -> OccurrenceWords | None:  # noqa: ARG002 - the port's signature
        return None


def test_an_occurrence_with_nothing_to_say_passes_in_silence(due: Due) -> None:
    reminder = due.reminder(rule="FREQ=DAILY")
    due.deliver = replace(due.deliver, wording=SilentWording(locale="ja", phrases=NamedPhrases()))
    due.passes()

    due.tick(reminder)

    after = due.read(reminder)
    assert (due.line.calls, due.remembered) == (0, [])
    assert (after.due_ms, after.kept_ms, after.claim) == ((reminder.due_ms or 0) + DAY_MS, None, None)


def test_a_text_that_changes_beside_the_push_stays_changed(due: Due) -> None:
    reminder = due.reminder(rule="FREQ=DAILY")
    due.passes()
    due.store.before("create journal/", lambda: due.chat.turn(lambda overlay: overlay.change(reminder.id, text="水")))

    due.tick(reminder)

    after = due.read(reminder)
    assert (after.text, after.claim, after.due_ms) == ("水", None, (reminder.due_ms or 0) + DAY_MS)
    assert due.chat.markers[-1].startswith("20251122")


def said_by(mark: str, line_message_id: str) -> Provenance:
    return Provenance.of_sources([Source(line_message_id=line_message_id, timestamp_ms=1_000, by=mark)])


def dies_after_its_push(due: Due, reminder: Reminder) -> None:
    """The worker of a tick pushes the reminder, and dies before it records that."""
    due.store.fails = "create journal/"
    with pytest.raises(StorageUnavailableError):
        due.tick(reminder)
    due.store.fails = None


def test_a_push_of_a_dead_worker_is_remembered_in_its_words_although_the_text_was_changed_since(due: Due) -> None:
    reminder = due.reminder()
    due.passes()
    dies_after_its_push(due, reminder)

    due.chat.turn(lambda overlay: overlay.change(reminder.id, text="水", provenance=said_by("", "m2")))
    due.passes(minutes=1)
    due.tick(reminder)

    assert (due.said, due.remembered) == (["⏰ 薬"], ["⏰ 薬"])
    assert due.read(reminder).state is ReminderState.DONE


@pytest.mark.parametrize("step", ["before the change", "beside the change"])
def test_of_what_another_member_has_reworded_no_older_text_stays_or_comes_back(due: Due, step: str) -> None:
    reminder = due.reminder()
    ReminderStore(due.chat.conversation).update(reminder.id, lambda _: replace(reminder, provenance=said_by(ANN, "m1")))
    due.passes()
    overlay = due.chat.begin()
    if step == "beside the change":
        overlay.change(reminder.id, text="水", provenance=said_by(BEN, "m2"))
    dies_after_its_push(due, reminder)
    if step == "before the change":
        overlay.change(reminder.id, text="水", provenance=said_by(BEN, "m2"))
    due.chat.commit(overlay)

    withdrawn = Amendments(withdrawn=frozenset({"m1"}))
    ReminderWords().remove_withdrawn(due.chat.conversation, withdrawn)
    assert "薬" not in encode(due.read(reminder)).decode()
    due.passes(minutes=1)
    due.tick(reminder)

    assert (due.said, due.remembered) == (["⏰ 薬"], [None])
    assert due.read(reminder).state is ReminderState.DONE


def test_a_reminder_that_another_member_rewords_beside_its_push_is_remembered_as_pushed(due: Due) -> None:
    reminder = due.reminder()
    ReminderStore(due.chat.conversation).update(reminder.id, lambda _: replace(reminder, provenance=said_by(ANN, "m1")))
    due.passes()

    def rewords() -> None:
        due.chat.turn(lambda overlay: overlay.change(reminder.id, text="水", provenance=said_by(BEN, "m2")))

    due.store.before("create journal/", rewords)
    due.tick(reminder)

    assert (due.said, due.remembered) == (["⏰ 薬"], ["⏰ 薬"])
    assert due.read(reminder).state is ReminderState.DONE


def test_a_push_that_an_earlier_release_claimed_is_remembered_by_the_text_of_the_reminder(due: Due) -> None:
    reminder = due.reminder()
    due.passes()
    dies_after_its_push(due, reminder)
    claim = due.read(reminder).claim
    assert claim is not None
    without_text = replace(due.read(reminder), claim=replace(claim, text=""))
    ReminderStore(due.chat.conversation).update(reminder.id, lambda _: without_text)

    due.passes(minutes=1)
    due.tick(reminder)

    assert (due.said, due.remembered) == (["⏰ 薬"], ["⏰ 薬"])


def test_a_claim_on_the_next_occurrence_has_the_text_of_that_time(due: Due) -> None:
    reminder = due.reminder(rule="FREQ=DAILY")
    due.passes()
    dies_after_its_push(due, reminder)
    due.chat.turn(lambda overlay: overlay.change(reminder.id, text="水"))

    due.passes(minutes=24 * 60)
    due.store.before("create journal/", lambda: setattr(due.store, "fails", "create journal/"))
    with pytest.raises(StorageUnavailableError):
        due.tick(reminder)

    claim = due.read(reminder).claim
    assert claim is not None
    assert claim.text == "水"


def test_a_text_that_was_changed_after_a_try_that_never_arrived_is_said(due: Due) -> None:
    reminder = due.reminder()
    due.passes()
    due.store.before("read reminders/", lambda: due.clock.move(20), times=2)
    with pytest.raises(TurnBusyError, match="ended before the push"):
        due.tick(reminder)

    due.chat.turn(lambda overlay: overlay.change(reminder.id, text="水"))
    due.passes(minutes=1)
    due.tick(reminder)

    assert (due.said, due.remembered) == (["⏰ 水"], ["⏰ 水"])


def test_a_text_that_is_changed_beside_a_claim_leaves_the_claim(due: Due) -> None:
    reminder = due.reminder()
    due.passes()
    overlay = due.chat.begin()
    overlay.change(reminder.id, text="水", provenance=said_by("", "m2"))
    due.store.fails = "create journal/"
    with pytest.raises(StorageUnavailableError):
        due.tick(reminder)
    due.store.fails = None

    due.chat.commit(overlay)

    claim = due.read(reminder).claim
    assert claim is not None
    assert (due.read(reminder).text, claim.occurrence_ms, claim.text) == ("水", reminder.due_ms, "薬")
    with pytest.raises(TurnBusyError, match="another worker"):
        due.tick(reminder)


def test_a_time_that_changes_beside_the_push_stays_changed(due: Due) -> None:
    reminder, at = due.reminder(rule="FREQ=DAILY"), "2025-12-24T18:00"
    due.passes()
    due.store.before("create journal/", lambda: due.chat.turn(lambda overlay: overlay.change(reminder.id, at=at)))

    due.tick(reminder)

    after = due.read(reminder)
    assert (local_time(after.due_ms or 0, ZONE), after.claim) == (at, None)
    assert [one for one in due.chat.markers if one.startswith("20251224T0900")]


def test_a_reminder_that_is_cancelled_beside_its_push_stays_cancelled(due: Due) -> None:
    reminder = due.reminder(rule="FREQ=DAILY")
    due.passes()
    due.store.before("create journal/", lambda: due.chat.turn(lambda overlay: overlay.cancel(reminder.id)))

    due.tick(reminder)

    assert due.read(reminder).state is ReminderState.CANCELLED


def test_a_reminder_that_is_withdrawn_beside_its_push_stays_away(due: Due) -> None:
    reminder = due.reminder(rule="FREQ=DAILY")
    due.passes()
    due.store.before("create journal/", lambda: forget(due.chat.conversation, reminder))

    due.tick(reminder)

    assert due.chat.stored == ()


def test_what_another_worker_claims_meanwhile_is_not_kept(due: Due) -> None:
    due.line.push_quota_left = 0
    reminder = due.reminder()
    due.passes()
    claim = Claim(worker="other", occurrence_ms=reminder.due_ms or 0, first_ms=1, until_ms=2)
    store = ReminderStore(due.chat.conversation)
    due.store.before(
        "read reminders/",
        lambda: store.update(reminder.id, lambda stored: replace(stored or reminder, claim=claim)),
        times=2,
    )

    due.tick(reminder)

    assert (due.read(reminder).claim, due.read(reminder).kept_ms) == (claim, None)


def test_after_a_refusal_for_the_quota_no_other_push_is_tried(due: Due) -> None:
    reminders = [due.reminder(f"word{number}") for number in range(3)]
    due.line.push_quota_left = 9
    due.passes()
    due.tick(reminders[0])
    due.line.push_quota_left = 0  # other instances have spent the rest

    due.tick(reminders[1])
    due.tick(reminders[2])

    assert due.line.calls == 2
    assert [one.kept_ms is None for one in map(due.read, reminders)] == [True, False, False]
