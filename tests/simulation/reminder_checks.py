"""What became of a chat's reminders in the end: each occurrence said once, in time, and none lost, but for what was taken back."""

import datetime as dt
import re
import zoneinfo
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from shared.conversation.records import OutcomeKind, OutcomeRecord, SaidReminder
from shared.conversation.turn import TurnRecord
from shared.line.postback_data import ReminderPress
from shared.reminders.buttons import postponed
from shared.reminders.delivery import TRIES_MS
from shared.reminders.reminder import REMINDERS_PATH, Reminder, ReminderKind, ReminderState
from shared.reminders.schedule import Schedule
from shared.storage.codec import decode
from tests.simulation.people import Order, People, without_spaces
from tests.simulation.refused_presses import times_carried_out
from tests.simulation.times import SKEW_S
from tests.simulation.world import EPOCH_MS, ShownText, World

IN_TIME_S: Final = 120.0 + SKEW_S + 5.0
"""The next full minute, the tick after it, as much as the clock of its worker may be behind, and the withdrawals that come first."""
_FRIDAY: Final = 4
_OUTCOME: Final = re.compile(r"r[0-9a-f]{10}-\d+", re.ASCII)
_RECORD: Final = re.compile(r"/r[0-9a-f]{10}\.json$", re.ASCII)
_CANCELS_BY_ID: Final = "cancel_reminder"
_CANCELS_OTHERWISE: Final = frozenset({"remind", "undo_last_change"})
_UNSURE: Final = frozenset({OutcomeKind.UNKNOWN, OutcomeKind.WITHDRAWN})


@dataclass(frozen=True, slots=True, kw_only=True)
class ReminderStory:
    """One chat, and what was said in it.

    `is_lost`: whether a delivery about a message became a dead letter in an outage. `waits`: whether an event may have waited for the turn
    until its token was dead. `retries_summaries`: whether the model may fail to make a summary in the time of one try.
    """

    people: People
    world: World
    is_lost: Callable[[str], bool]
    waits: Callable[[str], bool]
    retries_summaries: bool

    @property
    def chat(self) -> str:
        """The chat's id."""
        return self.people.conversation_id

    @property
    def pushed(self) -> list[tuple[ShownText, SaidReminder]]:
        """The occurrences that were pushed, also to the 1:1 chat of the member who asked."""
        own = {own_id for chat, own_id in self.world.truth.reminders if chat == self.chat}
        said = self.world.truth.said
        return [(one, one.reminder) for one in said if one.reminder is not None and one.reminder.id in own]

    @property
    def answered(self) -> list[SaidReminder]:
        """The occurrences that answers said."""
        said = (one for one in self.world.truth.said if one.conversation_id == self.chat)
        return [reminder for one in said if one.outcome is not None for reminder in one.outcome.reminders]

    @property
    def may_be_said(self) -> set[SaidReminder]:
        """The occurrences in answers of which nobody knows whether they arrived."""
        recorded = self.world.truth.recorded.get(self.chat, {}).values()
        return {reminder for one in recorded if one.kind in _UNSURE for reminder in one.reminders}

    @property
    def may_be_pushed(self) -> set[str]:
        """The occurrences of which history says that nobody knows whether they were pushed, each as the id of its outcome.

        Of a text, only one that a newer one may have followed.
        """
        recorded = self.world.truth.recorded.get(self.chat, {})
        unknown = (own_id for own_id, one in recorded.items() if one.kind is OutcomeKind.UNKNOWN)
        return {
            own_id
            for own_id in unknown
            if is_of_reminder(own_id)
            and (
                _written(self, _reminder_in(own_id)).kind is ReminderKind.CHAT_SUMMARY
                or _rule_of(self, _reminder_in(own_id)) is not None
            )
        }

    def is_taken_back(self, reminder: Reminder) -> bool:
        """Whether a message behind it was withdrawn, edited or erased, or a delivery about one was lost."""
        by_id = {one.id: one for one in self.people.messages}
        return any(
            (message := by_id.get(message_id)) is None
            or message.is_withdrawn
            or len(message.words) > 1
            or message.at_s <= self.people.erased_entries_s
            or self.is_lost(message_id)
            for message_id in reminder.provenance.message_ids
        )


def is_of_reminder(webhook_event_id: str) -> bool:
    """Whether an outcome of this id tells of a reminder that was pushed."""
    return _OUTCOME.fullmatch(webhook_event_id) is not None


