"""What an answer takes along of the reminders that could not be pushed."""

from concurrent.futures import Executor
from dataclasses import replace
from typing import Any

import pytest

from shared.adapters.memory import FixedClock, MemoryObjectStore
from shared.conversation.amendments import Amendments
from shared.conversation.history import History
from shared.conversation.provenance import Source
from shared.conversation.records import (
    Offer,
    OfferedTranslation,
    OutcomeKind,
    OutcomeRecord,
    ProposedCall,
    SaidReminder,
)
from shared.conversation.silences import SilenceChange
from shared.line.bubbles import DIGEST
from shared.reminders.postponed import PostponedReminders
from shared.reminders.reminder import Reminder, ReminderKind
from shared.reminders.store import ReminderStore
from shared.reminders.wording import ReminderWording
from shared.turns.lease import open_turn
from tests.support.chats import conversations_on, made_of, made_with
from tests.support.phrases import NamedPhrases
from tests.support.reminders import InterruptedStore, ReminderChat

CHAT = "U" + "1" * 32
KEPT_MS = 1_763_683_200_000  # 2025-11-21T09:00 in Tokyo
ANSWER = OutcomeRecord(
    webhook_event_id="e9",
    timestamp_ms=9_000,
    kind=OutcomeKind.REPLIED,
    text="はい",
    provenance=made_of("m5", since_ms=5_000, until_ms=9_000),
)


@pytest.fixture
def chat(store: MemoryObjectStore, reads: Executor, clock: FixedClock) -> ReminderChat:
    return ReminderChat(conversations_on(store, reads, clock).of(CHAT))


def kept(chat: ReminderChat, text: str = "薬", *, asked_ms: int = 1_000, **changes: Any) -> Reminder:  # noqa: ANN401 - fields of Reminder
    """Return a reminder that was asked for at this time, and whose only occurrence could not be pushed."""
    made = chat.remind(text, at="2029-01-01T09:00", source=Source(line_message_id="m1", timestamp_ms=asked_ms))
    wanted = replace(made, **{"due_ms": None, "kept_ms": KEPT_MS, **changes})
    ReminderStore(chat.conversation).update(made.id, lambda _: wanted)
    return wanted


def answered(
    chat: ReminderChat, outcome: OutcomeRecord = ANSWER, *, amendments: Amendments | None = None
) -> OutcomeRecord:
    wording = ReminderWording(locale="ja", phrases=NamedPhrases())
    lease = open_turn(chat.conversation, chat.conversation.turn.read())
    assert lease is not None
    add = PostponedReminders(wording=wording, clock=chat.conversation.turn.clock).begin(lease)
    said = add(outcome, History(amendments=amendments or Amendments()))
    lease.release()
    return said


@pytest.mark.parametrize(("asked_ms", "since_ms"), [(1_000, 1_000), (7_000, 5_000)])
def test_an_answer_names_what_stands_behind_the_reminder_that_it_says(
    chat: ReminderChat, asked_ms: int, since_ms: int
) -> None:
    reminder = kept(chat, asked_ms=asked_ms)

    said = answered(chat)

    assert said.text == "はい\n\n⏰ 薬（11月21日(金) 9:00 の予定でした）"
    assert (said.provenance.ids, said.provenance.since_ms) == (frozenset({"m1", "m5"}), since_ms)
    assert said.reminders == (SaidReminder(id=reminder.id, occurrence_ms=KEPT_MS),)


@pytest.mark.parametrize(("shown_since_ms", "since_ms"), [(3, 3), (7, 6)])
def test_a_digest_that_is_kept_may_say_entries_from_after_the_last_erasure_of_entries(
    chat: ReminderChat, shown_since_ms: int, since_ms: int
) -> None:
    kept(chat)

    said = answered(
        chat, made_with(ANSWER, entries_since_ms=shown_since_ms), amendments=Amendments(erased_entries_ms=5)
    )

    assert said.provenance.entries_since_ms == since_ms


@pytest.mark.parametrize(
    "changes",
    [
        {"kind": OutcomeKind.SKIPPED},
        {"kind": OutcomeKind.APOLOGISED},
        {"text": None},
        {"text": ""},
        {"offer": Offer(is_deferral=True)},
    ],
)
def test_nothing_but_an_answer_in_words_says_a_reminder(chat: ReminderChat, changes: dict[str, Any]) -> None:
    kept(chat)
    outcome = replace(ANSWER, **changes)

    assert answered(chat, outcome) == outcome


def test_a_digest_with_nothing_to_tell_counts_as_said(chat: ReminderChat) -> None:
    digest = kept(chat, "今日のまとめ", kind=ReminderKind.DAILY_DIGEST)

    said = answered(chat)

    assert said == replace(ANSWER, reminders=(SaidReminder(id=digest.id, occurrence_ms=KEPT_MS),))


@pytest.mark.parametrize(("room", "is_said"), [(0, True), (-1, False)])
def test_a_reminder_is_said_where_the_answer_has_room_for_all_of_it(
    chat: ReminderChat, room: int, *, is_said: bool
) -> None:
    kept(chat)
    words = len((answered(chat).text or "").removeprefix("はい"))
    answer = replace(ANSWER, text="あ" * (DIGEST.text_limit - words - room))

    assert bool(answered(chat, answer).reminders) == is_said


@pytest.mark.parametrize(
    "other", [Offer(forgets=("m1",)), Offer(silence=SilenceChange.HANDOVER), Offer(translation=OfferedTranslation())]
)
@pytest.mark.parametrize("others", [(), (ProposedCall(tool="delete_entry"),)])  # one of them was withdrawn
def test_two_questions_leave_an_answer_less_room(
    chat: ReminderChat, others: tuple[ProposedCall, ...], other: Offer
) -> None:
    kept(chat)
    proposed = ProposedCall(tool="delete_entry", arguments="{}", name="lunch")
    asking = replace(ANSWER, text="あ" * 3_438, offer=replace(other, proposes=(proposed, *others)))

    assert answered(chat, asking) == asking
    assert answered(chat, replace(asking, offer=Offer(forgets=()))).reminders


def test_the_oldest_reminder_is_said_first_and_withdrawn_ones_are_not(chat: ReminderChat) -> None:
    kept(chat, "late", kept_ms=KEPT_MS + 60_000)
    kept(chat, "early")
    withdrawn = Amendments(withdrawn=frozenset({"m1"}))

    text = answered(chat).text or ""

    assert 0 < text.find("early") < text.find("late")
    assert answered(chat, amendments=withdrawn) == ANSWER


@pytest.mark.parametrize(("others", "looks_again"), [((), False), (("薬",), True), (("薬", "水"), True)])
def test_turns_look_for_kept_reminders_until_one_finds_none(
    chat: ReminderChat, others: tuple[str, ...], *, looks_again: bool
) -> None:
    kept(chat, "done", kept_ms=None, due_ms=KEPT_MS)
    for text in others:
        kept(chat, text)

    answered(chat)

    assert chat.conversation.turn.read().record.has_left == looks_again


def test_a_turn_after_one_that_found_none_reads_no_reminders(reads: Executor, clock: FixedClock) -> None:
    store = InterruptedStore()
    chat = ReminderChat(conversations_on(store, reads, clock).of(CHAT))
    lists: list[str] = []
    store.before("list reminders/", lambda: lists.append("the first turn"))
    answered(chat)
    store.before("list reminders/", lambda: lists.append("the second turn"))

    answered(chat)

    assert lists == ["the first turn"]
