"""Reminders from the message that asks for one to the push, or to the answer that says what could not be pushed."""

import datetime as dt
import zoneinfo
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final

import pytest

from shared.access.admission import Access, Admissions
from shared.adapters.memory.scripted_model import Step, calling
from shared.line.postback_data import ConfirmPress
from shared.reminders.delivery import Reminding
from shared.reminders.reminder import Reminder, ReminderState
from shared.reminders.store import ReminderStore
from tests.support import push, recorded
from tests.support.chats import everything_in
from tests.support.people import ChatEvents
from tests.support.pushed import PushedWorker
from tests.support.reminders import reminding_tool

HELLO: Final = calling(("reply", {"message": "はい"}))
SKIP: Final = calling(("skip", {"reason": "thanks"}))
YUKI: Final = recorded.USER


def remind(text: str = "薬", *, minutes: int = 5, rule: str | None = None) -> Step:
    more = {} if rule is None else {"rule": rule}
    return calling(("remind", {"text": text, "minutes": minutes, **more}))


class Chat:
    """Yuki's 1:1 chat, in which time passes."""

    def __init__(self, pool: ThreadPoolExecutor, **options: Any) -> None:  # noqa: ANN401 - fields of Options
        self.worker = PushedWorker(pool, [reminding_tool()], **options)
        self.events = ChatEvents(is_group=False, author=YUKI)

    def says(self, text: str, *thinks: Step) -> dict[str, Any]:
        event = self.events.text(text) | {"timestamp": self._now_ms}
        self.sends(event, *thinks)
        return event

    def sends(self, event: dict[str, Any], *thinks: Step) -> None:
        published = dt.datetime.fromtimestamp(self._now_ms / 1_000, dt.UTC).isoformat()
        assert self.worker.deliver(event, thinks=thinks, published=published) == 204

    def passes(self, *, minutes: float) -> None:
        self.worker.clock.move(minutes * 60)

    def tick(self) -> None:
        assert self.worker.push(push.tick()) == 204

    @property
    def _now_ms(self) -> int:
        return self.worker.clock.now_ms()

    @property
    def pushed(self) -> list[str]:
        return [text for _, texts in self.worker.line.pushes for text in texts]

    @property
    def answers(self) -> list[str]:
        return ["\n".join(texts) for texts in self.worker.line.replies.values()]

    @property
    def reminders(self) -> tuple[Reminder, ...]:
        return ReminderStore(self.worker.conversations.of(YUKI)).read_all()

    @property
    def markers(self) -> list[str]:
        return [one.name for one in self.worker.store.list("due/") if "/reminder." in one.name]


@pytest.fixture
def chat(pool: ThreadPoolExecutor) -> Chat:
    return Chat(pool)


def test_a_reminder_is_pushed_when_it_is_due_and_stands_in_the_next_prompt(chat: Chat) -> None:
    chat.says("5分後に薬って言って", remind(), HELLO)
    for _ in range(7):
        chat.passes(minutes=1)
        chat.tick()
        chat.tick()

    assert chat.pushed == ["⏰ 薬"]
    chat.says("何て言った？", HELLO)
    assert "⏰ 薬" in chat.worker.prompt()


@pytest.mark.parametrize("change", ["2026-03-08", "2026-11-01"])
def test_a_daily_reminder_keeps_its_hour_for_a_month_in_which_the_clocks_change(
    pool: ThreadPoolExecutor, change: str
) -> None:
    zone = zoneinfo.ZoneInfo("America/New_York")
    chat = Chat(pool, time_zone=zone)
    begun = dt.datetime.fromisoformat(change).replace(hour=8, tzinfo=zone) - dt.timedelta(days=15)
    chat.passes(minutes=(begun.timestamp() - chat.worker.clock.now_ms() / 1_000) / 60)
    chat.says("毎朝9時に薬って言って", remind(minutes=60, rule="FREQ=DAILY"), HELLO)

    heard: list[dt.datetime] = []
    for _ in range(30 * 24 - 2):
        chat.passes(minutes=60)
        before = len(chat.pushed)
        chat.tick()
        now = dt.datetime.fromtimestamp(chat.worker.clock.now_ms() / 1_000, zone)
        heard += [now] * (len(chat.pushed) - before)

    assert [one.hour for one in heard] == [9] * 30
    assert len({one.date() for one in heard}) == 30
    assert set(chat.pushed) == {"⏰ 薬"}


