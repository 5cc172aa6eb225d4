"""Calendars of a schedule's chats: made, renewed and ended by commands, and renewed when a member leaves."""

from tests.simulation.bus import Delivery
from tests.simulation.calendar_checks import calendar_in
from tests.simulation.scene import Scene
from tests.simulation.scheduler import Task


def commands(scene: Scene, words: str = "") -> Task:
    """A member gives `/calendar` with these words, which is pushed at once; an address that the words end must show nothing later."""
    if words:
        ends_address(scene)
    return scene.pushes(scene.delivers_order(scene.commands(f"calendar {words}".strip())))


def ends_address(scene: Scene) -> None:
    """The chat's present address ends from now on."""
    calendar = calendar_in(scene.world, scene.stage.people.conversation_id)
    if calendar is not None:
        scene.world.truth.ended_tokens.add(calendar.token)


def member_leaves(scene: Scene) -> Delivery:
    """A member leaves the chat; nothing is delivered yet."""
    chat = scene.stage.people.conversation_id
    if calendar_in(scene.world, chat) is not None:
        scene.world.truth.leavings[chat] += 1
    ends_address(scene)
    event = scene.stage.people.leaving(at_s=scene.world.now_s)
    return Delivery(
        name=f"leaving {event['webhookEventId']}",
        conversation_id=chat,
        function="agent_worker",
        event=event,
        published_s=scene.world.now_s,
    )
