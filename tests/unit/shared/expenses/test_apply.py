"""Staged writes of expenses: none brings back a record that is missing or that a later write has changed."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from shared.conversation.records import StagedWrite
from shared.conversation.write_key import WriteKey
from shared.expenses.apply import ExpenseWriting
from shared.expenses.expense import Expense
from shared.expenses.store import ExpenseStore
from shared.storage.codec import encode
from tests.support.people import Person
from tests.support.pushed import PushedWorker

_ID = "e0123456789"


@pytest.fixture
def store() -> Iterator[ExpenseStore]:
    with ThreadPoolExecutor(4) as threads:
        person = Person(PushedWorker(threads), is_in_group=True)
        yield ExpenseStore(person.worker.conversations.of(person.events.chat_id))


def _write(store: ExpenseStore, what: str | None, *, created: WriteKey, key: WriteKey) -> None:
    expense = Expense(
        id=_ID,
        what=what or "",
        payer="~Dan",
        currency="JPY",
        minor=900,
        shares={"~Dan": 900},
        created=created,
        revision=key,
    )
    text = None if what is None else encode(expense).decode()
    ExpenseWriting(store).write(StagedWrite(path=f"expenses/{_ID}", text=text), key=key)


def test_a_correction_of_a_missing_expense_makes_none(store: ExpenseStore) -> None:
    _write(store, "dinner", created=(1, 0), key=(2, 0))
    assert store.list_objects() == ()


def test_a_write_that_comes_late_changes_nothing(store: ExpenseStore) -> None:
    _write(store, "dinner", created=(1, 0), key=(1, 0))
    _write(store, None, created=(1, 0), key=(3, 0))
    _write(store, "lunch", created=(1, 0), key=(2, 0))
    (removed,) = store.read_all()
    assert removed.is_removed
    assert removed.revision == (3, 0)
