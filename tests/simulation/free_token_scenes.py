"""Scenes of a message that nobody answers, whose token one thing has used when another one comes to it."""

from typing import Final

from shared.hooks.hook import HookMode
from shared.line.addressing import GroupPolicy
from shared.reminders.delivery import Reminding
from tests.simulation.bus import TICK_S
from tests.simulation.calendars import commands, member_leaves
from tests.simulation.hooks import make_hook, notice_to
from tests.simulation.people import GROUP, Message
from tests.simulation.scene import MINUTE_S, Scene
from tests.simulation.translation import GREETS, begin_translation

_BETWEEN_WRITES_S: Final = 2.0
_DUE_S: Final = 300.0
"""After so long the tick has come at which a scene's summary is due, and the turn rests."""
_RESTED_S: Final = 33.0
"""After so long without a write the model may interject; the token of the message still lives."""


def notice_after_a_summary() -> list[str]:
    """A summary is told with a message; then a notice comes, and the message again."""
    with _scene_with_a_summary().playing() as scene:
        _summary_is_due(scene)
        message = scene.says(addressed=False)
        _comes(scene, message)
        _is_notified(scene)
        _comes(scene, message)
        return scene.rests()


def notice_beside_a_summary() -> list[str]:
    """A notice and a summary wait; a message comes twice, and the delivery that tells the summary opens the turn before the other."""
    with _scene_with_a_summary().playing() as scene:
        _summary_is_due(scene)
        _is_notified(scene)
        message = scene.says(addressed=False)
        slow = scene.pushes(scene.delivers(message), instance=0)
        scene.runs_until(slow, "write turns/")
        _comes(scene, message, instance=1)
        scene.runs_to_end(slow)
        return scene.rests()


def notice_after_an_address() -> list[str]:
    """A message tells that the calendar has another address; then a notice comes, and the message again."""
    with Scene(group=True, has_hooks=True, has_calendar=True).playing() as scene:
        message = _tells_of_an_address(scene)
        _is_notified(scene)
        _comes(scene, message)
        return scene.rests()


def translation_after_an_address() -> list[str]:
    """A message tells that the calendar has another address; then members' messages are translated, and the message comes again."""
    with Scene(group=True, has_calendar=True, has_translation=True).playing() as scene:
        message = _tells_of_an_address(scene, verb=GREETS)
        begin_translation(scene.world, GROUP)
        _comes(scene, message)
        return scene.rests()


def interjection_after_a_notice() -> list[str]:
    """A notice is shown with a message, about which the model may not interject yet; when it may, the message comes again."""
    with Scene(group=True, has_hooks=True, group_policy=GroupPolicy.MODEL).playing() as scene:
        scene.runs_to_end(scene.asks())
        _is_notified(scene)
        message = scene.says(addressed=False)
        _comes(scene, message)
        scene.sleeps(_RESTED_S)
        _comes(scene, message)
        return scene.rests()


def answer_after_a_notice() -> list[str]:
    """A message quotes an answer before that is recorded, and a notice is shown with the message; then the message comes again."""
    with Scene(group=True, has_hooks=True).playing() as scene:
        answering = scene.asks()
        scene.runs_until(answering, "write journal/", times=2)
        _is_notified(scene)
        (said,) = scene.world.truth.said
        message = scene.says(addressed=False, quotes=said.bubble_ids[0])
        overhearing = scene.pushes(scene.delivers(message))
        scene.runs_until(overhearing, "write journal/", times=2)
        scene.runs_to_end(answering)
        scene.runs_to_end(overhearing)
        scene.sleeps(_BETWEEN_WRITES_S)
        _comes(scene, message)
        return scene.rests()


def _scene_with_a_summary() -> Scene:
    return Scene(group=True, has_hooks=True, reminding=Reminding.PUSH)


def _summary_is_due(scene: Scene) -> None:
    """A member has asked for a summary, another message is for nobody, and the time of the summary has come."""
    scene.runs_to_end(scene.asks_for("sum"))
    scene.sleeps(1)
    _comes(scene, scene.says(addressed=False))
    scene.sleeps(_DUE_S + TICK_S - scene.world.now_s % TICK_S)
    scene.ticks()
    scene.sleeps(MINUTE_S)


def _is_notified(scene: Scene) -> None:
    """A system sends a notice, which waits for the chat's next message."""
    hook_id = make_hook(scene.world, GROUP, number=1, mode=HookMode.NEXT)
    scene.runs_to_end(scene.pushes(notice_to(scene.world, GROUP, hook_id, number=1)))


def _tells_of_an_address(scene: Scene, *, verb: str = "") -> Message:
    """A member leaves a chat with a calendar, and a message that is not for the bot tells of it; return the message."""
    scene.runs_to_end(commands(scene))
    scene.sleeps(_BETWEEN_WRITES_S)
    scene.runs_to_end(scene.pushes(member_leaves(scene)))
    scene.sleeps(_BETWEEN_WRITES_S)
    message = scene.says(addressed=False, verb=verb)
    _comes(scene, message)
    scene.sleeps(_BETWEEN_WRITES_S)
    return message


def _comes(scene: Scene, message: Message, *, instance: int | None = None) -> None:
    """LINE's delivery of the message is pushed, and handled."""
    scene.runs_to_end(scene.pushes(scene.delivers(message), instance=instance))
