"""The bot's name: the operator's setting, or the display name of the LINE account."""

import re
from dataclasses import field
from typing import Final, Protocol

from shared.frozen import frozen

_FALLBACK: Final = "Aizuchi"
_COMMAS: Final = re.compile("[,，、]")


class Account(Protocol):
    """The bot's LINE account."""

    def display_name(self) -> str | None:
        """Return the account's display name, read once; None if LINE did not answer, and LINE is asked again after a minute.

        While a thread waits for LINE, other threads get None at once.
        """
        ...


@frozen
class BotName:
    """`configured` holds the operator's names for the bot, the shown one first, separated by commas; None: the account's name is used.

    For example, a bot with `configured="Aizuchi,アイズチ"` calls itself Aizuchi, and is addressed by "アイズチ、…" too.
    """

    account: Account = field(repr=False)
    configured: str | None = None

    @property
    def shown(self) -> str:
        """The bot's name in the bot's own texts."""
        return next(iter(self._configured), None) or self.account.display_name() or _FALLBACK

    @property
    def all(self) -> tuple[str, ...]:
        """All names by which people may address the bot."""
        return tuple(dict.fromkeys(filter(None, (*self._configured, self.account.display_name()))))

    @property
    def _configured(self) -> tuple[str, ...]:
        names = (name.strip() for name in _COMMAS.split(self.configured or ""))
        return tuple(name for name in names if name)
