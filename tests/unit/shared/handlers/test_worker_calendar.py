"""Calendars, from the command to the file: made, followed by what turns write, withdrawn, renewed, ended, forgotten."""

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from http import HTTPStatus
from typing import Any

import pytest

from shared.adapters.memory.scripted_model import Step, calling
from shared.calendars.feed import Feed, feed_name
from shared.calendars.store import CALENDAR_DUE, CalendarStore
from shared.clock import HOUR_MS
from shared.handlers.calendar import FEEDS_PATH, GOOGLE_PAGE
from shared.line.phrases import Phrase, phrase
from shared.reminders.delivery import Reminding
from shared.reminders.store import ReminderStore
from shared.storage.codec import decode
from shared.storage.due_marker import DUE_PREFIX, DueMarker
from tests.support import push, recorded
from tests.support.calendars import (
    FEEDS_URL,
    calendar_of,
    calendar_port,
    events_at,
    fetched,
    makes_calendar,
    passes_a_minute,
    shown_address,
    summaries,
)
from tests.support.chats import everything_in
from tests.support.people import Person
from tests.support.phrases import english, japanese
from tests.support.pushed import PushedWorker
from tests.support.schemas import validator

REPLY = calling(("reply", {"message": "わかりました"}))
PILLS = calling(("create_reminder", {"text": "薬", "at": "2025-11-22T09:00"}))  # it is 2025-11-21T13:40, a Friday
MILK = calling(("create_reminder", {"text": "牛乳", "at": "2025-11-23T18:00"}))


@pytest.fixture
def pool() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(16) as threads:
        yield threads


@pytest.fixture
def member(pool: ThreadPoolExecutor) -> Person:
    return Person(PushedWorker(pool, calendar=calendar_port(), reminding=Reminding.PUSH), is_in_group=True)


@pytest.fixture
def friend(pool: ThreadPoolExecutor) -> Person:
    return Person(PushedWorker(pool, calendar=calendar_port(), reminding=Reminding.PUSH), is_in_group=False)


def is_reminded(person: Person, call: Step, words: str = "明日の9時に薬って言って") -> dict[str, Any]:
    return person.asks(words, call, REPLY)


def due_feeds(person: Person) -> list[DueMarker]:
    """Return the markers of the chat's feed."""
    names = (listed.name for listed in person.worker.store.list(DUE_PREFIX))
    return [marker for marker in map(DueMarker.parse, names) if marker.kind == CALENDAR_DUE]


def feeds_in(person: Person) -> list[str]:
    return [listed.name for listed in person.worker.store.list("feeds/")]


def leaves(person: Person, member_id: str = "U" + "2" * 32) -> dict[str, Any]:
    event = person.events.event("memberLeft", left={"members": [{"type": "user", "userId": member_id}]})
    del event["replyToken"], event["source"]["userId"]
    return event


def test_the_address_is_shown_in_a_bubble_of_its_own_and_stands_in_no_prompt_and_no_journal(member: Person) -> None:
    address = makes_calendar(member)

    calendar = calendar_of(member)
    assert calendar is not None
    assert address == f"{FEEDS_URL}/{calendar.token}.ics"
    text = list(member.worker.line.replies.values())[-1][0]
    assert GOOGLE_PAGE in text
    assert calendar.token not in text
    assert fetched(member, address).status is HTTPStatus.OK

    member.asks("カレンダーは？", REPLY)

    assert calendar.token not in member.worker.prompt()
    holders = [
        one.name
        for one in member.worker.store.list("")
        if (stored := member.worker.store.read(one.name)) is not None and calendar.token.encode() in stored.data
    ]
    assert holders == [f"calendars/{recorded.GROUP}/calendar.json"]


def test_the_command_again_shows_the_same_address(member: Person) -> None:
    assert makes_calendar(member) == makes_calendar(member)
    assert len(feeds_in(member)) == 1


def test_a_command_that_is_delivered_twice_makes_one_calendar(member: Person) -> None:
    event = member.says("/calendar")
    assert member.worker.deliver(event) == 204

    assert len(feeds_in(member)) == 1
    assert fetched(member, shown_address(member)).status is HTTPStatus.OK


