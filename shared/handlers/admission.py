"""Admission: whether an event may be handled, before anything of the event is recorded.

A chat without admission leaves nothing in the bucket and causes no request to the model. Each instance tells the chat at most once an
hour, on a reply token, how to be admitted; a `/start` is always answered. Ticks do not pass here, nor do events that take something back
(`Forgetting`). An addressed message waits for the admission before it is refused (`arrival`).
"""

from collections.abc import Callable
from dataclasses import field
from typing import Final

from shared import logs
from shared.access.admission import Access, Admissions, is_admitted
from shared.access.arrival import MESSAGE_WAITS_S, wait_for_admission
from shared.access.invitations import Invitations
from shared.access.unadmitted_chats import UnadmittedChats
from shared.access.wrong_codes import WrongCodes
from shared.bus.result import EventResult
from shared.clock import Clock
from shared.conversation.store import Conversation
from shared.errors import UnreadableRecordError
from shared.frozen import frozen
from shared.handlers.intake import Intake
from shared.line.commands import Command
from shared.line.events import LineEvent, MessageContent
from shared.line.language import shown_language
from shared.line.messaging import OutgoingMessage, ReplyApi, reply_deadline, spend_reply_token
from shared.line.phrases import Phrase, Phrases

_UNNAMED: Final = ""
_COMMAND_SIGNS: Final = ("/", "\uff0f")


@frozen
class AdmissionHandler:
    """Admits chats, and handles the events of chats without admission."""

    access: Access
    admissions: Admissions
    invitations: Invitations
    unadmitted: UnadmittedChats
    wrong_codes: WrongCodes
    intake: Intake
    line: ReplyApi
    phrases: Phrases
    clock: Clock = field(repr=False)

    def __call__(self, event: LineEvent) -> EventResult | None:
        """Return None if the event may be handled; otherwise its result.

        Repeated: a code that admitted the chat admits it again; no text is sent twice, because LINE takes a token once.
        Raises: StorageUnavailableError, LineRefusedError; safe to deliver again.
        Example with `ACCESS=invited`: "hello" in an unknown chat gives NOT_ADMITTED; `/start` with a valid code gives None.
        """
        if self.access is Access.OPEN:
            return None
        admission = self.admissions.of(event.conversation_id)
        if admission is not None:
            return None if admission.admits(event.timestamp_ms) else EventResult.NOT_ADMITTED
        match event:
            case LineEvent(type="follow" | "join"):
                return (
                    None if self._is_let_in(event) else self._tell(event, Phrase.INVITATION_NEEDED, once_an_hour=True)
                )
            case LineEvent(type="message", message=MessageContent() as content):
                return self._meet(event, content)
            case _:
                return EventResult.NOT_ADMITTED

    def admits(self, event: LineEvent) -> bool:
        """Whether the chat was admitted when the event happened, and still is; False for an unreadable record.

        Raises: StorageUnavailableError.
        """
        if self.access is Access.OPEN:
            return True
        try:
            admission = self.admissions.of(event.conversation_id)
        except UnreadableRecordError as cause:
            logs.error("record_unreadable", cause=cause)
            return False
        return admission is not None and admission.admits(event.timestamp_ms)

    def is_admitted(self, conversation: Conversation) -> bool:
        """Whether the bot may send to the chat without an event of the chat, as ticks do.  Raises: StorageUnavailableError."""
        return is_admitted(self.access, self.admissions, conversation.id)

    def guarded(
        self,
        task: Callable[[Conversation, str], None],
        *,
        instead: Callable[[Conversation, str], None] = lambda *_: None,
    ) -> Callable[[Conversation, str], None]:
        """Return a tick's task for admitted chats; in any other chat `instead` runs, and the marker is then cleared."""

        def run(conversation: Conversation, marker_id: str) -> None:
            (task if self.is_admitted(conversation) else instead)(conversation, marker_id)

        return run

    def answers_unnamed(self) -> bool:
        """Whether to tell a person without a user id how to be named; with ACCESS "invited", at most once an hour by an instance."""
        return self.access is Access.OPEN or self.unadmitted.may_tell(_UNNAMED)

    def _meet(self, event: LineEvent, content: MessageContent) -> EventResult | None:
        """Return None if a message of a chat without admission may be handled after all; otherwise its result."""
        if self.intake.command(event, content) is Command.START:
            return self._try_code(event, content)
        if not self.intake.message(event, content).addressed:
            return EventResult.NOT_ADMITTED
        waits_s = MESSAGE_WAITS_S if event.reply_token is not None else ()
        admission = wait_for_admission(self.admissions, self.unadmitted, event.conversation_id, waits_s)
        if admission is None:
            return self._tell(event, Phrase.INVITATION_NEEDED, once_an_hour=True)
        return None if admission.admits(event.timestamp_ms) else EventResult.NOT_ADMITTED

    def _is_let_in(self, event: LineEvent) -> bool:
        return self.invitations.is_any_open() and self._admit(event)

    def _try_code(self, event: LineEvent, content: MessageContent) -> EventResult | None:
        """Admit the chat by its code, or say why the code does not work: each `/start` is answered.  A closed door checks no code."""
        if self.wrong_codes.are_too_many(event.conversation_id):
            return self._tell(event, Phrase.INVITATION_CLOSED)
        code = self.intake.code(event, content)
        if not code:
            return self._tell(event, Phrase.INVITATION_NEEDED)
        if self.invitations.redeem(code, event.conversation_id) and self._admit(event):
            return None
        self.wrong_codes.note(event.conversation_id, event.webhook_event_id)
        return self._tell(event, Phrase.INVITATION_REFUSED)

    def _admit(self, event: LineEvent) -> bool:
        """Return whether the chat is admitted as of the event; an earlier revocation stands."""
        admission = self.admissions.admit(event.conversation_id, since_ms=event.timestamp_ms)
        logs.info("chat_admitted", is_revoked=admission.is_revoked)
        return admission.admits(event.timestamp_ms)

    def _tell(self, event: LineEvent, words: Phrase, *, once_an_hour: bool = False) -> EventResult:
        """Tell the chat how to be admitted, or why its code does not work, in the language of the message.

        `once_an_hour`: only if this instance has not told the chat within the hour.
        """
        if event.reply_token is None or (once_an_hour and not self.unadmitted.may_tell(event.conversation_id)):
            return EventResult.NOT_ADMITTED
        locale = shown_language([_words_of(event)])
        notice = (OutgoingMessage(text=self.phrases.text(words, locale=locale, id=event.conversation_id)),)
        deadline = reply_deadline(event.reply_token, self.clock, latest=event.deadline)
        spend_reply_token(self.line, event.reply_token, notice, clock=self.clock, deadline=deadline)
        return EventResult.NOT_ADMITTED


def _words_of(event: LineEvent) -> str:
    """Return the words of a text message; "" for a command, whose words show no language, and for any other event."""
    text = event.message.fields.get("text") if isinstance(event.message, MessageContent) else None
    return text if isinstance(text, str) and not text.lstrip().startswith(_COMMAND_SIGNS) else ""
