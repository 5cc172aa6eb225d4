"""The gate before every request to a model: none is made for a chat, or by a deployment, whose budget is spent."""

from dataclasses import dataclass, field

from shared import logs
from shared.access.budgets import Budgets
from shared.conversation.spending import Spending
from shared.conversation.store import Conversations
from shared.errors import BudgetSpentError
from shared.metering import Meter


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetGate:
    """Asks the budgets, whatever the request is for: a turn, what its tools ask, a recap, a caption.  A Gate of the metering.

    What the chat has spent is what its turn told this instance last, and what the instance has charged since. So a chat overshoots its
    tokens by what is under way at once: mostly one request.
    """

    budgets: Budgets
    conversations: Conversations = field(repr=False)

    def check(self, meter: Meter | None) -> None:
        """Return if a model may be asked.  Raises: BudgetSpentError; StorageUnavailableError, if the turn has to be read and cannot be."""
        spending = self._spending_of(meter)
        scope = self.budgets.spent(spending, is_of_turn=meter is not None and meter.is_of_turn)
        if scope is None:
            return
        logs.info("model_not_asked", scope=scope)
        raise BudgetSpentError(scope=scope, hour=self.budgets.renewal(self.conversations.clock.now_ms()))

    def _spending_of(self, meter: Meter | None) -> Spending:
        """Return what the chat has spent today; of no chat, nothing but the day."""
        ledger, now_ms = self.conversations.ledger, self.conversations.clock.now_ms()
        if meter is None or meter.account is None:
            return Spending(day=ledger.day(now_ms))
        spending = ledger.spending(meter.account, now_ms)
        if spending is None:  # no work of this instance has read the turn
            turn = self.conversations.of(meter.account).turn
            spending = turn.spending(turn.read().record)
        return spending
