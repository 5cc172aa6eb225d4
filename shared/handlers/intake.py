"""From an event to what is remembered of it: whether it was meant for the bot, and its words without the bot's name.

Whether an unaddressed message quotes one of the bot's own takes a look at the chat; nothing else here does.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from shared.conversation.history import Reader
from shared.conversation.records import MessageRecord
from shared.line.commands import Command, command_of
from shared.line.events import LineEvent, MessageContent
from shared.line.ids import is_event_or_message_id
from shared.line.mentions import GroupPolicy, is_addressed, without_address
from shared.line.message_text import describe
from shared.line.utf16 import without_lone_surrogates


@dataclass(frozen=True, slots=True, kw_only=True)
class Hearing:
    """Listens in all chats.  `bot_names` are the names by which people call the bot."""

    reader: Reader
    policy: GroupPolicy
    bot_names: Callable[[], tuple[str, ...]] = field(repr=False)

    def message(self, event: LineEvent, content: MessageContent, *, received_ms: int) -> MessageRecord:
        """Return the record of a message.  Raises: StorageUnavailableError, where it had to be looked up whom it quotes."""
        bot_names = self._names(event)
        addressed = is_addressed(
            event,
            policy=self.policy,
            bot_names=bot_names,
            is_own_message=lambda quoted_id: self._is_own(event.conversation_id, quoted_id),
        )
        set_id, set_size = _image_set(content.fields)
        return MessageRecord(
            line_message_id=content.line_message_id,
            webhook_event_id=event.webhook_event_id,
            timestamp_ms=event.timestamp_ms,
            type=content.type,
            addressed=addressed,
            text=_words(content, bot_names) if addressed else describe(content.type, content.fields),
            user_id=event.user_id,
            reply_token=event.reply_token,
            received_ms=received_ms,
            quoted_message_id=content.quoted_message_id,
            quote_token=None if event.is_one_on_one else content.quote_token,
            image_set_id=set_id,
            image_set_size=set_size,
        )

    def press(self, event: LineEvent, deferral_id: str, *, received_ms: int) -> MessageRecord:
        """Return the record of a press of the button under "still thinking"."""
        return MessageRecord(
            line_message_id=event.webhook_event_id,
            webhook_event_id=event.webhook_event_id,
            timestamp_ms=event.timestamp_ms,
            type="postback",
            addressed=True,
            text="",
            user_id=event.user_id,
            reply_token=event.reply_token,
            received_ms=received_ms,
            presses=deferral_id,
        )

    def edited_words(self, event: LineEvent, content: MessageContent) -> str:
        """Return the words of an edited text, without the bot's name if they begin with it."""
        return _words(content, self._names(event))

    def command(self, event: LineEvent, content: MessageContent) -> Command | None:
        """Return the command that a message is, addressed or not."""
        return command_of(content, bot_names=self._names(event))

    def _names(self, event: LineEvent) -> tuple[str, ...]:
        """In a 1:1 chat nobody has to be called by name."""
        return () if event.is_one_on_one else self.bot_names()

    def _is_own(self, conversation_id: str, line_message_id: str) -> bool:
        return line_message_id in self.reader.now(conversation_id).quotable.answers


def _words(content: MessageContent, bot_names: tuple[str, ...]) -> str:
    if content.type != "text":
        return describe(content.type, content.fields)
    return without_lone_surrogates(without_address(content, bot_names=bot_names))


def _image_set(fields: Mapping[str, object]) -> tuple[str | None, int]:
    """Return the id and size of the set that an image belongs to.  Source: LINE, "Image": index and total may be missing."""
    image_set = fields.get("imageSet")
    set_id = image_set.get("id") if isinstance(image_set, dict) else None
    total = image_set.get("total") if isinstance(image_set, dict) else None
    if not isinstance(set_id, str) or not is_event_or_message_id(set_id):
        return None, 0
    return set_id, total if isinstance(total, int) and not isinstance(total, bool) and total > 0 else 0
