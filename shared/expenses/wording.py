"""Expenses in words of the code: shares, balances and transfers, as a text and as a card."""

from collections.abc import Mapping, Sequence

from shared.agent.receipts import quotable, without_receipt_symbols
from shared.expenses.expense import Expense
from shared.expenses.money import Money
from shared.expenses.people import Circle
from shared.expenses.rates import Rates
from shared.expenses.settlement import Transfer
from shared.line.cards.card import Card, CardButton, CardRow
from shared.line.cards.drawing import COPY_LIMIT
from shared.line.display_names import LONGEST_DISTINCT_NAME
from shared.line.ids import mask_ids
from shared.line.phrases import Phrase, phrase
from shared.line.postback_data import SettlePress
from shared.line.utf16 import utf16_length


def divided_among(expense: Expense) -> tuple[str, tuple[str, ...]]:
    """Return the amount, and everybody's share: ("¥6,000 ÷ 2", ("Ann", "Ben")), or ("¥500", ("Ann ¥400", "Ben ¥100"))."""
    people = sorted(expense.shares, key=lambda key: key != expense.payer)  # the payer first
    names = tuple(quotable(expense.shown_name(key), limit=LONGEST_DISTINCT_NAME) for key in people)
    minors = tuple(expense.shares[key] for key in people)
    if len(minors) > 1 and len(set(minors)) == 1:
        return f"{expense.money} ÷ {len(minors)}", names
    if len(minors) == 1:
        return str(expense.money), names
    parts = (f"{name} {Money(expense.currency, minor)}" for name, minor in zip(names, minors, strict=True))
    return str(expense.money), tuple(parts)


def balance_card(
    balances: Mapping[str, Mapping[str, int]],
    settling: Card,
    circle: Circle,
    *,
    locale: str,
    settle: SettlePress | None,
) -> Card:
    """Return each person's balance, owed (+) or owing (-), above the transfers to settle up, with a button to copy the transfers.

    `settling` is the card of the transfers. `settle`: what the button that settles up sends; None: there is none.
    """
    rows = tuple(
        CardRow(text=_name(key, circle), detail=f"{'+' if minor > 0 else ''}{Money(code, minor)}")
        for code, totals in balances.items()
        for key, minor in sorted(totals.items(), key=lambda item: -item[1])
        if minor
    )
    heading = CardRow(text=settling.title, is_heading=True)
    return Card(
        title=phrase(Phrase.EXPENSES_BALANCES, locale=locale, bot_name=""),
        rows=(*rows, heading, *settling.rows),
        buttons=(*_settle_buttons(settle, locale=locale), *settling.buttons),
    )


def _settle_buttons(settle: SettlePress | None, *, locale: str) -> tuple[CardButton, ...]:
    if settle is None:
        return ()
    return (CardButton(label=phrase(Phrase.EXPENSES_SETTLE_BUTTON, locale=locale, bot_name=""), value=settle.data),)


def settlement_card(owed: Mapping[str, Sequence[Transfer]], circle: Circle, rates: Rates, *, locale: str) -> Card:
    """Return the transfers, a row each, such as "Ben → Ann" and "¥300", with a button to copy all; below, the rates.

    A rate is the row "1 USD = 150 JPY".
    """
    rows = tuple(
        CardRow(
            text=f"{_name(transfer.debtor, circle)} → {_name(transfer.creditor, circle)}",
            detail=str(Money(code, transfer.minor)),
        )
        for code, transfers in owed.items()
        for transfer in transfers
    )
    copied = "\n".join(f"{row.text}: {row.detail}" for row in rows)
    label = phrase(Phrase.COPY_BUTTON, locale=locale, bot_name="")
    is_copied = 0 < utf16_length(copied) <= COPY_LIMIT
    buttons = (CardButton(label=label, value=copied, action="copy"),) if is_copied else ()
    return Card(
        title=phrase(Phrase.EXPENSES_TRANSFERS, locale=locale, bot_name=""),
        rows=(*rows, *(CardRow(text=str(rate)) for rate in rates.rates)),
        buttons=buttons,
    )


def _name(key: str, circle: Circle) -> str:
    return without_receipt_symbols(mask_ids(quotable(circle.name_of(key), limit=LONGEST_DISTINCT_NAME)))
