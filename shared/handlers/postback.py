"""Postback events: presses of the bot's own buttons."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from shared import logs
from shared.bus.result import EventResult
from shared.conversation.store import Conversations
from shared.handlers.command import CommandHandler
from shared.handlers.erasure import ErasureHandler
from shared.handlers.language import LanguageHandler
from shared.handlers.listed_reminder_press import ListedReminderPressHandler
from shared.handlers.message import MessageHandler
from shared.handlers.reminder_press import ReminderPressHandler
from shared.handlers.silence import SilenceHandler
from shared.handlers.tick_press import TickPressHandler
from shared.line.display_names import Profiles
from shared.line.events import LineEvent
from shared.line.phrases import Phrase, Phrases
from shared.line.postback_data import (
    AnswerPress,
    answer_press_in,
    hook_press_in,
    language_in,
    listed_reminder_press_in,
    page_in,
    question_id_in,
    reminder_press_in,
    spared_question_id_in,
    suggestion_in,
    tick_press_in,
)
from shared.turns.announcement import Announcer, phrased

if TYPE_CHECKING:
    from shared.handlers.hooks import HooksHandler


@dataclass(frozen=True, slots=True, kw_only=True)
class PostbackHandler:
    """Calls the handler of the pressed button."""

    conversations: Conversations
    message: MessageHandler
    erasure: ErasureHandler
    reminder: ReminderPressHandler
    listed_reminder: ListedReminderPressHandler
    tick: TickPressHandler
    command: CommandHandler
    silence: SilenceHandler
    hooks: "HooksHandler | None" = None
    language: LanguageHandler
    announcer: Announcer
    profiles: Profiles
    phrases: Phrases

    def __call__(self, event: LineEvent) -> EventResult:
        """A press of one of the bot's buttons is carried out and answered, or is told why it is not carried out.

        A pressed suggestion is answered as a question.
        Data of no button of the bot is ignored. Repeated, and raises: as the handler of the button does.
        """
        if event.reply_token is None:
            return EventResult.NOT_ANSWERABLE
        for carry_out in (self._of_question, self._of_answer, self._of_list):
            result = carry_out(event, event.postback_data)
            if result is not None:
                return result
        press = reminder_press_in(event.postback_data)
        return EventResult.IGNORED if press is None else self.reminder(event, press)

    def _of_question(self, event: LineEvent, data: str | None) -> EventResult | None:
        """Carry out a press below a question to erase; None: it is another button's."""
        if (question_id := question_id_in(data)) is not None:
            return self.erasure.confirm(event, question_id)
        if (question_id := spared_question_id_in(data)) is not None:
            return self.erasure.decline(event, question_id)
        return None

    def _of_answer(self, event: LineEvent, data: str | None) -> EventResult | None:
        """Carry out a press below an answer; None: it is another button's."""
        if (suggestion := suggestion_in(data)) is not None:
            return self._ask(event, *suggestion)
        if (locale := language_in(data)) is not None:
            return self.language.choose(event, locale)
        answer_press = answer_press_in(data)
        return None if answer_press is None else self._press(event, answer_press)

    def _of_list(self, event: LineEvent, data: str | None) -> EventResult | None:
        """Carry out a press on a card with a list; None: it is another button's."""
        if (pressed_row := listed_reminder_press_in(data)) is not None:
            refusal = self._refusal(event)
            return self.listed_reminder(event, pressed_row) if refusal is None else self._refuse(event, refusal)
        if (tick := tick_press_in(data)) is not None:
            refusal = self._refusal(event)
            return self.tick(event, tick) if refusal is None else self._refuse(event, refusal)
        if self.hooks is not None and (hook := hook_press_in(data)) is not None:
            refusal = self._refusal(event)
            return self.hooks.press(event, hook) if refusal is None else self._refuse(event, refusal)
        if (page := page_in(data)) is not None:
            refusal = self._refusal(event)
            return self.command.show_page(event, *page) if refusal is None else self._refuse(event, refusal)
        return None

    def _press(self, event: LineEvent, press: AnswerPress) -> EventResult:
        """Pass a member's press on to the answer's turn; anybody else is told that nothing was changed."""
        refusal = self._refusal(event)
        if refusal is not None:
            return self._refuse(event, refusal)
        return self._told_of_silence(event, self.message.press(event, press))

    def _ask(self, event: LineEvent, answer_id: str, number: int) -> EventResult:
        """Answer a member's press of a suggestion as a question; a press of a withdrawn or forgotten answer is told that it does not apply.

        The id of another chat's answer is unknown here.
        """
        refusal = self._refusal(event)
        if refusal is not None:
            return self._refuse(event, refusal)
        suggested = self.message.suggestions_of(event, answer_id)
        if number >= len(suggested):
            return self._refuse(event, Phrase.PRESS_VOID)
        return self._told_of_silence(event, self.message.ask(event, suggested[number]))

    def _told_of_silence(self, event: LineEvent, result: EventResult) -> EventResult:
        """Return the result of a press; one that met a pause or a handover is told so."""
        return self.silence.refuse_press(event) if result is EventResult.PAUSED else result

    def _refuse(self, event: LineEvent, refusal: Phrase) -> EventResult:
        logs.info("press_refused", reason=refusal.value)
        notice = phrased(event, self.phrases, refusal)
        conversation = self.conversations.of(event.conversation_id)
        return self.announcer.announce(conversation, notice, event.reply_token, event.deadline)

    def _refusal(self, event: LineEvent) -> Phrase | None:
        """Return why this person may not press: LINE names no person, or the person is no member.  None: the person may.

        If LINE does not answer whether the person is a member, the signed event, which names the chat, is taken as proof.
        """
        if event.is_one_on_one:  # the chat's id is the person's id
            return None
        if event.user_id is None:
            return Phrase.PRESS_UNNAMED
        return Phrase.PRESS_VOID if self.profiles.is_member(event.conversation_id, event.user_id) is False else None
