"""The members' names for the model, without names that the provider refuses.  How names are told apart: `shared/line/display_names.py`."""

from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from typing import Final

from shared.conversation.member_mark import mark_id
from shared.conversation.records import MessageRecord
from shared.conversation.store import Conversation
from shared.frozen import frozen
from shared.line.bot_name import BotName
from shared.line.display_names import DisplayNames
from shared.search.folding import fold

_SUFFIXES: Final = ("さん", "ちゃん", "くん", "君", "さま", "様", "哥", "姐")


@frozen
class People:
    """The members' names for the model; no name equals a name of the bot."""

    display_names: DisplayNames
    bot_name: BotName

    def begin(self, conversation: Conversation, message: MessageRecord) -> None:
        """Begin to look up the author's name, so that the prompt need not wait for the name."""
        if message.user_id is not None:
            self.display_names.begin(conversation.id, message.user_id)

    def name_of(self, conversation: Conversation, user_id: str) -> str:
        """Return the name of one member."""
        return self.display_names.of(conversation.id, [user_id], bot_names=self.bot_name.all)[user_id]

    def former_marks(self, conversation: Conversation, messages: Iterable[MessageRecord]) -> frozenset[str]:
        """Return the marks of authors of the messages who have left the group, as far as LINE says so."""
        user_ids = (message.user_id for message in messages if message.user_id is not None)
        return frozenset(map(mark_id, self.display_names.former_members(conversation.id, user_ids)))

    def of(
        self,
        conversation: Conversation,
        messages: Iterable[MessageRecord],
        *,
        refused: AbstractSet[str] = frozenset(),
    ) -> Mapping[str, str]:
        """Return the name of every author of the messages, by user id, without names that the provider refuses (`Refusal`)."""
        authors = (message.user_id for message in messages)
        user_ids = [one for one in authors if one is not None and mark_id(one) not in refused]
        return self.display_names.of(conversation.id, user_ids, bot_names=self.bot_name.all) if user_ids else {}


def comparable_name(name: str) -> str:
    """Return a written name as it is compared with other names: "@Ken さん" and "ken" are one name; "" without a letter."""
    folded = fold(name).lstrip("@")
    suffix = next((one for one in map(fold, _SUFFIXES) if folded.endswith(one) and folded != one), "")
    return folded.removesuffix(suffix).strip()
