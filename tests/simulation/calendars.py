"""Calendars of a schedule's chats: made, renewed and ended by commands, and renewed when a member leaves."""

from tests.simulation.bus import Delivery
from tests.simulation.calendar_checks import calendar_in
from tests.simulation.people import People
from tests.simulation.scene import Scene
from tests.simulation.scheduler import Task
from tests.simulation.world import World


def commands(scene: Scene, words: str = "") -> Task:
    """A member gives `/calendar` with these words, which is pushed at once; an address that the words end must show nothing later."""
    if words:
        ends_address(scene.world, scene.stage.people)
    return scene.pushes(scene.delivers_order(scene.commands(f"calendar {words}".strip())))


def ends_address(world: World, people: People) -> None:
    """The chat's present address ends from now on."""
    calendar = calendar_in(world, people.conversation_id)
    if calendar is not None:
        world.truth.ended_tokens.add(calendar.token)


def member_leaves(scene: Scene) -> Delivery:
    """A member leaves the chat; nothing is delivered yet."""
    return leaving_from(scene.world, scene.stage.people, at_s=scene.world.now_s)


def leaving_from(world: World, people: People, *, at_s: float) -> Delivery:
    """Return LINE's delivery of a leaving; once it is handled, the address that the member knew shows nothing."""
    calendar = calendar_in(world, people.conversation_id)
    leaving = people.leaving(at_s=at_s)
    world.truth.leavings_s.setdefault((leaving.conversation_id, leaving.user_id), []).append(leaving.at_s)
    return Delivery(
        name=f"leaving {leaving.event['webhookEventId']}",
        conversation_id=people.conversation_id,
        function="agent_worker",
        event=leaving.event,
        published_s=world.now_s,
        on_ack=lambda: world.truth.ended_tokens.update({calendar.token} if calendar is not None else ()),
    )
