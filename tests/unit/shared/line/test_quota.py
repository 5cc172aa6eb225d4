import datetime as dt

import pytest

from shared.adapters.memory import FixedClock, MemoryLineApi
from shared.line.quota import QUOTA_CACHED_S, PushBudget, Quota, renewal_ms

FRIEND = "U" + "1" * 32
GROUP = "C" + "2" * 32
MEMBERS_CACHED_S = 600.0


class Line(MemoryLineApi):
    """Counts how often it is asked."""

    def __init__(self, *, push_quota: int | None) -> None:
        super().__init__(push_quota=push_quota)
        self.asked_for_quota = 0
        self.asked_for_members = 0

    def push_quota(self) -> Quota | None:
        self.asked_for_quota += 1
        return super().push_quota()

    def member_count(self, conversation_id: str) -> int | None:
        self.asked_for_members += 1
        return super().member_count(conversation_id)


def budget_of(*, left: int | None, members: int | None = None) -> tuple[PushBudget, Line, FixedClock]:
    line, clock = Line(push_quota=left), FixedClock()
    if members is not None:
        line.members[GROUP] = members
    return PushBudget(api=line, clock=clock), line, clock


def taken(budget: PushBudget, *chats: str) -> list[bool]:
    """Push to the chats, each of which has had nothing today, where that is allowed; return where it was."""
    return [is_taken(budget, chat) for chat in chats]


def is_taken(budget: PushBudget, chat: str) -> bool:
    if not budget.allows(chat, sent_today=0):
        return False
    budget.count(budget.cost_of(chat) or 1)
    return True


@pytest.mark.parametrize(
    ("left", "members", "chats", "may"),
    [
        (2, None, [FRIEND] * 3, [True, True, False]),
        (14, 3, [GROUP, GROUP, FRIEND], [True, False, True]),
        (2, None, [GROUP] * 3, [True, True, False]),  # LINE does not tell how many they are
        (0, None, [FRIEND], [False]),
        (None, 3, [GROUP] * 9, [True] * 9),
    ],
)
def test_pushes_are_taken_until_the_quota_is_used_up(
    left: int | None, members: int | None, chats: list[str], may: list[bool]
) -> None:
    budget, _, _ = budget_of(left=left, members=members)

    assert taken(budget, *chats) == may


def test_a_push_may_be_tried_where_line_does_not_tell_the_quota() -> None:
    budget, line, _ = budget_of(left=0)
    line.tells_quota = False

    assert taken(budget, FRIEND, FRIEND) == [True, True]


@pytest.mark.parametrize(("chat", "cost"), [(FRIEND, 1), (GROUP, 7), ("R" + "3" * 32, None)])
def test_a_push_costs_as_many_as_it_reaches(chat: str, cost: int | None) -> None:
    budget, line, _ = budget_of(left=None, members=7)
    line.members[FRIEND] = 9

    assert budget.cost_of(chat) == cost


def test_line_is_asked_for_the_members_of_a_chat_every_ten_minutes_and_again_where_it_did_not_tell() -> None:
    budget, line, clock = budget_of(left=None)

    assert budget.cost_of(GROUP) is None
    line.members[GROUP] = 7
    assert [budget.cost_of(GROUP) for _ in range(3)] == [7] * 3
    assert line.asked_for_members == 2

    line.members[GROUP] = 8
    clock.move(MEMBERS_CACHED_S - 1)
    assert budget.cost_of(GROUP) == 7
    clock.move(1)
    assert budget.cost_of(GROUP) == 8


def test_line_is_asked_for_the_quota_once_a_minute() -> None:
    budget, line, clock = budget_of(left=0)

    assert taken(budget, FRIEND, FRIEND) == [False, False]
    line.push_quota_left = 9
    clock.move(QUOTA_CACHED_S - 1)
    assert taken(budget, FRIEND) == [False]
    assert line.asked_for_quota == 1
    clock.move(1)
    assert taken(budget, FRIEND) == [True]
    clock.move(QUOTA_CACHED_S)
    assert taken(budget, FRIEND) == [True]
    assert line.asked_for_quota == 3


