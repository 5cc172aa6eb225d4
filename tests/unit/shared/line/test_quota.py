import pytest

from shared.adapters.memory import FixedClock, MemoryLineApi
from shared.line.quota import QUOTA_KEPT_S, PushBudget, Quota

FRIEND = "U" + "1" * 32
GROUP = "C" + "2" * 32
MEMBERS_KEPT_S = 600.0


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
    return [budget.take(chat) for chat in chats]


@pytest.mark.parametrize(
    ("left", "members", "chats", "may"),
    [
        (2, None, [FRIEND] * 3, [True, True, False]),
        (5, 3, [GROUP, GROUP, FRIEND, FRIEND, FRIEND], [True, False, True, True, False]),
        (3, 3, [GROUP, FRIEND], [True, False]),
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
    clock.move(MEMBERS_KEPT_S - 1)
    assert budget.cost_of(GROUP) == 7
    clock.move(1)
    assert budget.cost_of(GROUP) == 8


def test_line_is_asked_for_the_quota_once_a_minute() -> None:
    budget, line, clock = budget_of(left=0)

    assert taken(budget, FRIEND, FRIEND) == [False, False]
    line.push_quota_left = 9
    clock.move(QUOTA_KEPT_S - 1)
    assert taken(budget, FRIEND) == [False]
    assert line.asked_for_quota == 1
    clock.move(1)
    assert taken(budget, FRIEND) == [True]
    clock.move(QUOTA_KEPT_S)
    assert taken(budget, FRIEND) == [True]
    assert line.asked_for_quota == 3


def test_after_a_refusal_nothing_is_left_until_line_is_asked_again() -> None:
    budget, _, clock = budget_of(left=9)
    budget.take(FRIEND)

    budget.mark_spent()

    assert taken(budget, FRIEND) == [False]
    clock.move(QUOTA_KEPT_S)
    assert taken(budget, FRIEND) == [True]


@pytest.mark.parametrize("is_known", [True, False])
def test_a_refusal_without_a_known_limit_stops_no_later_push(is_known: bool) -> None:
    budget, _, _ = budget_of(left=None)
    if is_known:
        budget.take(FRIEND)

    budget.mark_spent()

    assert taken(budget, FRIEND) == [True]
