"""`/hook`: make a hook by a member's tap, list hooks, revoke them, and give them new tokens.

    /hook new backup now   asks with a button; the tap shows address and token, once
    /hook                  lists, with buttons to revoke and to rotate

A token is never stored: an outcome names the hook's address, and the outbox makes the token from the address when sending (`HookTokens`).
"""

from collections.abc import Sequence
from dataclasses import field, replace
from typing import Final

from shared import logs
from shared.bus.notices import NOTIFY_PATH
from shared.bus.result import EventResult
from shared.conversation.amendments import Amendments
from shared.conversation.history_reader import HistoryReader
from shared.conversation.member_mark import mark_id
from shared.conversation.provenance import Provenance, Source
from shared.conversation.pushes import PushAllowance
from shared.conversation.records import Offer, OfferedHook, OutcomeRecord
from shared.conversation.store import Conversation, Conversations
from shared.conversation.undo import stage_beyond_undo
from shared.frozen import frozen
from shared.hooks.hook import HOOKS_A_CHAT, NAME_LIMIT, Hook, HookMode
from shared.hooks.store import HookStore
from shared.hooks.token import new_address, read_address, token_of
from shared.line.cards.card import Card, CardButton, CardRow, card_text, title_of
from shared.line.display_names import sanitised
from shared.line.events import LineEvent, MessageContent
from shared.line.language import shown_language
from shared.line.messaging import OutgoingMessage
from shared.line.phrases import Phrase, Phrases
from shared.line.postback_data import HookChoice, HookPress
from shared.line.webhook_check import WebhookAddress
from shared.settings.secret import Secret
from shared.turns.announcement import Announcement, Announcer, in_chats_language, phrased, unless_withdrawn
from shared.turns.deferral import CONFIRMED_WITHIN_MS

_QUESTIONS: Final = {
    HookMode.NOW: Phrase.HOOK_QUESTION_NOW,
    HookMode.NEXT: Phrase.HOOK_QUESTION_NEXT,
    HookMode.QUIET: Phrase.HOOK_QUESTION_QUIET,
}
_MODES: Final = {
    HookMode.NOW: Phrase.HOOK_MODE_NOW,
    HookMode.NEXT: Phrase.HOOK_MODE_NEXT,
    HookMode.QUIET: Phrase.HOOK_MODE_QUIET,
}


@frozen
class HookTokens:
    """The token below the text of an outcome that made one; an Attachments.  `key` is HOOK_KEY."""

    key: Secret = field(repr=False)

    def of(self, outcome: OutcomeRecord) -> Sequence[OutgoingMessage]:
        """Return the token in a bubble of its own, so that a phone copies nothing else."""
        address = outcome.offer.token_of
        return (OutgoingMessage(text=token_of(address, self.key.value())),) if address else ()


