"""What a seed draws before anything happens: the weather, the settings, the bounds."""

import random
from typing import Final

from shared.access.admission import Access
from shared.access.budgets import Limits
from shared.conversation.snapshot import MemoryLimits
from shared.line.addressing import GroupPolicy
from shared.reminders.delivery import Reminding
from shared.turns import flood
from shared.turns.deferral import LateReply
from shared.turns.waiting_room import PLACES
from tests.simulation.mind import REQUEST_TOKENS, FirstFails
from tests.simulation.stage import SMALL_BOUNDS, Stage
from tests.simulation.times import LEASE_S, SHORTEST_LEASE_S, SKEW_S
from tests.simulation.wiring import LEAST, NO_LIMITS, SMALL, SMALL_SEGMENT, THREADS, TINY, Settings
from tests.simulation.world import Down, Weather, of_its_own

_INSTANCES: Final = 3
_THREADS_A_CHAT: Final = PLACES + 3
"""As few as let every chat have its holder, those that wait, a message beside them, and a thread for other work."""
_ARCHIVED_SOON: Final = 0.6
_WITHOUT_ARCHIVE: Final = 0.15
_REMINDED: Final = 0.16
_SHARES_EXPENSES: Final = 0.3
_SHARES_LISTS: Final = 0.25
_READS_LINKS: Final = 0.15
_POLLS: Final = 0.25
_POLLS_END: Final = 0.4
"""In how many schedules with polls people also ask when a poll ends, and have a meeting reminded of."""
_HAS_HOOKS: Final = 0.15
_HAS_CALENDAR: Final = 0.15
_TRANSLATES: Final = 0.15
_NEWER: Final = 0.3
"""In how many schedules one instance is of a newer release."""
_DOWN: Final = 0.1
_FIRST_FAILS: Final = 0.06
_FEW_A_MINUTE: Final = 1
"""So few messages a minute are answered as they come that a chat of a few messages is a flood."""


def draw_stage(rng: random.Random) -> "Stage":
    """Draw the world of a schedule, in which nothing has happened yet."""
    lease_s = rng.choice((LEASE_S, LEASE_S, LEASE_S, LEASE_S, 20.0, SHORTEST_LEASE_S))
    skew_s = SKEW_S * lease_s / LEASE_S
    chats = rng.choice((1, 1, 1, 2, 3))
    archived = random.Random(repr(rng.getstate()[1][:4])).random()
    chance = of_its_own(rng, "down")
    has_polls = of_its_own(rng, "polls").random() < _POLLS
    return Stage(
        rng,
        _with_outage(_weather(rng), chance),
        settings=Settings(
            late_reply=rng.choice(tuple(LateReply)),
            lease_s=lease_s,
            group_policy=GroupPolicy.MODEL if rng.random() < 0.2 else GroupPolicy.MENTION,
            has_knowledge=rng.random() < 0.5,
            has_notion=rng.random() < 0.15,
            has_expenses=of_its_own(rng, "expenses").random() < _SHARES_EXPENSES,
            has_lists=of_its_own(rng, "lists").random() < _SHARES_LISTS,
            has_links=of_its_own(rng, "links").random() < _READS_LINKS,
            has_polls=has_polls,
            has_translation=of_its_own(rng, "translation").random() < _TRANSLATES,
            has_hooks=of_its_own(rng, "hooks").random() < _HAS_HOOKS,
            has_calendar=of_its_own(rng, "calendar").random() < _HAS_CALENDAR,
            limits=_limits(archived),
            has_archive=archived >= _WITHOUT_ARCHIVE,
            segment_messages=1 if archived >= _ARCHIVED_SOON else SMALL_SEGMENT,
            threads=rng.choice((THREADS, THREADS, _THREADS_A_CHAT * chats)),
            budget=_budget(rng) if rng.random() < 0.15 else NO_LIMITS,
            reminding=_reminding(rng, has_polls=has_polls),
            reminder_pushes_per_day=of_its_own(rng, "a day").choice((0, 0, 2)),
            first_fails=_first_fails(rng),
            access=Access.INVITED if random.Random(repr(rng.getstate()[1][:9])).random() < 0.15 else Access.OPEN,
        ),
        skews_s=tuple(rng.uniform(-skew_s / 2, skew_s / 2) for _ in range(_INSTANCES)),
        chats=chats,
        bounds=SMALL_BOUNDS if rng.random() < 0.2 else {},
        a_minute=_FEW_A_MINUTE if rng.random() < 0.1 else flood.A_MINUTE,
        tick_shards=of_its_own(rng, "tick shards").choice((1, 1, 1, 3)),
    )


