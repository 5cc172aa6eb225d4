"""The laws of expenses over whole turns, for any order of what the members of a group pay, correct, remove, settle and take back."""

from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from hypothesis import given, settings
from hypothesis import strategies as st

from shared.adapters.memory.scripted_model import calling
from shared.agent.overlay import Attempt
from shared.expenses.expense import Expense, ExpenseRecord, Settlement
from shared.expenses.staging import ExpenseOverlay
from shared.expenses.store import ExpenseStore
from tests.support import recorded
from tests.support.chats import conversations_on
from tests.support.people import Person
from tests.support.pushed import PushedWorker

_SAYS: Final = calling(("reply", {"message": "はい"}))
_MEMBERS: Final = {recorded.USER: "Ann", "U" + "8" * 32: "Ben", "U" + "9" * 32: "Cho"}
_NAMES: Final = ("me", *_MEMBERS.values(), "Dan")
_TURNS: Final = settings(max_examples=20, deadline=None)


@dataclass(frozen=True, slots=True)
class Ask:
    """What a member asks for: the tool, its arguments, and which open expense is meant."""

    tool: str
    arguments: Mapping[str, Any]
    place: int = 0


_AMOUNTS: Final = st.integers(1, 10**7).map(str)
_SOME: Final = st.lists(st.sampled_from(_NAMES), min_size=1, max_size=4, unique=True)
_ASKS: Final = st.one_of(
    st.builds(
        lambda amount, payer, among, currency: Ask(
            "add_expense", {"what": "dinner", "amount": amount, "payer": payer, "among": among, "currency": currency}
        ),
        _AMOUNTS,
        st.sampled_from(_NAMES),
        _SOME,
        st.sampled_from(["JPY", "USD"]),
    ),
    st.builds(lambda amount, place: Ask("change_expense", {"amount": amount}, place), _AMOUNTS, st.integers(0, 3)),
    st.builds(lambda among, place: Ask("change_expense", {"among": among}, place), _SOME, st.integers(0, 3)),
    st.builds(lambda place: Ask("remove_expense", {}, place), st.integers(0, 3)),
    st.builds(lambda currency: Ask("settle", currency), st.sampled_from([{}, {"currency": "USD"}])),
)


class Group:
    """A group whose members wrote once, and what is stored of its expenses."""

    def __init__(self, pool: ThreadPoolExecutor) -> None:
        self.worker = PushedWorker(pool, currency="JPY")
        self.person = Person(self.worker, is_in_group=True)
        for user_id, name in _MEMBERS.items():
            self.worker.profiles.names[user_id] = name
            self.person.asks("hello", _SAYS, by=user_id)

    def does(self, ask: Ask) -> Callable[[], int]:
        """Have the ask done; return what delivers its event again, to a model that asks for the same."""
        arguments = dict(ask.arguments)
        if ask.tool in {"change_expense", "remove_expense"}:
            expenses = self.overlay.open()
            arguments["id"] = expenses[ask.place % len(expenses)].id if expenses else "e0000000000"
        steps = (calling((ask.tool, arguments)), _SAYS)
        event = self.person.asks("そうして", *steps)
        again = {**event, "deliveryContext": {"isRedelivery": True}}
        return partial(self.worker.deliver, again, thinks=steps)

    @property
    def overlay(self) -> ExpenseOverlay:
        """A later turn's view, on an instance that has cached nothing."""
        worker = self.worker
        cached = worker.conversations.of(self.person.events.chat_id)
        chat = conversations_on(worker.store, cached.objects.reads, worker.clock).of(cached.id)
        return ExpenseOverlay(Attempt.at(chat, sequence=9_999, now_ms=0, amendments=chat.amendments.look()))

    @property
    def records(self) -> Mapping[str, ExpenseRecord]:
        """Everything that is stored and was not removed, by id."""
        chat = self.worker.conversations.of(self.person.events.chat_id)
        return {record.id: record for record in ExpenseStore(chat).read_all() if not record.is_removed}

    @property
    def standing(self) -> tuple[object, ...]:
        """What people see: the open expenses and what is settled, without the keys of the writes."""
        opened = [(one.id, one.what, one.payer, one.money, one.shares, one.day) for one in self.overlay.open()]
        closed = sorted(one.closes for one in self.records.values() if isinstance(one, Settlement))
        return (sorted(opened, key=str), closed)


@contextmanager
def _group() -> Iterator[Group]:
    with ThreadPoolExecutor(16) as pool:
        yield Group(pool)


@_TURNS
@given(asks=st.lists(_ASKS, min_size=1, max_size=6))
def test_balances_add_up_to_zero_and_no_amount_is_lost_whatever_is_asked(asks: list[Ask]) -> None:
    with _group() as group:
        for ask in asks:
            group.does(ask)

            for record in group.records.values():
                assert not isinstance(record, Expense) or sum(record.shares.values()) == record.minor
            for currency, totals in group.overlay.balances().items():
                assert sum(totals.values()) == 0
                people = [minor for minor in totals.values() if minor]
                assert len(group.overlay.transfers()[currency]) <= max(0, len(people) - 1)


@_TURNS
@given(asks=st.lists(_ASKS, min_size=1, max_size=5), times=st.integers(1, 3))
def test_a_redelivery_never_doubles_whatever_is_asked(asks: list[Ask], times: int) -> None:
    with _group() as group:
        for ask in asks:
            redeliver = group.does(ask)
            stored = group.records

            for _ in range(times):
                redeliver()

            assert group.records == stored


@_TURNS
@given(asks=st.lists(_ASKS, min_size=1, max_size=5))
def test_an_undo_restores_what_stood_before_whatever_was_asked(asks: list[Ask]) -> None:
    with _group() as group:
        for ask in asks:
            before, records = group.standing, group.records
            group.does(ask)
            if group.records == records:
                continue  # nothing was changed, so there is nothing to take back

            group.person.asks("取り消して", calling(("undo_last_change", {})), _SAYS)

            assert group.standing == before
            group.does(ask)