@frozen
class HooksHandler:
    """Carries out `/hook` and its buttons."""

    conversations: Conversations
    announcer: Announcer
    reader: HistoryReader
    pushes: PushAllowance
    address: WebhookAddress
    phrases: Phrases
    key: Secret = field(repr=False)

    def command(self, event: LineEvent, content: MessageContent, words: tuple[str, ...]) -> EventResult:
        """The chat's hooks are listed, or a question asks whether to make one, or a hook is revoked or has a new token.

        Repeated: done once, answered once. Raises: StorageUnavailableError, TurnBusyError; safe to deliver again.
        Example: ("new", "backup", "now") asks whether to make a hook that pushes.
        """
        if not words:
            return self._list(event)
        match words[0].casefold(), words[1:]:
            case "new", (_, *_):
                return self._ask(event, content, words[1:])
            case ("revoke" | "rotate") as choice, (_, *_):
                return self._by_name(event, HookChoice(choice), _name_in(words[1:]))
            case _:
                return self._say(event, Phrase.HOOK_USAGE)

    def make(self, event: LineEvent, question_id: str) -> EventResult:
        """The hook of the question exists, and address and token are shown, once.

        Repeated: the same hook, shown once; the id comes from the question. Raises: as `command` does.
        """
        conversation = self.conversations.of(event.conversation_id)
        history = self.reader.read_newest(conversation, required_ids={question_id})
        question = next((one for one in history.outcomes if one.webhook_event_id == question_id), None)
        offered = question.offer.hook if question is not None and question.text is not None else None
        if question is None or offered is None or not offered.name:  # withdrawn or erased since
            return self._say(event, Phrase.PRESS_VOID)
        if history.has_answered(event.webhook_event_id):  # and perhaps revoked since
            return self._say(event, Phrase.HOOK_GONE)
        url = self._url()
        if url is None:
            return self._say(event, Phrase.HOOK_NO_ADDRESS)
        store, key = HookStore(conversation), self.key.value()
        address = new_address(key, conversation_id=conversation.id, seed=question_id)
        hook_id, mark = _parts_of(address, key)
        other_hooks = [hook for hook in store.read_all() if hook.id != hook_id]
        command = question.provenance.only_messages(frozenset({question.offer.asked_by or ""}))
        if refusal := _refusal(other_hooks, offered.name):
            return self._say(event, refusal, name=offered.name, provenance=Provenance.of_sources(command.sources))
        hook = Hook(
            id=hook_id,
            name=offered.name,
            mode=HookMode(offered.mode),
            mark=mark,
            made_ms=event.timestamp_ms,
            locale=conversation.turn.chosen_locale() or shown_language([question.text or ""]) or "",
            provenance=command,
        )
        store.create(hook)
        amendments = conversation.amendments.look()
        if hook.is_from_withdrawn(amendments):  # meanwhile
            store.delete_if(store.name_of(hook.id), lambda stored: stored.is_from_withdrawn(amendments))
            return self._say(event, Phrase.PRESS_VOID)
        logs.info("hook_made", mode=hook.mode.value)
        return self._show_token(event, Phrase.HOOK_DONE, hook, address, url)

    def press(self, event: LineEvent, press: HookPress) -> EventResult:
        """The listed hook is revoked or has a new token, if the listed token still counts; else the press is refused with words."""
        conversation = self.conversations.of(event.conversation_id)
        stored = HookStore(conversation).find(press.hook_id)
        return self._carry_out(event, conversation, press, stored[0] if stored is not None else None)

    def _ask(self, event: LineEvent, content: MessageContent, words: tuple[str, ...]) -> EventResult:
        conversation = self.conversations.of(event.conversation_id)
        if content.line_message_id in conversation.amendments.look().withdrawn:
            return EventResult.WITHDRAWN
        is_mode = len(words) > 1 and words[-1].lower() in set(HookMode)
        mode = HookMode(words[-1].lower()) if is_mode else HookMode.NEXT
        name = _name_in(words[:-1] if is_mode else words)
        if not name:
            return self._say(event, Phrase.HOOK_USAGE)
        source = Source(
            line_message_id=content.line_message_id, timestamp_ms=event.timestamp_ms, by=mark_id(event.user_id)
        )
        if refusal := _refusal(HookStore(conversation).read_all(), name):
            return self._say(event, refusal, name=name, provenance=Provenance.of_sources((source,)))
        return self._say(
            event,
            _QUESTIONS[mode],
            offer=Offer(hook=OfferedHook(mode=mode.value, name=name), asked_by=content.line_message_id),
            provenance=Provenance.of_sources((source,)),
            name=name,
            cost=str(self.pushes.cost_of(conversation.id) or 1),
        )

    def _by_name(self, event: LineEvent, choice: HookChoice, name: str) -> EventResult:
        """Revoke or rotate the hook of this name, unless the hook was made later, or the event was answered before."""
        conversation = self.conversations.of(event.conversation_id)
        hooks = HookStore(conversation).read_all()
        hook = next((hook for hook in hooks if hook.name.casefold() == name.casefold()), None)
        is_later = hook is not None and hook.made_ms > event.timestamp_ms
        if hook is None or is_later or self.announcer.has_answered(conversation, event):
            return self._say(event, Phrase.HOOK_GONE)
        return self._carry_out(event, conversation, HookPress(choice=choice, hook_id=hook.id, mark=hook.mark), hook)

    def _carry_out(
        self, event: LineEvent, conversation: Conversation, press: HookPress, hook: Hook | None
    ) -> EventResult:
        """Revoke or rotate; a redelivered event finds the token of the first delivery."""
        store, key = HookStore(conversation), self.key.value()
        if hook is None:
            return self._say(event, Phrase.HOOK_GONE)
        if press.choice is HookChoice.REVOKE:
            if hook.mark != press.mark:
                return self._say(event, Phrase.HOOK_GONE)
            store.delete_if(store.name_of(hook.id), lambda stored: stored.mark == press.mark)
            logs.info("hook_revoked")
            said = _said(hook, conversation)
            return self._say(event, Phrase.HOOK_REVOKED, name=hook.name, provenance=said, otherwise=Phrase.HOOK_GONE)
        url = self._url()
        if url is None:
            return self._say(event, Phrase.HOOK_NO_ADDRESS)
        address = new_address(key, conversation_id=conversation.id, seed=event.webhook_event_id, hook_id=hook.id)
        _, mark = _parts_of(address, key)
        rotated = store.update(
            hook.id, lambda stored: replace(stored, mark=mark) if stored.mark == press.mark else None
        )
        if rotated is None or rotated.mark != mark:
            return self._say(event, Phrase.HOOK_GONE)
        logs.info("hook_rotated")
        return self._show_token(event, Phrase.HOOK_ROTATED, rotated, address, url)

    def _list(self, event: LineEvent) -> EventResult:
        conversation = self.conversations.of(event.conversation_id)
        amendments = conversation.amendments.look()
        hooks = [hook for hook in HookStore(conversation).read_all() if not hook.is_from_withdrawn(amendments)]
        if not hooks:
            return self._say(event, Phrase.HOOKS_NONE)
        provenance = Provenance.union(_said(hook, conversation, amendments) for hook in hooks)

        def worded(locale: str | None) -> Announcement:
            heading = self.phrases.text(Phrase.HOOKS_LIST, locale=locale)
            rows = [self._row(hook, locale or self.phrases.locale) for hook in hooks]
            card = Card(title=title_of(heading), rows=tuple(rows))
            return Announcement(
                event=event,
                text="\n".join((heading, *(f"・{row.text}: {row.detail}" for row in rows))),
                offer=Offer(card=card_text(card)),
                provenance=provenance,
            )

        return self.announcer.announce(conversation, in_chats_language(worded))

    def _row(self, hook: Hook, locale: str) -> CardRow:
        labels = {
            HookChoice.REVOKE: self.phrases.text(Phrase.HOOK_REVOKE_BUTTON, locale=locale),
            HookChoice.ROTATE: self.phrases.text(Phrase.HOOK_ROTATE_BUTTON, locale=locale),
        }
        buttons = tuple(
            CardButton(
                label=label,
                value=HookPress(choice=choice, hook_id=hook.id, mark=hook.mark).data,
                shown=f"{label}: {hook.name}",
            )
            for choice, label in labels.items()
        )
        mode = self.phrases.text(_MODES[hook.mode], locale=locale)
        return CardRow(text=hook.name, detail=mode, buttons=buttons)

    def _show_token(self, event: LineEvent, which: Phrase, hook: Hook, address: str, url: str) -> EventResult:
        conversation = self.conversations.of(event.conversation_id)
        return self._say(
            event,
            which,
            offer=Offer(token_of=address),
            provenance=_said(hook, conversation),
            otherwise=Phrase.HOOK_GONE,
            name=hook.name,
            url=url,
        )

    def _url(self) -> str | None:
        """Return the address for notices; None: LINE does not say where the webhook is."""
        registered = self.address.webhook_address()
        return None if registered is None else f"{registered.partition('?')[0].rstrip('/')}{NOTIFY_PATH}"

    def _say(
        self,
        event: LineEvent,
        which: Phrase,
        *,
        offer: Offer | None = None,
        provenance: Provenance | None = None,
        otherwise: Phrase | None = None,
        **facts: str,
    ) -> EventResult:
        """Say the text; `otherwise` is said where the hook's message is withdrawn meanwhile."""

        def worded(locale: str | None) -> Announcement:
            until = self.phrases.hour(event.timestamp_ms + CONFIRMED_WITHIN_MS, locale=locale)
            return Announcement(
                event=event,
                text=self.phrases.text(which, locale=locale, until=until, **facts),
                offer=offer or Offer(),
                provenance=provenance or Provenance(),
                stage=stage_beyond_undo,
            )

        conversation, said = self.conversations.of(event.conversation_id), in_chats_language(worded)
        if otherwise is not None:
            said = unless_withdrawn(said, conversation, otherwise=phrased(event, self.phrases, otherwise))
        return self.announcer.announce(conversation, said)


def _name_in(words: Sequence[str]) -> str:
    """Return the name of a hook as stored and shown; "" for none."""
    return (sanitised(" ".join(words)) or "")[:NAME_LIMIT].strip()


def _refusal(hooks: Sequence[Hook], name: str) -> Phrase | None:
    """Return why a hook of this name cannot be made; None: it can."""
    if any(hook.name.casefold() == name.casefold() for hook in hooks):
        return Phrase.HOOK_EXISTS
    return Phrase.HOOK_FULL if len(hooks) >= HOOKS_A_CHAT else None


def _parts_of(address: str, key: str) -> tuple[str, str]:
    hook_address = read_address(address, key)
    assert hook_address is not None  # noqa: S101 - made with this key
    return hook_address.hook_id, hook_address.mark


def _said(hook: Hook, conversation: Conversation, amendments: Amendments | None = None) -> Provenance:
    """Return the provenance of a text with the hook's name.  A reset spares hooks, so the name does not count as older than the reset."""
    return hook.provenance.spared_by(amendments or conversation.amendments.look())
