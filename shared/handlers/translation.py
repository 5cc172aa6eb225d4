"""`/translate`: shows what a group has translated, and begins or ends it by a member's tap.

/translate           shows the languages and the words that stay as they are
/translate ja th     asks with a button; the tap begins it for the member who asked, a second member's tap for everybody
/translate keep Momo the word stays as it is in every translation
/translate off       asks with a button

A question that another member may answer, and what has begun or ended, are said in each of the languages: who has to tap reads only one.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from shared import logs
from shared.bus.result import EventResult
from shared.conversation.history_reader import HistoryReader
from shared.conversation.member_mark import mark_id
from shared.conversation.provenance import Provenance, Source
from shared.conversation.records import Offer, OfferedTranslation, TermChange
from shared.conversation.store import Conversation, Conversations
from shared.conversation.undo import stage_beyond_undo
from shared.frozen import frozen
from shared.line.events import LineEvent, MessageContent
from shared.line.phrases import Phrase, Phrases
from shared.line.postback_data import TranslationChoice, TranslationPress
from shared.locales import LOCALES
from shared.locales.language_names import code_of, named
from shared.locales.lists import listed
from shared.translation.languages import LEAST_LANGUAGES, MOST_LANGUAGES
from shared.translation.setting import MOST_TERMS, Term, TranslationSetting, term_in
from shared.translation.store import TranslationStore
from shared.turns.announcement import Announcement, Announcer, Stage, in_chats_language, stage_nothing
from shared.turns.deferral import CONFIRMED_WITHIN_MS

_OFF: Final = "off"
_KEEP: Final = "keep"
_DROP: Final = "drop"


@frozen
class TranslationHandler:
    """Carries out `/translate` and the presses of its buttons."""

    conversations: Conversations
    announcer: Announcer
    reader: HistoryReader
    phrases: Phrases

    def command(self, event: LineEvent, content: MessageContent, words: tuple[str, ...]) -> EventResult:
        """The setting is shown, a question asks whether to change it, or a word is kept as it is; in a 1:1 chat a text says so.

        Repeated: done once, answered once. Raises: StorageUnavailableError, TurnBusyError; safe to deliver again.
        Example: ("ja", "th") asks whether to translate between Japanese and Thai.
        """
        conversation = self.conversations.of(event.conversation_id)
        if event.is_one_on_one:
            return self._say(event, Phrase.TRANSLATION_IN_GROUPS)
        if content.line_message_id in conversation.amendments.look().withdrawn:
            return EventResult.WITHDRAWN
        match words:
            case ():
                return self._show(event, conversation)
            case (first,) if first.casefold() == _OFF:
                return self._ask_to_end(event, content, conversation)
            case (first, _, *_) if first.casefold() in {_KEEP, _DROP}:
                is_added = first.casefold() == _KEEP
                return self._change_terms(event, content, conversation, " ".join(words[1:]), is_added=is_added)
            case _:
                return self._ask_to_begin(event, content, words)

    def carry_out(self, event: LineEvent, offered: OfferedTranslation, question_id: str) -> EventResult:
        """Translation begins or ends as of the press that counts, or a word of the question is kept; and the chat is told.

        Repeated: no further effect, also of a press that overtook an earlier one. Raises: as `command` does.
        """
        conversation = self.conversations.of(event.conversation_id)
        if offered.term_change is not None:
            return self._carry_out_on_term(event, conversation, question_id)
        store, at_ms = TranslationStore(conversation), event.timestamp_ms
        if offered.is_joining:
            setting = store.update(lambda before: before.joined(at_ms=at_ms))
            if not setting.is_for_all:
                return self._say(event, Phrase.TRANSLATION_IS_OFF)
            logs.info("translation_joined")
            return self._say_on(event, Phrase.TRANSLATION_ON, setting)
        if offered.languages:
            return self._begin(event, store, offered)
        setting = store.update(lambda before: before.switched_off(at_ms=at_ms))
        if setting.is_on:  # a later press has begun it meanwhile
            return self._show(event, conversation)
        logs.info("translation_ended")
        return self._say(event, Phrase.TRANSLATION_OFF, stage=stage_beyond_undo, readers=setting.languages_before)

    def press(self, event: LineEvent, press: TranslationPress) -> EventResult:
        """Translation ends, or a second member has everybody's messages translated, by a press on the card of what is on.

        A card that was sent does not change, so what was changed since is not joined, and the press says so. Repeated, and raises: as
        `carry_out` does.
        """
        conversation, at_ms = self.conversations.of(event.conversation_id), event.timestamp_ms
        store = TranslationStore(conversation)
        setting = store.read()
        if not setting.is_on and setting.changed_ms != at_ms:
            return self._say(event, Phrase.TRANSLATION_IS_OFF)
        if press.choice is TranslationChoice.END:
            return self.carry_out(event, OfferedTranslation(), "")
        if setting.is_for_all and setting.changed_ms != at_ms:
            return self._show(event, conversation)
        if setting.by == mark_id(event.user_id):
            return self._say(event, Phrase.TRANSLATION_NEEDS_ANOTHER)
        joined = store.update(
            lambda before: before.joined(at_ms=at_ms) if before.changed_ms == press.changed_ms else before
        )
        if joined.all_since_ms != at_ms:
            return self._say(event, Phrase.SWITCH_CHANGED)
        logs.info("translation_joined")
        return self._say_on(event, Phrase.TRANSLATION_ON, joined)

    def _begin(self, event: LineEvent, store: TranslationStore, offered: OfferedTranslation) -> EventResult:
        at_ms, by = event.timestamp_ms, mark_id(event.user_id)
        is_second = bool(offered.by) and offered.by != by
        setting = store.update(
            lambda before: before.switched_on(offered.languages, by=offered.by or by, at_ms=at_ms, is_for_all=is_second)
        )
        if not setting.is_on:  # a later press, or an erasure, has ended it meanwhile
            return self._say(event, Phrase.TRANSLATION_IS_OFF)
        logs.info("translation_begun", languages=list(setting.languages), is_for_all=setting.is_for_all)
        if setting.is_for_all:
            return self._say_on(event, Phrase.TRANSLATION_ON, setting)
        return self._say_on(event, Phrase.TRANSLATION_ON_FOR_ONE, setting, joins=True)

    def _show(self, event: LineEvent, conversation: Conversation) -> EventResult:
        setting = TranslationStore(conversation).read()
        if not setting.is_on:
            return self._say(event, Phrase.TRANSLATION_IS_OFF)
        if setting.is_for_all:
            return self._say(event, Phrase.TRANSLATION_IS_ON, stage=stage_beyond_undo, languages=setting.languages)
        return self._say_on(event, Phrase.TRANSLATION_IS_ON_FOR_ONE, setting, joins=True)

    def _ask_to_begin(self, event: LineEvent, content: MessageContent, words: tuple[str, ...]) -> EventResult:
        codes = [
            code_of(word) for name in words for word in name.replace("、", ",").replace("・", ",").split(",") if word
        ]
        languages = tuple(dict.fromkeys(code for code in codes if code is not None))
        if None in codes or not LEAST_LANGUAGES <= len(languages) <= MOST_LANGUAGES:
            return self._say(event, Phrase.TRANSLATION_USAGE)
        offer = OfferedTranslation(languages=languages, by=mark_id(event.user_id))
        return self._ask(event, content, Phrase.TRANSLATION_QUESTION, offer, readers=languages)

    def _ask_to_end(self, event: LineEvent, content: MessageContent, conversation: Conversation) -> EventResult:
        setting = TranslationStore(conversation).read()
        if not setting.is_on:
            return self._say(event, Phrase.TRANSLATION_IS_OFF)
        return self._ask(
            event, content, Phrase.TRANSLATION_OFF_QUESTION, OfferedTranslation(), readers=setting.languages
        )

    def _change_terms(
        self, event: LineEvent, content: MessageContent, conversation: Conversation, named_term: str, *, is_added: bool
    ) -> EventResult:
        """Keep a word as it is in translations, or translate it again."""
        text = term_in(named_term)
        if not text:
            return self._say(event, Phrase.TRANSLATION_USAGE)
        source = Source(
            line_message_id=content.line_message_id, timestamp_ms=event.timestamp_ms, by=mark_id(event.user_id)
        )
        return self._changed_terms(event, conversation, text, source, is_added=is_added)

    def _carry_out_on_term(self, event: LineEvent, conversation: Conversation, question_id: str) -> EventResult:
        """Keep the word of a question, or translate it again; the word has the message that named it as its source."""
        history = self.reader.read_newest(conversation, required_ids={question_id})
        question = next((one for one in history.outcomes if one.webhook_event_id == question_id), None)
        offered = question.offer.translation if question is not None and question.text is not None else None
        if question is None or offered is None or not offered.term:  # withdrawn or erased since
            return self._say(event, Phrase.PRESS_VOID)
        sources = question.provenance.only_messages(frozenset({question.offer.asked_by or ""})).sources
        if not sources:
            return self._say(event, Phrase.PRESS_VOID)
        return self._changed_terms(
            event, conversation, offered.term, sources[0], is_added=offered.term_change is TermChange.KEEP
        )

    def _changed_terms(
        self, event: LineEvent, conversation: Conversation, text: str, source: Source, *, is_added: bool
    ) -> EventResult:
        added = (Term(text=text, source=source),) if is_added else ()

        def changed(before: TranslationSetting) -> TranslationSetting:
            others = tuple(term for term in before.terms if term.text.casefold() != text.casefold())
            if is_added and len(others) < len(before.terms):
                return before  # named before
            return replace(before, terms=(*others, *added)[-MOST_TERMS:])

        if self.announcer.has_answered(conversation, event):
            return self._say_terms(event, TranslationStore(conversation).read())
        setting = TranslationStore(conversation).update(changed)
        logs.info("translation_terms_changed", terms=len(setting.terms))
        return self._say_terms(event, setting)

    def _say_terms(self, event: LineEvent, setting: TranslationSetting) -> EventResult:
        if not setting.terms:
            return self._say(event, Phrase.TRANSLATION_NO_TERMS)
        return self._say(event, Phrase.TRANSLATION_TERMS, setting=setting, stage=stage_beyond_undo)

    def _say_on(
        self, event: LineEvent, which: Phrase, setting: TranslationSetting, *, joins: bool = False
    ) -> EventResult:
        """Say that translation is on; with `joins`, a button lets a second member have everybody's messages translated."""
        translation = OfferedTranslation(languages=setting.languages, by=setting.by, is_joining=True)
        return self._say(
            event,
            which,
            offer=Offer(translation=translation) if joins else None,
            stage=stage_beyond_undo,
            readers=setting.languages,
            languages=setting.languages,
        )

    def _provenance_of(self, event: LineEvent, setting: TranslationSetting) -> Provenance:
        """Return the provenance of a text with the terms: a later erasure takes the text, an earlier one has spared the terms."""
        amendments = self.conversations.of(event.conversation_id).amendments.look()
        sources = Provenance.of_sources(term.source for term in setting.terms)
        return sources.spared_by(amendments)

    def _ask(
        self,
        event: LineEvent,
        content: MessageContent,
        which: Phrase,
        offered: OfferedTranslation,
        *,
        readers: Sequence[str],
    ) -> EventResult:
        offer = Offer(translation=offered, asked_by=content.line_message_id)
        return self._say(event, which, offer=offer, readers=readers, languages=offered.languages)

    def _say(  # noqa: PLR0913 - the parts of an announcement
        self,
        event: LineEvent,
        which: Phrase,
        *,
        setting: TranslationSetting | None = None,
        offer: Offer | None = None,
        stage: Stage = stage_nothing,
        readers: Sequence[str] = (),
        languages: Sequence[str] = (),
    ) -> EventResult:
        """Announce the text in the chat's language, below it in those of its `readers`; with a `setting`, its terms are words of people.

        `languages` are those that the text names.
        """
        provenance = self._provenance_of(event, setting) if setting is not None and setting.terms else Provenance()

        def worded(locale: str | None) -> Announcement:
            own = locale or self.phrases.locale
            locales = (own, *(reader for reader in readers if reader in LOCALES and reader != own))
            return Announcement(
                event=event,
                text="\n\n".join(said(one) for one in locales),
                offer=replace(offer, locale=own) if offer else Offer(),
                provenance=provenance,
                stage=stage,
            )

        def said(locale: str) -> str:
            terms = () if setting is None else (term.text for term in setting.terms)
            return self.phrases.text(
                which,
                locale=locale,
                terms=listed(terms, locale=locale),
                languages=named(languages, locale=locale),
                until=self.phrases.hour(event.timestamp_ms + CONFIRMED_WITHIN_MS, locale=locale),
            )

        conversation = self.conversations.of(event.conversation_id)
        announcement = in_chats_language(worded)
        return self.announcer.announce(conversation, announcement)
