"""The expenses toolset: payments of members for each other, and the debts.  All arithmetic is code.

Every tool works on the turn's overlay, so nothing is promised before the turn is committed.
"""

import datetime as dt
import zoneinfo
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Final

from shared.agent.grounding import is_expense_grounded
from shared.agent.model import Json
from shared.agent.overlay import StagingFault
from shared.agent.people import People
from shared.agent.tools import NeedsTap, Tool, ToolFault
from shared.agent.turn_context import TurnContext
from shared.conversation.member_mark import mark_id
from shared.conversation.provenance import Provenance
from shared.expenses.expense import Expense
from shared.expenses.money import AmountError, Money
from shared.expenses.people import Circle, circle_of, unknown_count
from shared.expenses.rates import Rates
from shared.expenses.settlement import Transfer
from shared.expenses.staging import ExpenseOverlay
from shared.expenses.wording import balance_card, settlement_card
from shared.frozen import frozen
from shared.knowledge.provenance import PossibleSources
from shared.line.cards.card import Card
from shared.line.postback_data import ALL_CURRENCIES, SettlePress
from shared.tools.expense_arguments import (
    Sharing,
    check_rates_are_said,
    currency_of,
    money_of,
    names_in,
    numbers_in,
    people_of,
    rates_of,
    what_of,
)
from shared.tools.overlay_tool import overlay_tool

_LISTED: Final = 20
_TARGETED: Final = frozenset({"change_expense", "remove_expense", "settle"})
_ATTACHED: Final[Json] = {
    "shown": "This system puts balances and transfers below your answer: reply with one short sentence, and repeat none of them."
}
IsPlain = Callable[[Json, Json], bool]
Action = Callable[["ExpenseTools", Json, ExpenseOverlay, TurnContext], Json | ToolFault | NeedsTap]


