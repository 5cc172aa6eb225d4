"""The arguments of expenses: how much, and among whom, as the model passes on what people say."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from shared.agent.grounding import numbers_said, plain_number
from shared.agent.model import Json
from shared.agent.overlay import StagingFault
from shared.expenses.expense import WHAT_LIMIT, Expense
from shared.expenses.money import Money, currency_code, money_in, unit_of_share
from shared.expenses.people import Circle
from shared.expenses.rates import Rates, rate_of
from shared.expenses.shares import divided, with_exact
from shared.frozen import frozen
from shared.line.graphemes import short_line
from shared.line.utf16 import without_lone_surrogates

_HOW: Final = "ask how the amount is divided"


@frozen
class Sharing:
    """The people who share an amount, by person key: `among`, if empty all; but not `left_out`.

    `exact` are amounts for single people, and `weights` how often a person counts. For example, 「ケンは抜き」 has `left_out`.
    """

    among: tuple[str, ...] = ()
    left_out: frozenset[str] = frozenset()
    exact: Mapping[str, int]
    weights: Mapping[str, int]

    @classmethod
    def of(cls, arguments: Json, circle: Circle, currency: str) -> "Sharing":
        """Return the sharing that a call asks for.  Raises: StagingFault, AmountError."""
        exact = _pairs(arguments, "exact")
        return cls(
            among=circle.keys_of(map(str, _list_of(arguments, "among"))),
            left_out=frozenset(circle.keys_of(map(str, _list_of(arguments, "without")))),
            exact={circle.key_of(name): money_in(amount, currency).minor for name, amount in exact},
            weights={circle.key_of(name): _weight(weight) for name, weight in _pairs(arguments, "weights")},
        )

    @property
    def is_said(self) -> bool:
        """Whether the call says anything about it."""
        return bool(self.among or self.left_out or self.exact or self.weights)

    @property
    def named(self) -> Sequence[str]:
        """The people whom the call names."""
        return tuple(dict.fromkeys((*self.among, *self.left_out, *self.exact, *self.weights)))

    def concerns_all(self, money: Money) -> bool:
        """Whether the amount, or what exact amounts leave of it, is divided among everybody."""
        return not self.among and sum(self.exact.values()) < money.minor

    def shares(self, money: Money, people: Iterable[str], *, payer: str) -> Mapping[str, int]:
        """Return each person's share, in minor units; `people` share where the call names nobody.  Raises: StagingFault."""
        keys = (*(self.among or people), *self.weights)
        weights = {key: self.weights.get(key, 1) for key in keys if key not in self.left_out and key not in self.exact}
        unit = unit_of_share(money.currency)
        try:
            if self.exact:
                return with_exact(money.minor, self.exact, weights, payer=payer, unit=unit)
            return divided(money.minor, weights, payer=payer, unit=unit)
        except ValueError as fault:
            raise StagingFault(f"{fault}: {_HOW}.", may_retry=True) from fault


def people_of(expense: Expense) -> Sequence[str]:
    """Return who shares an expense in equal parts, for a new amount.  Raises: StagingFault, if the parts are not equal."""
    for people in (tuple(expense.shares), tuple(key for key in expense.shares if key != expense.payer)):
        equal = dict.fromkeys(people, 1)
        units = {unit_of_share(expense.currency), 1}  # 0.1.0 divided every currency to the last minor unit
        if people and any(
            divided(expense.minor, equal, payer=expense.payer, unit=unit) == expense.shares for unit in units
        ):
            return people
    raise StagingFault(f"The shares of {expense.what!r} are not equal: {_HOW}.")


def money_of(arguments: Json, before: Expense, currency: str) -> Money:
    """Return the amount; `currency` counts where none is named.  Raises: StagingFault, AmountError."""
    code = str(arguments.get("currency") or before.currency or currency)
    if "amount" not in arguments:
        if not before.minor or currency_code(code) != before.currency:
            raise StagingFault("The amount is missing; ask for it.")
        return before.money
    return money_in(str(arguments["amount"]), code)


def currency_of(arguments: Json) -> str | None:
    """Return the currency that a call is about; None: all."""
    return currency_code(str(arguments["currency"])) if arguments.get("currency") else None


def rates_of(arguments: Json) -> Rates:
    """Return the rates of a call.  Raises: AmountError.  Example: `[{"amount": "1", "currency": "USD", "makes": "150", "into": "JPY"}]`."""
    return Rates(
        tuple(
            rate_of(
                amount=str(rate["amount"]),
                source=str(rate["currency"]),
                makes=str(rate["makes"]),
                target=str(rate["into"]),
            )
            for rate in _list_of(arguments, "rates")
            if isinstance(rate, Mapping)
        )
    )


def check_rates_are_said(arguments: Json, said_texts: Iterable[str]) -> None:
    """Check that people said the numbers of every rate, because a model knows rates of its own.  Raises: StagingFault."""
    numbers = {
        plain_number(str(rate[place]))
        for rate in _list_of(arguments, "rates")
        if isinstance(rate, Mapping)
        for place in ("amount", "makes")
    }
    if numbers - {"1"} - numbers_said(said_texts):
        raise StagingFault("Nobody has said this rate: ask for it, and pass its numbers as people write them.")


def what_of(arguments: Json, before: Expense) -> str:
    """Return what the expense is for, in one line.  Raises: StagingFault."""
    written = without_lone_surrogates(str(arguments.get("what") or before.what))
    if not written.strip():
        raise StagingFault("Say what the expense is for.", may_retry=True)
    return short_line(written, limit=WHAT_LIMIT)


def numbers_in(arguments: Json) -> Sequence[str]:
    """Return the numbers of a call as passed on: the amount, exact amounts and weights."""
    numbers = [number for name in ("exact", "weights") for _, number in _pairs(arguments, name)]
    return [str(arguments.get("amount", "")), *numbers]


def names_in(arguments: Json) -> Sequence[str]:
    """Return the names of a call as passed on."""
    payer = [str(arguments["payer"])] if arguments.get("payer") else []
    listed = [str(name) for role in ("among", "without") for name in _list_of(arguments, role)]
    return [*payer, *listed, *(name for role in ("exact", "weights") for name, _ in _pairs(arguments, role))]


def _weight(text: str) -> int:
    """Return how often a person counts.  Raises: StagingFault."""
    if not (text.isascii() and text.isdecimal()):
        raise StagingFault(f"{text[:10]!r} is no weight, such as 2: {_HOW}.", may_retry=True)
    return int(text)


def _pairs(arguments: Json, name: str) -> Iterable[tuple[str, str]]:
    """Yield the pairs of a list of objects: `[{"name": "Ken", "value": "2"}]` gives `("Ken", "2")`."""
    for pair in _list_of(arguments, name):
        if isinstance(pair, Mapping):
            yield str(pair["name"]), str(pair["value"])


def _list_of(arguments: Json, name: str) -> tuple[object, ...]:
    values = arguments.get(name)
    return tuple(values) if isinstance(values, list | tuple) else ()
