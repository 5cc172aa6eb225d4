"""What the bot is called: by its operator's setting, or by the display name of its LINE account."""

from dataclasses import dataclass, field
from typing import Final, Protocol

_FALLBACK: Final = "Aizuchi"


class Account(Protocol):
    """The bot's LINE account."""

    def display_name(self) -> str | None:
        """Return the account's display name; None where LINE did not tell it.  Asked of LINE once, and again after a failure."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class BotName:
    """`configured` is the operator's name for the bot; None: that of the account."""

    account: Account = field(repr=False)
    configured: str | None = None

    @property
    def shown(self) -> str:
        """The name by which the bot speaks of itself."""
        return self.configured or self.account.display_name() or _FALLBACK

    @property
    def all(self) -> tuple[str, ...]:
        """Every name by which people may call it."""
        return tuple(dict.fromkeys(filter(None, (self.configured, self.account.display_name()))))
