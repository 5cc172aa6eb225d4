"""What members still owe each other as a row of what is on."""

from collections.abc import Sequence

from shared.conversation.store import Conversation
from shared.conversation.switch import Switch, counted_row
from shared.expenses.expense import Expense, Settlement
from shared.expenses.store import ExpenseStore
from shared.line.phrases import Phrase


def expense_switches(conversation: Conversation) -> Sequence[Switch]:
    """Return how many expenses are not settled; nothing if none are."""
    records = ExpenseStore(conversation).present()
    settled = {own_id for record in records if isinstance(record, Settlement) for own_id in record.closes}
    count = sum(isinstance(record, Expense) and record.id not in settled for record in records)
    return (counted_row(Phrase.SWITCH_EXPENSES, Phrase.SWITCH_EXPENSES_OPEN, count),) if count else ()
