"""A reminder over real wires: asked for, confirmed, pushed when the stack's clock has come to it, postponed by its button, cancelled."""

import datetime as dt
import zoneinfo
from collections.abc import Iterator
from typing import Any

import pytest

from shared.reminders.schedule import LOCAL_FORMAT
from simulator.gemini.script import call
from tests.e2e.conftest import Person, Platform
from tests.e2e.test_forgetting import Group
from tests.support.buttons import actions_in
from tests.support.stacks import running_stack

BERLIN = zoneinfo.ZoneInfo("Europe/Berlin")
MINUTE, HOUR, DAY = dt.timedelta(minutes=1), dt.timedelta(hours=1), dt.timedelta(days=1)
HELD = call("reply", {"message": "わかりました"})


@pytest.fixture(scope="module")
def moving(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Platform]:
    """A stack at noon, far from the hour that Berlin's clocks skip or show twice."""
    folder = tmp_path_factory.mktemp("moving")
    with running_stack(folder, more_env={"SETTLE_MS": "0", "BOT_TIME_ZONE": "Europe/Berlin"}) as (loop, stack):
        platform = Platform(loop, stack, folder)
        passes_until(platform, (now(platform) + DAY).astimezone(BERLIN).replace(hour=12, minute=0, second=0))
        yield platform


def now(platform: Platform) -> dt.datetime:
    """Return the stack's time in UTC."""
    return platform.do(lambda stack: stack.clock.now())


def passes(platform: Platform, span: dt.timedelta) -> None:
    """Time passes, with a tick in each minute in which something is due."""
    platform.run(platform.stack.time_lapse.move(seconds=span.total_seconds()))
    platform.settle()


def passes_until(platform: Platform, at: dt.datetime) -> None:
    passes(platform, at - now(platform))


def asks(platform: Platform, person: Person | Group, said: str, **arguments: str) -> str:
    """Say something that the model answers with a reminder; return the message's id."""
    platform.do(lambda stack: stack.gemini.script([call("create_reminder", arguments), HELD]))
    message_id = person.says(said, to_bot=True) if isinstance(person, Group) else person.says(said)
    platform.settle()
    return message_id


def of_bot(platform: Platform, chat_id: str) -> list[dict[str, Any]]:
    """Return the contents of the bot's messages."""
    bot = platform.do(lambda stack: stack.line.account.user_id)
    messages = platform.do(lambda stack: list(stack.line.chat(chat_id).messages))
    return [{**one.content, "at_ms": one.timestamp_ms} for one in messages if one.sender_id in {bot, None}]


def pushed(platform: Platform, chat_id: str) -> list[dict[str, Any]]:
    return [one for one in of_bot(platform, chat_id) if str(one.get("text")).startswith("⏰")]


def in_minutes(platform: Platform, minutes: int) -> dt.datetime:
    """Return the minute of the stack's time, as reminders know it, in so many minutes."""
    return (now(platform) + minutes * MINUTE).replace(second=0, microsecond=0)


def as_asked(minute: dt.datetime) -> str:
    return minute.astimezone(BERLIN).strftime(LOCAL_FORMAT)


def test_a_reminder_is_pushed_postponed_and_said_once_more(moving: Platform) -> None:
    person = Person(moving, "reminded")

    due = in_minutes(moving, 30)
    asks(moving, person, "30分後に薬って言って", text="薬", at=as_asked(due))
    _, receipt = of_bot(moving, person.id)
    assert receipt["altText"].startswith("✓ リマインダー：「薬」（")
    (calendar,) = actions_in(receipt)
    assert calendar["uri"].startswith("https://calendar.google.com/calendar/render?action=TEMPLATE&")
    passes_until(moving, due - MINUTE)
    assert pushed(moving, person.id) == []
    passes_until(moving, due + MINUTE)
    (said,) = pushed(moving, person.id)
    assert said["text"] == "⏰ 薬"

    later = said["quickReply"]["items"][1]["action"]["data"]
    for _ in range(2):
        moving.do(lambda stack: stack.line.press(person.id, person.id, str(later)))
        moving.settle()
    answers = [one["text"] for one in of_bot(moving, person.id) if "もう一度お知らせします" in str(one.get("text"))]
    assert len(answers) == 1
    passes(moving, HOUR)
    passes(moving, DAY)

    assert [one["text"] for one in pushed(moving, person.id)] == ["⏰ 薬", "⏰ 薬"]


def test_in_a_group_the_cost_is_told_and_any_member_presses(moving: Platform) -> None:
    group = Group(moving)
    other = group.members[1]

    asks(moving, group, "10分後に会議って言って", text="会議", at=as_asked(in_minutes(moving, 10)))
    assert "、2通分）" in of_bot(moving, group.id)[-1]["altText"]
    passes(moving, 11 * MINUTE)
    (said,) = pushed(moving, group.id)
    done = said["quickReply"]["items"][0]["action"]["data"]
    moving.do(lambda stack: stack.line.press(other.id, other.id, str(done)))  # in another chat
    moving.do(lambda stack: stack.line.press(other.id, group.id, str(done)))
    moving.settle()

    assert of_bot(moving, group.id)[-1]["text"] == "✓ 完了にしました。"
    assert [one for one in of_bot(moving, other.id) if "済み" in str(one.get("text"))] == []


def test_an_unsend_of_the_message_that_asked_cancels_the_reminder(moving: Platform) -> None:
    person = Person(moving, "regretful")

    message_id = asks(moving, person, "10分後に薬って言って", text="薬", at=as_asked(in_minutes(moving, 10)))
    person.unsends(message_id)
    moving.settle()
    passes(moving, HOUR)

    assert pushed(moving, person.id) == []
    assert moving.names(f"reminders/{person.id}/") == []


def test_a_daily_reminder_keeps_its_hour_for_a_month_in_which_the_clocks_change(moving: Platform) -> None:
    person = Person(moving, "early")
    moving.do(lambda stack: setattr(stack.line.quota, "limit", None))
    noon = dt.datetime(now(moving).year + 1, 3, 14, 12, 0, tzinfo=BERLIN)
    passes_until(moving, noon)
    first = noon.replace(day=15, hour=9)

    asks(moving, person, "毎朝9時に薬", text="薬", at=as_asked(first), rule="FREQ=DAILY")
    passes(moving, 31 * DAY)

    said = [dt.datetime.fromtimestamp(one["at_ms"] / 1_000, tz=BERLIN) for one in pushed(moving, person.id)]
    assert len({one.date() for one in said}) == len(said) == 31
    assert {(one.hour, one.minute) for one in said} == {(9, 0)}
    assert len({one.utcoffset() for one in said}) == 2
