"""Payments and settlements as records: `expenses/{conversation_id}/{id}.json`.

A settlement holds only the ids of the closed expenses: balances are computed from the remaining expenses, so a withdrawn expense leaves
no amount behind. A removed record stays without words, so a late write meets a larger key.
"""

from collections.abc import Mapping
from dataclasses import field, replace
from typing import Final, TypeAlias

from shared.conversation.provenance import Provenance, Source
from shared.expenses.money import Money
from shared.frozen import frozen
from shared.storage.codec import VERSION
from shared.unknown_fields import Extensible

FOLDER: Final = "expenses"
EXPENSES_LIMIT: Final = 300
"""Expenses of a chat that are not settled."""
PEOPLE_LIMIT: Final = 30
"""People of one expense."""
WHAT_LIMIT: Final = 60
NAME_LIMIT: Final = 20


def unnamed(key: str) -> str:
    """Return what stands for a person whose name is forgotten: "someone …a1b2", by the end of the person key."""
    return f"someone \N{HORIZONTAL ELLIPSIS}{key[-4:]}"


@frozen
class Expense(Extensible):
    """An amount paid by a person for several people.

    `minor` and `shares` are in the minor unit of `currency`, by person key: the mark of a member, or `~` and a name. The shares add up to
    the amount. `names` are the people's names when the expense was added, without members who are forgotten. `day` is such as `2026-11-26`.
    An expense without shares was removed.
    """

    version: int = VERSION
    id: str
    what: str = field(default="", repr=False)
    payer: str = field(default="", repr=False)
    currency: str = ""
    minor: int = 0
    shares: Mapping[str, int] = field(default_factory=dict, repr=False, hash=False)
    names: Mapping[str, str] = field(default_factory=dict, repr=False, hash=False)
    day: str = ""
    provenance: Provenance = field(default_factory=Provenance)
    created: tuple[int, int] = (0, 0)
    revision: tuple[int, int] = (0, 0)

    @property
    def money(self) -> Money:
        """The amount."""
        return Money(self.currency, self.minor)

    @property
    def is_removed(self) -> bool:
        return not self.shares

    def shown_name(self, key: str) -> str:
        """Return the name of a person of the expense, such as "Ann"; "someone …a1b2" for a person who is forgotten."""
        return self.names.get(key) or unnamed(key)

    def without_members(self, members: Mapping[str, int]) -> "Expense":
        """Return the expense without names of members with a later `/forget me`; the shares stay.

        `members`: the timestamp of each `/forget me` by the member's mark, for example `{"member-8c0f...": 1763700000000}`.
        """
        said_ms = max((source.timestamp_ms for source in self.provenance.sources), default=-1)
        names = {key: name for key, name in self.names.items() if said_ms > members.get(key, -1)}
        return self if len(names) == len(self.names) else replace(self, names=names)

    def removed(self, *, revision: tuple[int, int]) -> "Expense":
        """Return the expense without words, people and amount."""
        return Expense(id=self.id, created=self.created, revision=revision)


@frozen
class Settlement(Extensible):
    """The end of a period: the expenses of these ids are settled.  A settlement of no expense was removed."""

    version: int = VERSION
    id: str
    day: str = ""
    closes: tuple[str, ...] = ()
    provenance: Provenance = field(default_factory=Provenance)
    created: tuple[int, int] = (0, 0)
    revision: tuple[int, int] = (0, 0)

    @property
    def is_removed(self) -> bool:
        return not self.closes

    def without_members(self, members: Mapping[str, int]) -> "Settlement":
        """Return the settlement without the messages of members with a later `/forget me`; for the others, the expenses stay settled.

        In place of such a message stands the settlement's own id, by nobody, so that an erasure of the chat takes the settlement.
        """
        sources = tuple(
            Source(line_message_id=self.id, timestamp_ms=source.timestamp_ms)
            if source.timestamp_ms <= members.get(source.by, -1)
            else source
            for source in self.provenance.sources
        )
        if sources == self.provenance.sources:
            return self
        return replace(self, provenance=replace(self.provenance, messages=Provenance.of_sources(sources).messages))

    def removed(self, *, revision: tuple[int, int]) -> "Settlement":
        """Return the settlement of no expense."""
        return Settlement(id=self.id, created=self.created, revision=revision)


ExpenseRecord: TypeAlias = Expense | Settlement
"""What the folder holds: the id of an expense begins with `e`, the id of a settlement with `s`."""
