"""Scenes of calendars: feeds that follow the chat, lose what is taken back, and end with their address."""

from typing import Final

from shared.calendars.feed import Feed
from shared.conversation.snapshot import MemoryLimits
from shared.reminders.delivery import Reminding
from shared.storage.codec import decode
from tests.simulation.bus import TICK_S
from tests.simulation.calendar_checks import calendar_in, times_told
from tests.simulation.calendars import commands, member_leaves
from tests.simulation.people import GROUP, Message
from tests.simulation.scene import LONG_SLEEP_S, Scene
from tests.simulation.scheduler import Task
from tests.simulation.stage import SMALL_BOUNDS
from tests.simulation.wiring import TINY

_BETWEEN_WRITES_S: Final = 2.0
"""An object takes one write a second."""
_ASKED_MEANWHILE: Final = 4
"""So many messages that a tiny memory has none of before."""
_FIVE_JOURNALLED: Final = MemoryLimits(journalled=5)
_OUTCOMES_READ: Final = 2
_FEED_WRITTEN: Final = "write feeds/"


def _scene() -> Scene:
    return Scene(has_calendar=True, reminding=Reminding.PUSH)


def _has_calendar(scene: Scene) -> None:
    scene.runs_to_end(commands(scene))


def _is_asked(scene: Scene) -> Message:
    """A member asks to be reminded, and the turn ends."""
    scene.sleeps(_BETWEEN_WRITES_S)
    message = scene.says(verb="remind")
    scene.runs_to_end(scene.pushes(scene.delivers(message)))
    return message


def _shows_something(scene: Scene) -> bool:
    calendar = calendar_in(scene.world, scene.stage.people.conversation_id)
    stored = scene.world.objects.read(calendar.feed_name) if calendar is not None else None
    return stored is not None and bool(decode(Feed, stored.data).items)


def _next_tick(scene: Scene) -> Task:
    """A minute has begun."""
    scene.sleeps(TICK_S - scene.world.now_s % TICK_S)
    return scene.pushes(scene.stage.ticker.tick())


def _collects(scene: Scene, tick: Task) -> None:
    """A tick has said that it writes the feed, has read everything, and sleeps before it writes the items."""
    scene.runs_past(tick, _FEED_WRITTEN)
    scene.runs_until(tick, _FEED_WRITTEN)


def feed_that_follows_the_chat() -> list[str]:
    """A chat with a calendar is reminded of something; ticks come."""
    with _scene().playing() as scene:
        _has_calendar(scene)
        scene.runs_to_end(_next_tick(scene))
        _is_asked(scene)
        return scene.rests(calm=True)


def turn_whose_worker_dies_before_it_marks_the_feed() -> list[str]:
    """The worker of a turn dies when the reminder is written, and nothing says so to a tick; the message comes again."""
    with _scene().playing() as scene:
        _has_calendar(scene)
        scene.runs_to_end(_next_tick(scene))
        scene.sleeps(_BETWEEN_WRITES_S)
        message = scene.says(verb="remind")
        worker = scene.pushes(scene.delivers(message))
        scene.runs_until(worker, "read calendars/")
        scene.dies(worker)
        scene.sleeps(TICK_S)
        scene.runs_to_end(scene.pushes(scene.delivers(message)))
        return scene.rests()


def meeting_that_is_taken_back() -> list[str]:
    """A meeting is in the feed when the message that asked for it is withdrawn."""
    with Scene(group=True, has_calendar=True, has_polls=True).playing() as scene:
        _has_calendar(scene)
        scene.sleeps(_BETWEEN_WRITES_S)
        message = scene.says(verb="meet")
        scene.runs_to_end(scene.pushes(scene.delivers(message)))
        scene.runs_to_end(_next_tick(scene))
        shown = [] if _shows_something(scene) else ["I1: a meeting is not in the feed a minute later"]
        scene.sleeps(_BETWEEN_WRITES_S)
        scene.runs_to_end(scene.takes_back(message))
        return [*shown, *scene.keeps(), *scene.rests()]


def meeting_that_stays() -> list[str]:
    """Members are asked who comes to a meeting, in a chat with a calendar; ticks come."""
    with Scene(group=True, has_calendar=True, has_polls=True).playing() as scene:
        _has_calendar(scene)
        scene.sleeps(_BETWEEN_WRITES_S)
        scene.runs_to_end(scene.asks_for("meet"))
        return scene.rests(calm=True)


