"""Commands: help, ids and forgetting, without the model.

A command acts as of its event's timestamp: older messages are erased, later messages stay. The command itself is not recorded. The
answer has the timestamp of the command, and so outlives the erasure.
"""

import zoneinfo
from collections.abc import Callable, Sequence
from dataclasses import field, replace
from functools import partial
from typing import Final, TypeAlias

from shared import logs
from shared.access.budgets import Budgets, Left
from shared.bus.result import EventResult
from shared.conversation.overview import Overview
from shared.conversation.records import Erasure, Offer
from shared.conversation.silences import SilenceChange
from shared.conversation.store import Conversation, Conversations
from shared.frozen import frozen
from shared.handlers.erasure import ErasureHandler
from shared.handlers.language import LanguageHandler
from shared.handlers.silence import SilenceHandler
from shared.handlers.switches import Switchboard
from shared.knowledge.overview import FiledEntries, digest_of_today, open_entries
from shared.line.cards.card import Card, CardRow, card_text
from shared.line.cards.copied import copy_button
from shared.line.cards.written import greeting_card, help_card
from shared.line.commands import Command, locale_asked_in, locale_of
from shared.line.events import LineEvent, MessageContent
from shared.line.phrases import EXAMPLES, GROUP_EXAMPLES, Phrase, Phrases
from shared.line.postback_data import PagePress
from shared.line.presence import Presence
from shared.reminders.overview import OpenReminders
from shared.turns.announcement import Announcement, Announcer, in_chats_language

_EXPLANATIONS: Final = {
    Command.HELP: (Phrase.HELP_FRIEND, Phrase.HELP_GROUP),
    Command.ID: (Phrase.ID, Phrase.ID),
    Command.EXPORT_ME: (Phrase.EXPORT_ME, Phrase.EXPORT_ME_GROUP),
    Command.START: (Phrase.GREETING_FRIEND, Phrase.GREETING_GROUP),
}
_NAMES_AN_ID: Final = frozenset({Phrase.ID, Phrase.EXPORT_ME})
_ASKED_IN_GROUPS: Final = {
    Command.RESET: Erasure.RESET,
    Command.EXIT: Erasure.LEAVE,
    Command.BYE: Erasure.LEAVE,
}
_DONE_IN_1_TO_1: Final = {
    Command.RESET: Phrase.RESET_DONE,
    Command.EXIT: Phrase.GOODBYE_FRIEND,
    Command.BYE: Phrase.GOODBYE_FRIEND,
}
Worded: TypeAlias = Callable[[str | None], Announcement]
"""Words what was read in a language; None: in the bot's."""