def check_reminders(story: ReminderStory) -> Iterator[str]:
    """Each occurrence was said once, in time, and is remembered as it was said; none is lost."""
    yield from _check_said_once(story)
    yield from _check_remembered(story)
    for (chat, reminder_id), reminder in story.world.truth.reminders.items():
        if chat == story.chat and not story.is_taken_back(reminder):
            yield from _check_not_lost(story, reminder_id)
    for chat, outcome in story.world.truth.staged:
        committed = (chat, outcome.webhook_event_id, outcome.sequence)
        if chat == story.chat and committed not in story.world.truth.voided:
            yield from _check_made(story, outcome)
            yield from _check_cancelled(story, outcome)
    turn = story.world.objects.read(f"turns/{story.chat}.json")
    is_listed = turn is None or decode(TurnRecord, turn.data).may_have_reminders
    if not is_listed and any(_RECORD.search(one.name) for one in story.world.objects.list(f"reminders/{story.chat}/")):
        yield "I6: a reminder stands that no prompt would list"
    for order in story.people.orders:
        if order.command == "choose":
            yield from _check_chosen(story, order)


def _check_said_once(story: ReminderStory) -> Iterator[str]:
    times = Counter([*(one for _, one in story.pushed), *story.answered])
    once = Counter(one.id for one in times.elements() if _rule_of(story, one.id) is None)
    if any(count > 1 for count in (*times.values(), *once.values())):
        yield "I2: a reminder was said twice"
    for said, one in story.pushed:
        due_s = (one.occurrence_ms - EPOCH_MS) / 1_000
        late_s = said.at_s - due_s
        made_s = story.world.truth.reminders_made_s.get(
            (story.chat, one.id), due_s
        )  # a slow turn may make it after its time
        is_retried = story.retries_summaries and _written(story, one.id).kind is ReminderKind.CHAT_SUMMARY
        in_time_s = IN_TIME_S + (TRIES_MS / 1_000 if is_retried else 0.0)
        if story.world.weather.calm and said.at_s - max(due_s, made_s) > in_time_s:
            yield "I6: a reminder was pushed more than two minutes late although nothing had failed"
        if late_s < -SKEW_S:
            yield "I6: a reminder was pushed before its time"
        rule = _rule_of(story, one.id)
        if rule is not None and not _is_on(rule, _local(one.occurrence_ms)):
            yield "I6: a reminder was pushed at a time that its rule does not name"


def _is_on(rule: str, local: dt.datetime) -> bool:
    """Whether a rule of `mind.RULES` may name the local time, told from the calendar alone.  A postponed time is another reminder's."""
    in_a_day, in_a_week = (local + dt.timedelta(days=days) for days in (1, 7))
    match rule.partition(";")[2]:
        case "BYMONTHDAY=-1":
            return in_a_day.month != local.month
        case "BYDAY=3FR":
            return local.weekday() == _FRIDAY and (local.day - 1) // 7 == 2
        case "BYDAY=-1MO":
            return local.weekday() == 0 and in_a_week.month != local.month
        case _:
            return True


def _local(at_ms: int) -> dt.datetime:
    return dt.datetime.fromtimestamp(at_ms / 1_000, zoneinfo.ZoneInfo("Asia/Tokyo"))


def _check_remembered(story: ReminderStory) -> Iterator[str]:
    """History knows what was pushed, in the words that were shown."""
    recorded = story.world.truth.recorded.get(story.chat, {})
    told = {f"{one.id}-{one.occurrence_ms // 60_000}": said for said, one in story.pushed}
    for own_id, said in told.items():
        outcome = story.world.truth.recorded.get(said.conversation_id, {}).get(own_id)
        if outcome is None and not story.is_taken_back(_written(story, _reminder_in(own_id))):
            yield "I2: the user saw a reminder that history does not know of"
        if (
            outcome is not None
            and outcome.text is not None
            and without_spaces(outcome.text) != without_spaces(said.text)
        ):
            yield "I2: history holds other words of a reminder than the user saw"
    unseen = {own_id for own_id in recorded if is_of_reminder(own_id)} - told.keys()
    if unseen - story.may_be_pushed:
        yield "I2: history tells of a reminder that nobody saw"


