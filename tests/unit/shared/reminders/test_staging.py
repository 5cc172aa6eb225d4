"""What a turn reads and stages of a chat's reminders, and how that is applied after the commit."""

import io
import json
from concurrent.futures import Executor
from dataclasses import replace

import pytest

from shared.adapters.memory import FixedClock, MemoryObjectStore
from shared.agent.overlay import CHANGES_LIMIT, StagingFault
from shared.agent.receipts import DeedKind
from shared.clock import SKEW_MS
from shared.conversation.amendments import Amendments
from shared.conversation.provenance import Provenance, Source
from shared.conversation.records import OutcomeRecord
from shared.errors import StorageUnavailableError
from shared.features.stored_features import writer_of
from shared.reminders.reminder import Claim, Reminder, ReminderState
from shared.reminders.schedule import local_time
from shared.reminders.staging import ReminderOverlay
from shared.reminders.store import ReminderStore
from shared.storage.codec import decode, encode
from tests.support import schemas
from tests.support.chats import conversations_on, everything_in
from tests.support.reminders import ASKED, ZONE, InterruptedStore, ReminderChat, forget

CHAT = "U" + "1" * 32


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock()


@pytest.fixture
def chat(store: MemoryObjectStore, reads: Executor, clock: FixedClock) -> ReminderChat:
    return ReminderChat(conversations_on(store, reads, clock).of(CHAT))


def in_days(chat: ReminderChat, days: int, hour: str = "09:00") -> str:
    now_ms = chat.conversation.turn.clock.now_ms()
    return f"{local_time(now_ms + days * 86_400_000, ZONE)[:10]}T{hour}"


def create(overlay: ReminderOverlay, at: str, text: str = "drink water") -> Reminder:
    return overlay.create(text=text, at=at, provenance=Provenance.of_sources((ASKED,)), user_id=None)


def staged_on(store: MemoryObjectStore, reads: Executor, clock: FixedClock) -> tuple[ReminderChat, OutcomeRecord]:
    """Return a chat in this bucket, and an outcome that makes a reminder in it."""
    chat = ReminderChat(conversations_on(store, reads, clock).of(CHAT))
    overlay = chat.begin()
    create(overlay, in_days(chat, 1))
    return chat, chat.outcome(overlay)


def test_a_reminder_is_stored_with_its_marker(chat: ReminderChat) -> None:
    at = in_days(chat, 1)

    made = chat.remind("drink  water\n", at=at, rule="FREQ=DAILY")

    assert (made.text, made.start, made.rule, made.provenance.sources) == ("drink water", at, "FREQ=DAILY", (ASKED,))
    assert made.due_ms is not None
    assert local_time(made.due_ms, ZONE) == at
    assert chat.markers == [f"{local_time(made.due_ms, 'UTC').replace('-', '').replace(':', '')} {made.id}"]
    schemas.validator("records/reminder").validate(json.loads(encode(made)))
    claimed = replace(made, claim=Claim(worker="w", occurrence_ms=1, first_ms=1, until_ms=2))
    schemas.validator("records/reminder").validate(json.loads(encode(claimed)))
    assert decode(Reminder, encode(claimed)) == claimed


def test_nothing_is_stored_before_the_commit(chat: ReminderChat, store: MemoryObjectStore) -> None:
    overlay = chat.begin()

    create(overlay, in_days(chat, 1))

    assert not store.list("")
    assert overlay.provenance.ids == {"m1"}
    assert [one.text for one in overlay.list()] == ["drink water"]


def test_a_turn_reads_its_own_writes(chat: ReminderChat) -> None:
    first, second = chat.remind(at=in_days(chat, 2)), chat.remind("sleep", at=in_days(chat, 1))
    overlay = chat.begin()

    overlay.change(first.id, text="drink tea")
    overlay.cancel(second.id)
    create(overlay, in_days(chat, 1), "wake up")

    assert [one.text for one in overlay.list()] == ["wake up", "drink tea"]
    with pytest.raises(StagingFault, match="no open reminder") as caught:
        overlay.cancel(second.id)
    assert caught.value.may_retry


def test_what_waits_for_an_answer_stands_before_what_comes_earlier(chat: ReminderChat) -> None:
    early, late = chat.remind("early", at=in_days(chat, 1)), chat.remind("late", at=in_days(chat, 2), rule="FREQ=DAILY")
    ReminderStore(chat.conversation).update(late.id, lambda _: replace(late, kept_ms=(early.due_ms or 0) - 1))

    assert [one.text for one in chat.begin().list()] == ["late", "early"]


