"""A turn's view of a chat's expenses, with its own writes (`shared/agent/overlay.py`)."""

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Final

from shared.agent.overlay import Attempt, Overlay, StagingFault
from shared.agent.receipts import Deed, DeedKind
from shared.conversation.provenance import Provenance
from shared.conversation.write_key import WriteKey
from shared.expenses.expense import EXPENSES_LIMIT, FOLDER, Expense, ExpenseRecord, Settlement
from shared.expenses.rates import Rates
from shared.expenses.settlement import Transfer, balances, transfers
from shared.expenses.store import ExpenseStore, entry_in
from shared.expenses.wording import divided_among
from shared.storage.codec import encode
from shared.storage.object_store import ListedObject

_NO_RATES: Final = Rates()


class ExpenseOverlay(Overlay[ExpenseRecord]):
    """A turn's view of the chat's expenses and settlements, by id; what was removed does not exist."""

    path_prefix = f"{FOLDER}/"
    noun = "expenses"

    def __init__(self, attempt: Attempt) -> None:
        super().__init__(attempt)
        self._store = ExpenseStore(attempt.conversation)
        self._listed: Mapping[str, ListedObject] | None = None
        self._stored: dict[str, ExpenseRecord | None] = {}

    def open(self) -> tuple[Expense, ...]:
        """Return the expenses that are not settled, for the model to read, the oldest first; three round trips in a turn."""
        with self._lock:
            expenses = self._open()
            self.mark_shown(Provenance.union(one.provenance for one in expenses))
            return expenses

    def find(self, expense_id: str) -> Expense:
        """Return an expense that is not settled.  Raises: StagingFault."""
        with self._lock:
            expense = next((one for one in self._open() if one.id == expense_id), None)
            if expense is None:
                raise StagingFault(f"There is no open expense {expense_id[:40]!r}; list them first.", may_retry=True)
            self.mark_shown(expense.provenance)
            return expense

    def add(self, expense: Expense) -> Expense:
        """Stage a new expense; its id is made here.  Raises: StagingFault."""
        with self._lock:
            if len(self._open()) >= EXPENSES_LIMIT:
                raise StagingFault(f"This chat has {EXPENSES_LIMIT} open expenses; settle them first.")
            added = replace(expense, id=self._new_id("e"))
            self.stage({added.id: added})
            return added

    @property
    def open_revision(self) -> str:
        """What a settlement would close, as a text without words: each open expense, with its last write."""
        return " ".join(f"{one.id}/{self.revision_of(one.id)}" for one in self.open())

    def open_mark(self, currency: str | None) -> str:
        """Return a mark of what is open in the currency, None: in every one; there is another one after any change."""
        with self._lock:
            revisions = " ".join(f"{one.id}/{self.revision_of(one.id)}" for one in self.open_in(currency))
            return hashlib.sha256(revisions.encode()).hexdigest()[:16]

    def close(self, expenses: Iterable[Expense], *, day: str, provenance: Provenance) -> Settlement:
        """Stage the settlement of the expenses.  Raises: StagingFault."""
        with self._lock:
            closes = tuple(one.id for one in expenses)
            settlement = Settlement(id=self._new_id("s"), day=day, closes=closes, provenance=provenance)
            self.stage({settlement.id: settlement})
            return settlement

    def settle(
        self, currency: str | None, *, day: str, provenance: Provenance, rates: Rates = _NO_RATES
    ) -> tuple[Settlement, Mapping[str, tuple[Transfer, ...]]]:
        """Stage the settlement of the open expenses, or of one currency's; return it with the transfers.  Raises: StagingFault."""
        with self._lock:
            expenses = self.open_in(currency, rates)
            if not expenses:
                raise StagingFault("Nothing is open, so there is nothing to settle.")
            owed = self.transfers(currency, rates)
            return self.close(expenses, day=day, provenance=provenance), owed

    def balances(self, currency: str | None = None, rates: Rates = _NO_RATES) -> Mapping[str, Mapping[str, int]]:
        """Return, by currency, what each person is owed (above zero) or owes (below), in minor units; None: every currency.

        A currency with a rate is converted; the converted balances of a currency are rounded once, and add up to zero.
        """
        expenses = self.open_in(currency, rates)
        currencies = sorted({one.currency for one in expenses})
        return rates.converted(
            {code: balances((one.payer, one.shares) for one in expenses if one.currency == code) for code in currencies}
        )

    def transfers(self, currency: str | None = None, rates: Rates = _NO_RATES) -> Mapping[str, tuple[Transfer, ...]]:
        """Return, by currency, the transfers that would clear the open expenses."""
        return {code: transfers(totals) for code, totals in self.balances(currency, rates).items()}

    def open_in(self, currency: str | None, rates: Rates = _NO_RATES) -> tuple[Expense, ...]:
        """Return the open expenses in the currency, or in a currency with a rate into the currency; None: all."""
        sources = rates.sources_of(currency) if currency is not None else None
        return tuple(one for one in self.open() if sources is None or one.currency in sources)

    def names(self) -> Mapping[str, str]:
        """Return the names of the people of open expenses, by person key; the newest name counts."""
        return {key: name for one in self.open() for key, name in one.names.items()}

    def people(self) -> frozenset[str]:
        """Return the person keys of open expenses, also of people with forgotten names."""
        return frozenset(key for one in self.open() for key in (one.payer, *one.shares))

    @property
    def deeds(self) -> tuple[Deed, ...]:
        """The effects of the staged writes, compared with the bucket."""
        with self._lock:
            changes = [(self.load(own_id), entry) for own_id, entry in self._changed.items()]
            deeds = (self._deed(before, after) for before, after in changes)
            return tuple(deed for deed in deeds if deed is not None)

    def load(self, thing_id: str) -> ExpenseRecord | None:
        self._read([thing_id])
        return self._stored.get(thing_id)

    def text_of(self, thing_id: str, thing: ExpenseRecord, *, key: WriteKey) -> str:
        stored = self.load(thing_id)
        return encode(replace(thing, created=key if stored is None else stored.created, revision=key)).decode()

    def read_text(self, thing_id: str, text: str) -> ExpenseRecord:
        return entry_in(thing_id, text.encode())

    def provenance_of(self, thing: ExpenseRecord) -> Provenance:
        return thing.provenance

    def key_of(self, thing: ExpenseRecord) -> WriteKey:
        return thing.revision

    def name_of(self, thing: ExpenseRecord) -> str:
        """Return the purpose of an expense; of a settlement, the purposes of the closed expenses, a line each."""
        return thing.what if isinstance(thing, Expense) else "\n".join(self._closed_by(thing)) or thing.day

    def _closed_by(self, settlement: Settlement) -> tuple[str, ...]:
        """Return the purposes of the expenses that a settlement closes."""
        self._read(settlement.closes)
        closed = (self.current(own_id) for own_id in settlement.closes)
        return tuple(expense.what for expense in closed if isinstance(expense, Expense))

    def _deed(self, before: ExpenseRecord | None, after: ExpenseRecord | None) -> Deed | None:
        if isinstance(after, Expense):
            kind = DeedKind.EXPENSE_ADDED if before is None else DeedKind.EXPENSE_CHANGED
            amount, shares = divided_among(after)
            payer = after.shown_name(after.payer)
            return Deed(kind=kind, name=after.what, amount=amount, shares=shares, payer=payer)
        if isinstance(after, Settlement):
            return self._deed_of_settlement(DeedKind.EXPENSES_SETTLED, after)
        if isinstance(before, Expense):
            return Deed(kind=DeedKind.EXPENSE_REMOVED, name=before.what, amount=str(before.money))
        return self._deed_of_settlement(DeedKind.EXPENSES_REOPENED, before) if before is not None else None

    def _deed_of_settlement(self, kind: DeedKind, settlement: Settlement) -> Deed:
        return Deed(kind=kind, name=self.name_of(settlement), closes=self._closed_by(settlement))

    def _open(self) -> tuple[Expense, ...]:
        """Return what no settlement closes; of a closed expense, the record is not read."""
        records = {**self._load_settlements(), **self._staged}
        settled = {own_id for one in records.values() if isinstance(one, Settlement) for own_id in one.closes}
        self._read(own_id for own_id in self._objects if own_id not in settled)
        entries: dict[str, ExpenseRecord | None] = {**self._stored, **self._staged}
        expenses = (one for one in entries.values() if isinstance(one, Expense) and one.id not in settled)
        return tuple(sorted(expenses, key=lambda expense: (expense.day, expense.revision, expense.id)))

    def _load_settlements(self) -> Mapping[str, ExpenseRecord | None]:
        self._read(own_id for own_id in self._objects if own_id.startswith("s"))
        return {own_id: one for own_id, one in self._stored.items() if isinstance(one, Settlement)}

    @property
    def _objects(self) -> Mapping[str, ListedObject]:
        """The objects of the chat's records by id, listed once in a turn."""
        if self._listed is None:
            self._listed = {self._store.id_in(one.name): one for one in self._store.list_objects()}
        return self._listed

    def _read(self, own_ids: Iterable[str]) -> None:
        """Read the unread records in one round trip; a removed record, or a record of withdrawn messages, counts as absent."""
        unread = [self._objects[own_id] for own_id in own_ids if own_id not in self._stored and own_id in self._objects]
        if not unread:
            return
        self._stored |= dict.fromkeys(self._store.id_in(one.name) for one in unread)
        is_withdrawn = self.attempt.is_withdrawn
        for stored in self._store.read(unread):
            entry = stored.without_members(self.attempt.members)
            if not entry.is_removed and not entry.provenance.has_withdrawn(is_withdrawn):
                self._stored[entry.id] = entry

    def _new_id(self, kind: str) -> str:
        """Return an id made by no other commit of the chat, for example `e0123456789`."""
        made_of = f"{self.conversation.id}/{self.attempt.sequence}/{len(self._staged)}/{self.attempt.now_ms}"
        return f"{kind}{hashlib.sha256(made_of.encode()).hexdigest()[:10]}"
