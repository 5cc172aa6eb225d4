"""The gate before every request to a model: no model is asked once the budget of the chat or of the deployment is spent."""

from dataclasses import field

from shared import logs
from shared.access.budgets import Budgets
from shared.conversation.spending import Spending
from shared.conversation.store import Conversations
from shared.errors import BudgetSpentError
from shared.frozen import frozen
from shared.metering import Meter


@frozen
class BudgetGate:
    """Asks the budgets before a request of any purpose: a turn, a tool, a recap, a caption.  A Gate of the metering.

    A chat's spending is the sum in the chat's turn, as this instance last read it, and the instance's charges since. A chat overshoots
    its tokens by the requests under way at once: mostly one.
    """

    budgets: Budgets
    conversations: Conversations = field(repr=False)

    def check(self, meter: Meter | None) -> None:
        """Return if a model may be asked.

        Raises: BudgetSpentError; StorageUnavailableError, if the turn has to be read and the bucket does not answer.
        """
        spending = self._spending_of(meter)
        scope = self.budgets.spent(spending, is_of_turn=meter is not None and meter.is_of_turn)
        if scope is None:
            return
        logs.info("model_not_asked", scope=scope)
        raise BudgetSpentError(scope=scope, renewal_ms=self.budgets.renewal_ms(self.conversations.clock.now_ms()))

    def remaining_tokens(self, meter: Meter | None) -> int | None:
        """Return the smaller rest of the chat's and the deployment's tokens of today; None: no limit.

        Raises: StorageUnavailableError, if the turn has to be read and the bucket does not answer.
        """
        return self.budgets.remaining_tokens(self._spending_of(meter))

    def _spending_of(self, meter: Meter | None) -> Spending:
        """Return the chat's spending today; without a chat, an empty spending with the day."""
        ledger, now_ms = self.conversations.ledger, self.conversations.clock.now_ms()
        if meter is None or meter.account is None:
            return Spending(day=ledger.day(now_ms))
        spending = ledger.spending(meter.account, now_ms)
        if spending is None:  # no work of this instance has read the turn
            turn = self.conversations.of(meter.account).turn
            spending = turn.spending(turn.read().record)
        return spending