def test_after_a_refusal_nothing_is_left_until_line_is_asked_again() -> None:
    budget, _, clock = budget_of(left=9)
    is_taken(budget, FRIEND)

    budget.mark_spent()

    assert taken(budget, FRIEND) == [False]
    clock.move(QUOTA_CACHED_S)
    assert taken(budget, FRIEND) == [True]


@pytest.mark.parametrize("is_known", [True, False])
def test_a_refusal_without_a_known_limit_stops_no_later_push(is_known: bool) -> None:
    budget, _, _ = budget_of(left=None)
    if is_known:
        is_taken(budget, FRIEND)

    budget.mark_spent()

    assert taken(budget, FRIEND) == [True]


def test_a_group_gets_its_share_of_what_is_left_on_each_day() -> None:
    quota, pushes = Quota(limit=500), []

    for _ in range(10):
        sent = 0
        while quota.allows(50, sent_today=sent):
            quota, sent = quota.after(50), sent + 50
        pushes.append(sent // 50)

    assert pushes == [2, 2, 1, 1, 1, 0, 0, 0, 0, 0]
    assert quota.limit is not None
    assert quota.limit - quota.used == 150


def test_the_reserve_is_for_the_first_push_of_a_chats_day() -> None:
    quota = Quota(limit=200, used=180)

    assert quota.allows(1, sent_today=0)
    assert not quota.allows(1, sent_today=1)
    assert Quota(limit=200, used=178).allows(1, sent_today=1)


@pytest.mark.parametrize(("used", "is_allowed"), [(199, True), (200, False), (300, False)])
def test_one_message_is_allowed_as_long_as_one_is_left(used: int, is_allowed: bool) -> None:
    assert Quota(limit=200, used=used).allows(1, sent_today=0) is is_allowed


def test_an_account_without_a_limit_allows_everything() -> None:
    assert Quota(limit=None, used=10**9).allows(500, sent_today=10**9)


def test_a_month_carries_what_each_of_its_days_allows() -> None:
    days = [f"2025-11-{day:02}" for day in range(22, 31)]
    daily = [(day, True) for day in days]

    assert Quota(limit=500).carries(daily, cost=50, today=days[0], sent_today=0) == 7
    assert Quota(limit=500).carries(daily, cost=1, today=days[0], sent_today=0) == 9
    assert Quota(limit=500, used=100).carries(daily, cost=50, today=days[0], sent_today=100) == 5
    assert Quota(limit=20).carries(daily, cost=50, today=days[0], sent_today=0) == 0


def test_what_else_is_due_in_the_chat_takes_from_the_same_share() -> None:
    day = "2025-11-22"

    assert Quota(limit=500).carries([(day, False), (day, True), (day, True)], cost=50, today=day, sent_today=0) == 1


@pytest.mark.parametrize(
    ("now", "renewed"),
    [
        ("2025-11-21T13:40+09:00", "2025-12-01T00:00+09:00"),
        ("2025-11-30T14:59+00:00", "2025-12-01T00:00+09:00"),
        ("2025-11-30T15:00+00:00", "2026-01-01T00:00+09:00"),
        ("2025-12-31T23:59+09:00", "2026-01-01T00:00+09:00"),
    ],
)
def test_the_quota_is_renewed_with_the_month_in_japan(now: str, renewed: str) -> None:
    now_ms, renewed_ms = (round(dt.datetime.fromisoformat(one).timestamp()) * 1_000 for one in (now, renewed))

    assert renewal_ms(now_ms) == renewed_ms


def test_what_line_told_before_counts_while_it_does_not_answer() -> None:
    budget, line, clock = budget_of(left=1)
    assert taken(budget, FRIEND, FRIEND) == [True, False]
    line.tells_quota = False
    clock.move(QUOTA_CACHED_S)

    assert taken(budget, FRIEND) == [False]


@pytest.mark.parametrize(("left", "tells", "is_counted"), [(5, True, True), (None, True, False), (5, False, True)])
def test_pushes_are_counted_unless_line_tells_that_there_is_no_limit(
    left: int | None, *, tells: bool, is_counted: bool
) -> None:
    budget, line, _ = budget_of(left=left)
    line.tells_quota = tells

    assert budget.is_limited is is_counted