def test_what_a_turn_created_and_cancelled_is_neither_written_nor_told(chat: ReminderChat) -> None:
    overlay = chat.begin()
    overlay.cancel(create(overlay, in_days(chat, 1)).id)

    assert overlay.deeds == ()
    assert chat.outcome(overlay).writes == ()


def test_a_turn_names_the_messages_behind_each_reminder_that_the_model_was_shown(chat: ReminderChat) -> None:
    for number in (1, 2):
        source = Source(line_message_id=f"m{number}", timestamp_ms=number)
        chat.remind(f"word{number}", at=in_days(chat, number), source=source)
    first, second = chat.stored if chat.stored[0].text == "word1" else reversed(chat.stored)
    overlay = chat.begin()
    assert (overlay.shown, overlay.provenance.ids) == ((), frozenset())

    overlay.show(first.id)
    assert (overlay.shown, overlay.provenance.ids) == ((first,), frozenset({"m1"}))
    overlay.list()
    assert (overlay.shown, overlay.provenance.ids) == ((first, second), frozenset({"m1", "m2"}))


def test_a_turn_that_changes_no_reminder_reads_none(reads: Executor, clock: FixedClock) -> None:
    store = InterruptedStore()
    chat = ReminderChat(conversations_on(store, reads, clock).of(CHAT))
    store.fails = "list reminders/"

    overlay = chat.begin()

    assert (overlay.shown, overlay.deeds, overlay.changes(first_number=0)) == ((), (), ())


def test_deeds_tell_what_the_writes_do_and_what_each_time_costs(chat: ReminderChat) -> None:
    first, second, third = (chat.remind(f"word{number}", at=in_days(chat, number)) for number in (1, 2, 3))
    overlay = chat.begin()
    overlay.messages_each_time = 5

    overlay.change(first.id, text="changed")
    overlay.change(second.id, text=second.text)
    overlay.cancel(third.id)
    create(overlay, in_days(chat, 4), "new")

    assert [(one.kind, one.name, one.due and one.due.messages) for one in overlay.deeds] == [
        (DeedKind.REMINDER_CHANGED, "changed", 5),
        (DeedKind.REMINDER_CANCELLED, "word3", 1),
        (DeedKind.REMINDER_SET, "new", 5),
    ]


def test_applying_again_changes_nothing(chat: ReminderChat, store: MemoryObjectStore) -> None:
    overlay = chat.begin()
    create(overlay, in_days(chat, 1))
    outcome = chat.commit(overlay)
    before = {one.name: store.read(one.name) for one in store.list("")}

    assert chat.apply(outcome)

    after = {one.name: store.read(one.name) for one in store.list("")}
    assert {name: after[name] for name in before if not name.startswith("turns/")} == {
        name: one for name, one in before.items() if not name.startswith("turns/")
    }


def test_a_takeover_makes_the_marker_that_a_dead_worker_did_not(chat: ReminderChat, store: MemoryObjectStore) -> None:
    overlay = chat.begin()
    create(overlay, in_days(chat, 1))
    outcome = chat.commit(overlay)
    store.delete(next(one.name for one in store.list("due/")))

    chat.apply(outcome)

    assert len(chat.markers) == 1


def test_a_worker_that_dies_before_the_marker_leaves_no_reminder_as_its_turn_may_be_taken_back(
    reads: Executor, clock: FixedClock
) -> None:
    store = InterruptedStore()
    chat, outcome = staged_on(store, reads, clock)
    store.fails = "create due/"

    with pytest.raises(StorageUnavailableError):
        chat.apply(outcome)

    assert not chat.stored


def test_a_marker_that_a_tick_cleared_before_the_record_was_written_is_made_again(
    reads: Executor, clock: FixedClock
) -> None:
    store = InterruptedStore()
    clock.move(50 - clock.now_ms() / 1_000 % 60)  # ten seconds before a whole minute
    chat = ReminderChat(conversations_on(store, reads, clock).of(CHAT))
    overlay = chat.begin()
    create(overlay, local_time(clock.now_ms() + 10_000, ZONE)[:16])
    outcome = chat.outcome(overlay)

    def clear() -> None:
        clock.move(10)
        for marker in store.list("due/"):
            store.delete(marker.name)

    store.before("replace reminders/", clear)

    assert chat.apply(outcome)

    assert len(chat.markers) == 1


def test_a_marker_that_no_tick_can_have_cleared_is_made_once(reads: Executor, clock: FixedClock) -> None:
    store = InterruptedStore()
    chat, outcome = staged_on(store, reads, clock)
    store.before("replace reminders/", lambda: setattr(store, "fails", "create due/"))

    assert chat.apply(outcome)

    assert len(chat.markers) == 1