def test_reminders_and_dated_entries_are_in_the_feed_a_minute_later(friend: Person) -> None:
    address = makes_calendar(friend)
    is_reminded(friend, PILLS)
    friend.captures("家賃", due_date="2025-12-01")
    friend.captures("電球", category="ideas")
    passes_a_minute(friend)

    pills, rent = events_at(friend, address)

    assert (pills["SUMMARY"], pills["DTSTART"]) == ("薬", "20251122T090000")
    assert (rent["SUMMARY"], rent["DTSTART"]) == ("家賃", "20251201")
    assert pills["UID"] != rent["UID"]
    (name,) = feeds_in(friend)
    stored = friend.worker.store.read(name)
    assert stored is not None
    validator("records/feed").validate(json.loads(stored.data))


def test_a_calendar_shows_what_stood_before_it(friend: Person) -> None:
    is_reminded(friend, PILLS)
    address = makes_calendar(friend)
    passes_a_minute(friend)

    assert summaries(friend, address) == ["薬"]


def test_a_changed_reminder_keeps_its_uid_and_has_a_larger_sequence(friend: Person) -> None:
    address = makes_calendar(friend)
    is_reminded(friend, PILLS)
    passes_a_minute(friend)
    (before,) = events_at(friend, address)
    (reminder,) = ReminderStore(friend.worker.conversations.of(friend.events.chat_id)).read_all()

    friend.asks("薬は10時にして", calling(("change_reminder", {"id": reminder.id, "at": "2025-11-22T10:00"})), REPLY)
    passes_a_minute(friend)
    (after,) = events_at(friend, address)

    assert after["UID"] == before["UID"]
    assert int(after["SEQUENCE"]) > int(before["SEQUENCE"])
    assert after["DTSTART"] == "20251122T100000"


def test_a_meeting_is_in_the_feed_until_it_is_taken_back(pool: ThreadPoolExecutor) -> None:
    member = Person(PushedWorker(pool, calendar=calendar_port(), has_polls=True), is_in_group=True)
    address = makes_calendar(member)
    meets = calling(("create_meeting", {"what": "飲み会", "at": "2025-11-28T19:00", "place": "渋谷"}))
    member.asks("28日19時から渋谷で飲み会、来る人？", meets, REPLY)
    passes_a_minute(member)
    (event,) = events_at(member, address)
    assert (event["SUMMARY"], event["DTSTART"], event["LOCATION"]) == ("飲み会", "20251128T190000", "渋谷")

    member.asks("締め切って", calling(("close_poll", {})), REPLY)
    passes_a_minute(member)
    (closed,) = events_at(member, address)
    assert closed["UID"] == event["UID"]
    assert int(closed["SEQUENCE"]) > int(event["SEQUENCE"])

    member.asks("飲み会は中止", calling(("call_off_meeting", {})), REPLY)
    passes_a_minute(member)
    assert summaries(member, address) == []
    member.asks("取り消して", calling(("undo_last_change", {})), REPLY)
    passes_a_minute(member)
    assert summaries(member, address) == ["飲み会"]

    asked = member.asks(
        "金曜19時から歓迎会", calling(("create_meeting", {"what": "歓迎会", "at": "2025-11-28T20:00"})), REPLY
    )
    passes_a_minute(member)
    assert summaries(member, address) == ["飲み会", "歓迎会"]
    member.worker.withdraw(member.events.chat_id, asked["message"]["id"])
    assert summaries(member, address) == ["飲み会"]

    member.asks("28日21時から二次会", calling(("create_meeting", {"what": "二次会", "at": "2025-11-28T21:00"})), REPLY)
    passes_a_minute(member)
    assert summaries(member, address) == ["飲み会", "二次会"]
    member.asks("取り消して", calling(("undo_last_change", {})), REPLY)
    passes_a_minute(member)
    assert summaries(member, address) == ["飲み会"]


