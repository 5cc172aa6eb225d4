"""The invariants, checked when nothing is left to do.  Each violation is one sentence."""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import Final

from shared.agent.turn_requests import Limits
from shared.errors import CrowdedOutError
from shared.turns.follow_ups import MOST_ASKED_ANEW
from shared.turns.waiting_room import PLACES
from tests.simulation.answer_checks import (
    check_addressed,
    check_answered,
    check_budget,
    check_greeted,
    check_helped,
    check_history,
    check_interjections,
    check_obeyed,
    check_pages,
)
from tests.simulation.bus import ACK_DEADLINE_S
from tests.simulation.calendar_checks import check_calendars
from tests.simulation.entry_checks import EntryStory, check_entries
from tests.simulation.expense_checks import ExpenseStory, check_expenses
from tests.simulation.hook_checks import check_hooks
from tests.simulation.link_checks import check_links
from tests.simulation.list_checks import ListStory, check_lists
from tests.simulation.poll_checks import check_polls
from tests.simulation.press_checks import check_late_presses, check_presses, check_taps
from tests.simulation.reminder_checks import ReminderStory, check_reminders
from tests.simulation.story import LONG_WAIT_S, Story
from tests.simulation.summary_checks import check_summaries
from tests.simulation.times import TOKEN_S
from tests.simulation.translation_checks import check_translations
from tests.simulation.wiring import THREADS
from tests.simulation.withdrawal_checks import check_answers_kept, check_kept, check_withdrawn

REQUEST_LIMIT_S: Final = 118.0
"""As in infra/terraform, `timeout_s`: the platform ends a request then."""
_LONGER_WAIT: Final = 2
"""So many times as long where an instance has fewer threads than deployed: what folds and sums up after an answer holds one, too."""
FEW_MESSAGES: Final = 15
"""With fewer threads than deployed, more messages than this may hold all of them while they try to open the turn."""
ASKED_AT_MOST: Final = 6
_TIMES_IN_BAD_WEATHER: Final = 3  # as many, where workers die or the model fails
ATTEMPTS_AT_MOST: Final = 2
"""By each delivery that may wait for the turn, within a second: a write that meets 429 is repeated after 0.3 s at the earliest."""
READINGS_AT_MOST: Final = 8


def violations(stories: Sequence[Story]) -> list[str]:
    """Return every violation, as one sentence each."""
    found = [*stories[0].world.truth.violations, *_check_machines(stories)]
    for story in stories:
        found += _check_stranger(story) if story.people.is_stranger else _violations_of_chat(story)
    return list(dict.fromkeys(found))


def _check_stranger(story: Story) -> Iterator[str]:
    """A chat that was never admitted leaves nothing in the bucket, whatever it sends, and costs no request to the model."""
    if any(story.chat in listed.name for listed in story.world.objects.list("")):
        yield "I9: something is stored of a chat that was not admitted"
    if story.world.truth.tokens[story.chat]:
        yield "I9: the model was asked for a chat that was not admitted"


def _most_in_a_second(times_s: Sequence[float]) -> int:
    counts = (bisect_right(times_s, begun_s + 1) - number for number, begun_s in enumerate(times_s))
    return max(counts, default=0)