@frozen
class CommandHandler:
    """Handles messages that are commands, for example `/reset`."""

    conversations: Conversations
    announcer: Announcer
    erasure: ErasureHandler
    silence: SilenceHandler
    budgets: Budgets
    presence: Presence
    phrases: Phrases
    language: LanguageHandler
    switchboard: Switchboard
    time_zone: zoneinfo.ZoneInfo = field(repr=False)
    is_rich: bool = True

    def __call__(  # noqa: PLR0911 - one return a kind of command
        self, event: LineEvent, content: MessageContent, command: Command
    ) -> EventResult:
        """The command was carried out and answered, or the chat was asked for a confirmation.

        Repeated: no answer is sent twice, later messages are not erased, and a group that the bot joined again is not left.
        Raises: TurnBusyError, StorageUnavailableError, LineUnavailableError; safe to deliver again.
        Example: `/reset` erases a 1:1 chat at once; in a group, a member has to press a button first.
        """
        logs.info("command_received", command=command.value)
        with self.presence.during(mark_as_read_token=content.mark_as_read_token):
            match command:
                case Command.SETTINGS:
                    return self._show_switches(event)
                case Command.USAGE | Command.REMINDERS | Command.NOTES | Command.DIGEST:
                    return self._tell_usage(event) if command is Command.USAGE else self._show(event, command)
                case Command.LANGUAGE:
                    return self.language(event, locale_of(str(content.fields.get("text", ""))))
                case Command.FORGET | Command.FORGET_ME if event.is_one_on_one or command is Command.FORGET:
                    return self.erasure.ask(event, content, Erasure.FORGET)
                case Command.PAUSE | Command.RESUME:
                    return self.silence.command(event, content, SilenceChange(command.value))
                case Command.FORGET_ME:
                    return self.erasure.forget_member(event, content)
                case Command.RESET | Command.EXIT | Command.BYE if event.is_one_on_one:
                    return self.erasure.erase(event, _DONE_IN_1_TO_1[command], spares_entries=True)
                case Command.RESET | Command.EXIT | Command.BYE:
                    return self.erasure.ask(event, content, _ASKED_IN_GROUPS[command])
                case _:
                    asked_in = locale_asked_in(str(content.fields.get("text", "")))
                    return self._explain(event, command, asked_in)

    def _show_switches(self, event: LineEvent) -> EventResult:
        def read(conversation: Conversation) -> Worded:
            switches = self.switchboard.read(conversation)

            def worded(locale: str | None) -> Announcement:
                shown = switches.listed(locale or self.phrases.locale)
                return replace(_said(event, shown.text, shown.card), provenance=shown.provenance)

            return worded

        return self._announce(event, read)

    def _explain(self, event: LineEvent, command: Command, asked_in: str | None) -> EventResult:
        """Announce an explanation, in the language `asked_in` if the words of the question show one; the help, with what is on."""
        friend, group = _EXPLANATIONS[command]
        which = friend if event.is_one_on_one else group

        def read(conversation: Conversation) -> Worded:
            switches = self.switchboard.read(conversation)

            def worded(chats_locale: str | None) -> Announcement:
                locale = asked_in or chats_locale
                text = self.phrases.text(which, locale=locale, id=event.conversation_id)
                if which in _NAMES_AN_ID:
                    button = copy_button(event.conversation_id, locale or self.phrases.locale)
                    return _said(event, text, Card(rows=(CardRow(text=text, buttons=(button,)),)))
                if command not in {Command.HELP, Command.START}:
                    return _said(event, text)
                examples = self._examples(EXAMPLES if event.is_one_on_one else GROUP_EXAMPLES, locale)
                draw = help_card if command is Command.HELP else greeting_card
                card = draw(text, event.webhook_event_id, examples)
                shown = switches.added_to(text, card, locale or self.phrases.locale)
                suggests = examples if event.is_one_on_one or self.is_rich else ()
                return replace(_said(event, shown.text, shown.card, suggests=suggests), provenance=shown.provenance)

            return worded

        return self._announce(event, read)

    def _examples(self, which: Sequence[Phrase], locale: str | None) -> tuple[str, ...]:
        return tuple(self.phrases.text(example, locale=locale) for example in which)

    def _tell_usage(self, event: LineEvent) -> EventResult:
        def read(conversation: Conversation) -> Worded:
            remaining = self.budgets.left(conversation.turn.spending(conversation.turn.read().record))
            renewal_ms = self.budgets.renewal_ms(self.conversations.clock.now_ms())
            return partial(self._usage, event, remaining, renewal_ms)

        return self._announce(event, read)

    def _usage(self, event: LineEvent, remaining: Left, renewal_ms: int, locale: str | None) -> Announcement:
        """Return what is left today; of a chat without tokens, no answer is left."""
        hour = self.phrases.day_begin(renewal_ms, locale=locale)
        turns, tokens = (
            self.phrases.text(Phrase.USAGE_LIMITLESS, locale=locale) if amount is None else f"{amount:,}"
            for amount in (0 if remaining.tokens == 0 else remaining.turns, remaining.tokens)
        )
        which = Phrase.USAGE_UNLIMITED
        if remaining.turns is not None or remaining.tokens == 0:
            which = Phrase.USAGE
        elif remaining.tokens is not None:
            which = Phrase.USAGE_OF_TOKENS
        text = self.phrases.text(which, locale=locale, turns=turns, tokens=tokens, hour=hour)
        rows = tuple(
            CardRow(text=self.phrases.text(label, locale=locale), detail=detail)
            for label, detail in (
                (Phrase.USAGE_TURNS, turns),
                (Phrase.USAGE_TOKENS, tokens),
                (Phrase.USAGE_HOUR, hour),
            )
        )
        return _said(event, text, Card(title=self.phrases.text(Phrase.USAGE_TITLE, locale=locale), rows=rows))

    def show_page(self, event: LineEvent, press: PagePress) -> EventResult:
        """Announce a further page of a list, for a press of its button.  Repeated, and raises: as for a command."""
        logs.info("page_pressed", command=press.command)
        return self._show(event, Command(press.command), page=press.page)

    def _show(self, event: LineEvent, command: Command, *, page: int = 0) -> EventResult:
        """Announce what the chat keeps."""

        def read(conversation: Conversation) -> Worded:
            overview_in = self._overview(conversation, command, page)

            def worded(locale: str | None) -> Announcement:
                overview = overview_in(locale or self.phrases.locale)
                return replace(_said(event, overview.text, overview.card), provenance=overview.provenance)

            return worded

        return self._announce(event, read)

    def _overview(self, conversation: Conversation, command: Command, page: int) -> Callable[[str], Overview]:
        """Read what the chat keeps; return how to show it in a language."""
        shown_page = page if self.is_rich else None
        if command is Command.REMINDERS:
            due = OpenReminders.read(conversation)
            return lambda locale: due.listed(phrases=self.phrases, locale=locale, page=shown_page)
        filed = FiledEntries.read(conversation)
        if command is Command.NOTES:
            return lambda locale: open_entries(filed, phrases=self.phrases, locale=locale, page=shown_page)
        return lambda locale: digest_of_today(filed, locale=locale, time_zone=self.time_zone)

    def _announce(self, event: LineEvent, read: Callable[[Conversation], Worded]) -> EventResult:
        """Announce the chat as read while the turn is held, with the effects of all earlier answers.

        For example, `/reminders` right after "remind me at 9" lists the new reminder.
        """
        conversation = self.conversations.of(event.conversation_id)
        announcement = Announcement(event=event, text="", decide=lambda: in_chats_language(read(conversation)))
        return self.announcer.announce(conversation, announcement)


def _said(event: LineEvent, text: str, card: Card | None = None, *, suggests: tuple[str, ...] = ()) -> Announcement:
    return Announcement(
        event=event,
        text=text,
        offer=Offer(card=card_text(card), suggests=suggests),
    )