def test_a_reminder_that_was_said_is_not_made_again(chat: ReminderChat) -> None:
    overlay = chat.begin()
    reminder_id = create(overlay, in_days(chat, 1)).id
    outcome = chat.commit(overlay)
    ReminderStore(chat.conversation).update(
        reminder_id, lambda stored: stored.ended(ReminderState.DONE, now_ms=9) if stored is not None else None
    )

    chat.apply(outcome)

    assert chat.read(reminder_id).state is ReminderState.DONE


def test_a_change_marks_the_new_time_and_leaves_the_earlier_marker_to_a_tick(chat: ReminderChat) -> None:
    made = chat.remind(at=in_days(chat, 1))
    before = chat.markers

    changed = chat.turn(lambda overlay: overlay.change(made.id, at=in_days(chat, 3, "10:30")))

    assert changed.due_ms is not None
    assert local_time(changed.due_ms, ZONE) == in_days(chat, 3, "10:30")
    assert len(chat.markers) == 2
    assert chat.markers[:1] == before


def test_a_change_and_its_reversal_leave_the_marker_of_the_first_time(chat: ReminderChat) -> None:
    made = chat.remind(at=in_days(chat, 1))
    before = chat.markers
    chat.turn(lambda overlay: overlay.change(made.id, at=in_days(chat, 3)))

    chat.turn(lambda overlay: overlay.change(made.id, at=in_days(chat, 1)))

    assert before[0] in chat.markers


def test_a_change_of_the_text_keeps_what_ticks_have_done_since(chat: ReminderChat) -> None:
    made = chat.remind(at=in_days(chat, 1), rule="FREQ=DAILY")
    overlay = chat.begin()
    overlay.change(
        made.id, text="drink tea", provenance=Provenance.of_sources((Source(line_message_id="m2", timestamp_ms=2_000),))
    )
    later_ms = (made.due_ms or 0) + 86_400_000
    ReminderStore(chat.conversation).update(made.id, lambda stored: replace(stored or made, due_ms=later_ms, kept_ms=7))

    chat.commit(overlay)

    after = chat.read(made.id)
    assert (after.text, after.due_ms, after.kept_ms, after.provenance.message_ids) == (
        "drink tea",
        later_ms,
        7,
        frozenset({"m1", "m2"}),
    )


def test_a_rule_alone_can_be_changed_and_taken_away(chat: ReminderChat) -> None:
    made = chat.remind(at=in_days(chat, 1), rule="FREQ=DAILY")

    weekly = chat.turn(lambda overlay: overlay.change(made.id, rule="FREQ=WEEKLY"))
    once = chat.turn(lambda overlay: overlay.change(made.id, rule=""))

    assert (weekly.rule, weekly.due_ms) == ("FREQ=WEEKLY", made.due_ms)
    assert (once.rule, once.due_ms) == (None, made.due_ms)


def test_another_time_keeps_the_rule(chat: ReminderChat) -> None:
    made = chat.remind(at=in_days(chat, 1), rule="FREQ=DAILY")

    changed = chat.turn(lambda overlay: overlay.change(made.id, at=in_days(chat, 2, "10:30")))

    assert (changed.start, changed.rule) == (in_days(chat, 2, "10:30"), "FREQ=DAILY")


def test_a_rule_with_a_single_hour_moves_with_another_time(chat: ReminderChat) -> None:
    made = chat.remind(at=in_days(chat, 1), rule="FREQ=DAILY;BYHOUR=10")
    assert (made.start, made.rule) == (in_days(chat, 1, "10:00"), "FREQ=DAILY")

    changed = chat.begin().change(made.id, at=in_days(chat, 1, "11:00"))

    assert (changed.start, changed.rule) == (in_days(chat, 1, "11:00"), "FREQ=DAILY")


@pytest.mark.parametrize(("said", "left"), [(0, 5), (3, 2), (4, 1)])
def test_another_time_begins_no_count_anew(chat: ReminderChat, clock: FixedClock, said: int, left: int) -> None:
    made = chat.remind(at=in_days(chat, 1), rule="FREQ=DAILY;COUNT=5")
    due_ms = (made.due_ms or 0) + said * 86_400_000
    ReminderStore(chat.conversation).update(made.id, lambda _: replace(made, due_ms=due_ms))
    clock.move(said * 86_400)

    changed = chat.turn(lambda overlay: overlay.change(made.id, at=in_days(chat, 1, "10:30")))

    assert changed.rule == f"FREQ=DAILY;COUNT={left}"


