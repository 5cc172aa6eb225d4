"""Forgeries about reminders; like those in `forgeries.py`."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Final

from shared.line.messaging import OutgoingMessage, PushFate
from shared.line.postback_data import ReminderChoice, ReminderPress
from shared.reminders.delivery import Reminding
from shared.reminders.reminder import ReminderState
from shared.storage.codec import encode
from tests.simulation.people import PERSON
from tests.simulation.reminder_checks import IN_TIME_S, is_of_reminder
from tests.simulation.scene import Scene

_EARLY_S: Final = 60.0


def _play(forge: Callable[[Scene], None]) -> list[str]:
    """Play a scene with two reminders, which are pushed, and then forge its record."""
    with Scene(reminding=Reminding.PUSH).playing() as scene:
        for _ in range(2):
            scene.runs_to_end(scene.asks_for("remind"))
        scene.rests(calm=True)
        forge(scene)
        return scene.stage.violations()


def _pushed(scene: Scene) -> int:
    """Return which of the texts is the first pushed reminder."""
    return next(number for number, one in enumerate(scene.world.truth.said) if one.reminder is not None)


def _move(scene: Scene, seconds: float) -> None:
    number = _pushed(scene)
    said = scene.world.truth.said[number]
    scene.world.truth.said[number] = replace(said, at_s=said.at_s + seconds)


def reminder_that_comes_late() -> list[str]:
    return _play(lambda scene: _move(scene, IN_TIME_S + 1))


def reminder_that_comes_early() -> list[str]:
    return _play(lambda scene: _move(scene, -_EARLY_S - IN_TIME_S))


def reminder_in_other_words() -> list[str]:
    def forge(scene: Scene) -> None:
        number = _pushed(scene)
        scene.world.truth.said[number] = replace(scene.world.truth.said[number], text="other words")

    return _play(forge)


def reminder_that_nobody_saw() -> list[str]:
    def forge(scene: Scene) -> None:
        scene.world.truth.said.pop(_pushed(scene))

    return _play(forge)


def reminder_that_is_gone() -> list[str]:
    def forge(scene: Scene) -> None:
        scene.world.objects.delete(scene.world.objects.list(f"reminders/{PERSON}/")[0].name)

    return _play(forge)


def reminder_that_counts_as_said() -> list[str]:
    def forge(scene: Scene) -> None:
        said = [one for one in scene.world.truth.said if one.reminder is not None]
        scene.world.truth.said = [one for one in scene.world.truth.said if one not in said]
        recorded = scene.world.truth.recorded[PERSON]
        for own_id in [one for one in recorded if is_of_reminder(one)]:
            del recorded[own_id]
        for (_, reminder_id), reminder in scene.world.truth.reminders.items():
            ended = replace(reminder, state=ReminderState.DONE)
            name = f"reminders/{PERSON}/{reminder_id}.json"
            stored = scene.world.objects.read(name)
            scene.world.objects.replace(name, encode(ended), generation=stored.generation if stored is not None else 0)

    return _play(forge)


def reminder_that_is_never_made() -> list[str]:
    def forge(scene: Scene) -> None:
        scene.world.truth.reminders.clear()
        scene.world.truth.said.clear()

    return _play(forge)


def _press(scene: Scene) -> None:
    scene.runs_to_end(scene.pushes(scene.delivers_order(scene.chooses(ReminderChoice.DONE))))


def press_that_meets_silence() -> list[str]:
    def forge(scene: Scene) -> None:
        _press(scene)
        token = scene.stage.people.orders[-1].reply_token
        scene.world.truth.said = [one for one in scene.world.truth.said if one.reply_token != token]

    return _play(forge)


def press_of_a_reminder_of_another_chat() -> list[str]:
    def forge(scene: Scene) -> None:
        _press(scene)
        press = ReminderPress.read(scene.stage.people.orders[-1].presses)
        assert press is not None
        truth = scene.world.truth
        del truth.reminders[PERSON, press.reminder_id]
        truth.said = [one for one in truth.said if one.reminder is None or one.reminder.id != press.reminder_id]

    return _play(forge)


def error_after_which_a_tick_goes_on() -> list[str]:
    """A port of the simulation raises once; the next tick pushes the reminder, so nothing but the log shows it."""
    with Scene(reminding=Reminding.PUSH).playing() as scene:
        scene.runs_to_end(scene.asks_for("remind"))
        push, errors = scene.stage.line.push, [ZeroDivisionError()]

        def fail_once(to: str, messages: Sequence[OutgoingMessage], *, retry_key: str) -> PushFate:
            if errors:
                raise errors.pop()
            return push(to, messages, retry_key=retry_key)

        scene.stage.line.push = fail_once  # type: ignore[method-assign]
        return scene.rests()


FORGERIES: Final[Iterable[Callable[[], list[str]]]] = (
    reminder_that_comes_late,
    reminder_that_comes_early,
    reminder_in_other_words,
    reminder_that_nobody_saw,
    reminder_that_is_gone,
    reminder_that_counts_as_said,
    reminder_that_is_never_made,
    press_that_meets_silence,
    press_of_a_reminder_of_another_chat,
    error_after_which_a_tick_goes_on,
)
