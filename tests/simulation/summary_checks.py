"""What was told of a chat's summaries on a schedule: each time of one at most once, and none is pushed."""

from collections import Counter
from collections.abc import Iterator, Sequence

from shared.conversation.records import SaidReminder
from tests.simulation.people import People
from tests.simulation.world import World

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
    """No summary is told twice; those of a schedule come once."""
    if any(count > 1 for count in Counter(title for title, _ in summaries_told(people, world)).values()):
        yield "I2: a summary was told twice"