def test_a_kept_last_occurrence_is_put_off_once(chat: ReminderChat) -> None:
    made = chat.remind(at=in_days(chat, 1), rule="FREQ=DAILY;COUNT=5")
    ReminderStore(chat.conversation).update(made.id, lambda _: replace(made, due_ms=None, kept_ms=7))

    changed = chat.turn(lambda overlay: overlay.change(made.id, at=in_days(chat, 1, "10:30")))

    assert changed.rule == "FREQ=DAILY;COUNT=1"


def test_another_rule_begins_with_the_next_time(chat: ReminderChat, clock: FixedClock) -> None:
    made = chat.remind(at=in_days(chat, 1), rule="FREQ=DAILY")
    later_ms = (made.due_ms or 0) + 3 * 86_400_000
    ReminderStore(chat.conversation).update(made.id, lambda _: replace(made, due_ms=later_ms))
    clock.move(3 * 86_400)

    changed = chat.turn(lambda overlay: overlay.change(made.id, rule="FREQ=WEEKLY"))

    assert changed.due_ms == later_ms


def test_a_rule_alone_is_no_new_time_for_what_waits_for_an_answer(chat: ReminderChat, clock: FixedClock) -> None:
    made = chat.remind(at=in_days(chat, 1))
    ReminderStore(chat.conversation).update(made.id, lambda _: replace(made, due_ms=None, kept_ms=made.due_ms))
    clock.move(2 * 86_400)

    with pytest.raises(StagingFault, match="has passed"):
        chat.begin().change(made.id, rule="FREQ=DAILY")


def test_a_cancelled_reminder_keeps_no_words_and_no_time(chat: ReminderChat, store: MemoryObjectStore) -> None:
    made = chat.remind("4711", at=in_days(chat, 1))

    cancelled = chat.turn(lambda overlay: overlay.cancel(made.id))

    assert (cancelled.state, cancelled.due_ms, cancelled.is_open) == (ReminderState.CANCELLED, None, False)
    assert "4711" not in encode(cancelled).decode()
    assert [
        marker.startswith(f"{local_time(made.due_ms or 0, 'UTC')[:10].replace('-', '')}T") for marker in chat.markers
    ] == [True, False]  # the first leads to nothing, the second to the removal of what is left
    assert "4711" in everything_in(store)  # in the undo record, until the next change
    chat.remind("0815", at=in_days(chat, 1))
    assert "4711" not in everything_in(store)


def test_a_reminder_that_was_said_before_its_cancellation_stays_said(chat: ReminderChat) -> None:
    made = chat.remind(at=in_days(chat, 1))
    overlay = chat.begin()
    overlay.cancel(made.id)
    ReminderStore(chat.conversation).update(made.id, lambda _: made.ended(ReminderState.DONE, now_ms=9))

    chat.commit(overlay)

    assert (chat.read(made.id).state, chat.read(made.id).ended_ms) == (ReminderState.DONE, 9)


def test_an_older_turn_that_comes_late_changes_nothing(chat: ReminderChat) -> None:
    made = chat.remind(at=in_days(chat, 1))
    older, newer = chat.begin(), chat.begin()
    older.change(made.id, text="older")
    late = replace(chat.outcome(older), sequence=2)
    newer.change(made.id, text="newer")
    chat.commit(newer)

    chat.apply(late)

    assert chat.read(made.id).text == "newer"


def test_a_change_does_not_bring_a_withdrawn_reminder_back(chat: ReminderChat) -> None:
    made = chat.remind(at=in_days(chat, 1))
    overlay = chat.begin()
    overlay.change(made.id, text="still here")
    ReminderStore(chat.conversation).remove(ReminderStore(chat.conversation).list_objects()[0].name, lambda _: True)

    chat.commit(overlay)

    assert chat.stored == ()
    assert chat.markers == []


def test_a_holder_whose_lease_is_over_writes_nothing(chat: ReminderChat, clock: FixedClock) -> None:
    overlay = chat.begin()
    create(overlay, in_days(chat, 1))
    outcome, lease = chat.outcome(overlay), chat.lease()
    clock.move(60)

    assert not writer_of().apply(chat.conversation, outcome, lease)
    assert chat.stored == ()


def test_a_chat_has_at_most_a_hundred_open_reminders(chat: ReminderChat) -> None:
    for _ in range(5):
        overlay = chat.begin()
        for _ in range(CHANGES_LIMIT):
            create(overlay, in_days(chat, 1))
        chat.commit(overlay)
    overlay = chat.begin()

    with pytest.raises(StagingFault, match="100 open reminders"):
        create(overlay, in_days(chat, 1))
    overlay.cancel(overlay.list()[0].id)
    create(overlay, in_days(chat, 1))


