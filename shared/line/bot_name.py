"""The bot's name: the operator's setting, or the display name of the LINE account."""

from dataclasses import dataclass, field
from typing import Final, Protocol

_FALLBACK: Final = "Aizuchi"


class Account(Protocol):
    """The bot's LINE account."""

    def display_name(self) -> str | None:
        """Return the account's display name, read once; None where LINE did not answer, which is remembered for a minute.

        While one thread waits for LINE, the others get None at once.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class BotName:
    """`configured` is the name that the operator set; None: the account's name is used."""

    account: Account = field(repr=False)
    configured: str | None = None

    @property
    def shown(self) -> str:
        """The name that the bot uses for itself."""
        return self.configured or self.account.display_name() or _FALLBACK

    @property
    def all(self) -> tuple[str, ...]:
        """Every name by which people may address the bot."""
        return tuple(dict.fromkeys(filter(None, (self.configured, self.account.display_name()))))