def _reminding(rng: random.Random, *, has_polls: bool) -> Reminding:
    """Return how reminders are said; in most schedules there are none."""
    fate = of_its_own(rng, "reminding").random()
    if fate < _REMINDED:
        return Reminding.REPLY if fate < _REMINDED / 8 else Reminding.PUSH
    chance = of_its_own(rng, "polls end")
    if has_polls and chance.random() < _POLLS_END:
        return chance.choice((Reminding.REPLY, Reminding.PUSH, Reminding.PUSH))
    return Reminding.OFF


def _first_fails(rng: random.Random) -> FirstFails | None:
    """Return how the first of two models fails; in most schedules there is one model, and it does not."""
    fate = of_its_own(rng, "first model").random()
    if fate < _FIRST_FAILS:
        return "used up" if fate < _FIRST_FAILS / 2 else "retired"
    return None


def _limits(archived: float) -> MemoryLimits:
    """Return how much memory keeps; chats without an archive keep more, so that what is left can be compared."""
    if archived >= _ARCHIVED_SOON:
        return LEAST
    return TINY if archived >= _WITHOUT_ARCHIVE + (1 - _ARCHIVED_SOON) else SMALL


def _budget(rng: random.Random) -> Limits:
    """Return limits that a chat of a few messages meets."""
    return Limits(
        turns_per_chat_day=rng.choice((0, 1, 2, 3)),
        tokens_per_chat_day=rng.choice((0, 1, 3)) * REQUEST_TOKENS,
        tokens_per_day=rng.choice((0, 0, 5)) * REQUEST_TOKENS,
    )


def _weather(rng: random.Random) -> Weather:
    late_deletions = of_its_own(rng, "late deletions").choice((0.0, 0.8))
    has_newer_release = of_its_own(rng, "newer release").random() < _NEWER
    if rng.random() < 0.3:
        return Weather(
            calm=True,
            lost_answers=rng.choice((0.0, 0.05)),
            late_deletions=late_deletions,
            has_newer_release=has_newer_release,
        )
    down_s = rng.random() * 40
    return Weather(
        calm=False,
        call_s=rng.choice((0.02, 0.1, 0.3)),
        failures=rng.choice((0.0, 0.005)),
        lost_answers=rng.choice((0.0, 0.05)),
        lossiness=rng.choice((0.0, 0.1)),
        kills=rng.choice((0, 3, 8)),
        stalls=rng.choice((0, 2, 4)),
        lags=rng.choice((0.0, 0.0, 0.02)),
        late_deletions=late_deletions,
        has_newer_release=has_newer_release,
        backlog_s=rng.choice((5.0, 30.0, 80.0)) if rng.random() < 0.95 else 1_260.0,
        outage_s=(down_s, down_s + rng.choice((20.0, 300.0, 1_500.0))) if rng.random() < 0.08 else (0.0, 0.0),
    )


def _with_outage(weather: Weather, chance: random.Random) -> Weather:
    """Return the weather, or in few schedules one in which nothing fails but a single service, which is down for a while."""
    if chance.random() >= _DOWN:
        return weather
    begins_s = chance.random() * 15
    down_s = (begins_s, begins_s + chance.choice((5.0, 15.0, 45.0, 120.0)))
    down: Down = chance.choice(("line", "line", "model", "bucket"))
    return Weather(
        calm=False,
        down=down,
        down_s=down_s,
        hangs=chance.random() < 0.5,
        outage_s=down_s if down == "bucket" else (0.0, 0.0),
    )