def test_a_turn_changes_a_bounded_number_of_reminders(chat: ReminderChat) -> None:
    there = chat.remind(at=in_days(chat, 1))
    overlay = chat.begin()
    made = [create(overlay, in_days(chat, 1)) for _ in range(CHANGES_LIMIT)]

    overlay.change(made[0].id, text="again")
    with pytest.raises(StagingFault, match="at most 20"):
        create(overlay, in_days(chat, 1))
    with pytest.raises(StagingFault, match="at most 20"):
        overlay.change(there.id, text="again")
    with pytest.raises(StagingFault, match="at most 20"):
        overlay.cancel(there.id)


@pytest.mark.parametrize(
    ("text", "at", "rule", "fault"),
    [
        ("", "2099-01-01T09:00", None, "empty"),
        ("x" * 301, "2099-01-01T09:00", None, "longer than 300"),
        ("x", "2001-01-01T09:00", None, "has passed"),
        ("x", "2027-01-01T09:00", "FREQ=MINUTELY", "FREQ must be"),
    ],
)
def test_what_cannot_be_said_is_a_fault_for_the_model(
    chat: ReminderChat, text: str, at: str, rule: str | None, fault: str
) -> None:
    with pytest.raises(StagingFault, match=fault) as caught:
        chat.begin().create(text=text, at=at, rule=rule, provenance=Provenance.of_sources((ASKED,)), user_id=None)
    assert caught.value.may_retry


def test_a_reminder_of_a_withdrawn_message_does_not_exist_for_a_turn(chat: ReminderChat) -> None:
    chat.remind(at=in_days(chat, 1))

    assert chat.begin(Amendments(withdrawn=frozenset({"m1"}))).list() == ()
    assert chat.begin(Amendments(erased_entries_ms=1_000)).list() == ()
    assert len(chat.begin(Amendments(erased_entries_ms=999)).list()) == 1


def test_no_turn_stages_after_its_commit(chat: ReminderChat) -> None:
    there = chat.remind("x" * 300, at=in_days(chat, 1))
    overlay = chat.begin()
    chat.outcome(overlay)

    with pytest.raises(StagingFault, match="turn is over"):
        create(overlay, in_days(chat, 1))
    with pytest.raises(StagingFault, match="turn is over"):
        overlay.cancel(there.id)


def test_a_change_keeps_what_was_noted_meanwhile(chat: ReminderChat) -> None:
    """A press, and that the chat was told of its spent budget."""
    made = chat.remind(at=in_days(chat, 1))
    overlay = chat.begin()
    overlay.change(made.id, at=in_days(chat, 2))

    def noted(there: Reminder | None) -> Reminder | None:
        if there is None:
            return None
        return replace(there, pressed_ms=7, pressed_by="e7", limit_told_on="2025-11-21")

    ReminderStore(chat.conversation).update(made.id, noted)

    chat.commit(overlay)

    changed = chat.read(made.id)
    assert (changed.pressed_ms, changed.pressed_by, changed.limit_told_on) == (7, "e7", "2025-11-21")
    assert changed.start == in_days(chat, 2)


def test_a_marker_lies_ahead_also_of_what_is_due_already(chat: ReminderChat, clock: FixedClock) -> None:
    made = chat.remind(at=in_days(chat, 1))
    store, (before,) = ReminderStore(chat.conversation), chat.markers
    clock.move(2 * 86_400)

    store.make_marker(made)

    ahead = local_time(clock.now_ms() + SKEW_MS, "UTC").replace("-", "").replace(":", "")
    (after,) = (one for one in chat.markers if one != before)
    assert after.split()[0] > ahead


def test_a_reminder_that_is_forgotten_takes_its_marker_with_it(chat: ReminderChat) -> None:
    made = chat.remind(at=in_days(chat, 1))

    forget(chat.conversation, made)

    assert (chat.stored, chat.markers) == ((), [])


def test_the_log_tells_how_many_reminders_a_turn_wrote(chat: ReminderChat, lines: io.StringIO) -> None:
    overlay = chat.begin()
    for _ in range(2):
        create(overlay, in_days(chat, 1))
    chat.commit(overlay)
    chat.commit(chat.begin())

    logged = [json.loads(one) for one in lines.getvalue().splitlines()]
    assert [one["writes"] for one in logged if one["message"] == "reminders_written"] == [2]
