"""Forgeries about calendars; like those in `forgeries.py`."""

from collections.abc import Callable
from typing import Final

from shared.reminders.delivery import Reminding
from tests.simulation.bus import TICK_S
from tests.simulation.calendar_checks import calendar_in
from tests.simulation.calendars import commands
from tests.simulation.people import PERSON
from tests.simulation.scene import Scene

_BETWEEN_WRITES_S: Final = 2.0
"""An object takes one write a second."""


def calendar_without_a_feed() -> list[str]:
    with Scene(has_calendar=True).playing() as scene:
        scene.runs_to_end(commands(scene))
        scene.sleeps(2 * TICK_S)
        scene.ticks()
        calendar = calendar_in(scene.world, PERSON)
        assert calendar is not None
        scene.world.objects.delete(calendar.feed_name)
        return scene.rests(calm=True)


def reminder_that_is_gone() -> list[str]:
    return _play_with_a_reminder("reminders/")


def feed_without_a_chat() -> list[str]:
    return _play_with_a_reminder("calendars/")


def _play_with_a_reminder(prefix: str) -> list[str]:
    """A reminder is in the feed; then the objects with this prefix are gone."""
    with Scene(has_calendar=True, reminding=Reminding.PUSH).playing() as scene:
        scene.runs_to_end(commands(scene))
        scene.sleeps(_BETWEEN_WRITES_S)
        scene.runs_to_end(scene.asks_for("remind"))
        scene.sleeps(2 * TICK_S)
        scene.ticks()
        for listed in scene.world.objects.list(f"{prefix}{PERSON}/"):
            scene.world.objects.delete(listed.name)
        return scene.rests()


FORGERIES: Final[tuple[Callable[[], list[str]], ...]] = (
    calendar_without_a_feed,
    reminder_that_is_gone,
    feed_without_a_chat,
)
