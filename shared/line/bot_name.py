"""The bot's name: the operator's setting, or the display name of the LINE account."""

from dataclasses import dataclass, field
from typing import Final, Protocol

_FALLBACK: Final = "Aizuchi"


class Account(Protocol):
    """The bot's LINE account."""

    def display_name(self) -> str | None:
        """Return the account's display name, read once; None if LINE did not answer, and LINE is asked again after a minute.

        While a thread waits for LINE, other threads get None at once.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class BotName:
    """`configured` is the operator's name for the bot; None: the account's name is used."""

    account: Account = field(repr=False)
    configured: str | None = None

    @property
    def shown(self) -> str:
        """The bot's name in the bot's own texts."""
        return self.configured or self.account.display_name() or _FALLBACK

    @property
    def all(self) -> tuple[str, ...]:
        """All names by which people may address the bot."""
        return tuple(dict.fromkeys(filter(None, (self.configured, self.account.display_name()))))