def meeting_that_is_called_off() -> list[str]:
    """A meeting is in the feed, and is called off."""
    with Scene(group=True, has_calendar=True, has_polls=True).playing() as scene:
        _has_calendar(scene)
        scene.sleeps(_BETWEEN_WRITES_S)
        scene.runs_to_end(scene.asks_for("meet"))
        scene.runs_to_end(_next_tick(scene))
        shown = [] if _shows_something(scene) else ["I1: a meeting is not in the feed a minute later"]
        scene.sleeps(_BETWEEN_WRITES_S)
        scene.runs_to_end(scene.asks_for("calloff"))
        return [*shown, *scene.rests(calm=True)]


def reminder_that_is_taken_back() -> list[str]:
    """A reminder is in the feed when its message is withdrawn."""
    with _scene().playing() as scene:
        _has_calendar(scene)
        message = _is_asked(scene)
        scene.runs_to_end(_next_tick(scene))
        scene.sleeps(_BETWEEN_WRITES_S)
        scene.runs_to_end(scene.takes_back(message))
        kept = scene.keeps()
        return [*kept, *scene.rests()]


def feed_that_is_written_by_a_slow_tick() -> list[str]:
    """A tick sleeps before it writes a feed with a reminder that is withdrawn meanwhile; the next tick dies after the withdrawal."""
    with _scene().playing() as scene:
        _has_calendar(scene)
        message = _is_asked(scene)
        slow = _next_tick(scene)
        _collects(scene, slow)
        scene.runs_to_end(scene.takes_back(message))
        withdrawing = _next_tick(scene)
        scene.runs_past(withdrawing, "delete due/")
        scene.dies(withdrawing)
        scene.runs_to_end(slow)
        return scene.rests()


def feed_that_is_written_by_two_ticks() -> list[str]:
    """A tick sleeps before it writes a feed; another one writes a feed with a later reminder; the first one wakes up."""
    with _scene().playing() as scene:
        _has_calendar(scene)
        slow = _next_tick(scene)
        _collects(scene, slow)
        _is_asked(scene)
        scene.runs_to_end(_next_tick(scene))
        scene.runs_to_end(slow)
        return scene.rests()


def calendar_that_is_renewed_under_a_tick() -> list[str]:
    """A tick sleeps before it writes a feed; a member asks for another address."""
    with _scene().playing() as scene:
        _has_calendar(scene)
        _is_asked(scene)
        slow = _next_tick(scene)
        _collects(scene, slow)
        scene.runs_to_end(commands(scene, "new"))
        scene.runs_to_end(slow)
        return scene.rests()


def calendar_that_ends_under_a_tick() -> list[str]:
    """A tick sleeps before it writes a feed; a member ends the calendar."""
    with _scene().playing() as scene:
        _has_calendar(scene)
        _is_asked(scene)
        slow = _next_tick(scene)
        _collects(scene, slow)
        scene.runs_to_end(commands(scene, "off"))
        scene.runs_to_end(slow)
        return scene.rests()


def chat_that_is_left_under_a_tick() -> list[str]:
    """A tick sleeps before it writes a feed; the bot is removed from the chat."""
    with _scene().playing() as scene:
        _has_calendar(scene)
        _is_asked(scene)
        slow = _next_tick(scene)
        _collects(scene, slow)
        scene.runs_to_end(scene.bot_leaves())
        scene.runs_to_end(slow)
        return scene.rests()


def members_who_leave_and_a_message_that_gets_no_answer() -> list[str]:
    """Two members leave; a message that is not for the bot tells the chat, another one does not, and an answer does not."""
    with Scene(group=True, has_calendar=True).playing() as scene:
        _has_calendar(scene)
        scene.sleeps(_BETWEEN_WRITES_S)
        for _ in range(2):
            scene.runs_to_end(scene.pushes(member_leaves(scene)))
            scene.sleeps(_BETWEEN_WRITES_S)
        for is_addressed in (False, False, True):
            scene.runs_to_end(scene.pushes(scene.delivers(scene.says(addressed=is_addressed))))
            scene.sleeps(_BETWEEN_WRITES_S)
        return _rests_when_told(scene)


def press_of_a_forgotten_question_after_a_member_has_left() -> list[str]:
    """A question is deferred, and leaves the memory without an answer; a member leaves. A press of its button is told both."""
    with Scene(group=True, has_calendar=True, seconds=26.0, limits=TINY).playing() as scene:
        _has_calendar(scene)
        scene.sleeps(_BETWEEN_WRITES_S)
        thinker = scene.asks()
        scene.runs_past(thinker, f"write journal/{GROUP}/event-2.outcome")
        scene.dies(thinker)
        button = scene.world.truth.said[-1].button or ""
        scene.stage.mood.seconds = (1.0, 1.0)
        for _ in range(_ASKED_MEANWHILE):
            scene.runs_to_end(scene.asks())
            scene.sleeps(_BETWEEN_WRITES_S)
        scene.runs_to_end(scene.pushes(member_leaves(scene)))
        scene.sleeps(_BETWEEN_WRITES_S)
        scene.runs_to_end(scene.pushes(scene.presses(button)))
        return _rests_when_told(scene)