@frozen
class ExpenseTools:
    """The tools for expenses.

    `currency` is the code that an amount without a currency has, for example "JPY". `size_of` returns how many members a group has, without
    the bot; None: LINE does not say.
    """

    people: People
    size_of: Callable[[str], int | None]
    currency: str
    time_zone: zoneinfo.ZoneInfo

    def tools(self) -> tuple[Tool, ...]:
        """Return the tools in order of declaration."""
        return (
            self._tool(
                "add_expense", "Note what somebody paid for several people.", ExpenseTools._add, is_plain=_is_plain
            ),
            self._tool("list_expenses", "List the expenses that are not settled.", ExpenseTools._list, is_reading=True),
            self._tool("change_expense", "Correct an expense.", ExpenseTools._change, is_plain=_is_plain),
            self._tool(
                "remove_expense",
                "Remove an expense.",
                ExpenseTools._remove,
                is_plain=lambda asked, result: asked["id"] == result["id"],
            ),
            self._tool("balance", "Say who is owed and who owes.", ExpenseTools._balance, is_reading=True),
            self._tool("settle", "Close the open expenses, with the fewest transfers.", ExpenseTools._settle),
        )

    def _add(self, arguments: Json, overlay: ExpenseOverlay, context: TurnContext) -> Json | NeedsTap:
        expense = self._made(Expense(id=""), arguments, overlay, context)
        if context.needs_tap and not self._is_ordered(arguments, expense, context):
            return NeedsTap(name=expense.what, arguments=_proposed(expense))
        return _line(overlay.add(expense), self._circle(overlay, context))

    def _change(self, arguments: Json, overlay: ExpenseOverlay, context: TurnContext) -> Json | NeedsTap:
        before = overlay.find(str(arguments["id"]))
        changed = self._made(before, arguments, overlay, context)
        if context.needs_tap:
            return NeedsTap(name=before.what, arguments={"id": changed.id, **_proposed(changed)})
        overlay.stage({changed.id: changed})
        return _line(changed, self._circle(overlay, context))

    def _remove(self, arguments: Json, overlay: ExpenseOverlay, context: TurnContext) -> Json | NeedsTap:
        expense = overlay.find(str(arguments["id"]))
        if context.needs_tap:
            return NeedsTap(name=expense.what)
        overlay.stage({expense.id: None})
        return {"id": expense.id, "what": expense.what}

    def _list(self, arguments: Json, overlay: ExpenseOverlay, context: TurnContext) -> Json:
        limit = arguments.get("limit", _LISTED)
        expenses, circle = overlay.open(), self._circle(overlay, context)
        newest = expenses[::-1][: int(limit) if isinstance(limit, int | float) else _LISTED]
        return {"expenses": [_line(one, circle) for one in newest], "total": len(expenses)}

    def _balance(self, arguments: Json, overlay: ExpenseOverlay, context: TurnContext) -> Json:
        circle, currency, rates = (
            self._circle(overlay, context),
            currency_of(arguments),
            _said_rates(arguments, context),
        )
        owed = [
            {"name": circle.name_of(key), "amount": str(Money(code, minor))}
            for code, totals in overlay.balances(currency, rates).items()
            for key, minor in totals.items()
            if minor
        ]
        if owed:
            context.attachments.add_drawn(lambda locale: self._balance_card(overlay, context, currency, rates, locale))
        transfers = _transfers(overlay.transfers(currency, rates), circle)
        return {"balances": owed, "transfers": transfers, **(_ATTACHED if owed else {})}

    def _balance_card(
        self, overlay: ExpenseOverlay, context: TurnContext, currency: str | None, rates: Rates, locale: str
    ) -> Card | None:
        """Return the balances at the end of the turn, since the button below settles what is open then; None: nothing is."""
        if not overlay.open_in(currency, rates):
            return None
        circle = self._circle(overlay, context)
        return balance_card(
            overlay.balances(currency, rates),
            settlement_card(overlay.transfers(currency, rates), circle, rates, locale=locale),
            circle,
            locale=locale,
            settle=_settling_press(overlay, currency, rates),
        )

    def _settle(self, arguments: Json, overlay: ExpenseOverlay, context: TurnContext) -> Json | NeedsTap:
        circle, currency, rates = (
            self._circle(overlay, context),
            currency_of(arguments),
            _said_rates(arguments, context),
        )
        if context.needs_tap:
            return NeedsTap(name=_settling(overlay.transfers(currency, rates), circle))
        settlement, owed = overlay.settle(currency, day=self._today(context), provenance=_asking(context), rates=rates)
        if any(owed.values()):
            context.attachments.add_drawn(
                lambda locale: (
                    settlement_card(owed, circle, rates, locale=locale)
                    if overlay.current(settlement.id) is not None
                    else None
                )
            )
        return {
            "id": settlement.id,
            "expenses": len(settlement.closes),
            "transfers": _transfers(owed, circle),
            **(_ATTACHED if any(owed.values()) else {}),
        }

    def _made(self, before: Expense, arguments: Json, overlay: ExpenseOverlay, context: TurnContext) -> Expense:
        """Return the expense with the arguments in place of what was before.  Raises: StagingFault, AmountError."""
        what = what_of(arguments, before)
        circle = self._circle(overlay, context, what=what)
        payer = circle.key_of(str(arguments["payer"])) if arguments.get("payer") else before.payer or circle.self_key
        money = money_of(arguments, before, self.currency)
        sharing = Sharing.of(arguments, circle, money.currency)
        if before.shares and not sharing.is_said and money == before.money:
            shares = before.shares
        elif before.shares:
            people = people_of(before) if sharing.concerns_all(money) else ()
            shares = sharing.shares(money, people, payer=payer)
        else:
            people = self._everybody(sharing, circle, context) if sharing.concerns_all(money) else ()
            shares = sharing.shares(money, people, payer=payer)
        names = circle.names_of((payer, *shares))
        return replace(
            before,
            what=what,
            payer=payer,
            currency=money.currency,
            minor=money.minor,
            shares=shares,
            names=names,
            day=str(arguments.get("day") or before.day or self._today(context)),
            provenance=before.provenance | _sources((what, str(arguments.get("amount", ""))), context),
        )

    def _everybody(self, sharing: Sharing, circle: Circle, context: TurnContext) -> Sequence[str]:
        """Return the people who share an amount that is divided among all: the known people, without authors who have left the group.

        Raises: StagingFault, while the bot does not know all.
        """
        chat, known = context.conversation, tuple(circle.names)
        self._check_all_are_known(known, sharing, circle, context)
        if chat.is_one_on_one:
            return known
        former = self.people.former_marks(chat, (*context.earlier, *context.to_answer))
        present = tuple(key for key in known if key not in former)
        if len(present) < len(known):
            self._check_all_are_known(present, sharing, circle, context)
        return present

    def _check_all_are_known(
        self, known: Sequence[str], sharing: Sharing, circle: Circle, context: TurnContext
    ) -> None:
        """Ask who shares an amount that is divided among all, while the bot does not know all.  Raises: StagingFault."""
        names = {key: circle.name_of(key) for key in (*known, *sharing.named)}
        chat = context.conversation
        if len(names) < 2:  # noqa: PLR2004 - the person who asks, and somebody else
            raise StagingFault("Nobody else is known in this chat: ask who shares it.")
        unknown = 0 if chat.is_one_on_one else unknown_count(tuple(names), members=self.size_of(chat.id))
        if unknown:
            raise StagingFault(
                f"Only {len(names)} of {len(names) + unknown} members are known: {', '.join(names.values())}."
                " Ask for the others' names, or who shares it; then pass every name in `among`."
            )

    def _is_ordered(self, arguments: Json, expense: Expense, context: TurnContext) -> bool:
        """Whether the asker's own words hold all values of the expense; for several askers, a tap decides."""
        if len({message.user_id for message in context.to_answer}) != 1:
            return False
        return context.is_ordered(
            lambda asked: is_expense_grounded(
                asked,
                what=expense.what,
                amounts=numbers_in(arguments),
                currency=expense.currency,
                people=names_in(arguments),
                day=None if expense.day == self._today(context) else expense.day,
            ),
            zone=self.time_zone,
        )

    def _circle(self, overlay: ExpenseOverlay, context: TurnContext, *, what: str = "") -> Circle:
        """Return the known people of the chat: authors of remembered messages, and the people of open expenses.

        `what`: the purpose of an expense; of several people, the author of the words is the asker.
        """
        messages = (*context.earlier, *context.to_answer)
        names = self.people.of(context.conversation, messages)
        members = {mark_id(user_id): name for user_id, name in names.items()}
        asking = context.asker_of(what)
        asker = None if asking is None else mark_id(asking.user_id)
        return circle_of(members, overlay.names(), asker=asker, people=overlay.people())

    def _today(self, context: TurnContext) -> str:
        return dt.datetime.fromtimestamp(context.now_ms / 1_000, tz=self.time_zone).date().isoformat()

    def _tool(
        self, name: str, description: str, action: Action, *, is_reading: bool = False, is_plain: IsPlain | None = None
    ) -> Tool:
        """Return a tool that runs `action` on the turn's overlay; for an amount that is none, the model may retry."""

        def act(arguments: Json, context: TurnContext) -> Json | ToolFault | NeedsTap:
            try:
                return action(self, arguments, context.staged.of(ExpenseOverlay), context)
            except AmountError as fault:
                return ToolFault(message=str(fault), may_retry=True)

        return overlay_tool(
            name,
            description,
            act,
            is_plain=is_plain,
            is_reading=is_reading,
            revision=_revision if name in _TARGETED else None,
        )


