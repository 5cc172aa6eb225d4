"""Postback events: presses of the bot's own buttons."""

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from shared import logs
from shared.bus.result import EventResult
from shared.conversation.store import Conversations
from shared.frozen import frozen
from shared.handlers.command import CommandHandler
from shared.handlers.erasure import ErasureHandler
from shared.handlers.language import LanguageHandler
from shared.handlers.message import MessageHandler
from shared.handlers.reminder_press import ReminderPressHandler
from shared.handlers.silence import SilenceHandler
from shared.line.display_names import Profiles
from shared.line.events import LineEvent
from shared.line.phrases import Phrase, Phrases
from shared.line.postback_data import (
    AnswerPress,
    ConfirmPress,
    LanguagePress,
    PagePress,
    Press,
    ReminderPress,
    SparePress,
    SuggestionPress,
)
from shared.turns.announcement import Announcer, phrased

PressHandler: TypeAlias = Callable[[LineEvent, Any], EventResult]
"""Carries out a press of one class.  Repeated, and raises: as the handler says."""


@frozen
class FeaturePresses:
    """The handlers of presses of features' buttons: of members, and of persons whom LINE does not name, who are told what to write."""

    of_members: Mapping[type[Press], PressHandler]
    of_unnamed: Mapping[type[Press], PressHandler]


@frozen
class PostbackHandler:
    """Calls the handler of the pressed button."""

    conversations: Conversations
    message: MessageHandler
    erasure: ErasureHandler
    reminder: ReminderPressHandler
    command: CommandHandler
    silence: SilenceHandler
    language: LanguageHandler
    announcer: Announcer
    profiles: Profiles
    phrases: Phrases
    of_features: FeaturePresses

    def __call__(self, event: LineEvent) -> EventResult:
        """A press of one of the bot's buttons is carried out and answered, or is told why it is not carried out.

        A pressed suggestion is answered as a question.
        Data of no button of the bot is ignored. Repeated, and raises: as the handler of the button does.
        """
        if event.reply_token is None:
            return EventResult.NOT_ANSWERABLE
        for kind, carry_out in self._handlers.items():
            press = kind.read(event.postback_data)
            if press is not None:
                return carry_out(event, press)
        for kind, carry_out in self._handlers_for_members.items():
            press = kind.read(event.postback_data)
            if press is not None:
                refusal = self._refusal(event)
                if refusal is Phrase.PRESS_UNNAMED and kind in self.of_features.of_unnamed:
                    return self.of_features.of_unnamed[kind](event, press)
                return carry_out(event, press) if refusal is None else self._refuse(event, refusal)
        return EventResult.IGNORED

    @property
    def _handlers(self) -> Mapping[type[Press], PressHandler]:
        """The handlers that check by themselves who presses."""
        return {
            ConfirmPress: lambda event, press: self.erasure.confirm(event, press.question_id),
            SparePress: lambda event, press: self.erasure.decline(event, press.question_id),
            LanguagePress: lambda event, press: self.language.choose(event, press.locale),
            ReminderPress: self.reminder,
        }

    @property
    def _handlers_for_members(self) -> Mapping[type[Press], PressHandler]:
        """The handlers of members' presses; anybody else is told that nothing was changed."""
        return {
            AnswerPress: self._press,
            SuggestionPress: self._ask,
            PagePress: self.command.show_page,
            **self.of_features.of_members,
        }

    def _press(self, event: LineEvent, press: AnswerPress) -> EventResult:
        """Pass a press on to the answer's turn."""
        return self._told_of_silence(event, self.message.press(event, press))

    def _ask(self, event: LineEvent, press: SuggestionPress) -> EventResult:
        """Answer a press of a suggestion as a question; a press of a withdrawn or forgotten answer is told that it does not apply.

        The id of another chat's answer is unknown here.
        """
        result = self.message.ask_suggested(event, press.answer_id, press.number)
        return self._refuse(event, Phrase.PRESS_VOID) if result is None else self._told_of_silence(event, result)

    def _told_of_silence(self, event: LineEvent, result: EventResult) -> EventResult:
        """Return the result of a press; one that met a pause or a handover is told so."""
        return self.silence.refuse_press(event) if result is EventResult.PAUSED else result

    def _refuse(self, event: LineEvent, refusal: Phrase) -> EventResult:
        logs.info("press_refused", reason=refusal.value)
        notice = phrased(event, self.phrases, refusal)
        conversation = self.conversations.of(event.conversation_id)
        return self.announcer.announce(conversation, notice)

    def _refusal(self, event: LineEvent) -> Phrase | None:
        """Return why this person may not press: LINE names no person, or the person is no member.  None: the person may.

        If LINE does not answer whether the person is a member, the signed event, which names the chat, is taken as proof.
        """
        if event.is_one_on_one:  # the chat's id is the person's id
            return None
        if event.user_id is None:
            return Phrase.PRESS_UNNAMED
        return Phrase.PRESS_VOID if self.profiles.is_member(event.conversation_id, event.user_id) is False else None
