"""Intake: from a parsed event to the record of its message: whether the bot is addressed, and the words without the bot's name."""

from collections.abc import Mapping
from dataclasses import field, replace

from shared.conversation.history_reader import HistoryReader
from shared.conversation.records import MessageRecord
from shared.conversation.store import Conversation
from shared.conversation.withdrawal import Withdrawal
from shared.frozen import frozen
from shared.handlers.silence import Operator
from shared.line.addressing import GroupPolicy, is_addressed, may_address_by_quote, without_address
from shared.line.bot_name import BotName
from shared.line.commands import Command, command_of, words_after, written_words
from shared.line.events import LineEvent, MessageContent
from shared.line.ids import is_event_or_message_id
from shared.line.message_text import describe
from shared.line.postback_data import AnswerPress
from shared.line.readable import readable


@frozen
class Intake:
    """Reads events as messages of their chats."""

    reader: HistoryReader
    policy: GroupPolicy
    bot_name: BotName
    operator: Operator = field(default_factory=Operator)
    has_hooks: bool = False
    has_calendar: bool = False
    has_translation: bool = False

    def message(self, event: LineEvent, content: MessageContent) -> MessageRecord:
        """Return the record of a message; its words decide whether it addresses the bot.

        Example: in a group, "aizuchi, what did we decide?" is addressed, with the text "what did we decide?".
        """
        bot_names = self._names(event)
        is_catch_up = self.command(event, content) is Command.CATCH_UP
        addressed = is_catch_up or is_addressed(event, policy=self.policy, bot_names=bot_names)
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
            quoted_message_id=content.quoted_message_id,
            quote_token=None if event.is_one_on_one else content.quote_token,
            image_set_id=set_id,
            image_set_size=set_size,
        )

    def press(self, event: LineEvent, press: AnswerPress) -> MessageRecord:
        """Return the record of a press of a button below an answer."""
        record = self.suggestion(event, "", quotes=None)
        return replace(record, type="postback", presses=press.answer_id, button=press.button)

    def suggestion(self, event: LineEvent, words: str, *, quotes: str | None) -> MessageRecord:
        """Return the record of a press of a suggestion: a text of the presser, under the event's id: a press has no message id.

        `quotes`: the message id of a bubble of the answer, so that "Go on" means this answer, whatever was said since.
        """
        return MessageRecord(
            line_message_id=event.webhook_event_id,
            webhook_event_id=event.webhook_event_id,
            timestamp_ms=event.timestamp_ms,
            type="text",
            addressed=True,
            text=words,
            user_id=event.user_id,
            reply_token=event.reply_token,
            quoted_message_id=quotes,
        )

    def edited_words(self, event: LineEvent, content: MessageContent) -> str:
        """Return the words of an edited text, without the bot's name at the beginning."""
        return _words(content, self._names(event))

    def command(self, event: LineEvent, content: MessageContent) -> Command | None:
        """Return the command of a message, addressed or not.

        None in standby mode, where another channel answers, for `/handover` in any chat but the operator's own, and for `/hook`,
        `/calendar` and `/translate` where the deployment does not offer them.
        """
        if event.reply_token is None:
            return None
        names = self._names(event)
        command = command_of(
            content,
            bot_names=names,
            is_addressed=is_addressed(event, policy=self.policy, bot_names=names),
            is_in_group=not event.is_one_on_one,
        )
        is_unknown = (
            (command is Command.HANDOVER and not self.operator.is_in(event))
            or (command is Command.HOOK and not self.has_hooks)
            or (command is Command.CALENDAR and not self.has_calendar)
            or (command is Command.TRANSLATE and not self.has_translation)
        )
        return None if is_unknown else command

    def handover_name(self, event: LineEvent, content: MessageContent) -> str:
        """Return the words behind `/handover`; empty without words."""
        return words_after(Command.HANDOVER, content, bot_names=self._names(event))

    def written_words(self, event: LineEvent, content: MessageContent) -> tuple[str, ...]:
        """Return the words behind a command, as they were written."""
        return written_words(content, bot_names=self._names(event))

    def calendar_words(self, event: LineEvent, content: MessageContent) -> str:
        """Return the words behind `/calendar`: "new", for example; empty without words."""
        return words_after(Command.CALENDAR, content, bot_names=self._names(event))

    def code(self, event: LineEvent, content: MessageContent) -> str:
        """Return the invitation code behind `/start`; empty without a code."""
        return words_after(Command.START, content, bot_names=self._names(event))

    def _names(self, event: LineEvent) -> tuple[str, ...]:
        """Return the names that address the bot; in a 1:1 chat no name is needed."""
        return () if event.is_one_on_one else self.bot_name.all

    def record_quote(self, conversation: Conversation, event: LineEvent, message: MessageRecord) -> MessageRecord:
        """Return the message as addressed if it quotes a message of the bot.

        To find out, the message is journalled first, and the chat is read.
        Repeated: returns the same, also after the bot's message has left memory.
        Raises: StorageUnavailableError, UnreadableRecordError; nothing is lost.
        """
        quoted_id = message.quoted_message_id
        if message.addressed or quoted_id is None or not may_address_by_quote(event, policy=self.policy):
            return message
        conversation.journal.keep(message)
        history = self.reader.read_newest(conversation)
        if message.line_message_id in history.addressed_ids:
            return replace(message, addressed=True)
        if quoted_id not in history.quotable.answers:
            return message
        conversation.journal.mark_as_addressed(message.line_message_id)
        return replace(message, addressed=True)


def record_unless_withdrawn(conversation: Conversation, message: MessageRecord, withdrawal: Withdrawal) -> bool:
    """Record the message and return True; if an amendment covers it, withdraw the message and return False.

    Example: `/forget me` of the author is younger than the message, which is delivered late.
    """
    stands = conversation.journal.record(message)
    if not stands:
        withdrawal.take_back_late(conversation, message)
    return stands


def _words(content: MessageContent, bot_names: tuple[str, ...]) -> str:
    if content.type != "text":
        return describe(content.type, content.fields)
    return readable(without_address(content, bot_names=bot_names))


def _image_set(fields: Mapping[str, object]) -> tuple[str | None, int]:
    """Return the id and size of an image's set.  Source: LINE, "Image": index and total may be missing.

    Example: `{"imageSet": {"id": "E1", "index": 1, "total": 3}}` gives `("E1", 3)`.
    """
    image_set = fields.get("imageSet")
    set_id = image_set.get("id") if isinstance(image_set, dict) else None
    total = image_set.get("total") if isinstance(image_set, dict) else None
    if not isinstance(set_id, str) or not is_event_or_message_id(set_id):
        return None, 0
    return set_id, total if isinstance(total, int) and not isinstance(total, bool) and total > 0 else 0
