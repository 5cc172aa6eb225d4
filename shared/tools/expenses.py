"""The expenses toolset: what the members of a chat pay for each other, and who owes whom.  All arithmetic is code.

Every tool works on the turn's overlay, so nothing is promised before the turn is committed.
"""

import datetime as dt
import zoneinfo
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from shared.agent.model import Json
from shared.agent.overlay import StagingFault
from shared.agent.people import People
from shared.agent.tools import NeedsTap, Tool, ToolFault, load_schema
from shared.agent.turn_context import TurnContext
from shared.conversation.member_mark import mark_id
from shared.conversation.provenance import Provenance
from shared.expenses.expense import WHAT_LIMIT, Expense
from shared.expenses.money import AmountError, Money, money_in
from shared.expenses.people import Circle, circle_of, unknown_count
from shared.expenses.settlement import Transfer
from shared.expenses.shares import divided, with_exact
from shared.expenses.staging import ExpenseOverlay
from shared.knowledge.provenance import PossibleSources
from shared.line.graphemes import short_line
from shared.line.utf16 import without_lone_surrogates

_LISTED: Final = 20
_TARGETED: Final = frozenset({"change_expense", "remove_expense"})
IsPlain = Callable[[Json, Json], bool]
Action = Callable[["ExpenseTools", Json, ExpenseOverlay, TurnContext], Json | ToolFault | NeedsTap]


@dataclass(frozen=True, slots=True, kw_only=True)
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
                "add_expense", "Note what somebody paid for several people.", ExpenseTools._add, is_plain=_is_as_asked
            ),
            self._tool("list_expenses", "List the expenses that are not settled.", ExpenseTools._list, is_reading=True),
            self._tool("change_expense", "Correct an expense.", ExpenseTools._change, is_plain=_is_as_asked),
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
        if context.needs_tap:
            return NeedsTap(name=expense.what)
        return self._shown(overlay.add(expense), overlay, context)

    def _change(self, arguments: Json, overlay: ExpenseOverlay, context: TurnContext) -> Json | NeedsTap:
        before = overlay.find(str(arguments["id"]))
        changed = self._made(before, arguments, overlay, context)
        if context.needs_tap:
            return NeedsTap(name=before.what)
        overlay.stage({changed.id: changed})
        return self._shown(changed, overlay, context)

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
        circle, currency = self._circle(overlay, context), _currency(arguments)
        owed = {
            code: {circle.name_of(key): str(Money(code, minor)) for key, minor in totals.items() if minor}
            for code, totals in overlay.balances(currency).items()
        }
        return {"balances": owed, "transfers": _transfers(overlay.transfers(currency), circle)}

    def _settle(self, arguments: Json, overlay: ExpenseOverlay, context: TurnContext) -> Json | NeedsTap:
        if context.needs_tap:
            return NeedsTap(name=self._today(context))
        circle, currency = self._circle(overlay, context), _currency(arguments)
        settlement, owed = overlay.settle(currency, day=self._today(context), provenance=_asking(context))
        return {"id": settlement.id, "expenses": len(settlement.closes), "transfers": _transfers(owed, circle)}

    def _made(self, before: Expense, arguments: Json, overlay: ExpenseOverlay, context: TurnContext) -> Expense:
        """Return the expense with the arguments in place of what was before.  Raises: StagingFault."""
        circle, what = self._circle(overlay, context), _what(arguments, before)
        payer = circle.key_of(str(arguments["payer"])) if arguments.get("payer") else before.payer or circle.asker
        money = _money(arguments, before, self.currency)
        shares = self._shares(arguments, before, circle, money, payer)
        people = dict.fromkeys((payer, *shares))
        return replace(
            before,
            what=what,
            payer=payer,
            currency=money.currency,
            minor=money.minor,
            shares=shares,
            names={**before.names, **circle.names_of(people)} if before.id else circle.names_of(people),
            day=str(arguments.get("day") or before.day or self._today(context)),
            provenance=before.provenance | _sources((what, str(arguments.get("amount", ""))), context),
        )

    def _shares(self, arguments: Json, before: Expense, circle: Circle, money: Money, payer: str) -> Mapping[str, int]:
        """Return everybody's share.  Raises: StagingFault."""
        exact = {
            circle.key_of(name): money_in(amount, money.currency).minor for name, amount in _pairs(arguments, "exact")
        }
        weights = {circle.key_of(name): int(weight) for name, weight in _pairs(arguments, "weights")}
        among = circle.keys_of(map(str, _list_of(arguments, "among")))
        left_out = frozenset(circle.keys_of(map(str, _list_of(arguments, "without"))))
        if not (exact or weights or among or left_out) and before.shares:
            among = tuple(before.shares)
        everybody = among or tuple(circle.names)
        if not among and frozenset(everybody) <= {payer}:
            raise StagingFault("Nobody else is known in this chat: ask who shares it.", may_retry=True)
        divided_among = {key: weights.get(key, 1) for key in (*everybody, *weights)}
        others = {key: weight for key, weight in divided_among.items() if key not in left_out and key not in exact}
        try:
            return (
                with_exact(money.minor, exact, others, payer=payer)
                if exact
                else divided(money.minor, others, payer=payer)
            )
        except ValueError as fault:
            raise StagingFault(f"{fault}: ask how the amount is divided.", may_retry=True) from fault

    def _circle(self, overlay: ExpenseOverlay, context: TurnContext) -> Circle:
        """Return the people of the chat whom the bot knows: those who wrote what it remembers, and those of open expenses."""
        messages = (*context.earlier, *context.to_answer)
        names = self.people.of(context.conversation, messages)
        members = {mark_id(user_id): name for user_id, name in names.items()}
        return circle_of(members, overlay.names(), asker=mark_id(context.to_answer[-1].user_id))

    def _shown(self, expense: Expense, overlay: ExpenseOverlay, context: TurnContext) -> Json:
        circle = self._circle(overlay, context)
        shown = _line(expense, circle)
        size = None if context.conversation.is_one_on_one else self.size_of(context.conversation.id)
        unknown = unknown_count(tuple(circle.names), members=size)
        if not unknown:
            return shown
        remark = f"The bot knows {len(circle.names)} people; {unknown} members never wrote. Where all share, ask for the others' names."
        return {**shown, "unknown_members": remark}

    def _today(self, context: TurnContext) -> str:
        return dt.datetime.fromtimestamp(context.now_ms / 1_000, tz=self.time_zone).date().isoformat()

    def _tool(
        self, name: str, description: str, action: Action, *, is_reading: bool = False, is_plain: IsPlain | None = None
    ) -> Tool:
        """Return a tool that runs `action` on the turn's overlay; a StagingFault becomes a ToolFault."""

        def run(arguments: Json, context: TurnContext) -> Json | ToolFault | NeedsTap:
            try:
                return action(self, arguments, context.staged.of(ExpenseOverlay), context)
            except (StagingFault, AmountError) as fault:
                may_retry = fault.may_retry if isinstance(fault, StagingFault) else True
                return ToolFault(message=str(fault), may_retry=may_retry)

        return Tool(
            name=name,
            description=description,
            parameters=load_schema(f"{name}.parameters"),
            response=load_schema(f"{name}.response"),
            run=run,
            is_reading=is_reading,
            stages=not is_reading,
            is_plain=is_plain,
            revision=_revision if name in _TARGETED else None,
        )