def _is_plain(asked: Json, result: Json) -> bool:
    """Whether the expense is named as asked: a name that had to be cut needs a remark."""
    return asked.get("what", result["what"]) == result["what"]


def _revision(arguments: Json, context: TurnContext) -> str:
    """Return the revision of the expense with the arguments' `id`, or of all that a settlement would close."""
    overlay = context.staged.of(ExpenseOverlay)
    return overlay.revision_of(str(arguments["id"])) if "id" in arguments else overlay.open_revision


def _said_rates(arguments: Json, context: TurnContext) -> Rates:
    """Return the rates that people said in the shown messages.  Raises: StagingFault, AmountError."""
    rates = rates_of(arguments)
    if rates.rates and not context.confirmed:
        check_rates_are_said(arguments, [message.text for message in (*context.read_earlier, *context.to_answer)])
    return rates


def _asking(context: TurnContext) -> Provenance:
    """Return the messages that ask: an amount is taken back with any of them."""
    return Provenance.of_sources(one.source for one in context.to_answer)


def _sources(texts: Sequence[str], context: TurnContext) -> Provenance:
    """Return the messages behind an expense: the questions, and earlier messages with the expense's words or amount."""
    possible = PossibleSources(to_answer=context.to_answer, earlier=context.read_earlier, retellings=context.retellings)
    traced = Provenance.of_sources(source for text in texts if text for source in possible.of(text))
    return replace(traced | _asking(context), outside=context.outside_in_write(texts))


def _proposed(expense: Expense) -> Json:
    """Return the arguments that add or change exactly this expense: a tap books the payer and the shares that were shown."""
    shares = [
        {"name": expense.shown_name(key), "value": Money(expense.currency, minor).digits}
        for key, minor in expense.shares.items()
        if minor
    ]
    return {
        "what": expense.what,
        "amount": expense.money.digits,
        "currency": expense.currency,
        "payer": expense.shown_name(expense.payer),
        "exact": shares,
        "day": expense.day,
    }


def _settling_press(overlay: ExpenseOverlay, currency: str | None, rates: Rates) -> SettlePress | None:
    """Return what the button below a balance sends, for what is open after the turn; None: a rate stands in people's words alone."""
    if rates.rates:
        return None
    return SettlePress(currency=currency or ALL_CURRENCIES, mark=overlay.open_mark(currency))


def _settling(owed: Mapping[str, Iterable[Transfer]], circle: Circle) -> str:
    """Return what a settlement comes to, for a question, a line each: "Ben → Ann: ¥300"."""
    return "\n".join(f"{one['from']} → {one['to']}: {one['amount']}" for one in _transfers(owed, circle))


def _line(expense: Expense, circle: Circle) -> Json:
    return {
        "id": expense.id,
        "what": expense.what,
        "amount": str(expense.money),
        "payer": circle.name_of(expense.payer),
        "day": expense.day,
        "shares": {circle.name_of(key): str(Money(expense.currency, minor)) for key, minor in expense.shares.items()},
    }


def _transfers(owed: Mapping[str, Iterable[Transfer]], circle: Circle) -> list[Json]:
    return [
        {
            "from": circle.name_of(transfer.debtor),
            "to": circle.name_of(transfer.creditor),
            "amount": str(Money(currency, transfer.minor)),
        }
        for currency, transfers in owed.items()
        for transfer in transfers
    ]
