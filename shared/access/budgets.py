"""Budgets: how much a chat, and all chats together, may spend on a day."""

import datetime as dt
import zoneinfo
from dataclasses import field
from enum import StrEnum

from shared.access.usage import DeploymentUsage
from shared.conversation.spending import Spending
from shared.frozen import frozen


class Scope(StrEnum):
    """Whose budget is spent."""

    CHAT = "chat"
    DEPLOYMENT = "deployment"


@frozen
class Limits:
    """The limits of a day; 0: no limit.

    Tokens are weighted: an output token counts as the number of input tokens that cost the same. A family or a team does not reach the
    defaults.
    """

    turns_per_chat_day: int = 500
    tokens_per_chat_day: int = 5_000_000
    tokens_per_day: int = 50_000_000


@frozen
class Left:
    """The rest of a chat's budget today, in turns and weighted tokens; None: no limit."""

    turns: int | None
    tokens: int | None


@frozen
class Budgets:
    """Decides whether a model may be asked."""

    limits: Limits
    deployment: DeploymentUsage = field(repr=False)
    time_zone: dt.tzinfo = field(default_factory=lambda: zoneinfo.ZoneInfo("Asia/Tokyo"))

    def spent(self, spending: Spending, *, is_of_turn: bool = False) -> Scope | None:
        """Return whose budget is spent on the day of this spending; None: the chat may go on.

        `is_of_turn`: the request belongs to a turn that this spending already counts, so only tokens matter. Example: in turn 500 of 500,
        the model may be asked; turn 501 is refused.
        """
        if not is_of_turn and self._is_met(self.limits.turns_per_chat_day, spending.turns):
            return Scope.CHAT
        if self._is_met(self.limits.tokens_per_chat_day, spending.tokens):
            return Scope.CHAT
        limit = self.limits.tokens_per_day
        return Scope.DEPLOYMENT if limit and self.deployment.tokens(spending.day) >= limit else None

    def opened(self, spending: Spending) -> Spending:
        """Return the spending at the beginning of a turn: with the turn reserved, unless the budget is spent."""
        return spending if spending.is_reserved or self.spent(spending) is not None else spending.reserved()

    def may_translate(self, spending: Spending) -> bool:
        """Whether one more turn may translate: at most half of the chat's day goes to translation, so that questions are answered.

        Example: of 500 turns and 5,000,000 tokens a day, the 250th turn may, and the 251st may not.
        """
        turns, tokens = self.limits.turns_per_chat_day, self.limits.tokens_per_chat_day
        has_turns = not turns or 2 * (spending.translations + 1) <= turns
        return has_turns and (not tokens or 2 * spending.translated_tokens < tokens)

    def renewal_ms(self, now_ms: int) -> int:
        """Return when the budgets are renewed next: the first moment of the next day in the bot's zone."""
        tomorrow = dt.datetime.fromtimestamp(now_ms / 1_000, self.time_zone).date() + dt.timedelta(days=1)
        begins = dt.datetime.combine(tomorrow, dt.time(), self.time_zone)
        return int(begins.timestamp() * 1_000)

    def left(self, spending: Spending) -> Left:
        """Return the rest of the chat's own budget; nothing where all chats together have spent the deployment's."""
        if self.spent(spending) is Scope.DEPLOYMENT:
            return Left(turns=0, tokens=0)
        return Left(
            turns=_remaining(self.limits.turns_per_chat_day, spending.turns),
            tokens=_remaining(self.limits.tokens_per_chat_day, spending.tokens),
        )

    def remaining_tokens(self, spending: Spending) -> int | None:
        """Return the smaller rest of the chat's and the deployment's weighted tokens on the day of this spending; None: no limit."""
        chat = _remaining(self.limits.tokens_per_chat_day, spending.tokens)
        limit = self.limits.tokens_per_day
        all_chats = _remaining(limit, self.deployment.tokens(spending.day)) if limit else None
        return min((tokens for tokens in (chat, all_chats) if tokens is not None), default=None)

    @staticmethod
    def _is_met(limit: int, used: int) -> bool:
        return 0 < limit <= used


def _remaining(limit: int, used: int) -> int | None:
    return max(0, limit - used) if limit else None
