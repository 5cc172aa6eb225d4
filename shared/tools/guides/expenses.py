"""The guide of the expenses toolset."""

from typing import Final

EXPENSES_GUIDE: Final = """\
# Expenses
- `add_expense`: when somebody says what was paid for others (「夕食6000円払った」, 我先付了計程車300, ผมจ่ายค่าอาหาร 900, "I got the
  tickets, 40 each for four"). Pass names as people say them; never divide or add up yourself. All share unless people say otherwise.
  An amount without a payer was paid by who says it. Where members are not known, ask for their names, as the result says.
- `change_expense` and `remove_expense`: with the id from `list_expenses`. Where several fit what they say, ask which one.
- `list_expenses`: when somebody asks what was paid, and for an id.
- `balance`: when somebody asks who owes what; it changes nothing.
  Currencies are kept apart; pass `rates` to `balance` or `settle` only where people say a rate (「1ドル150円で」).
- `settle`: only when somebody asks to settle up (「精算して」, 結清, เคลียร์เงิน); say every transfer of its result.
Example: 「夕食6000円、ケンは抜きで」 -> add_expense(what: "夕食", amount: "6000", without: ["ケン"]) and reply(message) in one step."""