def _check_machines(stories: Sequence[Story]) -> Iterator[str]:
    """What holds for all chats together: no crash, no failure in calm weather, no lost delivery, no marker that stays."""
    story = stories[0]
    bus, log = story.bus, story.world.truth.log
    if not story.has_outage:
        yield from (f"I1: {name} ended as a dead letter" for name in bus.dead_letters)
    yield from (f"I1: an error that was not foreseen: {cause}" for cause in log.crashes)
    if story.is_calm:
        yield from _check_requests(stories)
    longest_s = max(ACK_DEADLINE_S, REQUEST_LIMIT_S)
    if bus.longest_s > longest_s and not story.world.weather.stalls and not story.world.weather.lags:
        yield f"I6: a request took longer than its deadline of {longest_s:.0f} s"
    most = max(story.world.truth.asked.values(), default=0)
    presses = sum(name.startswith("event-") for name in bus.waited_s)  # each may ask again
    requests = 3 if story.mood.seconds[1] > Limits().call_s else 1  # a slow answer is asked for again
    times = 2 if any(one.is_amended_much for one in stories) else 1
    is_plain = story.is_calm and not story.mood.downs and not story.mood.refuses
    faults = 1 if is_plain else _TIMES_IN_BAD_WEATHER
    asked_anew = min(log.getvalue().count('"model_asked_anew"'), MOST_ASKED_ANEW)  # a follow-up counts no try
    if most > (ASKED_AT_MOST * times + presses + asked_anew) * requests * faults:
        yield f"I5: the model was asked about one message more than {ASKED_AT_MOST} times"
    if story.is_calm:
        most_unsent = max(sum(message.is_withdrawn for message in one.people.messages) for one in stories)
        # a new delivery takes the place of one that may be about to write
        most_new = max(map(_most_in_a_second, bus.arrived_s.values()), default=0)
        for kind, attempts in story.world.most_attempts.items():
            at_most = ATTEMPTS_AT_MOST * (bus.instance_count * PLACES + most_unsent) + most_new
            if attempts > at_most:
                yield f"I5: an object under {kind}/ met more than {at_most} attempts to write it within a second"
        if story.world.most_readings > READINGS_AT_MOST:
            yield f"I5: a thread listed its chat more than {READINGS_AT_MOST} times within a second"
        has_few = story.settings.threads < THREADS
        long_s = LONG_WAIT_S * (_LONGER_WAIT if has_few else 1)
        flooded = {name for name, waited_s in bus.waited_s.items() if waited_s > long_s}
        has_many = has_few and any(len(one.people.messages) > FEW_MESSAGES for one in stories)
        if flooded and not has_many:
            yield f"I6: a delivery waited for a thread for more than {long_s:.0f} s"
    yield from (f"I4: {marker} is still there" for marker in story.withdrawals.markers())


def _check_requests(stories: Sequence[Story]) -> Iterator[str]:
    """In calm weather no request fails, except that of many commands at once the oldest come again."""
    has_many_commands = any(len(one.people.orders) + len(one.people.welcomes) > PLACES for one in stories)
    for cause in stories[0].bus.failures:
        if not (has_many_commands and cause.startswith(CrowdedOutError.__name__)):
            yield f"I1: a request failed in calm weather: {cause}"


def _violations_of_chat(story: Story) -> list[str]:
    found: list[str] = []
    history = story.history()
    for message in story.people.messages:
        if message.addressed and story.people.is_kept(message):
            found += check_answered(story, history, message)
            found += check_helped(story, history, message)
    for welcome in story.people.welcomes:
        found += check_greeted(story, history, welcome)
    for order in story.people.orders:
        found += check_obeyed(story, order)
    found += check_presses(story, history)
    found += check_late_presses(story)
    found += check_taps(story, history)
    found += check_budget(story)
    found += check_history(story, history)
    found += check_addressed(story)
    found += check_translations(story)
    found += check_interjections(story)
    found += check_withdrawn(story)
    found += check_kept(story)
    found += check_pages(story, history)
    found += check_answers_kept(story, history)
    found += check_expenses(ExpenseStory(people=story.people, world=story.world, is_lost=story.is_amendment_lost))
    found += check_summaries(story.people, story.world)
    found += check_lists(ListStory(people=story.people, world=story.world, is_lost=story.is_amendment_lost))
    found += check_links(story.people, story.world)
    found += check_hooks(story.people, story.world)
    found += check_calendars(story.people, story.world)
    found += check_polls(story)
    found += check_reminders(
        ReminderStory(
            people=story.people,
            world=story.world,
            is_lost=story.is_amendment_lost,
            waits=lambda name: story.mood.seconds[1] > TOKEN_S / 3 or story.waited_long(name),
            retries_summaries=bool(story.mood.downs) or story.mood.seconds[1] > story.summary_s,
        )
    )
    found += check_entries(EntryStory(people=story.people, world=story.world, is_lost=story.is_amendment_lost))
    return found
