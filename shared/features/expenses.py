"""Expenses as a stored feature."""

from collections.abc import Iterator
from typing import Final

from shared.conversation.store import Conversation
from shared.expenses.apply import ExpenseWriter
from shared.expenses.expense import FOLDER, Expense
from shared.expenses.store import ExpenseStore, ExpenseWords
from shared.features.stored_feature import Counted, ObjectSource, StoredFeature


def _count(conversation: Conversation) -> int:
    return sum(isinstance(one, Expense) for one in ExpenseStore(conversation).present())


def _sources(conversation: Conversation) -> Iterator[ObjectSource]:
    return ExpenseStore(conversation).sources()


_COUNTED: Final = Counted(
    count=_count,
    words={"en": "expenses {count}", "ja": "立替{count}件", "th": "ค่าใช้จ่าย {count}", "zh-TW": "代墊{count}筆"},
)

EXPENSES: Final = StoredFeature(
    folder=FOLDER, words=ExpenseWords(), writer=ExpenseWriter(), counted=_COUNTED, sources=_sources
)