def test_an_unchanged_feed_is_not_sent_again(friend: Person) -> None:
    address = makes_calendar(friend)
    is_reminded(friend, PILLS)
    passes_a_minute(friend)
    first = fetched(friend, address)
    makes_calendar(friend)
    passes_a_minute(friend)  # written anew

    again = fetched(friend, address, if_none_match=first.headers["ETag"])
    is_reminded(friend, MILK)
    passes_a_minute(friend)
    changed = fetched(friend, address, if_none_match=first.headers["ETag"])

    assert (again.status, again.body) == (HTTPStatus.NOT_MODIFIED, b"")
    assert changed.status is HTTPStatus.OK


def test_a_withdrawn_reminder_leaves_the_feed_at_once(friend: Person) -> None:
    address = makes_calendar(friend)
    asked = is_reminded(friend, PILLS)
    passes_a_minute(friend)
    is_reminded(friend, MILK, "日曜の18時に牛乳")
    passes_a_minute(friend)
    assert summaries(friend, address) == ["薬", "牛乳"]

    friend.worker.withdraw(friend.events.chat_id, asked["message"]["id"])

    assert summaries(friend, address) == ["牛乳"]
    assert "薬" not in everything_in(friend.worker.store)


def test_what_others_said_of_a_withdrawn_entry_is_back_a_minute_later(member: Person) -> None:
    address = makes_calendar(member)
    member.captures("家賃", due_date="2025-12-01")
    passes_a_minute(member)
    noted = member.asks(
        "家賃に追記：大家さんに電話",
        calling(("update_entry", {"path": "admin/家賃.md", "updates": {"note": "大家さんに電話"}})),
        REPLY,
    )
    passes_a_minute(member)
    assert summaries(member, address) == ["家賃"]
    member.worker.withdraw(member.events.chat_id, noted["message"]["id"])
    assert "大家" not in everything_in(member.worker.store)
    assert summaries(member, address) == []

    passes_a_minute(member)

    assert summaries(member, address) == ["家賃"]


def test_a_worker_that_reads_before_a_withdrawal_and_writes_after_it_leaves_no_word(friend: Person) -> None:
    address = makes_calendar(friend)
    asked = is_reminded(friend, PILLS)
    friend.worker.clock.move(60)

    written: list[str] = []

    def withdraws(call: str, name: str) -> None:
        written.extend([name] if call == "replace" and name.startswith("feeds/") else [])
        if len(written) == 2:  # the first says that the feed is being written
            friend.worker.store.before = lambda *_: None
            friend.worker.withdraw(friend.events.chat_id, asked["message"]["id"])

    friend.worker.store.before = withdraws
    assert friend.worker.push(push.tick()) == 204  # it lost its swap; the next tick repeats it

    assert summaries(friend, address) == []
    assert "薬" not in everything_in(friend.worker.store)


def test_another_address_replaces_the_first(friend: Person) -> None:
    first = makes_calendar(friend)
    is_reminded(friend, PILLS)
    passes_a_minute(friend)

    event = friend.says("/calendar new")
    second = shown_address(friend)
    assert friend.worker.deliver(event) == 204  # again
    passes_a_minute(friend)

    assert second != first
    assert fetched(friend, first).status is HTTPStatus.NOT_FOUND
    assert summaries(friend, second) == ["薬"]
    assert len(feeds_in(friend)) == 1