def _is_as_asked(asked: Json, result: Json) -> bool:
    """Whether the expense needs no remark: everybody who may share it is known, or the people are named."""
    return "unknown_members" not in result or bool(asked.get("among"))


def _revision(arguments: Json, context: TurnContext) -> str:
    """Return the revision of the expense with the arguments' `id`."""
    return context.staged.of(ExpenseOverlay).revision_of(str(arguments["id"]))


def _asking(context: TurnContext) -> Provenance:
    """Return the messages that ask: an amount is taken back with any of them."""
    return Provenance.of_sources(one.source for one in context.to_answer)


def _sources(texts: Sequence[str], context: TurnContext) -> Provenance:
    """Return the messages behind an expense: those that ask, and earlier messages with its words or its amount."""
    possible = PossibleSources(to_answer=context.to_answer, earlier=context.read_earlier, retellings=context.retellings)
    traced = Provenance.of_sources(source for text in texts if text for source in possible.of(text))
    return replace(traced | _asking(context), outside=context.outside_in_write(texts))


def _money(arguments: Json, before: Expense, currency: str) -> Money:
    code = str(arguments.get("currency") or before.currency or currency)
    if "amount" not in arguments:
        if not before.minor or code != before.currency:
            raise StagingFault("The amount is missing; ask for it.", may_retry=True)
        return before.money
    return money_in(str(arguments["amount"]), code)


def _currency(arguments: Json) -> str | None:
    return str(arguments["currency"]).upper() if arguments.get("currency") else None


def _what(arguments: Json, before: Expense) -> str:
    written = without_lone_surrogates(str(arguments.get("what") or before.what))
    if not written.strip():
        raise StagingFault("Say what the expense is for.", may_retry=True)
    return short_line(written, limit=WHAT_LIMIT)


def _pairs(arguments: Json, name: str) -> Iterable[tuple[str, str]]:
    """Yield the pairs of a list of objects: `[{"name": "Ken", "value": "2"}]` gives `("Ken", "2")`."""
    for pair in _list_of(arguments, name):
        if isinstance(pair, Mapping):
            yield str(pair["name"]), str(pair["value"])


def _list_of(arguments: Json, name: str) -> tuple[object, ...]:
    values = arguments.get(name)
    return tuple(values) if isinstance(values, list) else ()


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
            "from": circle.name_of(one.debtor),
            "to": circle.name_of(one.creditor),
            "amount": str(Money(currency, one.minor)),
        }
        for currency, transfers in owed.items()
        for one in transfers
    ]