@pytest.mark.parametrize("options", [{"reminding": Reminding.REPLY}, {}])
def test_what_could_not_be_pushed_is_said_once_with_the_next_answer(
    pool: ThreadPoolExecutor, options: dict[str, Any]
) -> None:
    chat = Chat(pool, **options)
    chat.worker.line.push_quota_left = 0
    chat.says("5分後に薬って言って", remind(), HELLO)
    chat.passes(minutes=6)
    chat.tick()
    assert chat.pushed == []

    chat.says("ありがとう", SKIP)
    chat.says("こんにちは", HELLO)
    chat.says("またね", HELLO)

    said = [one for one in chat.answers if "⏰" in one]
    assert len(said) == 1
    assert "の予定でした" in said[0]
    assert chat.answers[-1] == "はい"
    assert [one.state for one in chat.reminders] == [ReminderState.DONE]


def test_an_answer_that_certainly_did_not_arrive_leaves_the_reminder_to_the_next_one(chat: Chat) -> None:
    chat.worker.line.push_quota_left = 0
    chat.says("5分後に薬って言って", remind(), HELLO)
    chat.passes(minutes=6)
    chat.tick()

    chat.worker.line.fates = ["refused"]
    chat.says("こんにちは", HELLO)
    chat.says("またね", HELLO)

    assert ["⏰" in one for one in chat.answers] == [False, True]


def test_an_answer_that_may_have_arrived_is_not_followed_by_another_one(chat: Chat) -> None:
    chat.worker.line.push_quota_left = 0
    chat.says("5分後に薬って言って", remind(), HELLO)
    chat.passes(minutes=6)
    chat.tick()

    chat.worker.line.fates = ["unknown, not sent"] * 30
    chat.says("こんにちは", HELLO)
    chat.worker.line.fates = []
    chat.says("またね", HELLO)

    assert ["⏰" in one for one in chat.answers] == [False, False]
    assert [one.state for one in chat.reminders] == [ReminderState.DONE]


@pytest.mark.parametrize("quota", [0, None])
def test_an_id_in_a_reminder_is_neither_said_nor_remembered(chat: Chat, quota: int | None) -> None:
    chat.worker.line.push_quota_left = quota
    chat.says("5分後に言って", remind(f"ask {YUKI}"), HELLO)
    chat.passes(minutes=6)
    chat.tick()
    chat.says("こんにちは", HELLO)

    said = [one for one in (*chat.pushed, *chat.answers) if "⏰" in one]
    assert ["[ID]" in one and YUKI not in one for one in said] == [True]
    outcomes = chat.worker.conversations.of(YUKI).journal.read_outcomes()
    assert not any(YUKI in (one.text or "") for one in outcomes)


def test_a_kept_reminder_that_the_turn_cancels_is_not_said(chat: Chat) -> None:
    chat.worker.line.push_quota_left = 0
    chat.says("5分後に薬って言って", remind(), HELLO)
    chat.passes(minutes=6)
    chat.tick()

    chat.says("薬のはやめて", calling(("remind", {"cancel": "薬"})), HELLO)

    assert chat.answers[-1] == "はい\n\n✓ リマインダーを取り消し：「薬」（11月21日(金) 13:45）"
    assert [one.state for one in chat.reminders] == [ReminderState.CANCELLED]


def test_as_many_kept_reminders_are_said_as_an_answer_has_room_for(chat: Chat) -> None:
    chat.worker.line.push_quota_left = 0
    for number in range(16):
        chat.says("5分後に", remind(f"{number}" + "あ" * 290), HELLO)
    chat.passes(minutes=7)
    chat.tick()

    chat.says("こんにちは", HELLO)
    chat.says("またね", HELLO)

    first, second = (one.count("⏰") for one in chat.answers[-2:])
    assert first + second == 16
    assert first > 10


