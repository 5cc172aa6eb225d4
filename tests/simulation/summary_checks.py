"""What was told of a chat's summaries: each time of one at most once, and those for one member to nobody else."""

from collections import Counter
from collections.abc import Iterator, Sequence

from shared.conversation.records import SaidReminder
from tests.simulation.people import MEMBERS, People
from tests.simulation.world import WORD, World

_SUFFIX = "-summary"


def summaries_told(people: People, world: World) -> Sequence[tuple[str, tuple[SaidReminder, ...]]]:
    """Return the summaries that appeared in the chat: the first line of each, and the occurrences that it told."""
    outcomes = (
        text.outcome
        for text in world.truth.said
        if text.conversation_id == people.conversation_id and text.outcome is not None
    )
    return [
        ((outcome.text or "").partition("\n")[0], outcome.reminders)
        for outcome in outcomes
        if is_of_summary(outcome.webhook_event_id)
    ]


def is_of_summary(webhook_event_id: str) -> bool:
    """Whether an outcome of this id tells a summary, on the token of a message that asks nothing."""
    return webhook_event_id.endswith(_SUFFIX)


def check_summaries(people: People, world: World) -> Iterator[str]:
    """No summary is told twice; those of a schedule come once.  Those for one member are told to nobody else, and stored nowhere."""
    askers = {
        own_id: reminder.user_id
        for (chat, own_id), reminder in world.truth.reminders.items()
        if chat == people.conversation_id and reminder.is_private and reminder.user_id is not None
    }
    pushed = ((one.conversation_id, one.reminder.id) for one in world.truth.said if one.reminder is not None)
    told = (one.id for _, reminders in summaries_told(people, world) for one in reminders)
    if any(chat != askers.get(own_id, chat) for chat, own_id in pushed) or not askers.keys().isdisjoint(told):
        yield "I7: a summary for one member was told in another chat than that member's own"
    if any(WORD.search(body) for member in MEMBERS for body in _bodies_of(world, member)):
        yield "I7: words of a group are stored in a member's own chat"
    if any(count > 1 for count in Counter(title for title, _ in summaries_told(people, world)).values()):
        yield "I2: a summary was told twice"


def _bodies_of(world: World, chat: str) -> Iterator[str]:
    """Yield what every object of the chat holds."""
    for listed in world.objects.list(""):
        stored = world.objects.read(listed.name) if f"/{chat}" in listed.name else None
        if stored is not None:
            yield stored.data.decode(errors="replace")