def answer_that_leaves_the_memory_before_what_it_told() -> list[str]:
    """A member leaves before an older message is delivered, and its answer tells of that; further messages fill the memory."""
    with Scene(group=True, has_calendar=True, limits=TINY, bounds=SMALL_BOUNDS).playing() as scene:
        _has_calendar(scene)
        older = scene.says()
        scene.sleeps(_BETWEEN_WRITES_S)
        newer = scene.says(addressed=False)
        scene.runs_to_end(scene.pushes(member_leaves(scene)))
        scene.runs_to_end(scene.pushes(scene.delivers(older)))
        scene.sleeps(_BETWEEN_WRITES_S)
        scene.runs_to_end(scene.pushes(scene.delivers(newer)))
        for _ in range(_ASKED_MEANWHILE):
            scene.sleeps(_BETWEEN_WRITES_S)
            scene.runs_to_end(scene.asks())
        return _rests_when_told(scene)


def text_that_waits_while_the_model_says_nothing() -> list[str]:
    """A member leaves; the model says nothing about the messages that fill the memory, and its next answer tells of the leaving."""
    with Scene(group=True, has_calendar=True, limits=TINY, bounds=SMALL_BOUNDS).playing() as scene:
        _has_calendar(scene)
        scene.sleeps(_BETWEEN_WRITES_S)
        scene.runs_to_end(scene.pushes(member_leaves(scene)))
        for skips in (*(1.0,) * _ASKED_MEANWHILE, 0.0):
            scene.stage.mood.skips = skips
            scene.sleeps(_BETWEEN_WRITES_S)
            scene.runs_to_end(scene.asks())
        return _rests_when_told(scene)


def told_text_that_is_the_oldest_in_the_journal() -> list[str]:
    """A member leaves before a compaction, which leaves only the text of that; it is told, and so many answers follow that few are read."""
    with Scene(
        group=True, has_calendar=True, limits=_FIVE_JOURNALLED, bounds={"outcomes_read": _OUTCOMES_READ}
    ).playing() as scene:
        _has_calendar(scene)
        for _ in range(_FIVE_JOURNALLED.journalled):
            scene.runs_to_end(scene.pushes(scene.delivers(scene.says(addressed=False))))
        scene.sleeps(_BETWEEN_WRITES_S)
        compacting = scene.asks()
        scene.runs_past(compacting, f"write journal/{GROUP}/event-7.outcome")
        scene.sleeps(_BETWEEN_WRITES_S)
        scene.runs_to_end(scene.pushes(member_leaves(scene)))
        scene.runs_to_end(compacting)
        for is_addressed in (False, *(True,) * (_OUTCOMES_READ + 1)):
            scene.sleeps(_BETWEEN_WRITES_S)
            scene.runs_to_end(scene.pushes(scene.delivers(scene.says(addressed=is_addressed))))
        return _rests_when_told(scene)


def _rests_when_told(scene: Scene) -> list[str]:
    rests = scene.rests(calm=True)
    is_told = times_told(scene.world, scene.stage.people.conversation_id) == 1
    return rests if is_told else [*rests, "I6: a chat was not told once that its calendar has another address"]


def worker_that_dies_before_it_tells() -> list[str]:
    """A member leaves; the worker dies when the text is sent; the message comes again, and another one."""
    with Scene(group=True, has_calendar=True).playing() as scene:
        _has_calendar(scene)
        scene.sleeps(_BETWEEN_WRITES_S)
        leaving = member_leaves(scene)
        scene.runs_to_end(scene.pushes(leaving))
        delivery = scene.delivers(scene.says(addressed=False))
        worker = scene.pushes(delivery)
        scene.runs_past(worker, "reply")
        scene.dies(worker)
        scene.sleeps(LONG_SLEEP_S)
        scene.runs_to_end(scene.pushes(delivery))
        scene.sleeps(_BETWEEN_WRITES_S)
        scene.runs_to_end(scene.pushes(scene.delivers(scene.says(addressed=False))))
        return scene.rests()


def member_who_leaves() -> list[str]:
    """A member leaves; the worker dies when the record has another token, and the event comes again."""
    with _scene().playing() as scene:
        _has_calendar(scene)
        _is_asked(scene)
        scene.runs_to_end(_next_tick(scene))
        scene.sleeps(_BETWEEN_WRITES_S)
        leaving = member_leaves(scene)
        worker = scene.pushes(leaving)
        scene.runs_past(worker, "write calendars/")
        scene.dies(worker)
        scene.sleeps(LONG_SLEEP_S)
        scene.runs_to_end(scene.pushes(leaving))
        return scene.rests()