def _check_not_lost(story: ReminderStory, reminder_id: str) -> Iterator[str]:
    """It was said, or waits for its time or for the next answer, or was cancelled.

    A summary passes in silence where nothing was said, or the chat's budget is used up.
    """
    objects = story.world.objects
    stored = objects.read(f"reminders/{story.chat}/{reminder_id}.json")
    if stored is None:
        yield "I1: a reminder is gone that nobody took back"
        return
    reminder = decode(Reminder, stored.data)
    is_said = reminder_id in {
        reminder.id for reminder in (*(reminder for _, reminder in story.pushed), *story.answered, *story.may_be_said)
    }
    is_said = is_said or reminder_id in map(_reminder_in, story.may_be_pushed)
    is_summary = reminder.kind is ReminderKind.CHAT_SUMMARY
    if reminder.state is ReminderState.DONE and not is_said and not is_summary:
        yield "I1: a reminder counts as said, and nobody saw it"
    if not reminder.is_open:
        return
    first_ms = Schedule(reminder.start, reminder.zone, reminder.recurrence).next_after(0)
    if reminder.kept_ms is None and reminder.due_ms != first_ms and not is_said:
        yield "I1: an occurrence of a reminder was passed over"
    markers = (one.name for one in objects.list("due/"))
    is_marked = any(one.endswith(f"/reminder.{story.chat}.{reminder_id}") for one in markers)
    if reminder.due_ms is not None and not is_marked:
        yield "I1: a reminder waits for its time without a marker"
    turn = objects.read(f"turns/{story.chat}.json")
    if reminder.kept_ms is not None and turn is not None and not decode(TurnRecord, turn.data).has_left:
        yield "I1: a reminder waits for the next answer, and no turn will look for it"


def _check_made(story: ReminderStory, outcome: OutcomeRecord) -> Iterator[str]:
    """Every reminder that a committed turn promised was made, unless its outcome was withdrawn after a takeover."""
    recorded = story.world.truth.recorded.get(story.chat, {}).get(outcome.webhook_event_id)
    if recorded is not None and recorded.kind is OutcomeKind.WITHDRAWN:
        return
    for write in outcome.writes:
        if write.text is None or not write.path.startswith(REMINDERS_PATH):
            continue
        promised = decode(Reminder, write.text.encode())
        is_made = (story.chat, promised.id) in story.world.truth.reminders
        if not is_made and not story.is_taken_back(promised):
            yield "I1: a reminder was promised and never made"


def _check_cancelled(story: ReminderStory, outcome: OutcomeRecord) -> Iterator[str]:
    """A call by an id cancels the reminder of that id, and no other."""
    if _CANCELS_BY_ID not in outcome.audit.tools_used or not _CANCELS_OTHERWISE.isdisjoint(outcome.audit.tools_used):
        return
    paths = (one.path for one in outcome.writes if one.path.startswith(REMINDERS_PATH) and one.text is None)
    if any((story.chat, path.removeprefix(REMINDERS_PATH)) not in story.world.truth.cancelled_by_id for path in paths):
        yield "I10: a call by a reminder's id cancelled another reminder"


def _check_chosen(story: ReminderStory, order: Order) -> Iterator[str]:
    """The first press of an occurrence counts, in the chat of its reminder; it is carried out, and answered."""
    press = ReminderPress.read(order.presses)
    if press is None:
        return
    rivals = [one for one in story.people.orders if one.command == "choose" and _is_of(one, press)]
    said = story.world.truth.said
    answers = times_carried_out(order, said)
    if order is rivals[0] and sum(times_carried_out(one, said) for one in rivals) > 1:
        yield "I9: two presses of a reminder were carried out"
    reminder = story.world.truth.reminders.get((story.chat, press.reminder_id))
    if reminder is None:
        if answers:
            yield "I9: a press was carried out in a chat that has no such reminder"
        return
    again = postponed(reminder, press, event_id=order.id, pressed_ms=EPOCH_MS + round(order.at_s * 1_000))
    if answers and again is not None and (story.chat, again.id) not in story.world.truth.reminders:
        yield "I1: a reminder was postponed and never made"
    is_excused = story.is_taken_back(reminder) or order.at_s <= story.people.erased_s or story.waits(order.id)
    is_answered = any(shown.reply_token == order.reply_token for shown in said)
    if story.world.weather.calm and not is_answered and not is_excused:
        yield "I6: a press of a reminder met silence although nothing had failed"


def _is_of(order: Order, press: ReminderPress) -> bool:
    """Whether the order presses a button of the same occurrence."""
    other = ReminderPress.read(order.presses)
    return other is not None and (other.reminder_id, other.occurrence_ms) == (press.reminder_id, press.occurrence_ms)


def _reminder_in(outcome_id: str) -> str:
    """Return the reminder's id in the id of its push's outcome."""
    return outcome_id.partition("-")[0]


def _rule_of(story: ReminderStory, reminder_id: str) -> str | None:
    return _written(story, reminder_id).rule


def _written(story: ReminderStory, reminder_id: str) -> Reminder:
    return story.world.truth.reminders[story.chat, reminder_id]
