"""Who speaks in a prompt: names instead of ids."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from shared.conversation.records import MessageRecord
from shared.line.names import Names


@dataclass(frozen=True, slots=True, kw_only=True)
class People:
    """What people are called; nobody is called like the bot."""

    names: Names
    bot_names: Callable[[], tuple[str, ...]] = field(repr=False)

    def of(self, conversation_id: str, messages: Iterable[MessageRecord]) -> Mapping[str, str]:
        """Return the names of everybody who wrote one of the messages, by their ids."""
        user_ids = [one.user_id for one in messages if one.user_id is not None]
        return self.names.of(conversation_id, user_ids, bot_names=self.bot_names()) if user_ids else {}