@pytest.mark.parametrize("action", ["unsend", "edit", "forget me", "leave"])
def test_a_reminder_goes_with_the_message_that_asked_for_it(chat: Chat, action: str) -> None:
    asking = chat.says("5分後に薬って言って", remind("4711"), HELLO)
    chat.passes(minutes=1)
    later_ms = asking["timestamp"] + 30_000

    match action:
        case "unsend":
            chat.worker.withdraw(YUKI, asking["message"]["id"], timestamp_ms=2)
        case "edit":
            edited = {**asking["message"], "text": "やっぱりいい"}
            chat.sends(chat.events.event("messageEdited", timestamp=later_ms) | {"message": edited})
        case "forget me":
            question = chat.says("/forget me")
            press = {"data": ConfirmPress(question_id=question["webhookEventId"]).data}
            chat.sends(chat.events.event("postback", timestamp=question["timestamp"] + 1, postback=press))
        case "leave":
            chat.sends(chat.events.event("unfollow", timestamp=later_ms))
    chat.passes(minutes=6)
    chat.tick()

    assert chat.pushed == []
    assert chat.reminders == ()
    assert chat.markers == []
    assert '"4711"' not in everything_in(chat.worker.store)


def test_what_was_pushed_is_forgotten_with_the_message_that_asked_for_it(chat: Chat) -> None:
    asking = chat.says("5分後に薬って言って", remind("4711"), HELLO)
    chat.passes(minutes=6)
    chat.tick()
    assert chat.pushed == ["⏰ 4711"]

    chat.worker.withdraw(YUKI, asking["message"]["id"], timestamp_ms=2)

    assert "4711" not in everything_in(chat.worker.store)


def test_a_reset_spares_reminders_and_what_they_say_later_is_remembered(chat: Chat) -> None:
    asking = chat.says("5分後に薬って言って", remind("4711"), HELLO)
    chat.passes(minutes=1)
    chat.worker.conversations.of(YUKI).amendments.erase(asking["timestamp"] + 10_000, spares_entries=True)
    chat.passes(minutes=6)

    chat.tick()

    assert chat.pushed[0].startswith("⏰ 4711")
    chat.says("何て言った？", HELLO)
    assert "4711" in chat.worker.prompt()


def test_a_revoked_chat_is_told_nothing_until_it_is_admitted_again(pool: ThreadPoolExecutor) -> None:
    chat = Chat(pool, access=Access.INVITED)
    admissions = Admissions(store=chat.worker.store, clock=chat.worker.clock)
    admissions.admit(YUKI, since_ms=0)
    chat.says("5分後に薬って言って", remind(rule="FREQ=DAILY"), HELLO)
    admissions.revoke(YUKI)
    chat.passes(minutes=6)

    chat.tick()
    assert chat.pushed == []

    admissions.admit(YUKI, since_ms=0, renews=True)
    chat.passes(minutes=24 * 60)
    chat.tick()
    assert chat.pushed == ["⏰ 薬"]


def test_a_turn_that_is_thought_again_makes_one_reminder(chat: Chat) -> None:
    withdrawn = chat.events.text("消すかも") | {"timestamp": chat.worker.clock.now_ms()}
    chat.sends(withdrawn, SKIP)

    def take_back(_: object) -> Any:  # noqa: ANN401 - a response of the model
        chat.worker.withdraw(YUKI, withdrawn["message"]["id"], timestamp_ms=2)
        return HELLO

    chat.says("5分後に薬って言って", remind(), take_back, remind(), HELLO)

    assert [one.text for one in chat.reminders] == ["薬"]
    assert len(chat.markers) == 1


def test_where_reminders_are_off_none_is_made(pool: ThreadPoolExecutor) -> None:
    chat = Chat(pool, reminding=Reminding.OFF)

    chat.says("5分後に薬って言って", remind(), HELLO)

    assert chat.reminders == ()


def test_where_reminders_are_off_by_now_an_answer_says_none_that_was_kept_before(pool: ThreadPoolExecutor) -> None:
    before = Chat(pool, reminding=Reminding.REPLY)
    before.says("5分後に薬って言って", remind(), HELLO)
    before.passes(minutes=6)
    before.tick()
    now = Chat(pool, reminding=Reminding.OFF, store=before.worker.store)
    now.events.skip(9)
    now.passes(minutes=7)

    now.says("こんにちは", HELLO)

    assert now.worker.said == ["はい"]
