"""What a chat's calendar shows in the end: each reminder and meeting, none that is gone, and nothing at an address that has ended."""

from collections.abc import Iterator
from contextlib import suppress

from shared.calendars.feed import FEED_PREFIX, Calendar, Feed, feed_name, uid_of
from shared.calendars.store import FOLDER
from shared.errors import CorruptRecordError
from shared.line.phrases import Phrase
from shared.polls.poll import FOLDER as POLLS_FOLDER
from shared.polls.poll import Poll
from shared.reminders.reminder import Reminder, ReminderKind, ReminderState
from shared.storage.codec import decode
from tests.simulation.fixed_texts import in_every_language
from tests.simulation.people import People
from tests.simulation.world import World


def check_calendars(people: People, world: World) -> Iterator[str]:
    """The feed has what the bucket has; every other feed is empty, because no chat's erasure would find its words."""
    chat = people.conversation_id
    calendar = calendar_in(world, chat)
    present = calendar.token if calendar is not None else ""
    earlier = {token for token, whose in world.truth.tokens_given.items() if whose == chat and token != present}
    if any(world.objects.read(feed_name(token)) for token in world.truth.ended_tokens | earlier):
        yield "I9: an address that has ended still shows a calendar"
    if calendar is None:
        yield from _check_orphans(world)
        return
    yield from _check_told(world, chat)
    feed = world.objects.read(calendar.feed_name)
    if feed is None:
        yield "I1: a calendar has lost its feed"
        return
    shown = {item.uid for item in decode(Feed, feed.data).items}
    reminders = [frozenset(_uids_of(reminder, chat)) for reminder in _reminders(world, chat)]
    meetings = {uid_of(chat, "meeting", meeting.id) for meeting in _meetings(world, chat)}
    if any(uids.isdisjoint(shown) for uids in reminders):
        yield "I1: a calendar lacks a reminder"
    if meetings - shown:
        yield "I1: a calendar lacks a meeting"
    if shown - meetings - frozenset().union(*reminders):
        yield "I4: a calendar shows a reminder or a meeting that is gone"


def note_calendar(world: World, name: str, data: bytes) -> None:
    """Remember the address in a record; no feed is written with a word of a message whose withdrawal or erasure has been handled."""
    if name.startswith(f"{FOLDER}/"):
        world.truth.tokens_given[decode(Calendar, data).token] = name.split("/")[1]
        return
    text = data.decode()
    if any(word in text for word in world.truth.forgotten):
        world.truth.report("I4: a feed was written with words that had been taken back")


def _check_told(world: World, chat: str) -> Iterator[str]:
    """Each leaving is told once at most; leavings that are told together are told in one text."""
    leavings = sum(len(times) for (place, _), times in world.truth.leavings_s.items() if place == chat)
    if times_told(world, chat) > leavings:
        yield "I6: a chat was told twice that its calendar has another address"


def times_told(world: World, chat: str) -> int:
    """Return how often the chat was told that its calendar has another address, also where a bubble ends within the text."""
    texts = [_without_gaps(text) for text in in_every_language(Phrase.CALENDAR_RENEWED)]
    shown = [_without_gaps(said.text) for said in world.truth.said if said.conversation_id == chat]
    return sum(said.count(text) for said in shown for text in texts)


def _without_gaps(text: str) -> str:
    return "".join(text.split())


def calendar_in(world: World, chat: str) -> Calendar | None:
    """Return the chat's calendar; None: it has none."""
    stored = world.objects.read(f"{FOLDER}/{chat}/calendar.json")
    return decode(Calendar, stored.data) if stored is not None else None


def _check_orphans(world: World) -> Iterator[str]:
    calendars = (calendar_in(world, listed.name.split("/")[1]) for listed in world.objects.list(f"{FOLDER}/"))
    named = {calendar.feed_name for calendar in calendars if calendar is not None}
    for listed in world.objects.list(FEED_PREFIX):
        stored = world.objects.read(listed.name)
        if listed.name not in named and stored is not None and decode(Feed, stored.data).items:
            yield "I4: a feed that belongs to no chat holds words"


def _reminders(world: World, chat: str) -> Iterator[Reminder]:
    """Yield what is shown: reminders with a text of their own."""
    for listed in world.objects.list(f"reminders/{chat}/"):
        stored = world.objects.read(listed.name)
        with suppress(CorruptRecordError):  # the chat's count of pushes
            reminder = decode(Reminder, stored.data) if stored is not None else None
            is_shown = reminder is not None and reminder.kind is ReminderKind.TEXT and bool(reminder.text)
            if reminder is not None and is_shown and reminder.state is not ReminderState.CANCELLED:
                yield reminder


def _uids_of(reminder: Reminder, chat: str) -> Iterator[str]:
    """Yield the ids of a reminder's events: one for each hour of a rule with hours, such as that of an hourly reminder."""
    hours = reminder.recurrence.hours if reminder.recurrence is not None else ()
    own_ids = [f"{reminder.id} {hour}" for hour in hours] or [reminder.id]
    return (uid_of(chat, "reminder", own_id) for own_id in own_ids)


def _meetings(world: World, chat: str) -> Iterator[Poll]:
    prefix = f"{POLLS_FOLDER}/{chat}/p"
    for listed in world.objects.list(prefix):
        stored = world.objects.read(listed.name)
        poll = decode(Poll, stored.data) if stored is not None else None
        if poll is not None and poll.is_meeting and not poll.is_called_off:
            yield poll