def test_however_often_a_calendar_changes_it_is_written_anew_once_a_day(friend: Person) -> None:
    makes_calendar(friend)
    friend.captures("家賃", due_date="2025-12-31")
    for _ in range(3):
        passes_a_minute(friend)
        CalendarStore(friend.worker.conversations.of(friend.events.chat_id)).mark()
    passes_a_minute(friend)

    (daily,) = due_feeds(friend)
    friend.worker.clock.move((daily.due_ms - friend.worker.clock.now_ms()) // 1_000)
    passes_a_minute(friend)

    (next_daily,) = due_feeds(friend)
    assert next_daily.due_ms == daily.due_ms + 24 * HOUR_MS


def test_past_events_leave_the_feed_after_a_month_without_any_message(friend: Person) -> None:
    address = makes_calendar(friend)
    friend.captures("家賃", due_date="2025-12-01")
    passes_a_minute(friend)

    for _ in range(30):
        friend.worker.clock.move(24 * 3_600)
        passes_a_minute(friend)
    assert summaries(friend, address) == ["家賃"]
    for _ in range(12):
        friend.worker.clock.move(24 * 3_600)
        passes_a_minute(friend)

    assert summaries(friend, address) == []


def test_a_cancelled_reminder_and_a_done_entry_leave_the_feed(friend: Person) -> None:
    address = makes_calendar(friend)
    is_reminded(friend, PILLS)
    friend.captures("家賃", due_date="2025-12-01")
    passes_a_minute(friend)
    (reminder,) = ReminderStore(friend.worker.conversations.of(friend.events.chat_id)).read_all()

    friend.asks("薬はもういい", calling(("cancel_reminder", {"id": reminder.id})), REPLY)
    friend.asks(
        "家賃は払った", calling(("update_entry", {"path": "admin/家賃.md", "updates": {"status": "done"}})), REPLY
    )
    passes_a_minute(friend)

    assert summaries(friend, address) == []


def test_a_member_who_leaves_no_longer_knows_the_address(member: Person) -> None:
    first = makes_calendar(member)
    event = leaves(member)

    member.sends(event)
    second = makes_calendar(member)
    assert member.worker.deliver(event) == 204  # LINE sends it again, or Pub/Sub does

    assert second != first
    assert fetched(member, first).status is HTTPStatus.NOT_FOUND
    assert makes_calendar(member) == second
    assert len(feeds_in(member)) == 1


def test_what_comes_again_after_a_newer_address_leaves_that_address(member: Person) -> None:
    makes_calendar(member)
    leaving = member.sends(leaves(member))
    command = member.says("/calendar new")
    newest = makes_calendar(member)
    member.sends(leaving)
    assert makes_calendar(member) == newest

    member.sends(leaves(member))
    newest = makes_calendar(member)
    member.sends(command)
    assert makes_calendar(member) == newest
    assert len(feeds_in(member)) == 1


def test_a_leaving_that_comes_late_leaves_a_calendar_that_was_made_after_it(member: Person) -> None:
    leaving = leaves(member)
    address = makes_calendar(member)

    member.sends(leaving)

    assert makes_calendar(member) == address


def test_a_chat_is_told_of_the_leaving_on_the_token_of_the_next_message_once(member: Person) -> None:
    makes_calendar(member)
    said = len(member.worker.said)
    for number in range(3):  # three members within a minute
        leaving = leaves(member, "U" + str(number + 3) * 32)
        member.sends(leaving)
    assert member.worker.deliver(leaving) == 204  # again
    assert len(member.worker.said) == said

    spoken = member.sends(member.events.event("message", message={"type": "text", "text": "さみしくなるね"}))
    assert member.worker.said[said:] == [japanese(Phrase.CALENDAR_RENEWED)]
    assert member.worker.deliver(spoken) == 204
    member.sends(member.events.event("message", message={"type": "text", "text": "ほんとに"}))
    member.asks("カレンダーは？", REPLY)

    assert member.worker.said[said:] == [japanese(Phrase.CALENDAR_RENEWED), "わかりました"]
    assert len(member.worker.model.requests) == 1


def test_a_chat_is_told_of_the_leaving_along_with_its_next_answer_once(member: Person) -> None:
    makes_calendar(member)
    said = len(member.worker.said)
    for number in range(2):
        member.sends(leaves(member, "U" + str(number + 3) * 32))

    member.asks("こんにちは", REPLY)
    member.sends(member.events.event("message", message={"type": "text", "text": "ほんとに"}))
    member.asks("またね", REPLY)

    told = f"わかりました\n\n{japanese(Phrase.CALENDAR_RENEWED)}"
    assert member.worker.said[said:] == [told, "わかりました"]
    calendar = calendar_of(member)
    assert calendar is not None
    assert calendar.untold_id == ""


def test_a_leaving_which_names_nobody_is_told_in_the_language_of_the_chat(member: Person) -> None:
    makes_calendar(member)
    member.sends(member.events.event("message", message={"type": "text", "text": "what a lovely day it was"}))
    member.sends(leaves(member))

    member.sends(member.events.event("message", message={"type": "text", "text": "OK"}))

    assert member.worker.said[-1] == english(Phrase.CALENDAR_RENEWED)


def test_leavings_between_which_the_language_changes_are_told_once_in_the_newest(member: Person) -> None:
    makes_calendar(member)
    said = len(member.worker.said)
    member.sends(leaves(member))
    member.sends(leaves(member, "U" + "3" * 32))
    member.says("/language en")
    member.sends(leaves(member, "U" + "4" * 32))

    for words in ("OK", "yes"):
        member.sends(member.events.event("message", message={"type": "text", "text": words}))
    member.asks("こんにちは", REPLY)

    assert member.worker.said[said + 1 :] == [english(Phrase.CALENDAR_RENEWED), "わかりました"]


def test_another_address_by_command_leaves_nothing_to_tell_on_a_free_token(member: Person) -> None:
    makes_calendar(member)
    member.sends(leaves(member))

    member.says("/calendar new")

    calendar = calendar_of(member)
    assert calendar is not None
    assert calendar.untold_id == ""


def test_a_member_who_leaves_makes_no_calendar(member: Person) -> None:
    member.sends(leaves(member))

    assert calendar_of(member) is None
    assert feeds_in(member) == []


@pytest.mark.parametrize(
    ("command", "locale"),
    [("/calendar off", "ja"), ("／カレンダー　ＯＦＦ", "ja"), ("/行事曆 off", "zh-TW"), ("/ปฏิทิน off", "th")],
)
def test_a_calendar_that_is_off_shows_nothing(member: Person, command: str, locale: str) -> None:
    address = makes_calendar(member)

    member.says(command)

    assert member.worker.said[-1] == phrase(Phrase.CALENDAR_OFF, locale=locale, bot_name="Aizuchi")
    assert fetched(member, address).status is HTTPStatus.NOT_FOUND
    assert (calendar_of(member), feeds_in(member)) == (None, [])
    passes_a_minute(member)
    assert feeds_in(member) == []


def test_a_command_that_is_delivered_again_brings_no_calendar_back(member: Person) -> None:
    shown = member.says("/calendar")
    member.says("/calendar off")
    member.sends(shown)
    passes_a_minute(member)

    assert (calendar_of(member), feeds_in(member)) == (None, [])


@pytest.mark.parametrize("command", ["/forget", "/reset"])
def test_forgetting_ends_the_calendar_and_a_reset_leaves_it(friend: Person, command: str) -> None:
    address = makes_calendar(friend)
    is_reminded(friend, PILLS)
    passes_a_minute(friend)

    if command == "/forget":
        friend.confirms(command)
        assert fetched(friend, address).status is HTTPStatus.NOT_FOUND
        assert (calendar_of(friend), feeds_in(friend)) == (None, [])
    else:
        friend.says(command)
        assert summaries(friend, address) == ["薬"]


def test_a_bot_that_leaves_leaves_no_feed(member: Person) -> None:
    makes_calendar(member)
    is_reminded(member, PILLS)
    passes_a_minute(member)

    event = member.events.event("leave")
    del event["replyToken"]
    member.sends(event)

    assert (calendar_of(member), feeds_in(member)) == (None, [])


def test_a_tick_that_comes_after_the_erasure_makes_no_feed(friend: Person) -> None:
    makes_calendar(friend)
    is_reminded(friend, PILLS)
    friend.worker.clock.move(60)

    written: list[str] = []

    def erases(call: str, name: str) -> None:
        written.extend([name] if call == "replace" and name.startswith("feeds/") else [])
        if len(written) == 2:
            friend.worker.store.before = lambda *_: None
            friend.worker.erase(friend.events.chat_id, until_ms=friend.worker.clock.now_ms())

    friend.worker.store.before = erases
    assert friend.worker.push(push.tick()) == 204
    passes_a_minute(friend)

    assert feeds_in(friend) == []


def test_a_feed_that_was_lost_is_made_again(friend: Person) -> None:
    address = makes_calendar(friend)
    is_reminded(friend, PILLS)
    (name,) = feeds_in(friend)
    friend.worker.store.delete(name)

    passes_a_minute(friend)

    assert summaries(friend, address) == ["薬"]


def test_without_an_address_of_line_no_calendar_is_made(pool: ThreadPoolExecutor) -> None:
    friend = Person(PushedWorker(pool, calendar=calendar_port(feeds_url=None)), is_in_group=False)

    friend.says("/calendar")

    assert friend.worker.said == [japanese(Phrase.CALENDAR_NO_ADDRESS)]
    assert calendar_of(friend) is None


def test_a_self_hosted_calendar_stands_below_the_webhook(pool: ThreadPoolExecutor) -> None:
    port = calendar_port(feeds_url=None, webhook_url="https://bot.example/?x=1")
    friend = Person(PushedWorker(pool, calendar=port), is_in_group=False)

    address = makes_calendar(friend)

    assert address.startswith(f"https://bot.example{FEEDS_PATH}/c")


def test_where_calendars_are_off_the_command_is_none(pool: ThreadPoolExecutor) -> None:
    friend = Person(PushedWorker(pool), is_in_group=False)

    friend.says("/calendar", REPLY)

    assert friend.worker.said == ["わかりました"]
    assert feeds_in(friend) == []


def test_where_calendars_are_off_a_feed_of_before_is_cleaned_and_its_marker_cleared(
    pool: ThreadPoolExecutor, friend: Person
) -> None:
    makes_calendar(friend)
    asked = is_reminded(friend, PILLS)
    passes_a_minute(friend)
    off = PushedWorker(pool, reminding=Reminding.PUSH, store=friend.worker.store)
    off.clock.move((friend.worker.clock.now_ms() - off.clock.now_ms()) / 1_000)

    off.withdraw(friend.events.chat_id, asked["message"]["id"])
    off.clock.move(120)
    assert off.push(push.tick()) == 204

    (name,) = feeds_in(friend)
    stored = off.store.read(name)
    assert stored is not None
    assert decode(Feed, stored.data).items == ()
    assert not [one for one in off.store.list("due/") if "/calendar." in one.name and "薬" in one.name]


def test_a_repeated_turn_marks_the_feed_again(friend: Person) -> None:
    makes_calendar(friend)
    passes_a_minute(friend)

    is_reminded(friend, PILLS)

    assert [one for one in friend.worker.store.list("due/") if "/calendar." in one.name]


def test_a_plain_answer_costs_no_look_at_the_calendar(friend: Person) -> None:
    makes_calendar(friend)
    looks: list[str] = []
    friend.worker.store.before = lambda call, name: looks.append(f"{call} {name}")

    friend.asks("こんにちは", REPLY)

    assert not [one for one in looks if "calendars/" in one or "feeds/" in one]


def test_an_unreadable_feed_is_emptied_and_an_unreadable_calendar_goes_with_the_erasure(friend: Person) -> None:
    address = makes_calendar(friend)
    asked = is_reminded(friend, PILLS)
    passes_a_minute(friend)
    calendar = calendar_of(friend)
    assert calendar is not None
    store = friend.worker.store
    name, record = feed_name(calendar.token), f"calendars/{friend.events.chat_id}/calendar.json"

    def rewrite(object_name: str, data: bytes) -> None:
        stored = store.read(object_name)
        assert stored is not None
        assert store.replace(object_name, data, generation=stored.generation) is not None

    rewrite(name, "薬".encode())
    friend.worker.withdraw(friend.events.chat_id, asked["message"]["id"])
    assert summaries(friend, address) == []

    rewrite(record, f'{{"version":1,"token":"{calendar.token}"}}'.encode())
    friend.worker.erase(friend.events.chat_id, until_ms=friend.worker.clock.now_ms())
    assert (store.read(name), store.read(record)) == (None, None)
